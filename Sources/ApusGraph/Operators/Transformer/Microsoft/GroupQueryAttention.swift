import Apus

extension Operators {
  /// ONNX Runtime's attention for generating text: heads of queries share those of keys and values, which are written
  /// into a cache; norms of queries and keys, rotary embeddings, a window of the latest keys, soft caps and attention sinks
  /// may be part of it.
  static func GroupQueryAttention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try GroupQueryOperator<Float>(node), try GroupQueryOperator<Double>(node))
  }
}

private struct GroupQueryOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let queryHeads: Int
  let keyHeads: Int
  let scale: Float?
  let softcap: Float
  let window: Int?
  let isCausal: Bool
  let rotates: Bool
  let isInterleaved: Bool
  let isSmooth: Bool
  /// Whether the caches hold the latest keys and values only.
  let slides: Bool
  let queryEpsilon: Float
  let keyEpsilon: Float

  init(_ node: NodeDescription) throws {
    queryHeads = try node.int("num_heads")
    keyHeads = try node.int("kv_num_heads")
    let scale = try node.float("scale", default: 0)
    self.scale = scale == 0 ? nil : scale
    softcap = try node.float("softcap", default: 0)
    let window = try node.int("local_window_size", default: -1)
    self.window = window > 0 ? window : nil
    isCausal = try node.flag("causal", default: true)
    rotates = try node.flag("do_rotary")
    isInterleaved = try node.flag("rotary_interleaved")
    isSmooth = try node.int("smooth_softmax", default: -1) == 1
    guard queryHeads > 0, keyHeads > 0, queryHeads.isMultiple(of: keyHeads) else {
      throw OperatorError("\(queryHeads) heads of queries cannot share \(keyHeads) of keys and values")
    }
    guard isCausal || self.window == nil else { throw OperatorError("a local window needs a causal mask") }
    slides = try node.flag("sliding_window_cache")
    guard !slides || self.window != nil else { throw OperatorError("a sliding cache needs a local window") }
    let epsilon = try node.float("qk_norm_epsilon", default: 1e-6)
    queryEpsilon = try node.float("q_norm_epsilon", default: epsilon)
    keyEpsilon = try node.float("k_norm_epsilon", default: epsilon)
    guard node.has(14) == node.has(15) else {
      throw OperatorError("weights for the norms of queries and of keys are given one without the other")
    }
    let quantizations = try ["k_quant_type", "v_quant_type"].map { try node.string($0, default: "NONE") }
    guard quantizations == ["NONE", "NONE"], try node.int("qk_output", default: 0) == 0, !node.wants(3),
      ![12, 13, 16].contains(where: node.has)
    else {
      throw OperatorError("a quantised cache, lengths of queries and the output of scores are not supported")
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    var (query, key, value) = try operands(arguments)
    let (batch, time) = (query.batch, query.time)
    try Shape.checkMemory([batch, time, 4], of: Int.self, operation: "GroupQueryAttention")
    let lengths = try arguments.integers(5).map { $0 &+ 1 }
    let total = try arguments.integer(6)
    guard lengths.count == batch, lengths.allSatisfy({ $0 >= 0 && $0 <= total }), total >= time else {
      throw OperatorError(
        "seqlens_k \(lengths.map { $0 &- 1 }) and total_sequence_length \(total) do not fit \(time) queries")
    }
    // Keys and values that come before the new ones. A first prompt has none, and samples may be padded at the end.
    let isPrompt = total == time
    let befores = try lengths.map { length in
      guard isPrompt || length >= time else {
        throw OperatorError("a sequence of \(length) keys is shorter than its \(time) queries")
      }
      return isPrompt ? 0 : length - time
    }
    if arguments.has(14) {
      query = try normalized(query, weight: arguments.floating(14, as: Scalar.self), epsilon: queryEpsilon)
      key = try normalized(key, weight: arguments.floating(15, as: Scalar.self), epsilon: keyEpsilon)
    }
    if rotates {
      let tables = try RotaryTables(
        cosines: arguments.floating(7, as: Scalar.self), sines: arguments.floating(8, as: Scalar.self))
      let places: [Int]
      if let given = try arguments.optionalIntegers(9), given.count == batch * time {
        places = given
      } else {
        places = befores.flatMap { before in (0..<time).map { before + $0 } }
      }
      let rows = try tables.rows(places, batch: batch, time: time)
      func rotated(_ x: AttentionHeads<Scalar>) throws -> AttentionHeads<Scalar> {
        try AttentionHeads(
          tables.rotated(x, rows: rows, features: 2 * tables.half, isInterleaved: isInterleaved), heads: x.heads)
      }
      (query, key) = (try rotated(query), try rotated(key))
    }
    let pastKey = try arguments.optionalFloating(3, as: Scalar.self)
    let pastValue = try arguments.optionalFloating(4, as: Scalar.self)
    let cache = try slides ? SlidingCache(past: pastKey?.shape, values: pastValue?.shape, window: window ?? 0) : nil
    // A sliding cache has lost those that came first.
    let held = befores.map { cache?.held(of: $0) ?? $0 }
    let all = cache == nil ? total : (held.max() ?? 0) + time
    let keys = try present(pastKey, key, befores: held, total: all)
    let values = try present(pastValue, value, befores: held, total: all)
    key = try AttentionHeads(keys.sliced(axis: 2, to: all), heads: 0)
    value = try AttentionHeads(values.sliced(axis: 2, to: all), heads: 0)

    var options = AttentionOptions<Scalar>()
    options.scale = scale.map { Scalar($0) }
    options.softcap = softcap > 0 ? Scalar(softcap) : nil
    options.spans = held.map { held in
      KeySpan(offset: held, before: window.map { $0 - 1 }, after: isCausal ? 0 : nil, count: held + time)
    }
    if let bias = try arguments.optionalFloating(10, as: Scalar.self) {
      let lost = Set(zip(befores, held).map { $0 - $1 })
      guard let first = lost.first, lost.count == 1 else {
        throw OperatorError("a bias where samples have lost different numbers of keys is not supported")
      }
      options.masks = [.additive(first == 0 ? bias : try bias.sliced(axis: -1, from: first, to: first + all))]
    }
    if let sinks = try arguments.optionalFloating(11, as: Scalar.self) {
      options.sinks = try sinks.elements
    } else if isSmooth {
      options.sinks = Array(repeating: 0, count: queryHeads)
    }
    func kept(_ entries: Tensor<Scalar>) throws -> GraphValue {
      let kept = try cache?.latest(of: entries, befores: befores, lengths: lengths) ?? entries
      return try GraphValue(rounding: kept, to: type)
    }
    return [
      try GraphValue(rounding: groupedAttention(query: query, key: key, value: value, options: options), to: type),
      try kept(keys), try kept(values),
    ]
  }

  /// Each head divided by the root of the mean of its squares.
  private func normalized(
    _ x: AttentionHeads<Scalar>, weight: Tensor<Scalar>, epsilon: Float
  ) throws -> AttentionHeads<Scalar> {
    let heads = try x.tensor.reshaped([x.batch, x.time, x.heads, x.features])
    let normalized = try rmsNorm(heads, normalizedShape: [x.features], weight: weight, epsilon: Double(epsilon))
    return try AttentionHeads(normalized.reshaped(x.tensor.shape), heads: x.heads)
  }

  /// Queries, keys and values, taken apart where they are packed.
  private func operands(
    _ arguments: Arguments
  ) throws -> (AttentionHeads<Scalar>, AttentionHeads<Scalar>, AttentionHeads<Scalar>) {
    let query = try arguments.floating(0, as: Scalar.self)
    guard query.rank == 3 else {
      throw OperatorError("the query has shape \(query.shape); [batch, time, features] is needed")
    }
    guard arguments.has(1) || arguments.has(2) else {
      let all = queryHeads.addingReportingOverflow(2 &* keyHeads).partialValue
      guard all > 0, query.shape[2].isMultiple(of: all) else {
        throw OperatorError(
          "a packed query of shape \(query.shape) does not hold \(queryHeads) and 2 · \(keyHeads) heads")
      }
      let features = query.shape[2] / all
      let parts = try query.split(sizes: [queryHeads, keyHeads, keyHeads].map { $0 * features }, axis: 2)
      return (
        try AttentionHeads(parts[0], heads: queryHeads), try AttentionHeads(parts[1], heads: keyHeads),
        try AttentionHeads(parts[2], heads: keyHeads)
      )
    }
    return (
      try AttentionHeads(query, heads: queryHeads),
      try AttentionHeads(arguments.floating(1, as: Scalar.self), heads: keyHeads),
      try AttentionHeads(arguments.floating(2, as: Scalar.self), heads: keyHeads)
    )
  }

  /// The cache with the new entries behind those that each sample has: as long as the past one, or as all keys.
  private func present(
    _ past: Tensor<Scalar>?, _ new: AttentionHeads<Scalar>, befores: [Int], total: Int
  ) throws -> Tensor<Scalar> {
    let (heads, time, features) = (new.heads, new.time, new.features)
    let before = past?.rank == 4 ? past?.shape[2] ?? 0 : 0
    if let past, past.shape != [new.batch, heads, before, features] {
      throw OperatorError(
        "a cache of shape \(past.shape) does not fit [\(new.batch), \(heads), past, \(features)]")
    }
    for length in befores where length > before {
      throw OperatorError("\(length) keys of the past are counted, and the cache holds \(before)")
    }
    let size = max(before, total)
    var cache = try Tensor<Scalar>(zeros: [new.batch, heads, size, features])
    let split = try new.split
    try cache.withUnsafeMutableBufferPointer { cache in
      try split.withUnsafeBufferPointer { new in
        guard let cache = cache.baseAddress, let new = new.baseAddress else { return }
        for matrix in 0..<(befores.count * heads) {
          (cache + (matrix * size + befores[matrix / heads]) * features).update(
            from: new + matrix * time * features, count: time * features)
        }
      }
      try past?.withUnsafeBufferPointer { past in
        guard let cache = cache.baseAddress, let past = past.baseAddress else { return }
        for matrix in 0..<(befores.count * heads) {
          (cache + matrix * size * features).update(
            from: past + matrix * before * features, count: befores[matrix / heads] * features)
        }
      }
    }
    return cache
  }
}

