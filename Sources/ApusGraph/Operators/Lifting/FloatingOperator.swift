import Apus

/// An operator in one working type, with what it makes of constant inputs when the node is prepared.
///
/// FLOAT and the sixteen-bit types run as `Float`, DOUBLE as `Double`; a constant weight is packed by the one of the two
/// that it belongs to (``NodeDescription/ownConstant(_:as:)``).
protocol FloatingOperator: Sendable {
  associatedtype Scalar: FloatingPointScalar

  /// - Parameter type: the element type of the input that decides, to which results are rounded
  ///   (``GraphValue/init(rounding:to:)``).
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?]
}

extension Operators {
  /// The operation of `float` and `double`, which are the same operator; input `index` decides which of them runs.
  static func floating<F: FloatingOperator, D: FloatingOperator>(
    likeInput index: Int = 0, _ float: F, _ double: D
  ) -> PreparedOperator where F.Scalar == Float, D.Scalar == Double {
    { arguments in
      let type = try arguments.floatingType(index)
      return try evaluate(float, double, on: &arguments, type: type)
    }
  }

  /// What the one of the two gives that `type` belongs to.
  static func evaluate<F: FloatingOperator, D: FloatingOperator>(
    _ float: F, _ double: D, on arguments: inout Arguments, type: ElementType
  ) throws -> [GraphValue?] where F.Scalar == Float, D.Scalar == Double {
    type == .double ? try double(&arguments, type: type) : try float(&arguments, type: type)
  }
}

extension Arguments {
  /// The element type of input `index`, which must be a floating-point tensor.
  func floatingType(_ index: Int) throws -> ElementType {
    let type = ElementType(try dataType(index))
    guard type.isFloatingPoint else {
      throw OperatorError("input \(index) is \(type); a floating-point type is needed")
    }
    return type
  }
}

extension NodeDescription {
  /// Input `index` when it is known already and belongs to the working type `Scalar`: DOUBLE to `Double`, all other
  /// floating-point types to `Float`.
  func ownConstant<Scalar: FloatingPointScalar>(_ index: Int, as type: Scalar.Type) throws -> Tensor<Scalar>? {
    try ownsConstant(index, as: type) ? constantFloating(index, as: type) : nil
  }

  /// Whether ``ownConstant(_:as:)`` gives one.
  func ownsConstant<Scalar: FloatingPointScalar>(_ index: Int, as type: Scalar.Type) -> Bool {
    guard case .tensor(let constant)? = constant(index), constant.dataType.isFloatingPoint else { return false }
    return (constant.dataType == .float64) == (Scalar.dataType == .float64)
  }
}
