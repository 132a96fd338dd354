import Apus

/// The 256 levels that a value's numbers are rounded to: `scale · (level - zeroPoint)`, one of which is zero itself.
struct ByteLevels: Sendable {
  let scale: Float
  let zeroPoint: UInt8

  /// The levels that cover a range with 0 within it.
  init(covering range: ClosedRange<Double>) {
    let step = Float((range.upperBound - range.lowerBound) / 255)
    scale = step.isNormal ? step : 1
    let point = (-range.lowerBound / Double(scale)).rounded(.toNearestOrEven)
    zeroPoint = UInt8(min(max(point, 0), 255))
  }
}

/// A weight in signed bytes, with a scale for each output and zero at 0: the largest magnitude of an output is 127.
struct ByteWeight: Sendable {
  let bytes: Tensor<Int8>
  /// `[outputs]`
  let scales: [Float]
  /// How far the bytes are from the weight, root of the mean squares, as a part of it.
  let relativeError: Double

  /// - Parameters:
  ///   - weight: `[outputs, …]`, or with `outputsLast` `[terms, outputs]`.
  /// - Throws: ``OperatorError`` for NaN and infinities.
  init(_ weight: Tensor<Float>, outputsLast: Bool) throws {
    guard try weight.elements.allSatisfy(\.isFinite) else {
      throw OperatorError("its weight holds NaN or infinity")
    }
    let outputs = outputsLast ? weight.shape[weight.rank - 1] : weight.shape[0]
    let matrix = try outputsLast ? weight : weight.reshaped([outputs, weight.count / max(1, outputs)])
    let stored = try StoredMatrix(quantizing: matrix, scaledBy: outputsLast ? .columns : .rows)
    bytes = try stored.elements.converted(to: Int8.self).reshaped(weight.shape)
    let largest = try matrix.abs().amax(axes: [outputsLast ? 0 : 1])
    // What is nothing but zeros has no scale of its own.
    scales = zip(try stored.scale?.elements ?? [], try largest.elements).map { $1 == 0 ? 1 : $0 }
    relativeError = RelativeError(try stored.values(), of: matrix).value
  }
}
