/// Which keys a query attends to. Masks broadcast against the scores, `[…, queries, keys]`.
public enum AttentionMask<Scalar: FloatingPointScalar>: Sendable {
  /// True takes part: the Booleans of PyTorch's `scaled_dot_product_attention`.
  case attending(Tensor<Bool>)
  /// True is masked: the Booleans of PyTorch's `MultiheadAttention`.
  case ignoring(Tensor<Bool>)
  /// Added to the scores; minus infinity masks.
  case additive(Tensor<Scalar>)

  /// Whether true means to take part.
  var attends: Bool {
    if case .attending = self { true } else { false }
  }

  private var shape: [Int] {
    switch self {
    case .attending(let mask), .ignoring(let mask): mask.shape
    case .additive(let bias): bias.shape
    }
  }

  private var rowMajor: AttentionMask {
    get throws {
      switch self {
      case .attending(let mask): .attending(try mask.rowMajor)
      case .ignoring(let mask): .ignoring(try mask.rowMajor)
      case .additive(let bias): .additive(try bias.rowMajor)
      }
    }
  }

  /// Where the mask lies against scores of a shape.
  func placed(over scores: [Int]) throws -> PlacedMask<Scalar> {
    guard shape.count <= scores.count,
      try Shape.broadcast(shape, scores, operation: "scaledDotProductAttention") == scores
    else {
      throw TensorError.shape(
        operation: "scaledDotProductAttention",
        reason: "a mask of shape \(shape) does not fit scores of shape \(scores)")
    }
    let strides = StretchedStrides(of: shape, over: scores)
    return PlacedMask(
      mask: try rowMajor, offsets: offsets(over: Array(scores.dropLast(2)), steps: strides.prefix(scores.count - 2)),
      queryStep: strides[scores.count - 2], keyStep: strides[scores.count - 1])
  }
}

