import Apus

// Any number of operands, broadcast over each other, folded into one from the first to the last.

extension Operators {
  static let accumulations: [OperatorDefinition] = [
    OperatorDefinition(
      "Max", .elementwise(.variadic, results: .fresh, layout: .rowMajor, accuracy: .passingErrorsOn), Max),
    OperatorDefinition(
      "Min", .elementwise(.variadic, results: .fresh, layout: .rowMajor, accuracy: .passingErrorsOn), Min),
    OperatorDefinition("Sum", .reduction(.variadic, terms: .elementsPerOutput, accuracy: .sumOfElements), Sum),
    OperatorDefinition("Mean", .reduction(.variadic, terms: .elementsPerOutput, accuracy: .sumOfElements), Mean),
  ]

  /// The greatest; NaN where any is.
  static func Max(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in try folded(&arguments, Greatest()) }
  }

  /// The smallest; NaN where any is.
  static func Min(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in try folded(&arguments, Smallest()) }
  }

  /// a + b + …
  static func Sum(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in try folded(&arguments, Addition()) }
  }

  /// (a + b + …) / n
  static func Mean(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let type = try commonType(arguments)
      return try evaluate(
        Folding<Float, _>(function: Addition(), isMean: true), Folding<Double, _>(function: Addition(), isMean: true),
        on: &arguments, type: type)
    }
  }

  private static func folded<Function: ArithmeticFunction>(
    _ arguments: inout Arguments, _ function: Function
  ) throws -> [GraphValue?] {
    guard try !arguments.dataType(0).isFloatingPoint else {
      let type = try commonType(arguments)
      return try evaluate(
        Folding<Float, _>(function: function), Folding<Double, _>(function: function), on: &arguments, type: type)
    }
    var result = GraphValue.tensor(try arguments.tensor(0))
    for index in 1..<max(arguments.count, 1) {
      guard case .tensor(let tensor) = result else { break }
      result = try combine(function, tensor, arguments.tensor(index))
    }
    return [result]
  }

  /// The type of all operands; the wider one where a model that runs in DOUBLE meets a FLOAT.
  private static func commonType(_ arguments: Arguments) throws -> ElementType {
    var type = try arguments.floatingType(0)
    for index in 1..<max(arguments.count, 1) {
      let other = try arguments.floatingType(index)
      if other != type, let a = type.dataType, let b = other.dataType { type = ElementType(.working(a, b)) }
    }
    return type
  }
}

/// Floating-point operands, the first with the second, the result with the third, and so on.
private struct Folding<Scalar: FloatingPointScalar, Function: ArithmeticFunction>: FloatingOperator {
  let function: Function
  /// Whether the result is divided by the number of operands.
  var isMean = false

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    var result = try arguments.floating(0, as: Scalar.self)
    for index in 1..<max(arguments.count, 1) {
      result = try function(result, arguments.floating(index, as: Scalar.self))
    }
    return [try GraphValue(rounding: isMean ? result / Scalar(arguments.count) : result, to: type)]
  }
}

private struct Greatest: ArithmeticFunction {
  var name: String { "Max" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try maximum(a, b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a < b ? b : a }
}

private struct Smallest: ArithmeticFunction {
  var name: String { "Min" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try minimum(a, b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { b < a ? b : a }
}
