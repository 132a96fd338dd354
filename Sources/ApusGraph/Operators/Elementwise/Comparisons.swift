import Apus

// Tests of two elements, broadcast over each other, and of one. What is not a number is equal to nothing and neither
// less nor greater.

extension Operators {
  static let comparisons: [OperatorDefinition] = [
    OperatorDefinition("Equal", .plain(.comparison, axes: .free), Equal),
    OperatorDefinition("Greater", .plain(.comparison, axes: .free), Greater),
    OperatorDefinition("GreaterOrEqual", .plain(.comparison, axes: .free), GreaterOrEqual),
    OperatorDefinition("Less", .plain(.comparison, axes: .free), Less),
    OperatorDefinition("LessOrEqual", .plain(.comparison, axes: .free), LessOrEqual),
    OperatorDefinition("IsInf", .plain(.boolLikeInput, axes: .free), IsInf),
    OperatorDefinition("IsNaN", .plain(.boolLikeInput, axes: .free), IsNaN),
  ]

  /// a = b, of Booleans and texts as well.
  static func Equal(_ node: NodeDescription) throws -> PreparedOperator {
    let numbers = try comparison(node, EqualTest())
    return { arguments in
      switch try (arguments.value(0), arguments.value(1)) {
      case (.strings(let a), .strings(let b)): [GraphValue(try equal(a, b))]
      case (.tensor(.bool(let a)), .tensor(.bool(let b))):
        [GraphValue(try !a.xor(b))]
      default: try numbers(&arguments)
      }
    }
  }

  /// a > b
  static func Greater(_ node: NodeDescription) throws -> PreparedOperator { try comparison(node, GreaterTest()) }
  /// a ≥ b
  static func GreaterOrEqual(_ node: NodeDescription) throws -> PreparedOperator {
    try comparison(node, GreaterOrEqualTest())
  }
  /// a < b
  static func Less(_ node: NodeDescription) throws -> PreparedOperator { try comparison(node, LessTest()) }
  /// a ≤ b
  static func LessOrEqual(_ node: NodeDescription) throws -> PreparedOperator {
    try comparison(node, LessOrEqualTest())
  }

  /// Whether x is infinite, of the signs that the attributes name.
  static func IsInf(_ node: NodeDescription) throws -> PreparedOperator {
    let positive = try node.flag("detect_positive", default: true)
    let negative = try node.flag("detect_negative", default: true)
    return floating(
      Tested(test: InfinityTest<Float>(positive: positive, negative: negative)),
      Tested(test: InfinityTest<Double>(positive: positive, negative: negative)))
  }

  /// Whether x is not a number.
  static func IsNaN(_ node: NodeDescription) throws -> PreparedOperator {
    floating(NaNTest<Float>(), NaNTest<Double>())
  }

  private static func equal(_ a: StringTensor, _ b: StringTensor) throws -> Tensor<Bool> {
    let walk = try BroadcastWalk([a.shape, b.shape], operation: "Equal")
    let (aStep, bStep, width) = (walk.step(of: 0), walk.step(of: 1), walk.width)
    return try Tensor<Bool>.filled(walk.shape) { destination in
      walk.forRows(from: 0, count: walk.rows) { position, offsets in
        for i in 0..<width {
          destination[position + i] = a.elements[offsets[0] + i * aStep] == b.elements[offsets[1] + i * bStep]
        }
      }
    }
  }

  private static func comparison<Test: ElementTest>(_ node: NodeDescription, _ test: Test) throws -> PreparedOperator {
    let stretch = try OldBroadcast(node)
    return { arguments in
      let a = try arguments.tensor(0)
      return [GraphValue(try compare(test, a, stretch(arguments.tensor(1), against: a)))]
    }
  }

  private static func compare<Test: ElementTest>(
    _ test: Test, _ a: AnyTensor, _ b: AnyTensor
  ) throws -> Tensor<Bool> {
    switch (a, b) {
    case (.float32(let a), .float32(let b)): return try test(a, b)
    case (.float64(let a), .float64(let b)): return try test(a, b)
    case (.int64(let a), .int64(let b)): return try run(test, a, b)
    case (.int32(let a), .int32(let b)): return try run(test, a, b)
    case (.int16(let a), .int16(let b)): return try run(test, a, b)
    case (.int8(let a), .int8(let b)): return try run(test, a, b)
    case (.uint64(let a), .uint64(let b)): return try run(test, a, b)
    case (.uint32(let a), .uint32(let b)): return try run(test, a, b)
    case (.uint16(let a), .uint16(let b)): return try run(test, a, b)
    case (.uint8(let a), .uint8(let b)): return try run(test, a, b)
    default:
      guard a.dataType.isFloatingPoint, b.dataType.isFloatingPoint else {
        throw OperatorError(
          "\(ElementType(a.dataType)) and \(ElementType(b.dataType)) cannot be compared; two tensors of one type are "
            + "needed")
      }
      let type = DataType.working(a.dataType, b.dataType)
      return try compare(test, a.converted(to: type), b.converted(to: type))
    }
  }

  private static func run<Test: ElementTest, Scalar: WholeNumber>(
    _ test: Test, _ a: Tensor<Scalar>, _ b: Tensor<Scalar>
  ) throws -> Tensor<Bool> {
    try zipElements(TestOf<Test, Scalar>(test: test), a, b, operation: test.name)
  }
}

/// A test of two numbers of one type, whichever it is.
private protocol ElementTest: Sendable {
  var name: String { get }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Bool>
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Bool
}

private struct TestOf<Test: ElementTest, Scalar: WholeNumber>: BinaryFunction {
  let test: Test
  @inline(__always)
  func callAsFunction(_ a: Scalar, _ b: Scalar) -> Bool { test(a, b) }
}

private struct EqualTest: ElementTest {
  var name: String { "Equal" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Bool> {
    try a.eq(b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Bool { a == b }
}

private struct GreaterTest: ElementTest {
  var name: String { "Greater" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Bool> {
    try a.gt(b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Bool { a > b }
}

private struct GreaterOrEqualTest: ElementTest {
  var name: String { "GreaterOrEqual" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Bool> {
    try a.ge(b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Bool { a >= b }
}

private struct LessTest: ElementTest {
  var name: String { "Less" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Bool> {
    try a.lt(b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Bool { a < b }
}

private struct LessOrEqualTest: ElementTest {
  var name: String { "LessOrEqual" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Bool> {
    try a.le(b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Bool { a <= b }
}

/// Whether a test holds, for each element of a floating-point tensor.
private struct Tested<Test: UnaryFunction>: FloatingOperator
where Test.Input: FloatingPointScalar, Test.Output == Bool {
  let test: Test

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    [GraphValue(try mapElements(test, arguments.floating(0, as: Test.Input.self)))]
  }

  typealias Scalar = Test.Input
}

private struct InfinityTest<Scalar: FloatingPointScalar>: UnaryFunction {
  let positive: Bool
  let negative: Bool
  @inline(__always)
  func callAsFunction(_ x: Scalar) -> Bool { (positive && x == .infinity) || (negative && x == -.infinity) }
}

/// Only what is not a number is unequal to itself.
private struct NaNTest<Scalar: FloatingPointScalar>: FloatingOperator {
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    return [GraphValue(try x.ne(x))]
  }
}
