import ApusKernelInterface

/// A type whose values a ``Tensor`` can hold. Apus alone makes an ``ElementLayout``, so no other type can conform.
public protocol TensorScalar: BitwiseCopyable, Hashable, Sendable {
  /// How values of this type lie in memory.
  static var elementLayout: ElementLayout<Self> { get }

  /// The value that fresh and padded elements take.
  static var zero: Self { get }
}

/// How the elements of a tensor lie in memory. Opaque outside of Apus.
public struct ElementLayout<Scalar: TensorScalar>: Sendable {
  let dataType: DataType

  /// - Parameter dataType: whose values are those of `Scalar`, byte for byte.
  init(_ dataType: DataType) { self.dataType = dataType }
}

extension TensorScalar {
  /// The name of this type in files and messages.
  public static var dataType: DataType { elementLayout.dataType }
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
  /// That of ``DataType/float32``.
  public static var elementLayout: ElementLayout<Float> { ElementLayout(.float32) }
  /// The kernels for `Float`.
  public static func implementation(under execution: Execution) -> ScalarImplementation<Float> {
    ScalarImplementation(kernels: execution.kernels.float32)
  }
}

extension Double: FloatingPointScalar {
  /// That of ``DataType/float64``.
  public static var elementLayout: ElementLayout<Double> { ElementLayout(.float64) }
  /// The kernels for `Double`.
  public static func implementation(under execution: Execution) -> ScalarImplementation<Double> {
    ScalarImplementation(kernels: execution.kernels.float64)
  }
}

#if !(os(macOS) && arch(x86_64))
  extension Float16: TensorScalar {
    /// That of ``DataType/float16``.
    public static var elementLayout: ElementLayout<Float16> { ElementLayout(.float16) }
  }
#endif

extension Int8: TensorScalar {
  /// That of ``DataType/int8``.
  public static var elementLayout: ElementLayout<Int8> { ElementLayout(.int8) }
}

extension Int16: TensorScalar {
  /// That of ``DataType/int16``.
  public static var elementLayout: ElementLayout<Int16> { ElementLayout(.int16) }
}

extension Int32: TensorScalar {
  /// That of ``DataType/int32``.
  public static var elementLayout: ElementLayout<Int32> { ElementLayout(.int32) }
}

extension Int64: TensorScalar {
  /// That of ``DataType/int64``.
  public static var elementLayout: ElementLayout<Int64> { ElementLayout(.int64) }
}

extension UInt8: TensorScalar {
  /// That of ``DataType/uint8``.
  public static var elementLayout: ElementLayout<UInt8> { ElementLayout(.uint8) }
}

extension UInt16: TensorScalar {
  /// That of ``DataType/uint16``.
  public static var elementLayout: ElementLayout<UInt16> { ElementLayout(.uint16) }
}

extension UInt32: TensorScalar {
  /// That of ``DataType/uint32``.
  public static var elementLayout: ElementLayout<UInt32> { ElementLayout(.uint32) }
}

extension UInt64: TensorScalar {
  /// That of ``DataType/uint64``.
  public static var elementLayout: ElementLayout<UInt64> { ElementLayout(.uint64) }
}

extension Bool: TensorScalar {
  /// That of ``DataType/bool``, a byte that is 0 or 1.
  public static var elementLayout: ElementLayout<Bool> { ElementLayout(.bool) }
  /// False.
  public static var zero: Bool { false }
}
