import Apus
import ApusGraph

// Attention with queries, keys and values.

extension ProgramBuilder {
  static let attention: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for name in [
      "scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu",
      "_scaled_dot_product_attention_math", "_scaled_dot_product_flash_attention",
      "_scaled_dot_product_efficient_attention",
    ] {
      result[name] = { call in
        guard try call.double("dropout_p", default: 0) == 0 else {
          throw OperatorError("it drops elements by chance; call module.eval() before the module is exported")
        }
        let output = try attention(call)
        // What else the variants give is for training.
        return [output] + [Graph.ValueID?](repeating: nil, count: max(0, call.node.outputs.count - 1))
      }
    }
    return result
  }()

  private static func attention(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let (query, key, value) = (try call.value("query"), try call.value("key"), try call.value("value"))
    var mask = try call.optional(call.has("attn_mask") ? "attn_mask" : "attn_bias")
    let rank = try e.rank(query)
    var attributes: [String: AttributeValue] = ["is_causal": .flag(try call.bool("is_causal"))]
    if let scale = try call.optionalDouble("scale") { attributes["scale"] = .number(scale) }
    // The standard's operator has a batch and heads; of other ranks, axes are put in or laid together.
    guard rank != 4 else { return try e.node("Attention", [query, key, value, mask], attributes) }
    guard rank == 2 || rank == 3 else {
      guard let shape = e.knownShape(query), let keyShape = e.knownShape(key), let valueShape = e.knownShape(value),
        rank > 4, mask == nil
      else { throw OperatorError("attention of \(rank) axes, with a mask or open sizes, is not supported") }
      let parts = try [(query, shape), (key, keyShape), (value, valueShape)].map { x, shape in
        try e.reshape(x, [-1] + Array(shape.suffix(3)))
      }
      let output = try e.node("Attention", parts.map { $0 }, attributes)
      return try e.reshape(output, call.knownOutputShape)
    }
    let front = Array(0..<(4 - rank))
    let parts = try [query, key, value].map { try e.unsqueeze($0, front) }
    if let given = mask, try e.rank(given) == 3 { mask = try e.unsqueeze(given, [0]) }
    return try e.squeeze(e.node("Attention", parts + [mask], attributes), front)
  }
}
