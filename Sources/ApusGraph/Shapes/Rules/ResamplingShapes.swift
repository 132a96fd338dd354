import Apus

// Maps sampled at other positions.

extension ShapeRules {
  static let resamplings: [ShapeRule] = [
    ShapeRule("Resize") { facts in
      let x = try facts.input(0)
      let isFirst = facts.opset < 11
      let axes = try ResizeSettings(facts.node).axes(
        of: x.shape, roi: isFirst ? nil : facts.numbers(1), scales: facts.numbers(isFirst ? 1 : 2),
        sizes: isFirst ? nil : facts.integers(3))
      return [InferredType(x.elementType, axes.map(\.output))]
    },
    ShapeRule("Upsample") { facts in
      let x = try facts.input(0)
      let scales = try facts.opset < 9 ? facts.node.optionalFloats("scales") : facts.numbers(1)
      let settings = try ResizeSettings(facts.node, isUpsample: true)
      let axes = try settings.axes(of: x.shape, roi: nil, scales: scales, sizes: nil)
      return [InferredType(x.elementType, axes.map(\.output))]
    },
    ShapeRule("GridSample") { facts in
      let (x, grid) = try (facts.input(0), facts.shape(1))
      guard x.shape.count >= 3, grid.count == x.shape.count else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, Array(x.shape.prefix(2)) + grid[1..<(grid.count - 1)])]
    },
  ]
}