/// Caches of a fixed capacity that hold the latest keys and values, always the first of their rows: when they are full, all
/// that lies before the window is given up at once.
private struct SlidingCache {
  private let capacity: Int
  private let window: Int

  /// - Parameters:
  ///   - past: the shape of the keys' cache, and `values` of the values'.
  init(past: [Int]?, values: [Int]?, window: Int) throws {
    guard let past, let values, past.count == 4, values.count == 4, past[2] == values[2], past[2] >= window else {
      throw OperatorError(
        "sliding caches have shapes \(past ?? []) and \(values ?? []); they have to hold the \(window) keys of the window"
      )
    }
    (capacity, self.window) = (past[2], window)
  }

  /// How many of the entries of `count` tokens are held.
  func held(of count: Int) -> Int {
    let freed = capacity - window + 1
    return count <= capacity ? count : count - (count - capacity + freed - 1) / freed * freed
  }

  /// What is held of the entries of all tokens, `[batch, heads, tokens, features]`; zeros where there is more room.
  ///
  /// - Parameters:
  ///   - befores: how many tokens each sample had before the new ones, and `lengths` with them.
  func latest<Scalar: FloatingPointScalar>(
    of entries: Tensor<Scalar>, befores: [Int], lengths: [Int]
  ) throws -> Tensor<Scalar> {
    let samples = try zip(befores, lengths).enumerated().map { sample, counts in
      let (before, length) = counts
      // What is lost with the new tokens.
      let first = (length - held(of: length)) - (before - held(of: before))
      let rows = try entries.sliced(axis: 0, from: sample, to: sample + 1).sliced(
        axis: 2, from: first, to: first + held(of: length))
      guard rows.shape[2] < capacity else { return rows }
      let rest = rows.shape.enumerated().map { $0 == 2 ? capacity - $1 : $1 }
      return try concatenate([rows, Tensor(zeros: rest)], axis: 2)
    }
    guard !samples.isEmpty else { return try entries.sliced(axis: 2, to: capacity) }
    return try concatenate(samples, axis: 0)
  }
}

