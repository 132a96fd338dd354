import Apus

extension Graph {
  /// A batch normalisation after a convolution becomes part of the convolution's weight and bias.
  ///
  ///     scale = γ / √(variance + epsilon)      weight' = weight · scale      bias' = (bias - mean) · scale + β
  ///
  /// With `exact` only where no bit can change: scales that are powers of two and nothing to add. With `fast` always,
  /// where products are computed in float64 and rounded once.
  func foldingBatchNorm(_ precision: Execution.Precision) throws -> Graph {
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Conv") {
      guard let convolution = rewriter.nodes[index], let output = convolution.outputs.first.flatMap({ $0 }),
        let reader = rewriter.soleReader(of: output), rewriter.isNode(reader, "BatchNormalization"),
        let normalization = rewriter.nodes[reader], normalization.outputs.count == 1,
        normalization.inputs.first == output,
        let folded = try rewriter.folded(convolution, normalization, precision)
      else { continue }
      rewriter.remove(reader)
      rewriter.replace(index, by: folded)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// The convolution that does the work of both; nil where a parameter is not known or a bit could change.
  fileprivate mutating func folded(
    _ convolution: Node, _ normalization: Node, _ precision: Execution.Precision
  ) throws -> Node? {
    guard case .tensor(let weight)? = constant(convolution.inputs.count > 1 ? convolution.inputs[1] : nil),
      weight.dataType == .float32 || weight.dataType == .float64, weight.rank >= 3, weight.shape[0] > 0,
      normalization.inputs.count == 5, normalization.attributes["training_mode"] == nil
    else { return nil }
    let channels = weight.shape[0]
    func parameter(_ value: ValueID?) throws -> Tensor<Double>? {
      guard case .tensor(let tensor)? = constant(value), tensor.shape == [channels], tensor.dataType == weight.dataType
      else { return nil }
      return try tensor.converted(to: Double.self)
    }
    guard let gamma = try parameter(normalization.inputs[1]), let beta = try parameter(normalization.inputs[2]),
      let mean = try parameter(normalization.inputs[3]), let variance = try parameter(normalization.inputs[4])
    else { return nil }
    var bias = try Tensor<Double>(zeros: [channels])
    if convolution.inputs.count > 2, let input = convolution.inputs[2] {
      guard let known = try parameter(input) else { return nil }
      bias = known
    }
    var epsilon = Double(Float(1e-5))
    if case .float(let number)? = normalization.attributes["epsilon"] { epsilon = Double(number) }
    let scale = try gamma / (variance + epsilon).sqrt()
    let shift = try (bias - mean) * scale + beta
    if precision == .exact {
      let isPowerOfTwo = try scale.elements.allSatisfy { $0.isNormal && $0.significand == 1 && abs($0.exponent) < 32 }
      guard try isPowerOfTwo && shift.elements.allSatisfy({ $0 == 0 }) && bias.elements.allSatisfy({ $0 == 0 }) else {
        return nil
      }
    }
    let factors = try scale.reshaped([channels] + [Int](repeating: 1, count: weight.rank - 1))
    let scaled = try weight.converted(to: Double.self) * factors
    var folded = convolution
    folded.inputs = [
      convolution.inputs[0], try add(scaled, like: weight, named: convolution.name + ".weight"),
      try add(shift, like: weight, named: convolution.name + ".bias"),
    ]
    folded.outputs = normalization.outputs
    return folded
  }

  /// A new constant of the element type of `original`.
  private mutating func add(_ tensor: Tensor<Double>, like original: AnyTensor, named name: String) throws -> ValueID {
    let value: GraphValue =
      original.dataType == .float64 ? GraphValue(tensor) : GraphValue(try tensor.converted(to: Float.self))
    return addConstant(value, named: name)
  }

  private typealias ValueID = Graph.ValueID
}
