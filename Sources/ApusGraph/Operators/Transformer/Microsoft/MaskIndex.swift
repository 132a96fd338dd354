import Apus

/// The integer masks of ONNX Runtime's attention operators, as something to add to scores: 0 where a key takes part,
/// `filter` where not.
///
/// - Parameters:
///   - mask: `[batch]`, how many keys each sample has; `[3 · batch + 2]`, the same, and where queries and keys of each
///     sample would begin if they were packed, which is not read; `[2 · batch]`, where its keys end and then where they
///     begin; `[batch, keys]`, `[batch, queries, keys]` or `[batch, 1, longest, longest]`, 0 for keys that are masked.
///   - filter: `mask_filter_value`.
/// - Returns: what broadcasts against `[batch, heads, queries, keys]`.
func maskToAdd<Scalar: FloatingPointScalar>(
  _ mask: AnyTensor, batch: Int, queries: Int, keys: Int, filter: Scalar
) throws -> Tensor<Scalar> {
  let values = try mask.converted(to: Int64.self)
  func added(_ shape: [Int], _ takesPart: (_ index: Int) -> Bool) throws -> Tensor<Scalar> {
    try Tensor.filled(shape) { sums in
      for index in 0..<shape.reduce(1, *) { (sums + index).initialize(to: takesPart(index) ? 0 : filter) }
    }
  }
  let elements = try values.elements
  switch values.rank {
  case 1 where elements.count == batch || (elements.count / 3 == batch && elements.count % 3 == 2):
    _ = try Shape.elementCount([batch, keys])
    return try added([batch, 1, 1, keys]) { $0 % keys < elements[$0 / keys] }
  case 1 where elements.count == 2 * batch:
    _ = try Shape.elementCount([batch, keys])
    return try added([batch, 1, 1, keys]) { index in
      let (sample, key) = (index / keys, index % keys)
      return key < elements[sample] && key >= elements[batch + sample]
    }
  case 2 where values.shape == [batch, keys]: return try added([batch, 1, 1, keys]) { elements[$0] > 0 }
  case 3 where values.shape == [batch, queries, keys]:
    return try added([batch, 1, queries, keys]) { elements[$0] > 0 }
  case 4 where values.shape[0] == batch && values.shape[1] == 1 && values.shape[2] >= keys && values.shape[3] >= keys:
    // The rows of the last queries.
    let part = try values.sliced(axis: 2, from: keys - queries, to: keys).sliced(axis: 3, to: keys)
    let elements = try part.elements
    return try added(part.shape) { elements[$0] > 0 }
  default:
    throw OperatorError(
      "a mask of shape \(values.shape) does not fit a batch of \(batch), \(queries) queries and \(keys) keys")
  }
}
