import Apus

// Attention with heads on an axis of their own, `[batch, heads, time, features]`, or side by side.

extension ShapeRules {
  static let attention: [ShapeRule] = [
    ShapeRule("RotaryEmbedding", rule: same),
    ShapeRule("RotaryEmbedding", domain: "com.microsoft", rule: same),
    ShapeRule("Attention") { facts in
      let query = try heads(facts, 0, count: "q_num_heads")
      let key = try heads(facts, 1, count: "kv_num_heads")
      let value = try heads(facts, 2, count: "kv_num_heads")
      let past = try facts.has(4) ? facts.shape(4) : []
      guard past.isEmpty || past.count == 4 else { throw ShapeFacts.Unknown() }
      func present(_ heads: Heads, _ index: Int) throws -> InferredType {
        let time = try Extent.sum([heads.time] + (past.isEmpty ? [] : [past[2]]))
        return InferredType(facts.elementType(index), [heads.batch, heads.count, time, heads.features])
      }
      let isSplit = try facts.shape(0).count == 4
      let output = try isSplit
        ? [query.batch, query.count, query.time, value.features]
        : [query.batch, query.time, Extent.product(query.count, value.features)]
      return [InferredType(facts.elementType(0), output), try present(key, 1), try present(value, 2)]
    },
  ]

  private struct Heads {
    let batch: Int
    let count: Int
    let time: Int
    let features: Int
  }

  private static func heads(_ facts: ShapeFacts, _ index: Int, count name: String) throws -> Heads {
    let shape = try facts.shape(index)
    if shape.count == 4 { return Heads(batch: shape[0], count: shape[1], time: shape[2], features: shape[3]) }
    let count = try facts.node.int(name, default: 0)
    guard shape.count == 3, count > 0 else { throw ShapeFacts.Unknown() }
    return Heads(batch: shape[0], count: count, time: shape[1], features: shape[2] / count)
  }
}
