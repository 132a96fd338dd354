import Apus

extension Operators {
  static let microsoftAttentions: [OperatorDefinition] = [
    OperatorDefinition(
      "Attention", domain: "com.microsoft",
      .product(
        .microsoftAttention, work: .projectedAttention(past: 4), accuracy: .sum(.projectedAttention(past: 4))),
      MicrosoftAttention),
    OperatorDefinition(
      "MultiHeadAttention", domain: "com.microsoft",
      .product(.multiHeadAttention, work: .multiHeadAttention, accuracy: .sum(.multiHeadAttention)),
      MultiHeadAttention),
    OperatorDefinition(
      "GroupQueryAttention", domain: "com.microsoft",
      .product(.groupQueryAttention, work: .groupQueryAttention, accuracy: .sum(.groupQueryAttention)),
      GroupQueryAttention),
  ]

  /// ONNX Runtime's attention of an input with itself: one projection to queries, keys and values, scores with masks
  /// and biases, and the result of all heads side by side.
  static func MicrosoftAttention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try MicrosoftAttentionOperator<Float>(node), try MicrosoftAttentionOperator<Double>(node))
  }

  /// ONNX Runtime's attention of queries, keys and values that have been projected already.
  static func MultiHeadAttention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try MultiHeadAttentionOperator<Float>(node), try MultiHeadAttentionOperator<Double>(node))
  }
}

/// What the attention operators of ONNX Runtime have in common.
struct MicrosoftAttentionSettings: Sendable {
  let heads: Int
  let scale: Float?
  let isCausal: Bool
  let filter: Float

  init(_ node: NodeDescription) throws {
    heads = try node.int("num_heads")
    let scale = try node.float("scale", default: 0)
    self.scale = scale == 0 ? nil : scale
    isCausal = try node.flag("unidirectional")
    filter = try node.float("mask_filter_value", default: -10_000)
    guard heads > 0 else { throw OperatorError("num_heads is \(heads)") }
    guard try !node.flag("past_present_share_buffer"), try !node.flag("do_rotary") else {
      throw OperatorError("a shared buffer of past and present, and rotary embeddings, are not supported")
    }
  }

  /// - Parameter past: how many keys come before those of the first query.
  func options<Scalar: FloatingPointScalar>(
    query: AttentionHeads<Scalar>, keys: Int, past: Int, mask: AnyTensor?, bias: Tensor<Scalar>?
  ) throws -> AttentionOptions<Scalar> {
    var options = AttentionOptions<Scalar>()
    options.scale = scale.map { Scalar($0) }
    if isCausal, keys - past > query.time {
      options.masks.append(.attending(try Self.reach(queries: query.time, keys: keys, past: past)))
    } else if isCausal {
      options.spans = [KeySpan(offset: past, after: 0)]
    }
    if let bias { options.masks.append(.additive(bias)) }
    if let mask {
      options.masks.append(
        .additive(
          try maskToAdd(mask, batch: query.batch, queries: query.time, keys: keys, filter: Scalar(filter))))
    }
    return options
  }

  /// The keys that each query attends to where there are more new ones than queries: ONNX Runtime masks none for the
  /// last query, which is the one that a decoder goes on from. No ``KeySpan`` says that.
  private static func reach(queries: Int, keys: Int, past: Int) throws -> Tensor<Bool> {
    try Tensor.filled([queries, keys]) { reach in
      for query in 0..<queries {
        let count = query == queries - 1 ? keys : past + query + 1
        for key in 0..<keys { (reach + query * keys + key).initialize(to: key < count) }
      }
    }
  }
}

