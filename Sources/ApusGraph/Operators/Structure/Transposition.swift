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
      guard Shape.isPermutation(axes, rank: shape.count) else {
        throw OperatorError("perm \(axes) does not name every axis of a tensor of shape \(shape) once")
      }
      // Axes of extent 1 go where they please without a single element moving.
      var last = -1
      let isInOrder = axes.allSatisfy { axis in
        if shape[axis] == 1 { return true }
        defer { last = axis }
        return axis > last
      }
      if isInOrder { return [try x.reshaped(axes.map { shape[$0] })] }
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
    guard Shape.isPermutation(axes, rank: x.shape.count) else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, axes.map { x.shape[$0] })]
  }
}
