/// What padded elements become. The names are PyTorch's.
public enum PaddingMode: String, Sendable, Hashable, CaseIterable {
  /// A given value.
  case constant
  /// The elements mirrored at the edge, without repeating it: `2 1 | 0 1 2`.
  case reflect
  /// The edge repeated: `0 0 | 0 1 2`.
  case replicate
  /// The elements from the other end: `1 2 | 0 1 2`.
  case circular
}

/// `x` with elements added at the edges, or taken away where an amount is negative.
///
/// - Parameters:
///   - amounts: how many before and after the last axis, then before and after the one in front of it, and so on, as in
///     PyTorch's `pad`.
///   - value: what `.constant` puts in.
/// - Throws: ``TensorError`` when there are more amounts than axes or more is taken away than there is; when `.reflect`
///   is asked for as many elements as the axis has, `.circular` for more than that, or `.replicate` for any where the
///   axis is empty.
public func pad<Scalar: TensorScalar>(
  _ x: Tensor<Scalar>, _ amounts: [Int], mode: PaddingMode = .constant, value: Scalar = .zero
) throws -> Tensor<Scalar> {
  guard amounts.count.isMultiple(of: 2), amounts.count / 2 <= x.rank else {
    throw TensorError.argument(
      operation: "pad", reason: "amounts \(amounts) are not pairs for the last axes of shape \(x.shape)")
  }
  var result = x
  var before = [Int](repeating: 0, count: x.rank)
  var after = before
  for pair in 0..<(amounts.count / 2) {
    let axis = x.rank - 1 - pair
    let size = x.shape[axis]
    let (first, last) = (amounts[2 * pair], amounts[2 * pair + 1])
    // Also keeps the sums below from overflowing.
    guard first >= -size, last >= -size, first < 1 << 48, last < 1 << 48,
      size < 1 << 62 || max(first, last) <= 0, min(first, 0) + min(last, 0) >= -size
    else {
      throw TensorError.argument(
        operation: "pad",
        reason: "amounts \(amounts) take away more than axis \(axis) of shape \(x.shape) has, or ask "
          + "for more than fits in memory")
    }
    if first < 0 || last < 0 {
      result = try result.sliced(axis: axis, from: max(0, -first), to: size - max(0, -last))
    }
    before[axis] = max(0, first)
    after[axis] = max(0, last)
  }
  if mode == .constant { return try padConstant(result, before, after, value) }
  for axis in x.shape.indices where before[axis] > 0 || after[axis] > 0 {
    result = try result.indexSelect(
      axis: axis, paddedIndices(result.shape, axis, before[axis], after[axis], mode))
  }
  return result
}

private func padConstant<Scalar: TensorScalar>(
  _ x: Tensor<Scalar>, _ before: [Int], _ after: [Int], _ value: Scalar
) throws -> Tensor<Scalar> {
  if before.allSatisfy({ $0 == 0 }), after.allSatisfy({ $0 == 0 }) { return x }
  let source = try x.rowMajor
  let newShape = source.shape.indices.map { source.shape[$0] + before[$0] + after[$0] }
  let count = try Shape.elementCount(newShape, operation: "pad")
  let strides = Shape.strides(newShape)
  let offset = zip(before, strides).reduce(0) { $0 + $1.0 * $1.1 }
  let size = MemoryLayout<Scalar>.stride
  let kernels = Execution.current.kernels.data
  return try withExtendedLifetime(source.storage) {
    try Tensor.filled(newShape) { destination in
      nonisolated(unsafe) let y = destination
      parallelRanges(count) { start, count in
        withUnsafeBytes(of: value) { bytes in
          guard let value = bytes.baseAddress else { return }
          kernels.fill(elementSize: size, with: value, y + start, count: count)
        }
      }
      guard source.count > 0 else { return }
      StridedCopy(
        sizes: source.shape, sourceStrides: Shape.strides(source.shape), destinationStrides: strides
      ).run(elementSize: size, from: source.pointer, to: destination + offset)
    }
  }
}

/// For each place along the padded axis, the place it is taken from.
private func paddedIndices(
  _ shape: [Int], _ axis: Int, _ before: Int, _ after: Int, _ mode: PaddingMode
) throws -> Tensor<Int64> {
  let size = shape[axis]
  let limit =
    switch mode {
    case .reflect: size - 1
    case .circular: size
    case .replicate, .constant: size == 0 ? 0 : Int.max
    }
  guard before <= limit, after <= limit else {
    throw TensorError.argument(
      operation: "pad",
      reason: "\(mode) padding of \(before) and \(after) is too much for axis \(axis) of shape \(shape); "
        + "at most \(max(0, limit)) can be added")
  }
  return try Tensor<Int64>.filled([size + before + after]) { indices in
    for place in -before..<(size + after) {
      let source =
        switch mode {
        case _ where 0..<size ~= place: place
        case .reflect: place < 0 ? -place : 2 * (size - 1) - place
        case .circular: place < 0 ? place + size : place - size
        case .replicate, .constant: place < 0 ? 0 : size - 1
        }
      indices[place + before] = Int64(source)
    }
  }
}
