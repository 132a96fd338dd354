import Apus
import ApusKernelInterface

// Functions of single numbers. Abs, Neg and Sign know integers of every width, too; the smallest of a signed type
// is its own negative.

extension Operators {
  static let elementMath: [OperatorDefinition] = [
    OperatorDefinition("Abs", .elementwise(results: .fresh, layout: .rowMajor, fusion: .unary(.absolute)), Abs),
    OperatorDefinition("Neg", .elementwise(results: .fresh, layout: .rowMajor, fusion: .unary(.negate)), Neg),
    OperatorDefinition("Sign", .elementwise(results: .fresh, layout: .rowMajor), Sign),
    OperatorDefinition("Ceil", .elementwise(results: .overInput, layout: .keepsBlocked), Ceil),
    OperatorDefinition("Floor", .elementwise(results: .overInput, layout: .keepsBlocked), Floor),
    OperatorDefinition("Round", .elementwise(results: .overInput, layout: .keepsBlocked), Round),
    OperatorDefinition(
      "Reciprocal", .elementwise(results: .overInput, layout: .keepsBlocked, fusion: .unary(.reciprocal)), Reciprocal),
    OperatorDefinition(
      "Sqrt", .elementwise(results: .overInput, layout: .keepsBlocked, fusion: .unary(.squareRoot)), Sqrt),
    OperatorDefinition("Exp", .elementwise(results: .overInput, layout: .keepsBlocked, fusion: .unary(.exp)), Exp),
    OperatorDefinition("Log", .elementwise(results: .overInput, layout: .keepsBlocked, fusion: .unary(.log)), Log),
    OperatorDefinition(
      "Erf", .elementwise(results: .fresh, layout: .rowMajor, accuracy: .bounded, fusion: .unary(.erf)), Erf),
    OperatorDefinition("Sin", .elementwise(results: .fresh, layout: .rowMajor, accuracy: .bounded), Sin),
    OperatorDefinition("Cos", .elementwise(results: .fresh, layout: .rowMajor, accuracy: .bounded), Cos),
    OperatorDefinition("Tan", .elementwise(results: .fresh, layout: .rowMajor), Tan),
    OperatorDefinition("Asin", .elementwise(results: .fresh, layout: .rowMajor), Asin),
    OperatorDefinition("Acos", .elementwise(results: .fresh, layout: .rowMajor), Acos),
    OperatorDefinition("Atan", .elementwise(results: .fresh, layout: .rowMajor, accuracy: .bounded), Atan),
    OperatorDefinition("Sinh", .elementwise(results: .fresh, layout: .rowMajor), Sinh),
    OperatorDefinition("Cosh", .elementwise(results: .fresh, layout: .rowMajor), Cosh),
    OperatorDefinition("Asinh", .elementwise(results: .fresh, layout: .rowMajor), Asinh),
    OperatorDefinition("Acosh", .elementwise(results: .fresh, layout: .rowMajor), Acosh),
    OperatorDefinition("Atanh", .elementwise(results: .fresh, layout: .rowMajor), Atanh),
  ]

  /// |x|
  static func Abs(_ node: NodeDescription) throws -> PreparedOperator { numbers(Magnitude()) }
  /// -x
  static func Neg(_ node: NodeDescription) throws -> PreparedOperator { numbers(Negation()) }
  /// 1, 0 or -1; NaN stays.
  static func Sign(_ node: NodeDescription) throws -> PreparedOperator { numbers(Signum()) }
  /// ⌈x⌉
  static func Ceil(_ node: NodeDescription) throws -> PreparedOperator { kernel(.ceil) }
  /// ⌊x⌋
  static func Floor(_ node: NodeDescription) throws -> PreparedOperator { kernel(.floor) }
  /// The nearest integer, the even one of two.
  static func Round(_ node: NodeDescription) throws -> PreparedOperator { kernel(.round) }
  /// 1 / x
  static func Reciprocal(_ node: NodeDescription) throws -> PreparedOperator { kernel(.reciprocal) }
  /// √x
  static func Sqrt(_ node: NodeDescription) throws -> PreparedOperator { kernel(.squareRoot) }
  /// eˣ
  static func Exp(_ node: NodeDescription) throws -> PreparedOperator { kernel(.exp) }
  /// ln x
  static func Log(_ node: NodeDescription) throws -> PreparedOperator { kernel(.log) }
  /// 2/√π ∫ exp(-t²) dt from 0 to x; of integers, what is left when the fraction is cut off.
  static func Erf(_ node: NodeDescription) throws -> PreparedOperator { throughDouble(ElementKernel(operation: .erf)) }

  static func Sin(_ node: NodeDescription) throws -> PreparedOperator { kernel(.sin) }
  static func Cos(_ node: NodeDescription) throws -> PreparedOperator { kernel(.cos) }
  static func Tan(_ node: NodeDescription) throws -> PreparedOperator { kernel(.tan) }
  static func Asin(_ node: NodeDescription) throws -> PreparedOperator { kernel(.asin) }
  static func Acos(_ node: NodeDescription) throws -> PreparedOperator { kernel(.acos) }
  static func Atan(_ node: NodeDescription) throws -> PreparedOperator { kernel(.atan) }
  static func Sinh(_ node: NodeDescription) throws -> PreparedOperator { kernel(.sinh) }
  static func Cosh(_ node: NodeDescription) throws -> PreparedOperator { kernel(.cosh) }
  static func Asinh(_ node: NodeDescription) throws -> PreparedOperator { kernel(.asinh) }
  static func Acosh(_ node: NodeDescription) throws -> PreparedOperator { kernel(.acosh) }
  static func Atanh(_ node: NodeDescription) throws -> PreparedOperator { kernel(.atanh) }

  private static func kernel(_ operation: UnaryOperation) -> PreparedOperator {
    floating(ElementKernel(operation: operation))
  }
}

// MARK: - Functions

private struct Magnitude: NumberFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> { try x.abs() }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { x < 0 ? 0 &- x : x }
}

private struct Negation: NumberFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> { try -x }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { 0 &- x }
}

private struct Signum: NumberFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> { try x.sign() }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { x > 0 ? 1 : x < 0 ? 0 &- 1 : 0 }
}
