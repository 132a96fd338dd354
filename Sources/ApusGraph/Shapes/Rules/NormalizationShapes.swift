import Apus

// Normalisation: the first output is like the input, statistics are smaller.

extension ShapeRules {
  static let normalizations: [ShapeRule] = [
    ShapeRule(
      "BatchNormalization", "InstanceNormalization", "GroupNormalization", "MeanVarianceNormalization",
      "LpNormalization", "LRN", rule: same),
    ShapeRule("RMSNormalization") { [InferredType($0.elementType(1), try $0.shape(0))] },
    ShapeRule("LayerNormalization") { facts in
      let x = try facts.input(0)
      let first = try Axes.resolve(facts.node.int("axis", default: -1), rank: x.shape.count)
      let rows = x.shape.prefix(first) + x.shape.dropFirst(first).map { _ in 1 }
      let statistics = InferredType(x.elementType.map { $0 == .double ? .double : .float }, Array(rows))
      return [x, statistics, statistics]
    },
  ]
}