struct MicrosoftAttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  private let settings: MicrosoftAttentionSettings
  private let sizes: [Int]?
  private let projection: Linear<Scalar>?

  init(_ node: NodeDescription) throws {
    settings = try MicrosoftAttentionSettings(node)
    sizes = try node.optionalInts("qkv_hidden_sizes")
    if node.wants(1), let sizes, sizes.count == 3, sizes[1] != sizes[2] {
      throw OperatorError("keys of \(sizes[1]) features and values of \(sizes[2]) cannot be stacked as output 1")
    }
    guard let weight = try node.ownConstant(1, as: Scalar.self), !node.has(2) || node.constant(2) != nil else {
      projection = nil
      return
    }
    projection = try Linear(
      stacking: [.inputsFirst(weight)], bias: node.constantFloating(2, as: Scalar.self))
    node.absorb(1)
    if node.has(2) { node.absorb(2) }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let projection =
      try self.projection
      ?? Linear(
        stacking: [.inputsFirst(arguments.floating(1, as: Scalar.self))],
        bias: arguments.optionalFloating(2, as: Scalar.self))
    guard x.rank == 3, !arguments.has(6) else {
      throw OperatorError(
        "the input has shape \(x.shape); [batch, time, features] without past_sequence_length is needed")
    }
    return try attention(
      projection(x), mask: arguments.optionalTensor(3), past: arguments.optionalFloating(4, as: Scalar.self),
      bias: arguments.optionalFloating(5, as: Scalar.self), sizes: sizes, settings: settings, type: type)
  }
}

/// Attention over the projection of an input to queries, keys and values side by side.
///
/// - Parameters:
///   - past: keys and values before the input's, `[2, batch, heads, past, features]`.
///   - sizes: the widths of queries, keys and values; thirds when nil.
/// - Returns: the result, and past and present keys and values together.
func attention<Scalar: FloatingPointScalar>(
  _ projected: Tensor<Scalar>, mask: AnyTensor?, past: Tensor<Scalar>?, bias: Tensor<Scalar>?, sizes: [Int]?,
  settings: MicrosoftAttentionSettings, type: ElementType
) throws -> [GraphValue?] {
  let width = projected.shape[2]
  let parts = try projected.split(sizes: sizes ?? [width / 3, width / 3, width - width / 3 * 2], axis: 2)
  guard parts.count == 3 else { throw OperatorError("qkv_hidden_sizes has \(parts.count) elements; 3 are needed") }
  let query = try AttentionHeads(parts[0], heads: settings.heads)
  var key = try AttentionHeads(parts[1], heads: settings.heads)
  var value = try AttentionHeads(parts[2], heads: settings.heads)
  var present: Tensor<Scalar>?
  let before = past?.shape.count == 5 ? past?.shape[3] ?? 0 : 0
  if key.features == value.features {
    var now = try stack([key.split, value.split], axis: 0)
    if let past { now = try concatenate([past, now], axis: 3) }
    key = try AttentionHeads(now.selected(axis: 0, index: 0), heads: 0)
    value = try AttentionHeads(now.selected(axis: 0, index: 1), heads: 0)
    present = now
  } else if past != nil {
    throw OperatorError("keys of \(key.features) features and values of \(value.features) have no past together")
  }
  let options = try settings.options(query: query, keys: key.time, past: before, mask: mask, bias: bias)
  let output = try groupedAttention(query: query, key: key, value: value, options: options)
  return [try GraphValue(rounding: output, to: type), try present.map { try GraphValue(rounding: $0, to: type) }]
}

/// The features of all heads, side by side or on an axis of their own.
private func headsWidth(_ shape: [Int]) throws -> Int {
  try shape.count == 4 ? Shape.elementCount([shape[1], shape[3]]) : shape.last ?? 0
}

