/// Attention of several heads with its projections: PyTorch's `torch.nn.MultiheadAttention`.
///
/// Queries, keys and values are projected, divided into heads of `embedding / heads` features, put through
/// ``scaledDotProductAttention(query:key:value:masks:isCausal:scale:)``, joined, and projected again.
public struct MultiheadAttention<Scalar: FloatingPointScalar>: Sendable {
  private let query: Linear<Scalar>
  private let key: Linear<Scalar>
  private let value: Linear<Scalar>
  private let output: Linear<Scalar>
  private let embedding: Int
  private let heads: Int
  private let batchFirst: Bool

  /// Reads `in_proj_weight` `[3 · embedding, embedding]`, or `q_proj_weight`, `k_proj_weight` and `v_proj_weight`
  /// where keys and values have other sizes; `out_proj.weight` `[embedding, embedding]`; and, when there are any,
  /// `in_proj_bias` and `out_proj.bias`. Learned extra keys (`bias_k`, `bias_v`) are not supported.
  /// - Parameters:
  ///   - keyFeatures: the size of keys; `embedding` when absent. `valueFeatures` likewise.
  /// - Throws: ``WeightsError`` for parameters that are missing or have another shape; ``TensorError`` when the heads
  ///   do not divide the embedding.
  public init(
    _ weights: Weights, embedding: Int, heads: Int, keyFeatures: Int? = nil, valueFeatures: Int? = nil,
    batchFirst: Bool = false
  ) throws {
    guard heads > 0, embedding > 0, embedding <= 1 << 31, embedding.isMultiple(of: heads) else {
      throw TensorError.argument(
        operation: "MultiheadAttention",
        reason: "an embedding of \(embedding) features cannot be divided into \(heads) heads")
    }
    guard !weights.contains("bias_k"), !weights.contains("bias_v") else {
      throw TensorError.argument(
        operation: "MultiheadAttention", reason: "learned extra keys (\(weights.fullName("bias_k"))) are not supported")
    }
    let bias: Tensor<Scalar>? = try weights.optionalTensor("in_proj_bias", shape: [3 * embedding])
    let parts: [Tensor<Scalar>]
    if weights.contains("q_proj_weight") {
      parts = [
        try weights.tensor("q_proj_weight", shape: [embedding, embedding]),
        try weights.tensor("k_proj_weight", shape: [embedding, keyFeatures ?? embedding]),
        try weights.tensor("v_proj_weight", shape: [embedding, valueFeatures ?? embedding]),
      ]
    } else {
      let joined: Tensor<Scalar> = try weights.tensor("in_proj_weight", shape: [3 * embedding, embedding])
      parts = try joined.chunked(3, axis: 0)
    }
    let biases = try bias?.chunked(3, axis: 0)
    query = try Linear(weight: parts[0], bias: biases?[0])
    key = try Linear(weight: parts[1], bias: biases?[1])
    value = try Linear(weight: parts[2], bias: biases?[2])
    output = try Linear(weights["out_proj"], inputs: embedding, outputs: embedding)
    self.embedding = embedding
    self.heads = heads
    self.batchFirst = batchFirst
  }

  /// - Parameters:
  ///   - query: `[queries, batch, embedding]`, or with the batch first.
  ///   - key: `[keys, batch, key features]`, likewise; the query itself when absent.
  ///   - value: `[keys, batch, value features]`, likewise; the key itself when absent.
  ///   - mask: `[queries, keys]`, or anything that broadcasts against `[batch, heads, queries, keys]`.
  ///   - keyPaddingMask: `[batch, keys]`; true leaves the key out.
  /// - Returns: the shape of `query`. A query that no key is left for gives NaN.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when shapes do not fit each other.
  public func callAsFunction(
    _ query: Tensor<Scalar>, key: Tensor<Scalar>? = nil, value: Tensor<Scalar>? = nil,
    mask: AttentionMask<Scalar>? = nil, keyPaddingMask: Tensor<Bool>? = nil, isCausal: Bool = false
  ) throws -> Tensor<Scalar> {
    let key = key ?? query
    let value = value ?? key
    let (batchAxis, timeAxis) = batchFirst ? (0, 1) : (1, 0)
    guard query.rank == 3, key.rank == 3, value.rank == 3, query.shape[2] == embedding,
      key.shape[batchAxis] == query.shape[batchAxis], value.shape[batchAxis] == query.shape[batchAxis],
      key.shape[timeAxis] == value.shape[timeAxis]
    else {
      throw TensorError.shape(
        operation: "MultiheadAttention",
        reason: "query \(query.shape), key \(key.shape) and value \(value.shape) do not fit each other; expected "
          + (batchFirst ? "[batch, time, \(embedding)]" : "[time, batch, \(embedding)]"))
    }
    var masks = mask.map { [$0] } ?? []
    if let keyPaddingMask {
      let expected = [key.shape[batchAxis], key.shape[timeAxis]]
      guard keyPaddingMask.shape == expected else {
        throw TensorError.shape(
          operation: "MultiheadAttention",
          reason: "the key padding mask has shape \(keyPaddingMask.shape), expected \(expected)")
      }
      masks.append(.ignoring(try keyPaddingMask.reshaped([expected[0], 1, 1, expected[1]])))
    }
    return try output(
      headwiseAttention(
        query: self.query(query), key: self.key(key), value: self.value(value), heads: heads, masks: masks,
        isCausal: isCausal, scale: nil, batchFirst: batchFirst))
  }
}
