import Apus
import ApusKernelInterface

// Two operands, broadcast over each other (NumPy's rule), of one type. Integers wrap around; they divide towards
// zero, and what is divided by zero is 0. Before opset 7 the second operand was only stretched when `broadcast` said
// so, from `axis` on.

extension Operators {
  static let arithmetic: [OperatorDefinition] = [
    OperatorDefinition(
      "Add",
      .elementwise(
        .broadcast, results: .overInput, layout: .keepsBlocked, accuracy: .passingErrorsOn, fusion: .binary(.add)),
      Add),
    OperatorDefinition(
      "Sub",
      .elementwise(
        .broadcast, results: .overInput, layout: .keepsBlocked, accuracy: .passingErrorsOn, fusion: .binary(.subtract)),
      Sub),
    OperatorDefinition(
      "Mul", .elementwise(.broadcast, results: .overInput, layout: .keepsBlocked, fusion: .binary(.multiply)), Mul),
    OperatorDefinition(
      "Div", .elementwise(.broadcast, results: .overInput, layout: .keepsBlocked, fusion: .binary(.divide)), Div),
    OperatorDefinition("Mod", .plain(.broadcast, axes: .free), Mod),
  ]

  /// a + b
  static func Add(_ node: NodeDescription) throws -> PreparedOperator { try arithmetic(node, Addition()) }

  /// a - b
  static func Sub(_ node: NodeDescription) throws -> PreparedOperator { try arithmetic(node, Subtraction()) }

  /// a · b
  static func Mul(_ node: NodeDescription) throws -> PreparedOperator { try arithmetic(node, Multiplication()) }

  /// a / b
  static func Div(_ node: NodeDescription) throws -> PreparedOperator { try arithmetic(node, Quotient()) }

  /// a - ⌊a / b⌋ b, with the sign of b; with `fmod`, the quotient is cut instead and the sign is that of a.
  static func Mod(_ node: NodeDescription) throws -> PreparedOperator {
    try node.flag("fmod")
      ? arithmetic(node, TruncatedModulo()) : arithmetic(node, FloorModulo())
  }

  private static func arithmetic<Function: ArithmeticFunction>(
    _ node: NodeDescription, _ function: Function
  ) throws -> PreparedOperator {
    let stretch = try OldBroadcast(node)
    let operation = node.opset < 7 ? nil : function.operation
    return { arguments in
      if let operation, let result = try arguments.combined(operation, function.name) {
        return [result]
      }
      let a = try arguments.tensor(0)
      return [try combine(function, a, stretch(arguments.tensor(1), against: a))]
    }
  }
}

struct Addition: ArithmeticFunction {
  var name: String { "Add" }
  var operation: BinaryOperation? { .add }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try a + b
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a &+ b }
}

private struct Subtraction: ArithmeticFunction {
  var name: String { "Sub" }
  var operation: BinaryOperation? { .subtract }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try a - b
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a &- b }
}

private struct Multiplication: ArithmeticFunction {
  var name: String { "Mul" }
  var operation: BinaryOperation? { .multiply }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try a * b
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a &* b }
}

private struct Quotient: ArithmeticFunction {
  var name: String { "Div" }
  var operation: BinaryOperation? { .divide }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try a / b
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a.truncatedQuotient(by: b) }
}

private struct FloorModulo: ArithmeticFunction {
  var name: String { "Mod" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try zipElements(FloorRemainder<Real>(), a, b, operation: name)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a.floorRemainder(by: b) }
}

private struct TruncatedModulo: ArithmeticFunction {
  var name: String { "Mod" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try zipElements(TruncatedRemainder<Real>(), a, b, operation: name)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a.truncatedRemainder(by: b) }
}

private struct FloorRemainder<Scalar: FloatingPointScalar>: BinaryFunction {
  @inline(__always)
  func callAsFunction(_ a: Scalar, _ b: Scalar) -> Scalar {
    let remainder = a.truncatingRemainder(dividingBy: b)
    if remainder == 0 { return Scalar(signOf: b, magnitudeOf: 0) }
    return (remainder < 0) != (b < 0) ? remainder + b : remainder
  }
}

private struct TruncatedRemainder<Scalar: FloatingPointScalar>: BinaryFunction {
  @inline(__always)
  func callAsFunction(_ a: Scalar, _ b: Scalar) -> Scalar { a.truncatingRemainder(dividingBy: b) }
}
