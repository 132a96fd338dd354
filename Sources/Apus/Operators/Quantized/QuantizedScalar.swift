import ApusKernelInterface

/// An integer type that floats are quantised to: of 8 or 16 bits, signed or not.
package protocol QuantizedScalar: TensorScalar, FixedWidthInteger {}

extension Int8: QuantizedScalar {}
extension UInt8: QuantizedScalar {}
extension Int16: QuantizedScalar {}
extension UInt16: QuantizedScalar {}

/// An integer type of 8 bits, which products are computed in.
package protocol ByteScalar: QuantizedScalar {}

extension Int8: ByteScalar {}
extension UInt8: ByteScalar {}

extension QuantizedScalar {
  /// What the type holds, with `zeroPoint` for zero.
  static func range(zeroPoint: Self) -> QuantizedRange {
    QuantizedRange(
      least: Int32(truncatingIfNeeded: Self.min), greatest: Int32(truncatingIfNeeded: Self.max),
      zeroPoint: Int32(truncatingIfNeeded: zeroPoint))
  }
}

// A signed operand and an unsigned one are what the kernels multiply. The other kind is moved by 128, and its zero
// point with it.
extension ByteScalar {
  /// What the bits are combined with to become those of a signed number.
  static var signedFlip: UInt8 { isSigned ? 0 : 0x80 }
  /// What the bits are combined with to become those of an unsigned number.
  static var unsignedFlip: UInt8 { isSigned ? 0x80 : 0 }

  /// The value among signed numbers.
  var movedToSigned: Int32 { Int32(truncatingIfNeeded: self) &- (Self.isSigned ? 0 : 128) }
  /// The value among unsigned numbers.
  var movedToUnsigned: Int32 { Int32(truncatingIfNeeded: self) &+ (Self.isSigned ? 128 : 0) }
}

extension Tensor where Scalar: ByteScalar {
  /// The elements' bits. Valid as ``pointer`` is.
  var bytes8: UnsafePointer<UInt8> { UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutablePointer where Pointee: ByteScalar {
  /// Where the bits of the elements lie.
  var bytes8: UnsafeMutablePointer<UInt8> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: UInt8.self) }
}
