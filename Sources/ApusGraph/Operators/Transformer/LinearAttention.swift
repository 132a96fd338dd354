import Apus
import ApusKernelInterface

extension Operators {
  /// Attention without a softmax, as a state `S` of `[key features, value features]` for each head that every token
  /// changes and reads:
  ///
  ///     Sₜ = e^gₜ · Sₜ₋₁ + kₜ ⊗ uₜ,  uₜ = vₜ, or βₜ (vₜ - (e^gₜ · Sₜ₋₁)ᵀ kₜ) by the delta rule
  ///     oₜ = scale · qₜᵀ Sₜ
  ///
  /// `linear` and `delta` have no decay `g`, `linear` and `gated` no rate `β`. Several neighbouring heads of queries may
  /// share a state.
  static func LinearAttention(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      try LinearAttentionOperator<Float>(node, sharesQueries: false),
      try LinearAttentionOperator<Double>(node, sharesQueries: false))
  }

  /// The same of ONNX Runtime, where neighbouring states may share a head of queries too.
  static func MicrosoftLinearAttention(_ node: NodeDescription) throws -> PreparedOperator {
    guard try node.int("state_window", default: 0) == 0 else {
      throw OperatorError("a window of states is not supported")
    }
    return floating(
      try LinearAttentionOperator<Float>(node, sharesQueries: true),
      try LinearAttentionOperator<Double>(node, sharesQueries: true))
  }
}

private struct LinearAttentionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let queryHeads: Int
  let keyHeads: Int
  let scale: Float
  let isGated: Bool
  let corrects: Bool

  init(_ node: NodeDescription, sharesQueries: Bool) throws {
    queryHeads = try node.int("q_num_heads")
    keyHeads = try node.int("kv_num_heads")
    scale = try node.float("scale", default: 0)
    let rule = try node.string("update_rule", default: "gated_delta")
    guard ["linear", "gated", "delta", "gated_delta"].contains(rule) else {
      throw OperatorError("update_rule is '\(rule)'; 'linear', 'gated', 'delta' or 'gated_delta' is needed")
    }
    isGated = rule.hasPrefix("gated")
    corrects = rule.hasSuffix("delta")
    guard keyHeads > 0, queryHeads > 0,
      queryHeads.isMultiple(of: keyHeads) || sharesQueries && keyHeads.isMultiple(of: queryHeads)
    else { throw OperatorError("\(queryHeads) heads of queries cannot share \(keyHeads) of keys and values") }
    guard node.has(4) == isGated, node.has(5) == corrects else {
      throw OperatorError(
        "update_rule '\(rule)' needs \(isGated ? "a" : "no") decay and \(corrects ? "a" : "no") beta")
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    func packed(_ index: Int) throws -> Tensor<Scalar> {
      let tensor = try arguments.floating(index, as: Scalar.self)
      guard tensor.rank == 3 else {
        throw OperatorError("input \(index) has shape \(tensor.shape); [batch, time, heads · features] is needed")
      }
      return try tensor.rowMajor
    }
    let query = try AttentionHeads(packed(0), heads: queryHeads)
    let key = try AttentionHeads(packed(1), heads: keyHeads)
    let value = try AttentionHeads(packed(2), heads: keyHeads)
    let (batch, time) = (query.batch, query.time)
    guard key.batch == batch, value.batch == batch, key.time == time, value.time == time,
      key.features == query.features
    else {
      throw OperatorError(
        "query \(query.tensor.shape), key \(key.tensor.shape) and value \(value.tensor.shape) do not fit each other")
    }
    let decay = isGated ? try packed(4) : nil
    let rate = corrects ? try packed(5) : nil
    func check(_ tensor: Tensor<Scalar>?, _ name: String, _ sizes: [Int]) throws {
      guard let tensor, tensor.shape.prefix(2) != [batch, time] || !sizes.contains(tensor.shape[2]) else { return }
      throw OperatorError("\(name) has shape \(tensor.shape); [\(batch), \(time), one of \(sizes)] is needed")
    }
    try check(decay, "decay", [keyHeads, keyHeads * key.features])
    try check(rate, "beta", [keyHeads, 1])

    let stateShape = [batch, keyHeads, key.features, value.features]
    let past = try arguments.optionalFloating(3, as: Scalar.self)
    guard past == nil || past?.shape == stateShape else {
      throw OperatorError("past_state has shape \(past?.shape ?? []); \(stateShape) is needed")
    }
    let stateType = try arguments.has(3) ? arguments.floatingType(3) : type
    var state = try past ?? Tensor(zeros: stateShape)
    let width = max(queryHeads, keyHeads).multipliedReportingOverflow(by: value.features).partialValue
    var output = try Tensor<Scalar>(zeros: [batch, time, width])
    let recurrence = LinearRecurrence(
      query: query.tensor, key: key.tensor, value: value.tensor, decay: try decay?.exp(), rate: rate,
      scale: scale == 0 ? 1 / Scalar(max(1, query.features)).squareRoot() : Scalar(scale), time: time,
      heads: keyHeads, queryHeads: queryHeads, keys: key.features, values: value.features)
    let context = arguments.context
    try state.withUnsafeMutableBufferPointer { state in
      try output.withUnsafeMutableBufferPointer { output in
        // Without tokens the state stays, and of a sample without anything there may be very many.
        guard !output.isEmpty, let state = state.baseAddress, let output = output.baseAddress else { return }
        for sample in 0..<batch {
          try context.checkCancellation()
          recurrence.run(sample, state: state, output: output)
        }
      }
    }
    return [try GraphValue(rounding: output, to: type), try GraphValue(rounding: state, to: stateType)]
  }
}

