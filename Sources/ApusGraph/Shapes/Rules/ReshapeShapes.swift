import Apus

// The same elements in another shape, or in another order.

extension ShapeRules {
  static let reshapes: [ShapeRule] = [
    ShapeRule("Identity", "ReverseSequence", rule: same),
    ShapeRule("Reshape") { facts in
      guard let wanted = try facts.integers(1, attribute: "shape", inputSince: 5) else { throw ShapeFacts.Unknown() }
      let x = try facts.input(0)
      let allowsZero = try facts.node.flag("allowzero")
      return [InferredType(x.elementType, try Operators.reshaped(x.shape, to: wanted, allowsZero: allowsZero))]
    },
    ShapeRule("Flatten") { facts in
      let x = try facts.input(0)
      let axis = try facts.node.int("axis", default: 1)
      let first = axis < 0 ? axis &+ x.shape.count : axis
      guard first >= 0, first <= x.shape.count else { throw ShapeFacts.Unknown() }
      let parts = [Array(x.shape[..<first]), Array(x.shape[first...])]
      return [InferredType(x.elementType, try parts.map { try Shape.elementCount($0) })]
    },
    ShapeRule("Squeeze") { facts in
      let x = try facts.input(0)
      let axes = try facts.integers(1, attribute: "axes", inputSince: 13)
      let removed = try axes.map { try Axes.resolve($0, rank: x.shape.count) }
        ?? x.shape.indices.filter { x.shape[$0] == 1 }
      guard removed.allSatisfy({ x.shape[$0] == 1 }) else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, x.shape.indices.filter { !removed.contains($0) }.map { x.shape[$0] })]
    },
    ShapeRule("Unsqueeze") { facts in
      guard let axes = try facts.integers(1, attribute: "axes", inputSince: 13) else { throw ShapeFacts.Unknown() }
      let x = try facts.input(0)
      let rank = x.shape.count + axes.count
      let added = Set(try Axes.resolve(axes, rank: rank))
      var rest = x.shape.makeIterator()
      return [InferredType(x.elementType, (0..<rank).map { added.contains($0) ? 1 : rest.next() ?? 1 })]
    },
    ShapeRule("Transpose") { facts in
      let x = try facts.input(0)
      let axes = try facts.node.optionalInts("perm") ?? x.shape.indices.reversed()
      guard axes.sorted() == Array(x.shape.indices) else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, axes.map { x.shape[$0] })]
    },
    ShapeRule("DepthToSpace", "SpaceToDepth") { facts in
      let x = try facts.input(0)
      let shape = x.shape
      let size = try facts.node.int("blocksize")
      guard shape.count == 4, 1...(1 << 15) ~= size else { throw ShapeFacts.Unknown() }
      if facts.node.node.operatorName.type == "DepthToSpace" {
        let (height, width) = try (Extent.product(shape[2], size), Extent.product(shape[3], size))
        return [InferredType(x.elementType, [shape[0], shape[1] / (size * size), height, width])]
      }
      return [
        InferredType(
          x.elementType, [shape[0], try Extent.product(shape[1], size * size), shape[2] / size, shape[3] / size])
      ]
    },
  ]
}
