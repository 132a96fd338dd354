import ApusKernelInterface

/// A tensor as unsigned integers of 8 bits, with the scale and the zero point that were found for it.
package struct DynamicallyQuantized: Sendable {
  /// The quantized elements, in the shape of the original.
  package let values: Tensor<UInt8>
  let levels: DynamicLevels
  /// The size of one level: an element stands for `(value - zeroPoint) · scale`.
  package var scale: Float { levels.scale }
  /// The level that stands for zero.
  package var zeroPoint: UInt8 { levels.zeroPoint }
}

/// The scale and the zero point that numbers between `least` and `greatest` are given, zero among them.
struct DynamicLevels: Sendable {
  let scale: Float
  let zeroPoint: UInt8

  init(least: Float, greatest: Float) {
    scale = least == greatest ? 1 : (greatest - least) / 255
    let exact = -least / scale
    // An infinite range gives NaN, which is not above zero.
    zeroPoint = exact > 0 ? UInt8(min(exact.rounded(.toNearestOrEven), 255)) : 0
  }
}

/// Floats as unsigned integers of 8 bits, over the range that they take (ONNX's `DynamicQuantizeLinear`).
///
///     scale = (max(x, 0) - min(x, 0)) / 255
///     zeroPoint = saturate(round(-min(x, 0) / scale))
///     y = saturate(round(x / scale) + zeroPoint)
///
/// Where all elements are zero, or there are none, the scale is 1. NaNs do not count in the range, and become 0.
package func dynamicQuantizeLinear(_ x: Tensor<Float>) throws -> DynamicallyQuantized {
  let (least, greatest) = try rangeWithZero(x)
  let levels = DynamicLevels(least: least, greatest: greatest)
  let values = try quantizeLinear(
    x, scale: Tensor([levels.scale], shape: []), zeroPoint: Tensor([levels.zeroPoint], shape: []), to: UInt8.self)
  return DynamicallyQuantized(values: values, levels: levels)
}

/// The least and the greatest of zero and all elements that are numbers.
private func rangeWithZero(_ x: Tensor<Float>) throws -> (least: Float, greatest: Float) {
  let source = try x.rowMajor
  let kernels = Execution.current.kernels.quantized
  let pieces = (source.count + elementsPerPiece - 1) / elementsPerPiece
  let storage = try TensorStorage(byteCount: Shape.byteCount([2, pieces], of: Float.self))
  let bounds = storage.base.assumingMemoryBound(to: Float.self)
  return withExtendedLifetime((source.storage, storage)) {
    let (x, results) = (Unchecked(source.pointer), Unchecked(bounds))
    parallelRanges(source.count) { start, count in
      let range = kernels.rangeWithZero(x.value + start, count: count)
      let piece = start / elementsPerPiece
      (results.value[2 * piece], results.value[2 * piece + 1]) = (range.least, range.greatest)
    }
    var range: (least: Float, greatest: Float) = (0, 0)
    for piece in 0..<pieces {
      range.least = min(range.least, bounds[2 * piece])
      range.greatest = max(range.greatest, bounds[2 * piece + 1])
    }
    return range
  }
}
