/// Queries, keys or values of several heads, in one of the two orders that graphs use.
package struct AttentionHeads<Scalar: FloatingPointScalar>: Sendable {
  package let tensor: Tensor<Scalar>
  package let batch: Int
  package let heads: Int
  package let time: Int
  package let features: Int
  /// `[batch, heads, time, features]`; otherwise heads lie side by side, `[batch, time, heads · features]`.
  package let isSplit: Bool

  /// - Parameter heads: how many there are side by side in a tensor of rank 3; not used for one of rank 4.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another rank, or heads that do not divide the last axis.
  package init(_ tensor: Tensor<Scalar>, heads count: Int) throws {
    let shape = tensor.shape
    if shape.count == 4 {
      (batch, heads, time, features) = (shape[0], shape[1], shape[2], shape[3])
    } else if shape.count == 3, count > 0, count <= max(1, shape[2]), shape[2].isMultiple(of: count) {
      (batch, heads, time, features) = (shape[0], count, shape[1], shape[2] / count)
    } else {
      throw TensorError.shape(
        operation: "attention",
        reason: "a tensor of shape \(shape) is neither [batch, heads, time, features] nor [batch, time, heads · "
          + "features] of \(count) heads")
    }
    isSplit = shape.count == 4
    self.tensor = try tensor.rowMajor
  }

  /// `[batch, heads, time, features]`.
  package var split: Tensor<Scalar> {
    get throws {
      isSplit ? tensor : try tensor.reshaped([batch, time, heads, features]).permuted([0, 2, 1, 3])
    }
  }

  /// One matrix for each of `count` heads of each sample; a head is shared by as many neighbours as it takes.
  func operand(heads count: Int) -> AttentionOperand<Scalar> {
    let group = heads == 0 ? 1 : max(1, count / heads)
    let headStep = isSplit ? time * features : features
    let all = offsets(over: [batch, count / group, group], steps: [heads * time * features, headStep, 0])
    return AttentionOperand(tensor: tensor, offsets: all, rowStep: isSplit ? features : heads * features)
  }
}

/// What attention does beside the product itself.
package struct AttentionOptions<Scalar: FloatingPointScalar>: Sendable {
  /// `1 / √features` when absent.
  package var scale: Scalar?
  /// Scores `s` become `cap · tanh(s / cap)` before anything is masked.
  package var softcap: Scalar?
  /// The keys in reach: none where all are, one for all samples, or one for each.
  package var spans: [KeySpan] = []
  /// Broadcast against `[batch, heads, queries, keys]`; all apply.
  package var masks: [AttentionMask<Scalar>] = []
  /// For each head a score that takes part in the softmax and has no value; none, or as many as heads.
  package var sinks: [Scalar] = []

  package init() {}
}

/// `softmax(query · keyᵀ · scale + mask) · value` where several neighbouring heads of queries may share one of keys and
/// values. A query that no key is left for gives zeros.
///
/// - Returns: the order and shape of `query`, with the features of `value`.
/// - Throws: ``TensorError`` when shapes do not fit each other.
package func groupedAttention<Scalar: FloatingPointScalar>(
  query: AttentionHeads<Scalar>, key: AttentionHeads<Scalar>, value: AttentionHeads<Scalar>,
  options: AttentionOptions<Scalar>
) throws -> Tensor<Scalar> {
  let (batch, heads) = (query.batch, query.heads)
  guard key.batch == batch, value.batch == batch, key.heads == value.heads, key.time == value.time,
    key.features == query.features, key.heads > 0 ? heads.isMultiple(of: key.heads) : heads == 0,
    options.spans.count <= 1 || options.spans.count == batch, options.sinks.isEmpty || options.sinks.count == heads
  else {
    throw TensorError.shape(
      operation: "attention",
      reason: "query \(query.tensor.shape) of \(heads) heads, key \(key.tensor.shape) of \(key.heads) and value "
        + "\(value.tensor.shape) of \(value.heads) do not fit each other")
  }
  let (features, _) = value.features.multipliedReportingOverflow(by: heads)
  let shape =
    query.isSplit ? [batch, heads, query.time, value.features] : [batch, query.time, features]
  guard try Shape.elementCount([batch, heads, query.time, value.features], operation: "attention") > 0 else {
    return try Tensor(zeros: shape)
  }
  try Shape.checkMemory([batch, heads, 8], of: Int.self, operation: "attention")
  let places = [batch, heads, query.time, key.time]
  let product = AttentionProduct(
    queries: query.time, keys: key.time, features: query.features, values: value.features,
    scale: options.scale ?? 1 / Scalar(max(1, query.features)).squareRoot(), softcap: options.softcap,
    spans: options.spans.count > 1 ? options.spans.flatMap { Array(repeating: $0, count: heads) } : options.spans,
    masks: try options.masks.map { try $0.placed(over: places) },
    sinks: options.sinks.isEmpty ? [] : (0..<batch).flatMap { _ in options.sinks }, emptyRowsAreZero: true,
    query: query.operand(heads: heads), key: key.operand(heads: heads), value: value.operand(heads: heads))
  return try Tensor.filled(shape) { output in
    let headStep = query.isSplit ? query.time * value.features : value.features
    try product(
      into: output,
      offsets: offsets(over: [batch, heads], steps: [heads * query.time * value.features, headStep]),
      rowStep: query.isSplit ? value.features : features)
  }
}
