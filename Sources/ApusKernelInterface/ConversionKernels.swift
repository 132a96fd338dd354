/// The types that elements are converted between.
package enum StoredType: Sendable {
  case float64, float32, float16, bfloat16
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case bool

  /// Bytes per element.
  package var byteCount: Int {
    switch self {
    case .float64, .int64, .uint64: 8
    case .float32, .int32, .uint32: 4
    case .float16, .bfloat16, .int16, .uint16: 2
    case .int8, .uint8, .bool: 1
    }
  }
}

/// Conversions between element types.
package protocol ConversionKernels {
  /// Converts `count` elements; the regions do not overlap.
  ///
  /// To a floating-point type: the nearest value, ties to even (`bfloat16` from `float64` by way of `float32`). To an
  /// integer: from a floating-point type truncated towards zero, the nearest representable where out of range and zero
  /// for NaN; from another integer the low bits. To `bool`: whether it is not zero.
  static func convert(
    _ source: UnsafeRawPointer, _ sourceType: StoredType, _ destination: UnsafeMutableRawPointer,
    _ destinationType: StoredType, count: Int)

  /// `y` holds the nearest numbers that `type`, of sixteen bits, has of `x`, which it may overwrite.
  static func round(_ x: UnsafePointer<Float>, to type: StoredType, _ y: UnsafeMutablePointer<Float>, count: Int)
}
