import ApusKernelInterface

/// Floats as integers of 8 or 16 bits (ONNX's `QuantizeLinear`).
///
///     y = saturate(round(x / scale) + zeroPoint)
///
/// Ties are rounded to even, and the quotient is a float32's. NaN becomes the least value of the type.
/// - Parameters:
///   - scale: one number; `[d]` with one for each index of `axis`; or, with a block size, the shape of `x` with `⌈d /
///     blockSize⌉` in place of the axis.
///   - zeroPoint: of the scale's shape; zero when absent.
///   - axis: the axis of the scale; negative ones count from the end.
///   - blockSize: how many neighbours along the axis share a scale; 0 for none.
/// - Throws: ``TensorError`` when shapes do not fit each other.
package func quantizeLinear<Result: QuantizedScalar>(
  _ x: Tensor<Float>, scale: Tensor<Float>, zeroPoint: Tensor<Result>? = nil, axis: Int = 1, blockSize: Int = 0,
  to type: Result.Type = Result.self
) throws -> Tensor<Result> {
  let runs = try ScaleRuns(
    "quantizeLinear", shape: x.shape, scale: scale,
    zeroPoints: zeroPoint?.elements.map { Int32(truncatingIfNeeded: $0) } ?? [], zeroPointShape: zeroPoint?.shape,
    axis: axis, blockSize: blockSize)
  let source = try x.rowMajor
  let kernels = Execution.current.kernels.quantized
  let isWide = MemoryLayout<Result>.size == 2
  let size = MemoryLayout<Result>.size
  let (least, greatest) = (Int32(truncatingIfNeeded: Result.min), Int32(truncatingIfNeeded: Result.max))
  return try withExtendedLifetime(source.storage) {
    let x = Unchecked(source.pointer)
    return try Tensor<Result>.filled(source.shape) { destination in
      let y = Unchecked(UnsafeMutableRawPointer(destination))
      runs.forEach { start, count, first in
        let out = y.value + start * size
        if runs.isUniform {
          let range = QuantizedRange(least: least, greatest: greatest, zeroPoint: runs.zeroPoints[first])
          kernels.quantize(
            x.value + start, scale: runs.scales[first], range: range, out, isWide: isWide, count: count)
          return
        }
        runs.withScales(from: first) { scales, zeroPoints in
          kernels.quantizeEach(
            x.value + start, scales: scales, zeroPoints: zeroPoints,
            range: QuantizedRange(least: least, greatest: greatest, zeroPoint: 0), out, isWide: isWide, count: count)
        }
      }
    }
  }
}

/// Integers of 8, 16 or 32 bits as floats (ONNX's `DequantizeLinear`): `y = (x - zeroPoint) * scale`.
///
/// The difference is of 32 bits, which wrap around where `x` has as many.
/// - Parameters:
///   - scale: as in ``quantizeLinear(_:scale:zeroPoint:axis:blockSize:to:)``, and `zeroPoint`, `axis` and `blockSize`
///     likewise.
/// - Throws: ``TensorError`` when shapes do not fit each other or the type is another one.
package func dequantizeLinear<Scalar: TensorScalar & FixedWidthInteger>(
  _ x: Tensor<Scalar>, scale: Tensor<Float>, zeroPoint: Tensor<Scalar>? = nil, axis: Int = 1, blockSize: Int = 0
) throws -> Tensor<Float> {
  let type = Scalar.dataType
  guard [.int8, .uint8, .int16, .uint16, .int32].contains(type) else {
    throw TensorError.argument(
      operation: "dequantizeLinear", reason: "\(type) is not int8, uint8, int16, uint16 or int32")
  }
  let runs = try ScaleRuns(
    "dequantizeLinear", shape: x.shape, scale: scale,
    zeroPoints: zeroPoint?.elements.map { Int32(truncatingIfNeeded: $0) } ?? [], zeroPointShape: zeroPoint?.shape,
    axis: axis, blockSize: blockSize)
  let source = try x.rowMajor
  let kernels = Execution.current.kernels.quantized
  let size = MemoryLayout<Scalar>.size
  return try withExtendedLifetime(source.storage) {
    let x = Unchecked(UnsafeRawPointer(source.pointer))
    return try Tensor<Float>.filled(source.shape) { destination in
      let y = Unchecked(destination)
      runs.forEach { start, count, first in
        let from = x.value + start * size
        if runs.isUniform {
          kernels.dequantize(
            from, type.storedType, scale: runs.scales[first], zeroPoint: runs.zeroPoints[first], y.value + start,
            count: count)
          return
        }
        runs.withScales(from: first) { scales, zeroPoints in
          kernels.dequantizeEach(
            from, type.storedType, scales: scales, zeroPoints: zeroPoints, y.value + start, count: count)
        }
      }
    }
  }
}

extension ScaleRuns {
  /// Calls `body` with the scales and zero points from `first` on.
  fileprivate func withScales(
    from first: Int, _ body: (UnsafePointer<Float>, UnsafePointer<Int32>) -> Void
  ) {
    scales.withUnsafeBufferPointer { scales in
      zeroPoints.withUnsafeBufferPointer { zeroPoints in
        guard let scales = scales.baseAddress, let zeroPoints = zeroPoints.baseAddress else { return }
        body(scales + first, zeroPoints + first)
      }
    }
  }
}
