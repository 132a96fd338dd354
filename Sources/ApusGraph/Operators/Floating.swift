import Apus

// How operators compute on floating-point tensors of any type: FLOAT and DOUBLE as they are, the sixteen-bit types
// widened to FLOAT and rounded once at the end.

extension Operators {
  /// An operation with one floating-point input and one output of the same type.
  static func floatingUnary(
    _ float: @escaping @Sendable (Tensor<Float>) throws -> Tensor<Float>,
    _ double: @escaping @Sendable (Tensor<Double>) throws -> Tensor<Double>
  ) -> PreparedOperator {
    { arguments in
      let type = try arguments.floatingType(0)
      if type == .double { return [GraphValue(try double(arguments.floating(0, as: Double.self)))] }
      return [try GraphValue(float(arguments.floating(0, as: Float.self)), as: type)]
    }
  }

  /// An operation written for both working types; `double` runs for DOUBLE, `float` for all others, with its result
  /// rounded to the type of input `index`.
  static func floating(
    likeInput index: Int = 0,
    _ float: @escaping @Sendable (inout Arguments) throws -> Tensor<Float>,
    _ double: @escaping @Sendable (inout Arguments) throws -> Tensor<Double>
  ) -> PreparedOperator {
    { arguments in
      let type = try arguments.floatingType(index)
      if type == .double { return [GraphValue(try double(&arguments))] }
      return [try GraphValue(float(&arguments), as: type)]
    }
  }
}

extension Arguments {
  /// The element type of input `index`, which must be a floating-point tensor.
  func floatingType(_ index: Int) throws -> ElementType {
    let type = ElementType(try tensor(index).dataType)
    guard type.isFloatingPoint else {
      throw OperatorError("input \(index) is \(type); a floating-point type is needed")
    }
    return type
  }
}

extension GraphValue {
  /// Numbers computed in FLOAT, rounded to `type` when that is one of the sixteen-bit types.
  init(_ tensor: Tensor<Float>, as type: ElementType) throws {
    switch type {
    #if !(os(macOS) && arch(x86_64))
      case .float16: self = .init(try tensor.converted(to: Float16.self))
    #endif
    case .bfloat16: self = .init(try tensor.converted(to: BFloat16.self))
    default: self = .init(tensor)
    }
  }
}