/// The place of every index of `shape`, in row-major order, in memory with the given steps.
func offsets(over shape: [Int], steps: [Int]) -> [Int] {
  let count = shape.reduce(1, *)
  return [Int](unsafeUninitializedCapacity: count) { offsets, initialized in
    for index in 0..<count {
      var (rest, offset) = (index, 0)
      for axis in shape.indices.reversed() {
        offset += rest % shape[axis] * steps[axis]
        rest /= shape[axis]
      }
      offsets[index] = offset
    }
    initialized = count
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
  let (queries, features) = (query.shape[query.rank - 2], query.shape[query.rank - 1])
  let (keys, values) = (value.shape[value.rank - 2], value.shape[value.rank - 1])
  let outer = try [key, value].reduce(Array(query.shape.dropLast(2))) {
    try Shape.broadcast($0, Array($1.shape.dropLast(2)), operation: "scaledDotProductAttention")
  }
  func operand(_ tensor: Tensor<Scalar>) throws -> AttentionOperand<Scalar> {
    let matrix = Array(tensor.shape.suffix(2))
    let strides = StretchedStrides(of: tensor.shape, over: outer + matrix)
    return AttentionOperand(
      tensor: try tensor.rowMajor, offsets: offsets(over: outer, steps: strides.prefix(outer.count)), rowStep: matrix[1]
    )
  }
  let shape = outer + [queries, values]
  let scores = outer + [queries, keys]
  guard try Shape.elementCount(shape) > 0 else { return try Tensor(zeros: shape) }
  // Where each head lies takes memory too; of queries without features there may be very many.
  try Shape.checkMemory(outer + [8], of: Int.self, operation: "scaledDotProductAttention")
  let placed = try masks.map { try $0.placed(over: scores) }
  let product = AttentionProduct(
    queries: queries, keys: keys, features: features, values: values,
    scale: scale ?? 1 / Scalar(max(1, features)).squareRoot(), spans: isCausal ? [.causal] : [],
    masks: placed,
    query: try operand(query), key: try operand(key), value: try operand(value))
  return try Tensor.filled(shape) { output in
    try product(
      into: output, offsets: offsets(over: outer, steps: Array(Shape.strides(shape).dropLast(2))), rowStep: values)
  }
}

/// Attention of several heads that lie side by side, as projections leave them: nothing is moved to bring the heads
/// apart and together again.
///
/// - Parameters:
///   - query: `[batch, queries, heads · features]`.
///   - key: `[batch, keys, heads · features]`.
///   - value: `[batch, keys, heads · values]`.
///   - masks: broadcast against `[batch, heads, queries, keys]`; all apply.
///   - isCausal: whether query `i` attends to the keys up to `i` only.
///   - scale: `1 / √features` when absent.
/// - Returns: `[batch, queries, heads · values]`. A query that no key is left for gives NaN.
/// - Throws: ``TensorError`` when shapes do not fit each other, or the heads do not divide them.
public func scaledDotProductAttention<Scalar: FloatingPointScalar>(
  query: Tensor<Scalar>, key: Tensor<Scalar>, value: Tensor<Scalar>, heads: Int, masks: [AttentionMask<Scalar>] = [],
  isCausal: Bool = false, scale: Scalar? = nil
) throws -> Tensor<Scalar> {
  try headwiseAttention(
    query: query, key: key, value: value, heads: heads, masks: masks, isCausal: isCausal, scale: scale,
    batchFirst: true)
}

/// The same, with the time before the batch unless `batchFirst`.
func headwiseAttention<Scalar: FloatingPointScalar>(
  query: Tensor<Scalar>, key: Tensor<Scalar>, value: Tensor<Scalar>, heads: Int, masks: [AttentionMask<Scalar>],
  isCausal: Bool, scale: Scalar?, batchFirst: Bool
) throws -> Tensor<Scalar> {
  let (batchAxis, timeAxis) = batchFirst ? (0, 1) : (1, 0)
  guard query.rank == 3, key.rank == 3, value.rank == 3, heads > 0, query.shape[2].isMultiple(of: heads),
    value.shape[2].isMultiple(of: heads), query.shape[2] == key.shape[2],
    query.shape[batchAxis] == key.shape[batchAxis], query.shape[batchAxis] == value.shape[batchAxis],
    key.shape[timeAxis] == value.shape[timeAxis]
  else {
    throw TensorError.shape(
      operation: "scaledDotProductAttention",
      reason: "query \(query.shape), key \(key.shape) and value \(value.shape) do not fit each other and \(heads) "
        + "heads; expected [batch, queries, heads · features], [batch, keys, heads · features] and "
        + "[batch, keys, heads · values]")
  }
  let batch = query.shape[batchAxis]
  let (queries, keys) = (query.shape[timeAxis], key.shape[timeAxis])
  var shape = query.shape
  shape[2] = value.shape[2]
  guard try Shape.elementCount(shape) > 0 else { return try Tensor(zeros: shape) }
  try Shape.checkMemory([batch, heads, 8], of: Int.self, operation: "scaledDotProductAttention")
  let placed = try masks.map { try $0.placed(over: [batch, heads, queries, keys]) }
  func places(_ shape: [Int]) -> (offsets: [Int], rowStep: Int) {
    let strides = Shape.strides(shape)
    return (
      offsets(over: [batch, heads], steps: [strides[batchAxis], shape[2] / heads]), strides[timeAxis]
    )
  }
  func operand(_ tensor: Tensor<Scalar>) throws -> AttentionOperand<Scalar> {
    let (offsets, rowStep) = places(tensor.shape)
    return AttentionOperand(tensor: try tensor.rowMajor, offsets: offsets, rowStep: rowStep)
  }
  let features = query.shape[2] / heads
  let product = AttentionProduct(
    queries: queries, keys: keys, features: features, values: value.shape[2] / heads,
    scale: scale ?? 1 / Scalar(max(1, features)).squareRoot(), spans: isCausal ? [.causal] : [],
    masks: placed,
    query: try operand(query), key: try operand(key), value: try operand(value))
  return try Tensor.filled(shape) { output in
    let (offsets, rowStep) = places(shape)
    try product(into: output, offsets: offsets, rowStep: rowStep)
  }
}
