import Apus

extension Operators {
  static let attentions: [OperatorDefinition] = [
    OperatorDefinition("Attention", .product(.attention, work: .attention, accuracy: .sum(.attention)), Attention),
    OperatorDefinition("FlexAttention", domain: "ai.onnx.preview", .plain(.unknown("TODO")), FlexAttention),
    OperatorDefinition("LinearAttention", .plain(.unknown("TODO")), LinearAttention),
  ]

  /// `softmax(Q · Kᵀ · scale + bias) · V`, with heads side by side or on an axis of their own, several heads of queries
  /// for one of keys and values, keys and values of the past, masks, causal and sliding windows.
  ///
  /// Opset 24 adds `nonpad_kv_seqlen` and masks that are shorter than the keys, 25 the windows.
  static func Attention(_ node: NodeDescription) throws -> Operation {
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
    precision = try node.optionalElementType("softmax_precision")
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
    if let precision, precision.dataType?.isFloatingPoint != true {
      throw OperatorError("softmax_precision is \(precision), which softmax is not computed in")
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [Value?] {
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
        try Value(rounding: output, to: type), try present.map { try Value(rounding: $0.key, to: type) },
        try present.map { try Value(rounding: $0.value, to: valueType) },
        try scores.map { try Value(rounding: $0, to: type) },
      ]
    }
    let output = try groupedAttention(query: query, key: key, value: value, options: options)
    return [
      try Value(rounding: output, to: type), try present.map { try Value(rounding: $0.key, to: type) },
      try present.map { try Value(rounding: $0.value, to: valueType) },
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
  }

  private static func heads(_ facts: ShapeFacts, _ index: Int, count name: String) throws -> Heads {
    let shape = try facts.shape(index)
    if shape.count == 4 { return Heads(batch: shape[0], count: shape[1], time: shape[2], features: shape[3]) }
    let count = try facts.node.int(name, default: 0)
    guard shape.count == 3, count > 0 else { throw ShapeFacts.Unknown() }
    return Heads(batch: shape[0], count: count, time: shape[1], features: shape[2] / count)
  }

  private struct Heads {
    let batch: Int
    let count: Int
    let time: Int
    let features: Int
  }
}
