/// Which keys a query attends to. Masks broadcast against the scores, `[…, queries, keys]`.
public enum AttentionMask<Scalar: FloatingPointScalar>: Sendable {
  /// True takes part: the truth values of PyTorch's `scaled_dot_product_attention`.
  case attending(Tensor<Bool>)
  /// True is left out: the truth values of PyTorch's `MultiheadAttention`.
  case ignoring(Tensor<Bool>)
  /// Added to the scores; minus infinity leaves out.
  case additive(Tensor<Scalar>)

  func applied(to scores: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let masked: Tensor<Scalar>
    switch self {
    case .attending(let mask):
      masked = try Tensor(where: mask, then: scores, else: Tensor(repeating: -.infinity, shape: []))
    case .ignoring(let mask):
      masked = try scores.maskedFill(mask, with: -.infinity)
    case .additive(let bias):
      masked = try scores + bias
    }
    guard masked.shape == scores.shape else {
      throw TensorError.shape(
        operation: "scaledDotProductAttention",
        reason: "a mask does not fit scores of shape \(scores.shape): together they have shape \(masked.shape)")
    }
    return masked
  }
}

/// `softmax(query · keyᵀ · scale + mask) · value`: PyTorch's function of the same name.
///
/// A query that no key is left for gives NaN.
///
/// - Parameters:
///   - query: `[…, queries, features]`.
///   - key: `[…, keys, features]`.
///   - value: `[…, keys, values]`.
///   - masks: any number of them; all apply.
///   - isCausal: whether query `i` attends to the keys up to `i` only.
///   - scale: `1 / √features` when absent.
/// - Returns: `[…, queries, values]`.
/// - Throws: ``TensorError/shape(operation:reason:)`` when shapes do not fit each other.
public func scaledDotProductAttention<Scalar: FloatingPointScalar>(
  query: Tensor<Scalar>, key: Tensor<Scalar>, value: Tensor<Scalar>, masks: [AttentionMask<Scalar>] = [],
  isCausal: Bool = false, scale: Scalar? = nil
) throws -> Tensor<Scalar> {
  guard query.rank >= 2, key.rank >= 2, value.rank >= 2, query.shape[query.rank - 1] == key.shape[key.rank - 1],
    key.shape[key.rank - 2] == value.shape[value.rank - 2]
  else {
    throw TensorError.shape(
      operation: "scaledDotProductAttention",
      reason: "query \(query.shape), key \(key.shape) and value \(value.shape) do not fit each other; expected "
        + "[…, queries, features], […, keys, features] and […, keys, values]")
  }
  let scale = scale ?? 1 / Scalar(max(1, query.shape[query.rank - 1])).squareRoot()
  var scores = try matmul(query, key, transposingB: true, alpha: scale)
  if isCausal {
    scores = try AttentionMask<Scalar>.attending(
      causalMask(queries: query.shape[query.rank - 2], keys: key.shape[key.rank - 2])
    ).applied(to: scores)
  }
  for mask in masks { scores = try mask.applied(to: scores) }
  return try matmul(softmax(scores, axis: -1), value)
}

/// `[queries, keys]`, true up to the diagonal.
private func causalMask(queries: Int, keys: Int) throws -> Tensor<Bool> {
  try Tensor.filled([queries, keys]) { mask in
    for query in 0..<queries {
      let row = mask + query * keys
      let seen = min(query + 1, keys)
      row.initialize(repeating: true, count: seen)
      (row + seen).initialize(repeating: false, count: keys - seen)
    }
  }
}
