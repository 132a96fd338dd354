import Apus
import ApusKernelInterface

/// An operation on two numbers of one type, whichever it is.
protocol ArithmeticFunction: Sendable {
  /// The operator's name, for messages.
  var name: String { get }
  /// The kernel that computes it.
  var operation: BinaryOperation? { get }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real>
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar
}

extension ArithmeticFunction {
  var operation: BinaryOperation? { nil }
}

extension DataType {
  /// The type that two floating-point operands are computed in: DOUBLE where one of them is, FLOAT otherwise.
  static func working(_ a: DataType, _ b: DataType) -> DataType { a == .float64 || b == .float64 ? .float64 : .float32 }
}

/// `function` of two tensors of one type. DOUBLE against another floating-point type is DOUBLE; the sixteen-bit types
/// are widened, and rounded at the end.
func combine<Function: ArithmeticFunction>(_ function: Function, _ a: AnyTensor, _ b: AnyTensor) throws -> GraphValue {
  switch (a, b) {
  case (.float32(let a), .float32(let b)): return GraphValue(try function(a, b))
  case (.float64(let a), .float64(let b)): return GraphValue(try function(a, b))
  case (.int64(let a), .int64(let b)): return GraphValue(try combine(function, a, b))
  case (.int32(let a), .int32(let b)): return GraphValue(try combine(function, a, b))
  case (.int16(let a), .int16(let b)): return GraphValue(try combine(function, a, b))
  case (.int8(let a), .int8(let b)): return GraphValue(try combine(function, a, b))
  case (.uint64(let a), .uint64(let b)): return GraphValue(try combine(function, a, b))
  case (.uint32(let a), .uint32(let b)): return GraphValue(try combine(function, a, b))
  case (.uint16(let a), .uint16(let b)): return GraphValue(try combine(function, a, b))
  case (.uint8(let a), .uint8(let b)): return GraphValue(try combine(function, a, b))
  default:
    guard a.dataType.isFloatingPoint, b.dataType.isFloatingPoint else {
      throw OperatorError(
        "\(ElementType(a.dataType)) and \(ElementType(b.dataType)) cannot be combined; two tensors of one type of "
          + "numbers are needed")
    }
    if DataType.working(a.dataType, b.dataType) == .float64 {
      return GraphValue(try function(a.converted(to: Double.self), b.converted(to: Double.self)))
    }
    let type: ElementType = a.dataType == b.dataType ? ElementType(a.dataType) : .float
    return try GraphValue(rounding: function(a.converted(to: Float.self), b.converted(to: Float.self)), to: type)
  }
}

private func combine<Function: ArithmeticFunction, Scalar: WholeNumber>(
  _ function: Function, _ a: Tensor<Scalar>, _ b: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  try zipElements(OnWholeNumbers<Function, Scalar>(function: function), a, b, operation: function.name)
}

private struct OnWholeNumbers<Function: ArithmeticFunction, Scalar: WholeNumber>: BinaryFunction {
  let function: Function
  @inline(__always)
  func callAsFunction(_ a: Scalar, _ b: Scalar) -> Scalar { function(a, b) }
}