// MARK: - Shapes

extension ShapeRule {
  /// How long the caches are depends on input 6, the number of all keys.
  static let groupQueryAttention = ShapeRule.rule { facts in
    let (query, key, value) = try groupQueryHeads(facts)
    let type = facts.elementType(0)
    let output = InferredType(type, try query.reading(value))
    guard let keys = try? pastKeys(facts, 3), let values = try? pastKeys(facts, 4),
      let total = try facts.node.flag("sliding_window_cache") ? 0 : try? facts.integer(6)
    else { return [output, nil, nil] }
    return [
      output, InferredType(type, key.split.replacing(2, with: max(keys, total))),
      InferredType(type, value.split.replacing(2, with: max(values, total))),
    ]
  }

  private static func groupQueryHeads(_ facts: ShapeFacts) throws -> (HeadShape, HeadShape, HeadShape) {
    let (queryHeads, keyHeads) = try (facts.node.int("num_heads"), facts.node.int("kv_num_heads"))
    let query = try facts.shape(0)
    guard query.count == 3, queryHeads > 0, keyHeads > 0 else { throw ShapeFacts.Unknown() }
    guard !facts.has(1), !facts.has(2) else {
      return try (
        HeadShape(query, heads: queryHeads), HeadShape(facts.shape(1), heads: keyHeads),
        HeadShape(facts.shape(2), heads: keyHeads)
      )
    }
    // Heads of queries, keys and values side by side.
    let features = try query[2] / Extent.sum([queryHeads, keyHeads, keyHeads])
    func part(_ count: Int) throws -> HeadShape {
      try HeadShape(query.replacing(2, with: Extent.product(count, features)), heads: count)
    }
    return try (part(queryHeads), part(keyHeads), part(keyHeads))
  }

  /// The keys, or values, of the cache that input `index` is.
  private static func pastKeys(_ facts: ShapeFacts, _ index: Int) throws -> Int {
    guard facts.has(index) else { return 0 }
    let shape = try facts.shape(index)
    return shape.count == 4 ? shape[2] : 0
  }
}

// MARK: - Work and terms

extension Work {
  /// Each element of the queries and of the output meets every key, past ones and new ones.
  static let groupQueryAttention: Work = .multiplyAdds { shapes in
    guard let query = shapes.known(0), let output = shapes.output else { return nil }
    // Packed queries are as wide as the output.
    let queries = shapes.known(1) == nil ? output.product : query.product
    return queries.addingClamped(output.product).multipliedClamped(by: shapes.groupQueryKeys)
  }
}

extension TermCount {
  /// The features of a query, and the keys.
  static let groupQueryAttention: TermCount = .counted { shapes in
    (shapes.output?.last ?? 1).addingClamped(shapes.groupQueryKeys)
  }
}

extension NodeShapes {
  fileprivate var groupQueryKeys: Int {
    (shape(0).dropFirst().first ?? 0).addingClamped(shape(3).dropFirst(2).first ?? 0)
  }
}
