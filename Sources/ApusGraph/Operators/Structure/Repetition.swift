import Apus

// Tensors made larger by repeating them.

extension Operators {
  static let repetitions: [OperatorDefinition] = [
    OperatorDefinition("Expand", .movement(.expand, results: .inputIfUnchanged, layout: .rowMajor), Expand),
    OperatorDefinition("Tile", .movement(.tile, results: .inputIfUnchanged, layout: .rowMajor), Tile),
  ]

  /// Repeated along axes of extent 1 until it fits the shape in input 1, whose own ones give way likewise.
  static func Expand(_ node: NodeDescription) throws -> PreparedOperator {
    let wanted = try node.integers(1)
    return { arguments in
      guard let wanted = try wanted(arguments) else { throw OperatorError("the shape is missing") }
      let x = try arguments.take(0)
      let shape = try Shape.broadcast(x.extents, wanted, operation: "expand")
      return [try Expansion(shape: shape).run(x)]
    }
  }

  /// The whole tensor as many times along each axis as input 1 says.
  static func Tile(_ node: NodeDescription) throws -> PreparedOperator {
    guard node.opset >= 6 else { throw OperatorError("version \(node.opset) of Tile is not supported; 6 is the first") }
    let repeats = try node.integers(1)
    return { arguments in
      guard let repeats = try repeats(arguments) else { throw OperatorError("the repeats are missing") }
      let x = try arguments.take(0)
      guard try repeats.count == x.extents.count else {
        throw OperatorError("\(repeats.count) repeats are given for a tensor of shape \(try x.extents)")
      }
      return [try Tiling(repeats: repeats).run(x)]
    }
  }
}

/// NumPy's broadcasting to a shape.
struct Expansion: Rearrangement {
  let shape: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> { try x.expanded(to: shape) }
}

private struct Tiling: Rearrangement {
  let repeats: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> { try x.tiled(repeats) }
}

// MARK: - Shapes

extension ShapeRule {
  static let expand = ShapeRule.rule { facts in
    guard let wanted = try facts.integers(1) else { throw ShapeFacts.Unknown() }
    let x = try facts.input(0)
    return [InferredType(x.elementType, try Shape.broadcast(x.shape, wanted, operation: "Expand"))]
  }

  static let tile = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard let repeats = try facts.integers(1), repeats.count == x.shape.count else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, try zip(x.shape, repeats).map { try Extent.product($0, $1) })]
  }
}
