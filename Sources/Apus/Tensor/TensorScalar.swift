import ApusKernelInterface

/// A type whose values a ``Tensor`` can hold.
public protocol TensorScalar: BitwiseCopyable, Hashable, Sendable {
  /// The name of this type in files and messages.
  static var dataType: DataType { get }

  /// The value that fresh and padded elements take.
  static var zero: Self { get }
}

/// A type that layers compute in: `Float`, the working type, and `Double`, the truth it is compared with.
///
/// Operators are written once over this protocol. The loops are not: a generic loop runs tens of times slower than a
/// concrete one, so every loop over elements is a kernel reached through ``kernels``.
public protocol FloatingPointScalar: TensorScalar, BinaryFloatingPoint {
  /// The kernels for this type in the variant that ``Execution/current`` asks for.
  static var kernels: any FloatingKernels<Self>.Type { get }
}

extension Float: FloatingPointScalar {
  public static var dataType: DataType { .float32 }
  public static var kernels: any FloatingKernels<Float>.Type { Execution.current.kernels.float32 }
}

extension Double: FloatingPointScalar {
  public static var dataType: DataType { .float64 }
  public static var kernels: any FloatingKernels<Double>.Type { Execution.current.kernels.float64 }
}

#if !(os(macOS) && arch(x86_64))
  extension Float16: TensorScalar {
    public static var dataType: DataType { .float16 }
  }
#endif

extension Int8: TensorScalar { public static var dataType: DataType { .int8 } }
extension Int16: TensorScalar { public static var dataType: DataType { .int16 } }
extension Int32: TensorScalar { public static var dataType: DataType { .int32 } }
extension Int64: TensorScalar { public static var dataType: DataType { .int64 } }
extension UInt8: TensorScalar { public static var dataType: DataType { .uint8 } }
extension UInt16: TensorScalar { public static var dataType: DataType { .uint16 } }
extension UInt32: TensorScalar { public static var dataType: DataType { .uint32 } }
extension UInt64: TensorScalar { public static var dataType: DataType { .uint64 } }

extension Bool: TensorScalar {
  public static var dataType: DataType { .bool }
  public static var zero: Bool { false }
}
