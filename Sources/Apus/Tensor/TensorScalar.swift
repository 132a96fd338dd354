import ApusKernelInterface

/// A type whose values a ``Tensor`` can hold.
public protocol TensorScalar: BitwiseCopyable, Hashable, Sendable {
  /// The name of this type in files and messages.
  static var dataType: DataType { get }

  /// The value that fresh and padded elements take.
  static var zero: Self { get }
}

/// A type that layers compute in: `Float`, the working type, and `Double`, the reference it is compared with.
///
/// Operators are written once over this protocol. The loops are not: a generic loop runs tens of times slower than a
/// concrete one, so every loop over elements is a kernel, reached through ``implementation``. Apus alone makes these, so
/// no other type can conform.
public protocol FloatingPointScalar: TensorScalar, BinaryFloatingPoint {
  /// The loops for this type, in the variant that `execution` asks for.
  static func implementation(under execution: Execution) -> ScalarImplementation<Self>
}

/// What operators need of a floating-point type beyond its arithmetic. Opaque outside of Apus.
public struct ScalarImplementation<Scalar: FloatingPointScalar>: Sendable {
  let kernels: any FloatingKernels<Scalar>.Type
}

extension FloatingPointScalar {
  /// The kernels for this type in the variant that ``Execution/current`` asks for.
  package static var kernels: any FloatingKernels<Self>.Type { kernels(under: .current) }

  /// The same for whoever asks ``Execution/current`` for more than kernels.
  static func kernels(under execution: Execution) -> any FloatingKernels<Self>.Type {
    implementation(under: execution).kernels
  }
}

extension Float: FloatingPointScalar {
  /// ``DataType/float32``.
  public static var dataType: DataType { .float32 }
  /// The kernels for `Float`.
  public static func implementation(under execution: Execution) -> ScalarImplementation<Float> {
    ScalarImplementation(kernels: execution.kernels.float32)
  }
}

extension Double: FloatingPointScalar {
  /// ``DataType/float64``.
  public static var dataType: DataType { .float64 }
  /// The kernels for `Double`.
  public static func implementation(under execution: Execution) -> ScalarImplementation<Double> {
    ScalarImplementation(kernels: execution.kernels.float64)
  }
}

#if !(os(macOS) && arch(x86_64))
  extension Float16: TensorScalar {
    /// ``DataType/float16``.
    public static var dataType: DataType { .float16 }
  }
#endif

extension Int8: TensorScalar {
  /// ``DataType/int8``.
  public static var dataType: DataType { .int8 }
}

extension Int16: TensorScalar {
  /// ``DataType/int16``.
  public static var dataType: DataType { .int16 }
}

extension Int32: TensorScalar {
  /// ``DataType/int32``.
  public static var dataType: DataType { .int32 }
}

extension Int64: TensorScalar {
  /// ``DataType/int64``.
  public static var dataType: DataType { .int64 }
}

extension UInt8: TensorScalar {
  /// ``DataType/uint8``.
  public static var dataType: DataType { .uint8 }
}

extension UInt16: TensorScalar {
  /// ``DataType/uint16``.
  public static var dataType: DataType { .uint16 }
}

extension UInt32: TensorScalar {
  /// ``DataType/uint32``.
  public static var dataType: DataType { .uint32 }
}

extension UInt64: TensorScalar {
  /// ``DataType/uint64``.
  public static var dataType: DataType { .uint64 }
}

extension Bool: TensorScalar {
  /// ``DataType/bool``, a byte that is 0 or 1.
  public static var dataType: DataType { .bool }
  /// False.
  public static var zero: Bool { false }
}
