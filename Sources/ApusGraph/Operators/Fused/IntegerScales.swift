import Apus

// What IntegerFusion makes of an integer convolution or product and the nodes after it. Inputs are those of the standard's
// operator, then the scale and, when there is one, the bias.

extension Operators {
  /// `activation(Float(sums) · scale + bias)` of ``ConvInteger(_:)``.
  static func FusedConvInteger(_ node: NodeDescription) throws -> PreparedOperator {
    let kernel = try IntegerKernel(node, weight: 1, zeroPoint: 3, bias: nil)
    let activation = node.activation
    return { arguments in
      let (scale, bias) = (try arguments.scale(4), try arguments.optionalFloating(5, as: Float.self))
      let convolution = try kernel.prepared(arguments)
      let (x, zeroPoint) = (try arguments.tensor(0), try arguments.optionalTensor(2))
      let shift = try bias?.eachChannel(of: convolution.outputs, axes: x.rank)
      if let scale = try scale.eachChannel(of: convolution.outputs, axes: x.rank), (shift == nil) == (bias == nil),
        let result = try convolution.scaled(
          x, zeroPoint: zeroPoint, scale: scale, bias: shift, activation: activation)
      {
        return [GraphValue(result)]
      }
      // A scale of another shape is broadcast as it would be by nodes.
      let scaled = try convolution.sums(x, zeroPoint: zeroPoint).converted(to: Float.self) * scale
      return [GraphValue(try Apus.activation(bias.map { try scaled + $0 } ?? scaled, activation))]
    }
  }

  /// `activation(Float(product) · scale + bias)` of ``MatMulInteger(_:)``.
  static func FusedMatMulInteger(_ node: NodeDescription) throws -> PreparedOperator {
    let right = try IntegerRight(node, matrix: 1, zeroPoint: 3)
    let activation = node.activation
    return { arguments in
      let (scale, bias) = (try arguments.scale(4), try arguments.optionalFloating(5, as: Float.self))
      let (a, zeroPoint) = (try arguments.tensor(0), try arguments.optionalTensor(2))
      if let packed = right.packed, zeroPoint?.count ?? 1 == 1, a.rank > 1, scale.rank <= 1,
        [1, packed.columns].contains(scale.count), bias?.count ?? packed.columns == packed.columns
      {
        let product = try packed.scaled(a, zeroPoint: zeroPoint, scale: scale, bias: bias)
        return [GraphValue(try Apus.activation(product, activation))]
      }
      let scaled = try right.product(arguments, left: a, zeroPoint: zeroPoint).converted(to: Float.self) * scale
      return [GraphValue(try Apus.activation(bias.map { try scaled + $0 } ?? scaled, activation))]
    }
  }
}

extension Tensor {
  /// One number for all channels of a map, or one for each, in a list; nil when broadcasting means something else.
  ///
  /// - Parameter axes: those of the map, `[batch, channels, …]`.
  fileprivate func eachChannel(of channels: Int, axes: Int) throws -> Tensor? {
    guard rank <= axes else { return nil }
    if count == 1 { return try reshaped([1]) }
    let shape = [Int](repeating: 1, count: axes - rank) + shape
    guard axes > 1, count == channels, shape[1] == channels else { return nil }
    return try reshaped([channels])
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let fusedConvInteger = ShapeRule.rule { facts in
    [InferredType(.float, try scaled(facts, convolved(facts.shape(0), weight: facts.shape(1), facts.node)))]
  }

  static let fusedMatMulInteger = ShapeRule.rule { facts in
    [InferredType(.float, try scaled(facts, MatMulShapes(facts.shape(0), facts.shape(1)).result))]
  }

  /// Sums of shape `sums` times a scale, input 4, plus a bias, input 5.
  private static func scaled(_ facts: ShapeFacts, _ sums: [Int]) throws -> [Int] {
    try [4, 5].reduce(sums) { shape, index in
      facts.has(index) ? try Shape.broadcast(shape, facts.shape(index), operation: "broadcast") : shape
    }
  }
}
