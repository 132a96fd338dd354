import Apus

extension Operators {
  /// A product with matrices that are known, and what follows it: `activation(x · weight + bias)`.
  ///
  /// Inputs x `[…, inputs]`, bias `[outputs]` (or omitted), and then the weight, `[inputs, outputs]`, in one piece or
  /// in several that follow each other along the inputs. Attribute `transposed` has 1 for a piece `[outputs, inputs]`.
  /// With attribute `exact` the bias is added to the rounded product, as by a node of its own, and otherwise within its
  /// sums.
  static func FusedLinear(_ node: NodeDescription) throws -> PreparedOperator {
    let isExact = try node.flag("exact", default: true)
    let transposed = try node.ints("transposed", default: [])
    let activation = node.activation
    func layer<Scalar: FloatingPointScalar>(_: Scalar.Type) throws -> @Sendable (Arguments) throws -> Tensor<Scalar> {
      let bias = try node.constantFloating(1, as: Scalar.self)
      let pieces = try (2..<node.inputCount).map { index in
        guard let weight = try node.constantFloating(index, as: Scalar.self) else {
          throw OperatorError("weight \(index - 2) is not known when the model is prepared")
        }
        let isTransposed = transposed.indices.contains(index - 2) && transposed[index - 2] == 1
        return isTransposed ? LinearWeight.outputsFirst(weight) : .inputsFirst(weight)
      }
      let linear = try Linear(stacking: pieces, bias: isExact ? nil : bias)
      return { arguments in
        try linear(arguments.floating(0, as: Scalar.self), adding: isExact ? bias : nil, activation: activation)
      }
    }
    let isDouble = node.constant(2)?.elementType == .double
    for index in 1..<max(2, node.inputCount) { node.absorb(index) }
    if isDouble {
      let layer = try layer(Double.self)
      return { arguments in [GraphValue(try layer(arguments))] }
    }
    let layer = try layer(Float.self)
    return { arguments in [GraphValue(try layer(arguments))] }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let fusedLinear = ShapeRule.rule { facts in
    let (x, weight) = try (facts.input(0), facts.shape(2))
    let isTransposed = try facts.node.ints("transposed", default: []).first == 1
    guard !x.shape.isEmpty, weight.count == 2 else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, x.shape.dropLast() + [weight[isTransposed ? 0 : 1]])]
  }
}
