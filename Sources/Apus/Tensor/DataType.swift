/// The element types a tensor can hold.
///
/// `float32` is the working type and `float64` the reference it is compared with; the sixteen-bit floats are storage
/// formats, widened before anything is computed with them.
public enum DataType: String, Sendable, Hashable, CaseIterable {
  case float64, float32, float16, bfloat16
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case bool

  /// The size of one element in bytes.
  public var byteCount: Int { storedType.byteCount }

  /// Whether numbers are computed with as `Float`, so that maps of them may be channel-blocked.
  var isComputedInFloat: Bool {
    switch self {
    case .float32, .float16, .bfloat16: true
    default: false
    }
  }

  /// Whether values are rounded to a binary floating-point format.
  public var isFloatingPoint: Bool {
    switch self {
    case .float64, .float32, .float16, .bfloat16: true
    default: false
    }
  }
}

extension DataType: CustomStringConvertible {
  /// The name that files and messages use, such as `float32`.
  public var description: String { rawValue }
}
