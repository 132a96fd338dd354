import Apus
import ApusKernelInterface

/// A function of one floating-point tensor, of either working type.
protocol FloatingFunction: Sendable {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real>
  /// Puts the function of `x` in its place, over its memory where nothing else holds that and the function can.
  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws
}

extension FloatingFunction {
  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws { x = try self(x) }
}

/// What one kernel computes of every element.
struct ElementKernel: FloatingFunction {
  let operation: UnaryOperation

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> { try x.mapped(operation) }
  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws { try x.apply(operation) }
}

extension Operators {
  /// `function` of input 0, in its type.
  static func floating<Function: FloatingFunction>(_ function: Function) -> PreparedOperator {
    { arguments in [try evaluate(function, taking: &arguments)] }
  }

  /// As ``floating(_:)``; of integers as well, whose result is cut to an integer.
  static func throughDouble<Function: FloatingFunction>(_ function: Function) -> PreparedOperator {
    { arguments in
      if try arguments.dataType(0).isFloatingPoint { return [try evaluate(function, taking: &arguments)] }
      let x = try arguments.tensor(0)
      if x.dataType == .bool { return [try evaluate(function, x)] }
      return [.tensor(try AnyTensor(function(x.converted(to: Double.self))).converted(to: x.dataType))]
    }
  }

  /// `function` of input 0, which is given up.
  static func evaluate<Function: FloatingFunction>(
    _ function: Function, taking arguments: inout Arguments
  ) throws -> GraphValue {
    func replaced<Real: FloatingPointScalar>(_ type: Real.Type) throws -> GraphValue {
      var x = try arguments.takeFloating(0, as: type)
      try function.replace(&x)
      return GraphValue(x)
    }
    switch try arguments.dataType(0) {
    case .float32: return try replaced(Float.self)
    case .float64: return try replaced(Double.self)
    default: return try evaluate(function, arguments.tensor(0))
    }
  }

  /// `function` of `x`, in its type.
  static func evaluate<Function: FloatingFunction>(_ function: Function, _ x: AnyTensor) throws -> GraphValue {
    switch x {
    case .float32(let x): return GraphValue(try function(x))
    case .float64(let x): return GraphValue(try function(x))
    default:
      let type = ElementType(x.dataType)
      guard type.isFloatingPoint else { throw OperatorError("input 0 is \(type); a floating-point type is needed") }
      return try GraphValue(rounding: function(x.converted(to: Float.self)), to: type)
    }
  }
}
