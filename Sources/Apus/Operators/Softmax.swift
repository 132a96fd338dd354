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

extension Tensor where Scalar: FloatingPointScalar {
  /// Puts ``softmax(_:axis:)`` of this tensor in its place, over its memory where nothing else holds that.
  @_specialize(where Scalar == Float)
  package mutating func applySoftmax(axis: Int) throws {
    guard rank > 0, layout == .rowMajor, ownsMemory() else {
      self = try softmax(self, axis: axis)
      return
    }
    let axis = try Shape.axis(axis, in: shape, operation: "softmax")
    withExtendedLifetime(storage) {
      writeSoftmax(pointer, into: mutablePointer, split: split(at: axis), logarithm: false)
    }
  }
}

private func softmax<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, axis: Int, logarithm: Bool
) throws -> Tensor<Scalar> {
  let name = logarithm ? "logSoftmax" : "softmax"
  // Of a single value it is 1 whatever it is; PyTorch accepts axis 0 and -1 there.
  if x.rank == 0 { return try softmax(x.reshaped([1]), axis: axis, logarithm: logarithm).reshaped([]) }
  let axis = try Shape.axis(axis, in: x.shape, operation: name)
  let source = try x.rowMajor
  return try withExtendedLifetime(source.storage) {
    try Tensor.filled(source.shape) { destination in
      writeSoftmax(source.pointer, into: destination, split: source.split(at: axis), logarithm: logarithm)
    }
  }
}

/// - Parameters:
///   - y: where the result goes; it may be `x`.
///   - split: the product of the sizes before the axis, its own, and that of those after it.
private func writeSoftmax<Scalar: FloatingPointScalar>(
  _ x: UnsafePointer<Scalar>, into y: UnsafeMutablePointer<Scalar>, split: (outer: Int, size: Int, inner: Int),
  logarithm: Bool
) {
  let (outer, size, inner) = split
  guard outer > 0, size > 0, inner > 0 else { return }
  let kernels = Scalar.kernels
  let (x, y) = (Unchecked(x), Unchecked(y))
  if inner == 1 {
    parallelRows(outer, width: size) { first, count in
      kernels.softmaxRows(
        x.value + first * size, y.value + first * size, rows: count, columns: size, logarithm: logarithm)
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
        x.value + offset, y.value + offset, rows: size, columns: inner, first: first, count: min(width, inner - first),
        logarithm: logarithm)
    }
  }
}
