/// The upper half of a `Float`: eight exponent bits and seven of fraction. A storage format.
public struct BFloat16: Hashable, Sendable, BitwiseCopyable {
  /// Sign, eight bits of exponent, seven of fraction, from the highest bit down.
  public var bitPattern: UInt16

  /// The number with these bits; every pattern is one, NaNs included.
  public init(bitPattern: UInt16) {
    self.bitPattern = bitPattern
  }

  /// The nearest representable value, ties to even; a NaN stays a NaN.
  public init(_ value: Float) {
    let bits = value.bitPattern
    if value.isNaN {
      bitPattern = UInt16(truncatingIfNeeded: bits >> 16) | 0x0040
    } else {
      let roundToEven = 0x7FFF &+ ((bits >> 16) & 1)
      bitPattern = UInt16(truncatingIfNeeded: (bits &+ roundToEven) >> 16)
    }
  }
}

extension Float {
  /// The same value; the conversion is exact.
  public init(_ value: BFloat16) {
    self.init(bitPattern: UInt32(value.bitPattern) << 16)
  }
}

extension BFloat16: TensorScalar {
  /// That of ``DataType/bfloat16``.
  public static var elementLayout: ElementLayout<BFloat16> { ElementLayout(.bfloat16) }
  /// Positive zero.
  public static var zero: BFloat16 { BFloat16(bitPattern: 0) }
}

extension BFloat16: CustomStringConvertible {
  /// The value as a `Float` prints it.
  public var description: String { Float(self).description }
}