private struct MultiHeadAttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  private typealias Operands = (query: Tensor<Scalar>, key: Tensor<Scalar>, value: Tensor<Scalar>)

  let settings: MicrosoftAttentionSettings
  let wantsPresent: Bool
  let wantsScores: Bool

  init(_ node: NodeDescription) throws {
    settings = try MicrosoftAttentionSettings(node)
    wantsPresent = node.wants(1) || node.wants(2)
    wantsScores = node.wants(3)
    guard !node.has(8), !node.has(9) else {
      throw OperatorError("a cache shared by several beams (past_sequence_length, cache_indirection) is not supported")
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let (query, key, value) = try biased(operands(arguments), arguments.optionalFloating(3, as: Scalar.self))
    let heads = try AttentionHeads(query, heads: settings.heads)
    var keys = try AttentionHeads(key, heads: settings.heads)
    var values = try AttentionHeads(value, heads: settings.heads)
    let pastKey = try arguments.optionalFloating(6, as: Scalar.self)
    let pastValue = try arguments.optionalFloating(7, as: Scalar.self)
    guard (pastKey == nil) == (pastValue == nil) else {
      throw OperatorError("past_key and past_value are given one without the other")
    }
    if let pastKey, let pastValue {
      keys = try AttentionHeads(concatenate([pastKey, keys.split], axis: 2), heads: 0)
      values = try AttentionHeads(concatenate([pastValue, values.split], axis: 2), heads: 0)
    }
    let options = try settings.options(
      query: heads, keys: keys.time, past: pastKey?.shape[2] ?? 0, mask: arguments.optionalTensor(4),
      bias: arguments.optionalFloating(5, as: Scalar.self))
    let present: [GraphValue?] =
      try wantsPresent
      ? [GraphValue(rounding: keys.split, to: type), GraphValue(rounding: values.split, to: type)] : [nil, nil]
    if wantsScores {
      let steps = AttentionSteps(options: options, stage: .probabilities, type: type)
      let (output, scores) = try steps(query: heads, key: keys, value: values)
      return [try GraphValue(rounding: output, to: type)] + present + [
        try scores.map { try GraphValue(rounding: $0, to: type) }
      ]
    }
    let output = try groupedAttention(query: heads, key: keys, value: values, options: options)
    return [try GraphValue(rounding: output, to: type)] + present
  }

  /// Queries, keys and values with their parts of the bias. Keys and values that are split into heads already are those of
  /// a cache, which have theirs: of the bias they only take up the room.
  private func biased(_ operands: Operands, _ bias: Tensor<Scalar>?) throws -> Operands {
    guard let bias else { return operands }
    let (query, key, value) = operands
    guard query.rank == 3 else {
      throw OperatorError("queries with a bias have shape \(query.shape); [batch, time, features] is needed")
    }
    let parts = try bias.split(sizes: [query, key, value].map { try headsWidth($0.shape) }, axis: 0)
    return (
      try query + parts[0], key.rank == 4 ? key : try key + parts[1], value.rank == 4 ? value : try value + parts[2]
    )
  }

  /// Queries, keys and values, taken apart where they are packed.
  private func operands(_ arguments: Arguments) throws -> Operands {
    let query = try arguments.floating(0, as: Scalar.self)
    /// Part `index` of a pack of `[batch, time, heads, parts, features]`.
    func part(_ pack: Tensor<Scalar>, _ index: Int) throws -> Tensor<Scalar> {
      let part = try pack.selected(axis: 3, index: index)
      return try part.flattened(from: 2, through: 3)
    }
    if query.rank == 5 {
      guard query.shape[3] == 3, !arguments.has(1), !arguments.has(2) else {
        throw OperatorError(
          "a packed query has shape \(query.shape); [batch, time, heads, 3, features] alone is needed")
      }
      return (try part(query, 0), try part(query, 1), try part(query, 2))
    }
    let key = try arguments.floating(1, as: Scalar.self)
    if key.rank == 5 {
      guard key.shape[3] == 2, !arguments.has(2) else {
        throw OperatorError("a packed key has shape \(key.shape); [batch, time, heads, 2, features] alone is needed")
      }
      return (query, try part(key, 0), try part(key, 1))
    }
    return (query, key, try arguments.floating(2, as: Scalar.self))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let microsoftAttention = ShapeRule.rule { facts in
    let (x, weight) = try (facts.shape(0), facts.shape(1))
    guard x.count == 3, weight.count == 2 else { throw ShapeFacts.Unknown() }
    let sizes = try facts.node.optionalInts("qkv_hidden_sizes")
    return try projectedAttention(facts, x.dropLast() + [weight[1]], sizes: sizes, past: 4, like: 0)
  }

  /// Attention over queries, keys and values side by side: see
  /// ``attention(_:mask:past:bias:sizes:settings:type:)``.
  ///
  /// - Parameters:
  ///   - past: the index of the input, `type` that of the one whose element type outputs have.
  static func projectedAttention(
    _ facts: ShapeFacts, _ projected: [Int], sizes: [Int]?, past: Int, like type: Int
  ) throws -> [InferredType?] {
    let (batch, time, width) = (projected[0], projected[1], projected[2])
    let sizes = sizes ?? [width / 3, width / 3, width - width / 3 * 2]
    let heads = try facts.node.int("num_heads")
    guard sizes.count == 3, heads > 0 else { throw ShapeFacts.Unknown() }
    let output = InferredType(facts.elementType(type), [batch, time, sizes[2]])
    // Keys and values of different sizes have no past together.
    guard sizes[1] == sizes[2] else { return [output, nil] }
    let before = try facts.has(past) ? facts.shape(past) : [0, 0, 0, 0, 0]
    guard before.count == 5 else { throw ShapeFacts.Unknown() }
    let present = [2, batch, heads, try Extent.sum([before[3], time]), sizes[2] / heads]
    return [output, InferredType(facts.elementType(type), present)]
  }

  static let multiHeadAttention = ShapeRule.rule { facts in
    let count = try facts.node.int("num_heads")
    let operands = try multiHeadOperands(facts)
    // A bias that is not one for each feature would stretch what it is added to.
    guard try !facts.has(3) || Shape.elementCount(facts.shape(3)) == Extent.sum(operands.map(headsWidth)) else {
      throw ShapeFacts.Unknown()
    }
    let query = try HeadShape(operands[0], heads: count)
    let key = try HeadShape(operands[1], heads: count).following(facts, past: 6)
    let value = try HeadShape(operands[2], heads: count).following(facts, past: 7)
    let shapes = [
      try query.reading(value), key.split, value.split, [query.batch, query.count, query.time, key.time],
    ]
    return shapes.map { InferredType(facts.elementType(0), $0) }
  }

  /// Queries, keys and values, taken apart where they are packed.
  private static func multiHeadOperands(_ facts: ShapeFacts) throws -> [[Int]] {
    func part(_ pack: [Int]) throws -> [Int] { [pack[0], pack[1], try Extent.product(pack[2], pack[4])] }
    let query = try facts.shape(0)
    if query.count == 5 { return try [part(query), part(query), part(query)] }
    let key = try facts.shape(1)
    if key.count == 5 { return try [query, part(key), part(key)] }
    return [query, key, try facts.shape(2)]
  }
}

// MARK: - Work

extension Work {
  /// The projection of each token, input 0, by the weights, input 1, and attention. Input `past` has the keys before.
  static func projectedAttention(past: Int) -> Work {
    .multiplyAdds { shapes in
      guard let x = shapes.known(0), let weight = shapes.known(1), let output = shapes.output, x.count == 3,
        weight.count == 2
      else { return nil }
      let projection = x.product.multipliedClamped(by: weight[1])
      let queries = x[0].multipliedClamped(by: x[1]).multipliedClamped(by: shapes.projectedQuery)
      let attention = queries.addingClamped(output.product).multipliedClamped(by: shapes.projectedKeys(past: past))
      return projection.addingClamped(attention)
    }
  }

  /// Each element of the queries and of the output meets every key.
  static let multiHeadAttention: Work = .multiplyAdds { shapes in
    guard let query = shapes.known(0), let output = shapes.output else { return nil }
    let queries = query.count == 5 ? query.product / 3 : query.product
    return queries.addingClamped(output.product).multipliedClamped(by: shapes.multiHeadKeys)
  }
}

// MARK: - Terms

extension TermCount {
  /// The features of a token and of a query, and the keys.
  static func projectedAttention(past: Int) -> TermCount {
    .counted { shapes in
      (shapes.shape(0).last ?? 1).addingClamped(shapes.projectedQuery)
        .addingClamped(shapes.projectedKeys(past: past))
    }
  }

  /// The features of a query, and the keys.
  static let multiHeadAttention: TermCount = .counted { shapes in
    (shapes.shape(0).last ?? 1).addingClamped(shapes.multiHeadKeys)
  }
}

extension NodeShapes {
  /// The width of a query that a projection, input 1, gives.
  fileprivate var projectedQuery: Int {
    guard case .ints(let sizes)? = node.attributes["qkv_hidden_sizes"], let size = sizes.first else {
      return (shape(1).last ?? 0) / 3
    }
    return Int(clamping: size)
  }

  /// The tokens, and the keys before them in input `past`, `[2, batch, heads, keys, features]`.
  fileprivate func projectedKeys(past: Int) -> Int {
    (shape(0).dropFirst().first ?? 0).addingClamped(shape(past).dropFirst(3).first ?? 0)
  }

  /// The keys of MultiHeadAttention: `[batch, heads, keys, features]`, or the second axis of anything else, packed with
  /// the queries where input 1 is omitted; and those before them.
  fileprivate var multiHeadKeys: Int {
    let key = known(1) ?? shape(0)
    let now = key.dropFirst(key.count == 4 ? 2 : 1).first ?? 0
    return now.addingClamped(shape(6).dropFirst(2).first ?? 0)
  }
}
