import Apus

// The axes in another order.

extension Operators {
  static let transpositions: [OperatorDefinition] = [
    OperatorDefinition("Transpose", .movement(.transpose, results: .transposedInput, layout: .rowMajor), Transpose)
  ]

  /// Axis `i` of the result is axis `perm[i]` of the input; the axes backwards by default.
  static func Transpose(_ node: NodeDescription) throws -> PreparedOperator {
    let axes = try node.optionalInts("perm")
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      let axes = axes ?? Array(shape.indices.reversed())
      guard axes.sorted() == Array(shape.indices) else {
        throw OperatorError("perm \(axes) does not name every axis of a tensor of shape \(shape) once")
      }
      // Axes of extent 1 go where they please without a single element moving.
      let extended = axes.filter { shape[$0] != 1 }
      if extended == extended.sorted() { return [try x.reshaped(axes.map { shape[$0] })] }
      return [try Permutation(axes: axes).run(x)]
    }
  }
}

/// The axes in another order: axis `i` of the result is axis `axes[i]`.
struct Permutation: Rearrangement {
  let axes: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> { try x.permuted(axes) }
}

// MARK: - Shapes

extension ShapeRule {
  static let transpose = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axes = try facts.node.optionalInts("perm") ?? x.shape.indices.reversed()
    guard axes.sorted() == Array(x.shape.indices) else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, axes.map { x.shape[$0] })]
  }
}
