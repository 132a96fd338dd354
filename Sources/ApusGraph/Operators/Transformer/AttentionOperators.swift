import Apus

extension Operators {
  static let attentions: [OperatorDefinition] = [
    OperatorDefinition("Attention", .product(.attention, work: .attention, accuracy: .sum(.attention)), Attention),
    OperatorDefinition(
      "FlexAttention", domain: "ai.onnx.preview",
      .product(.flexAttention, work: .attention, accuracy: .sum(.attention)), FlexAttention),
    OperatorDefinition(
      "LinearAttention", .product(.linearAttention, work: .linearAttention, accuracy: .sum(.attention)),
      LinearAttention),
    OperatorDefinition(
      "LinearAttention", domain: "com.microsoft",
      .product(.linearAttention, work: .linearAttention, accuracy: .sum(.attention)), MicrosoftLinearAttention),
  ]

  /// `softmax(Q · Kᵀ · scale + bias) · V`, with heads side by side or on an axis of their own, several heads of queries
  /// for one of keys and values, keys and values of the past, masks, causal and sliding windows.
  ///
  /// Opset 24 adds `nonpad_kv_seqlen` and masks that are shorter than the keys, 25 the windows.
  static func Attention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try AttentionOperator<Float>(node), try AttentionOperator<Double>(node))
  }
}

