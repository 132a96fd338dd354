import ApusKernelInterface

/// The numbers that bytes stand for, `scale · (byte - zeroPoint)`.
package struct QuantizedLevels: Sendable, Hashable {
  package let scale: Float
  package let zeroPoint: Int32
  package let isSigned: Bool

  /// Takes one scale, and one zero point of the bytes' type; nil for anything else, and for scales by which a byte that is
  /// dequantised and quantised again could become another.
  package init?(scale: AnyTensor, zeroPoint: AnyTensor) {
    guard let scale = scale.tensor(of: Float.self), scale.count == 1, zeroPoint.count == 1,
      let number = try? scale.elements.first
    else { return nil }
    let point: Int32?
    switch zeroPoint {
    case .int8(let tensor): point = (try? tensor.elements.first).map { Int32($0) }
    case .uint8(let tensor): point = (try? tensor.elements.first).map { Int32($0) }
    default: point = nil
    }
    guard let point else { return nil }
    (self.scale, self.zeroPoint, isSigned) = (number, point, zeroPoint.dataType == .int8)
    guard range.isOrdinary(number) else { return nil }
  }

  var range: QuantizedRange {
    isSigned
      ? Int8.range(zeroPoint: Int8(truncatingIfNeeded: zeroPoint))
      : UInt8.range(zeroPoint: UInt8(truncatingIfNeeded: zeroPoint))
  }
}
