import Apus

// Functions of single numbers. Abs, Neg and Sign know whole numbers of every width, too; the smallest of a signed type
// is its own negative.

extension Operators {
  static let elementMath: [OperatorDefinition] = [
    OperatorDefinition("Abs", Abs), OperatorDefinition("Neg", Neg), OperatorDefinition("Sign", Sign),
    OperatorDefinition("Ceil", Ceil), OperatorDefinition("Floor", Floor), OperatorDefinition("Round", Round),
    OperatorDefinition("Reciprocal", Reciprocal), OperatorDefinition("Sqrt", Sqrt),
    OperatorDefinition("Exp", Exp), OperatorDefinition("Log", Log), OperatorDefinition("Erf", Erf),
    OperatorDefinition("Sin", Sin), OperatorDefinition("Cos", Cos), OperatorDefinition("Tan", Tan),
    OperatorDefinition("Asin", Asin), OperatorDefinition("Acos", Acos), OperatorDefinition("Atan", Atan),
    OperatorDefinition("Sinh", Sinh), OperatorDefinition("Cosh", Cosh), OperatorDefinition("Asinh", Asinh),
    OperatorDefinition("Acosh", Acosh), OperatorDefinition("Atanh", Atanh),
  ]

  /// |x|
  static func Abs(_ node: NodeDescription) throws -> Operation { unary(Magnitude()) }
  /// -x
  static func Neg(_ node: NodeDescription) throws -> Operation { unary(Negation()) }
  /// 1, 0 or -1; NaN stays.
  static func Sign(_ node: NodeDescription) throws -> Operation { unary(Signum()) }
  /// ⌈x⌉
  static func Ceil(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.ceil() }, { try $0.ceil() }) }
  /// ⌊x⌋
  static func Floor(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try $0.floor() }, { try $0.floor() })
  }
  /// The nearest whole number, the even one of two.
  static func Round(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try $0.round() }, { try $0.round() })
  }
  /// 1 / x
  static func Reciprocal(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try $0.reciprocal() }, { try $0.reciprocal() })
  }
  /// √x
  static func Sqrt(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.sqrt() }, { try $0.sqrt() }) }
  /// eˣ
  static func Exp(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.exp() }, { try $0.exp() }) }
  /// ln x
  static func Log(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.log() }, { try $0.log() }) }
  /// 2/√π ∫ exp(-t²) dt from 0 to x; of whole numbers, what is left when the fraction is cut off.
  static func Erf(_ node: NodeDescription) throws -> Operation {
    let floating = floatingUnary({ try $0.erf() }, { try $0.erf() })
    return { arguments in
      let x = try arguments.tensor(0)
      if x.dataType.isFloatingPoint || x.dataType == .bool { return try floating(&arguments) }
      return [.tensor(try AnyTensor(x.converted(to: Double.self).erf()).converted(to: x.dataType))]
    }
  }

  static func Sin(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.sin() }, { try $0.sin() }) }
  static func Cos(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.cos() }, { try $0.cos() }) }
  static func Tan(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.tan() }, { try $0.tan() }) }
  static func Asin(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.asin() }, { try $0.asin() }) }
  static func Acos(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.acos() }, { try $0.acos() }) }
  static func Atan(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.atan() }, { try $0.atan() }) }
  static func Sinh(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.sinh() }, { try $0.sinh() }) }
  static func Cosh(_ node: NodeDescription) throws -> Operation { floatingUnary({ try $0.cosh() }, { try $0.cosh() }) }
  static func Asinh(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try $0.asinh() }, { try $0.asinh() })
  }
  static func Acosh(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try $0.acosh() }, { try $0.acosh() })
  }
  static func Atanh(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try $0.atanh() }, { try $0.atanh() })
  }
}

/// A function of one number of any type.
protocol NumberFunction: Sendable {
  func callAsFunction(_ x: Tensor<Float>) throws -> Tensor<Float>
  func callAsFunction(_ x: Tensor<Double>) throws -> Tensor<Double>
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar
}

extension Operators {
  /// `function` of floating-point numbers or of whole ones.
  static func unary<Function: NumberFunction>(_ function: Function) -> Operation {
    let floating = floatingUnary({ try function($0) }, { try function($0) })
    return { arguments in
      let x = try arguments.tensor(0)
      if let result = try x.dataType.visitWholeNumber(OnWholeNumbers(function: function, x: x)) { return [result] }
      return try floating(&arguments)
    }
  }
}

private struct OnWholeNumbers<Function: NumberFunction>: WholeNumberVisitor {
  let function: Function
  let x: AnyTensor

  struct OfOne<Scalar: WholeNumber>: UnaryFunction {
    let function: Function
    @inline(__always)
    func callAsFunction(_ x: Scalar) -> Scalar { function(x) }
  }

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> Value {
    try Value(mapElements(OfOne<Scalar>(function: function), x.tensor(of: type) ?? x.converted()))
  }
}

private struct Magnitude: NumberFunction {
  func callAsFunction(_ x: Tensor<Float>) throws -> Tensor<Float> { try x.abs() }
  func callAsFunction(_ x: Tensor<Double>) throws -> Tensor<Double> { try x.abs() }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { x < 0 ? 0 &- x : x }
}

private struct Negation: NumberFunction {
  func callAsFunction(_ x: Tensor<Float>) throws -> Tensor<Float> { try -x }
  func callAsFunction(_ x: Tensor<Double>) throws -> Tensor<Double> { try -x }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { 0 &- x }
}

private struct Signum: NumberFunction {
  func callAsFunction(_ x: Tensor<Float>) throws -> Tensor<Float> { try x.sign() }
  func callAsFunction(_ x: Tensor<Double>) throws -> Tensor<Double> { try x.sign() }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { x > 0 ? 1 : x < 0 ? 0 &- 1 : 0 }
}