private struct AttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let scale: Float?
  let softcap: Float
  let isCausal: Bool
  let queryHeads: Int
  let keyHeads: Int
  let before: Int?
  let after: Int?
  let precision: ElementType?
  let scoreOutput: AttentionSteps<Scalar>.Stage?
  let fillsShortMasks: Bool
  let wantsPresent: Bool

  init(_ node: NodeDescription) throws {
    scale = try node.optionalFloat("scale")
    softcap = try node.float("softcap", default: 0)
    isCausal = try node.flag("is_causal")
    queryHeads = try node.int("q_num_heads", default: 0)
    keyHeads = try node.int("kv_num_heads", default: 0)
    precision = try node.softmaxPrecision()
    fillsShortMasks = node.opset >= 24
    wantsPresent = node.wants(1) || node.wants(2)
    func window(_ name: String) throws -> Int? {
      let size = try node.int(name, default: -1)
      guard size >= -1 else { throw OperatorError("\(name) is \(size); it must be -1 or more") }
      return size < 0 ? nil : size
    }
    before = try window("left_window_size")
    after = try window("right_window_size")
    let mode = try node.int("qk_matmul_output_mode", default: 0)
    guard let stage = AttentionSteps<Scalar>.Stage(rawValue: mode) else {
      throw OperatorError("qk_matmul_output_mode is \(mode), which is not among 0...3")
    }
    scoreOutput = node.wants(3) ? stage : nil
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let query = try AttentionHeads(arguments.floating(0, as: Scalar.self), heads: queryHeads)
    var key = try AttentionHeads(arguments.floating(1, as: Scalar.self), heads: keyHeads)
    var value = try AttentionHeads(arguments.floating(2, as: Scalar.self), heads: keyHeads)
    let valueType = try arguments.floatingType(2)
    let pastKey = try arguments.optionalFloating(4, as: Scalar.self)
    let pastValue = try arguments.optionalFloating(5, as: Scalar.self)
    guard (pastKey == nil) == (pastValue == nil) else {
      throw OperatorError("past_key and past_value are given one without the other")
    }
    var present: (key: Tensor<Scalar>, value: Tensor<Scalar>)?
    if let pastKey, let pastValue {
      let joined = (
        key: try concatenate([pastKey, key.split], axis: 2), value: try concatenate([pastValue, value.split], axis: 2)
      )
      key = try AttentionHeads(joined.key, heads: keyHeads)
      value = try AttentionHeads(joined.value, heads: keyHeads)
      present = joined
    } else if wantsPresent {
      present = (try key.split, try value.split)
    }

    var options = AttentionOptions<Scalar>()
    options.scale = scale.map { Scalar($0) }
    options.softcap = softcap > 0 ? Scalar(softcap) : nil
    if let mask = try arguments.optionalTensor(3) { options.masks = [try attentionMask(mask, keys: key.time)] }
    options.spans = try spans(
      arguments.optionalIntegers(6), past: pastKey?.shape[2] ?? 0, batch: query.batch, queries: query.time)

    // DOUBLE is never computed in less.
    let isPlain = precision == nil || precision == ElementType(Scalar.dataType) || type == .double
    guard scoreOutput == nil, isPlain else {
      let steps = AttentionSteps(
        options: options, precision: type == .double ? nil : precision, stage: scoreOutput, type: type)
      let (output, scores) = try steps(query: query, key: key, value: value)
      return [
        try GraphValue(rounding: output, to: type), try present.map { try GraphValue(rounding: $0.key, to: type) },
        try present.map { try GraphValue(rounding: $0.value, to: valueType) },
        try scores.map { try GraphValue(rounding: $0, to: type) },
      ]
    }
    let output = try groupedAttention(query: query, key: key, value: value, options: options)
    return [
      try GraphValue(rounding: output, to: type), try present.map { try GraphValue(rounding: $0.key, to: type) },
      try present.map { try GraphValue(rounding: $0.value, to: valueType) },
    ]
  }

  /// The mask, made as long as the keys where it may be shorter.
  private func attentionMask(_ mask: AnyTensor, keys: Int) throws -> AttentionMask<Scalar> {
    let missing = keys - (mask.shape.last ?? keys)
    let isShort = missing > 0 && (fillsShortMasks || mask.shape.last != 1)
    func filled<Element: TensorScalar>(_ mask: Tensor<Element>, with value: Element) throws -> Tensor<Element> {
      guard isShort else { return mask }
      let filling = try Tensor(repeating: value, shape: mask.shape.dropLast() + [missing])
      return try concatenate([mask, filling], axis: -1)
    }
    if case .bool(let truth) = mask { return .attending(try filled(truth, with: false)) }
    return .additive(try filled(mask.tensor(of: Scalar.self) ?? mask.converted(), with: -.infinity))
  }

  /// The keys in reach of each sample's queries.
  private func spans(_ lengths: [Int]?, past: Int, batch: Int, queries: Int) throws -> [KeySpan] {
    let after = isCausal ? min(after ?? 0, 0) : after
    guard let lengths else {
      return before == nil && after == nil ? [] : [KeySpan(offset: past, before: before, after: after)]
    }
    guard lengths.count == batch else {
      throw OperatorError("nonpad_kv_seqlen has \(lengths.count) elements for a batch of \(batch)")
    }
    return lengths.map { length in
      let offset = past > 0 ? past : length.subtractingReportingOverflow(queries).partialValue
      return KeySpan(offset: offset, before: before, after: after, count: length)
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let attention = ShapeRule.rule { facts in
    let keyHeads = try facts.node.int("kv_num_heads", default: 0)
    let query = try HeadShape(facts.shape(0), heads: facts.node.int("q_num_heads", default: 0))
    let key = try HeadShape(facts.shape(1), heads: keyHeads).following(facts, past: 4)
    let value = try HeadShape(facts.shape(2), heads: keyHeads).following(facts, past: 5)
    let type = facts.elementType(0)
    return [
      InferredType(type, try query.reading(value)), InferredType(type, key.split),
      InferredType(facts.elementType(2), value.split),
      InferredType(type, [query.batch, query.count, query.time, key.time]),
    ]
  }
}

/// How queries, keys or values lie, as ``AttentionHeads`` has them.
struct HeadShape {
  let batch: Int
  let count: Int
  var time: Int
  let features: Int
  let isSplit: Bool

  /// - Parameter count: how many heads there are side by side in a tensor of rank 3; not used for one of rank 4.
  init(_ shape: [Int], heads count: Int) throws {
    isSplit = shape.count == 4
    guard isSplit || (shape.count == 3 && count > 0) else { throw ShapeFacts.Unknown() }
    (batch, self.count, time, features) =
      isSplit
      ? (shape[0], shape[1], shape[2], shape[3]) : (shape[0], count, shape[1], shape[2] / count)
  }

  /// `[batch, heads, time, features]`.
  var split: [Int] { [batch, count, time, features] }

  /// Keys or values behind those of input `past`, if there are some.
  func following(_ facts: ShapeFacts, past: Int) throws -> HeadShape {
    guard facts.has(past) else { return self }
    let shape = try facts.shape(past)
    guard shape.count == 4 else { throw ShapeFacts.Unknown() }
    var result = self
    result.time = try Extent.sum([shape[2], time])
    return result
  }

  /// What such queries read of values, in the order of the queries.
  func reading(_ value: HeadShape) throws -> [Int] {
    isSplit ? [batch, count, time, value.features] : [batch, time, try Extent.product(count, value.features)]
  }
}
