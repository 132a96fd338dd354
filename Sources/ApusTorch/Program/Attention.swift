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
          throw OperatorError.dropsByChance
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
    mask = try mask.map { try widened($0, to: key, e) }
    let rank = try e.rank(query)
    var attributes: [String: AttributeValue] = ["is_causal": .flag(try call.bool("is_causal"))]
    if let scale = try call.optionalDouble("scale") { attributes["scale"] = .number(scale) }
    guard 2...4 ~= rank, try isStandard(query, key, value, e) else {
      return try product(call, query, key, value, mask)
    }
    if rank == 4 { return try e.node("Attention", [query, key, value, mask], attributes) }
    let front = Array(0..<(4 - rank))
    let parts = try [query, key, value].map { try e.unsqueeze($0, front) }
    if let given = mask, try e.rank(given) == 3 { mask = try e.unsqueeze(given, [0]) }
    return try e.squeeze(e.node("Attention", parts + [mask], attributes), front)
  }

  /// Whether the shapes are those of the standard's operator: a batch that all have alike, and heads of keys and values
  /// alike, each for as many of the query.
  private static func isStandard(
    _ query: Graph.ValueID, _ key: Graph.ValueID, _ value: Graph.ValueID, _ e: Emitter
  ) throws -> Bool {
    let (own, keys, values) = (try e.shape(query), try e.shape(key), try e.shape(value))
    guard keys.count == own.count, values.count == own.count else { return false }
    guard own.count > 2 else { return true }
    // With three axes, the first are heads in one batch to the standard, and must be alike all the same.
    guard keys[0] == own[0], values[0] == own[0] else { return false }
    guard own.count > 3 else { return true }
    guard keys[1] == values[1] else { return false }
    guard let heads = own[1], let kept = keys[1], kept > 0 else { return true }
    return heads.isMultiple(of: kept)
  }

  /// A mask with a column for each key: the standard's operator takes the columns that one lacks for what is not seen,
  /// where PyTorch repeats a single one.
  private static func widened(_ mask: Graph.ValueID, to key: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    let (last, length) = (try e.rank(mask) - 1, try e.rank(key) - 2)
    guard length >= 0, try !e.isAlike(last, of: mask, length, of: key) else { return mask }
    return try e.expand(mask, e.list([e.extent(key, length)]))
  }

  /// Attention of any number of axes, as products of matrices.
  private static func product(
    _ call: Call, _ query: Graph.ValueID, _ key: Graph.ValueID, _ value: Graph.ValueID, _ mask: Graph.ValueID?
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let type = try call.outputType
    let rank = try e.rank(key)
    guard rank >= 2, let width = try e.shape(query).last ?? nil, width > 0, try !call.bool("enable_gqa") else {
      throw OperatorError("attention of \(rank) axes")
    }
    var order = Array(0..<rank)
    order.swapAt(rank - 2, rank - 1)
    let scale = try call.double("scale", default: 1 / Double(width).squareRoot())
    var scores = try e.node("Mul", [e.node("MatMul", [query, e.transpose(key, order)]), e.numbers(scale, as: type)])
    let least = try e.numbers(-.infinity, as: type)
    if try call.bool("is_causal") {
      let ones = try e.expand(e.number(1, as: .int32), e.node("Shape", [scores]))
      let isSeen = try e.cast(e.node("Trilu", [ones], ["upper": .int(0)]), to: .bool)
      scores = try e.node("Where", [isSeen, scores, least])
    }
    if let mask {
      scores =
        e.elementType(mask) == .bool
        ? try e.node("Where", [mask, scores, least]) : try e.node("Add", [scores, mask])
    }
    let shares =
      try mask == nil
      ? e.node("Softmax", [scores], ["axis": .int(-1)]) : e.maskedSoftmax(scores, axis: e.rank(scores) - 1, as: type)
    return try e.node("MatMul", [shares, value])
  }
}
