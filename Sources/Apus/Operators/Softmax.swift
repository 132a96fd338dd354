/// `exp(x) / Σ exp(x)` along `axis`, computed from differences to the maximum so that nothing overflows.
/// - Throws: ``TensorError/argument(operation:reason:)`` for an axis that does not exist.
@_specialize(where Scalar == Float)
public func softmax<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>, axis: Int = -1) throws -> Tensor<Scalar> {
  try softmax(x, axis: axis, logarithm: false)
}

/// `log(softmax(x))` along `axis`, without underflow.
/// - Throws: ``TensorError/argument(operation:reason:)`` for an axis that does not exist.
public func logSoftmax<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>, axis: Int = -1) throws -> Tensor<Scalar> {
  try softmax(x, axis: axis, logarithm: true)
}

private func softmax<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, axis: Int, logarithm: Bool
) throws -> Tensor<Scalar> {
  let name = logarithm ? "logSoftmax" : "softmax"
  // Of a single value it is 1 whatever it is; PyTorch accepts axis 0 and -1 there.
  if x.rank == 0 { return try softmax(x.reshaped([1]), axis: axis, logarithm: logarithm).reshaped([]) }
  let axis = try Shape.axis(axis, in: x.shape, operation: name)
  let source = try x.rowMajor
  let (outer, size, inner) = source.split(at: axis)
  let kernels = Scalar.kernels
  return try withExtendedLifetime(source.storage) {
    nonisolated(unsafe) let x = source.pointer
    return try Tensor.filled(source.shape) { destination in
      guard source.count > 0 else { return }
      nonisolated(unsafe) let y = destination
      if inner == 1 {
        parallelRows(outer, width: size) { first, count in
          kernels.softmaxRows(
            x + first * size, y + first * size, rows: count, columns: size, logarithm: logarithm)
        }
        return
      }
      // Pieces of columns, at least a vector wide, of one outer index each.
      let width = min(inner, max(16, elementsPerPiece / size / 16 * 16))
      let pieces = (inner + width - 1) / width
      parallelRanges(outer * pieces, grain: max(1, elementsPerPiece / (width * size))) { start, count in
        for piece in start..<(start + count) {
          let first = piece % pieces * width
          let offset = piece / pieces * size * inner
          kernels.softmaxColumns(
            x + offset, y + offset, rows: size, columns: inner, first: first, count: min(width, inner - first),
            logarithm: logarithm)
        }
      }
    }
  }
}
