import Apus

/// A function of single numbers of any type: of floating-point tensors as a whole, of integers one by one.
protocol NumberFunction: FloatingFunction {
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar
}

extension Operators {
  /// `function` of floating-point numbers or of whole ones.
  static func numbers<Function: NumberFunction>(_ function: Function) -> PreparedOperator {
    { arguments in
      if try arguments.dataType(0).isFloatingPoint { return [try evaluate(function, taking: &arguments)] }
      let x = try arguments.tensor(0)
      if let result = try x.dataType.visitWholeNumber(OnWholeNumbers(function: function, x: x)) { return [result] }
      return [try evaluate(function, x)]
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

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    try GraphValue(mapElements(OfOne<Scalar>(function: function), x.tensor(of: type) ?? x.converted()))
  }
}
