import Apus

// Axes that become one element, or go.

extension ShapeRules {
  static let reductions: [ShapeRule] = [
    ShapeRule(
      "ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
      "ReduceLogSum", "ReduceLogSumExp", rule: reduction),
    ShapeRule("ArgMax", "ArgMin") { facts in
      var shape = try facts.shape(0)
      if shape.isEmpty { shape = [1] }
      let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: shape.count)
      let keeps = try facts.node.flag("keepdims", default: true)
      return [InferredType(.int64, reduced(shape, [axis], keepsAxes: keeps))]
    },
  ]

  @Sendable private static func reduction(_ facts: ShapeFacts) throws -> [InferredType?] {
    let x = try facts.input(0)
    var axes = try facts.node.optionalInts("axes") ?? facts.integers(1)
    // None mean all, or none where the node says so.
    if axes?.isEmpty == true { axes = nil }
    if axes == nil, try facts.node.flag("noop_with_empty_axes") { return [x] }
    let chosen = try axes?.map { try Axes.resolve($0, rank: x.shape.count) } ?? Array(x.shape.indices)
    let keeps = try facts.node.flag("keepdims", default: true)
    return [InferredType(x.elementType, reduced(x.shape, Set(chosen), keepsAxes: keeps))]
  }

  private static func reduced(_ shape: [Int], _ axes: Set<Int>, keepsAxes: Bool) -> [Int] {
    shape.indices.compactMap { axes.contains($0) ? (keepsAxes ? 1 : nil) : shape[$0] }
  }
}
