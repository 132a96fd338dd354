import ApusKernelInterface

/// The greatest byte of every window of `[batch, channels, height, width]`.
///
/// Of rows first, whole ones at a time, then along the row that comes of them.
///
/// - Throws: ``TensorError`` for windows out of range.
package func maxPool<Scalar: ByteScalar>(
  _ input: Tensor<Scalar>, rows: PoolingAxis, columns: PoolingAxis
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "maxPool2d")
  let maxima = try ByteMaxima(
    width: map.width, flip: Scalar.unsignedFlip,
    rows: rows.spans(map.height, divisor: .one, operation: "maxPool2d"), rowStep: rows.dilation,
    columns: columns.spans(map.width, divisor: .one, operation: "maxPool2d"), axis: columns)
  let source = try input.rowMajor
  let kernels = Execution.current.kernels.quantized
  let shape = [input.shape[0], input.shape[1], rows.outputs, columns.outputs]
  return try Tensor.filled(shape) { y in
    let x = Unchecked(source.bytes8)
    let y = Unchecked(UnsafeMutableRawPointer(y).assumingMemoryBound(to: UInt8.self))
    let area = (map.height * map.width, rows.outputs * columns.outputs)
    parallelRows(shape[0] * shape[1], width: area.0) { first, count in
      for plane in first..<(first + count) { maxima.fill(x.value + plane * area.0, y.value + plane * area.1, kernels) }
    }
    withExtendedLifetime(source.storage) {}
  }
}

private struct ByteMaxima: Sendable {
  let width: Int
  let flip: UInt8
  let rows: [WindowSpan]
  let rowStep: Int
  let columns: [WindowSpan]
  let axis: PoolingAxis
  /// The windows that are whole along a row.
  private let whole: Range<Int>

  init(width: Int, flip: UInt8, rows: [WindowSpan], rowStep: Int, columns: [WindowSpan], axis: PoolingAxis) {
    (self.width, self.flip, self.rows, self.rowStep) = (width, flip, rows, rowStep)
    (self.columns, self.axis) = (columns, axis)
    let first = columns.firstIndex { $0.count == axis.kernel } ?? columns.count
    whole = first..<((columns.lastIndex { $0.count == axis.kernel } ?? first - 1) + 1)
  }

  func fill(_ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, _ kernels: any QuantizedKernels.Type) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width + 1) { room in
      guard let line = room.baseAddress else { return }
      var out = y
      for span in rows {
        kernels.maximumRows(
          x + span.first * width, rowStep: rowStep * width, rows: span.count, flip: flip, line, count: width)
        for column in 0..<whole.lowerBound { out[column] = single(line, columns[column]) ^ flip }
        for column in whole.upperBound..<columns.count { out[column] = single(line, columns[column]) ^ flip }
        if !whole.isEmpty {
          kernels.maximumWindows(
            line + columns[whole.lowerBound].first, taps: axis.kernel, tapStep: axis.dilation, stride: axis.stride,
            flip: flip, out + whole.lowerBound, count: whole.count)
        }
        out += columns.count
      }
    }
  }

  private func single(_ line: UnsafePointer<UInt8>, _ span: WindowSpan) -> UInt8 {
    var greatest: UInt8 = 0
    for k in 0..<span.count { greatest = max(greatest, line[span.first + k * axis.dilation]) }
    return greatest
  }
}
