import Apus

/// The size of what a node's rounding errors go by, where that is not the size of its output.
enum TermScale {
  /// Functions whose values lie in 0…1 or −1…1: formulas such as 0.5 + 0.5 · tanh(x / 2) round at 1, whatever comes
  /// out.
  static func leastScale(of node: Node) -> Double {
    switch node.operatorName.type {
    case "Sigmoid", "HardSigmoid", "Tanh", "Erf", "Softmax", "Sin", "Cos", "Softsign": 1
    default: 0
    }
  }

  /// Whether the errors of a node's inputs are those of its output, whatever becomes of the values: data that are
  /// moved, added, or cut off at a limit. What is left after a cut, or after terms cancel, is no measure of them.
  static func passesErrorsOn(_ node: Node) -> Bool {
    switch node.operatorName.type {
    case "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Concat", "Split", "Slice": true
    case "Gather", "Expand", "Tile", "Pad", "Relu", "Clip", "LeakyRelu", "Max", "Min", "MaxPool": true
    case "Add", "Sub", "Sum": true
    default: false
    }
  }

  /// Sums of products, linear in each factor: of the inputs' magnitudes they give those of the terms, added up.
  private static let sumsOfProducts: Set = ["Conv", "ConvTranspose", "MatMul", "Gemm", "Einsum"]

  /// The largest `Σ |term|` over the elements of a node's output; nil for operators that are no sums of products, and
  /// where it cannot be computed.
  ///
  /// - Parameter inputs: the node's inputs, those that are constants included.
  static func largestSum(of node: Node, _ inputs: [Value?], _ context: RunContext) -> Double? {
    guard node.operatorName.domain.isEmpty, sumsOfProducts.contains(node.operatorName.type),
      let definition = Operators.byName[node.operatorName]
    else { return nil }
    do {
      let operation = try definition.prepare(NodeDescription(node: node))
      var arguments = Arguments(try inputs.map { try $0?.magnitudes() }, context: context)
      return try operation(&arguments).first.flatMap { $0 }?.largestMagnitude()
    } catch {
      // The scale only ever widens a tolerance: without it the stricter one holds.
      return nil
    }
  }
}

extension Value {
  /// FLOAT and DOUBLE without their signs; anything else as it is.
  fileprivate func magnitudes() throws -> Value {
    guard case .tensor(let any) = self else { return self }
    if let tensor = any.tensor(of: Float.self) { return Value(try tensor.abs()) }
    if let tensor = any.tensor(of: Double.self) { return Value(try tensor.abs()) }
    return self
  }
}
