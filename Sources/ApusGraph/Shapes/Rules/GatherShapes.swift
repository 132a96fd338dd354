import Apus

// Elements that indices name, and elements put in their places.

extension ShapeRules {
  static let gathers: [ShapeRule] = [
    ShapeRule("ScatterElements", "ScatterND", "Scatter", rule: same),
    ShapeRule("Gather") { facts in
      let x = try facts.input(0)
      let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: x.shape.count)
      return [InferredType(x.elementType, try x.shape[..<axis] + facts.shape(1) + x.shape[(axis + 1)...])]
    },
    ShapeRule("GatherElements") { [InferredType($0.elementType(0), try $0.shape(1))] },
    ShapeRule("GatherND") { facts in
      let (x, indices) = try (facts.input(0), facts.shape(1))
      let batch = try facts.node.int("batch_dims", default: 0)
      guard let length = indices.last, batch >= 0, batch < indices.count, length >= 0, length <= x.shape.count - batch
      else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, indices.dropLast() + x.shape[(batch + length)...])]
    },
    ShapeRule("TopK") { facts in
      let x = try facts.input(0)
      let axis = try Axes.resolve(facts.node.int("axis", default: -1), rank: x.shape.count)
      let sizes = try facts.opset < 10 ? [facts.node.int("k")] : facts.integers(1)
      guard let size = sizes?.first else { throw ShapeFacts.Unknown() }
      let shape = x.shape.replacing(axis, with: size)
      return [InferredType(x.elementType, shape), InferredType(.int64, shape)]
    },
    ShapeRule("OneHot") { facts in
      var shape = try facts.shape(0)
      let axis = try Axes.resolve(facts.node.int("axis", default: -1), rank: shape.count + 1)
      guard let depth = try facts.integers(1)?.first else { throw ShapeFacts.Unknown() }
      shape.insert(depth, at: axis)
      return [InferredType(facts.elementType(2), shape)]
    },
  ]
}