/// The tokens of all samples, heads side by side, and how they change the states.
private struct LinearRecurrence<Scalar: FloatingPointScalar>: Sendable {
  let query: Tensor<Scalar>
  let key: Tensor<Scalar>
  let value: Tensor<Scalar>
  /// What a state is multiplied by, for each head or for each feature of its key.
  let decay: Tensor<Scalar>?
  /// One for each head or one for all.
  let rate: Tensor<Scalar>?
  let scale: Scalar
  let time: Int
  let heads: Int
  let queryHeads: Int
  let keys: Int
  let values: Int

  /// All tokens of one sample, a task for each head.
  func run(_ sample: Int, state: UnsafeMutablePointer<Scalar>, output: UnsafeMutablePointer<Scalar>) {
    nonisolated(unsafe) let (state, output) = (state, output)
    // The outputs of a state: of each head of queries that shares it, or one.
    let outputs = max(1, queryHeads / heads)
    let kernels = Scalar.kernels
    parallel(heads) { head in
      let own = state + (sample * heads + head) * keys * values
      let reader = queryHeads < heads ? head / (heads / queryHeads) : head * outputs
      for token in sample * time..<(sample + 1) * time {
        let place = token * heads + head
        let isShared = decay?.shape[2] == heads
        kernels.attendLinearly(
          LinearToken(
            keys: keys, values: values, key: key.pointer + place * keys, value: value.pointer + place * values,
            decay: decay.map { $0.pointer + place * (isShared ? 1 : keys) }, decayStep: isShared ? 0 : 1,
            rate: rate.map { $0.pointer + ($0.shape[2] == 1 ? token : place) },
            query: query.pointer + (token * queryHeads + reader) * keys, queries: outputs, scale: scale),
          state: own, output + place * outputs * values)
      }
    }
    withExtendedLifetime((query, key, value, decay, rate)) {}
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let linearAttention = ShapeRule.rule { facts in
    let keyHeads = try facts.node.int("kv_num_heads")
    let query = try HeadShape(facts.shape(0), heads: facts.node.int("q_num_heads"))
    let key = try HeadShape(facts.shape(1), heads: keyHeads)
    let value = try HeadShape(facts.shape(2), heads: keyHeads)
    let state = [query.batch, key.count, key.features, value.features]
    return [
      InferredType(facts.elementType(0), try (query.count < key.count ? key : query).reading(value)),
      InferredType(facts.elementType(facts.has(3) ? 3 : 0), state),
    ]
  }
}

// MARK: - Work

extension Work {
  /// Each key changes the state of its head by each feature of a value, by the delta rule reads it before; each query
  /// reads it too.
  static let linearAttention: Work = .multiplyAdds { shapes in
    guard let query = shapes.known(0), let key = shapes.known(1), let value = shapes.known(2),
      let heads = shapes.int("kv_num_heads"), heads > 0
    else { return nil }
    let corrects = shapes.known(5) != nil
    // Several states may share a query.
    return max(query.product, key.product).addingClamped(key.product.multipliedClamped(by: corrects ? 2 : 1))
      .multipliedClamped(by: (value.last ?? 0) / heads)
  }
}
