import Apus

/// An operator written once for both working types, with what it makes of constant inputs when the node is prepared.
///
/// FLOAT and the sixteen-bit types run as `Float`, DOUBLE as `Double`; a constant weight is packed by the one of the two
/// that it belongs to.
protocol FloatingOperator: Sendable {
  associatedtype Scalar: FloatingPointScalar

  init(_ node: NodeDescription) throws
  /// - Parameter type: the element type of the input that decides, to which results are rounded.
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?]
}

extension Operators {
  /// The operation of `float` and `double`, which are the same operator; input `index` decides which of them runs.
  static func floating<F: FloatingOperator, D: FloatingOperator>(
    likeInput index: Int = 0, _ float: F, _ double: D
  ) -> PreparedOperator where F.Scalar == Float, D.Scalar == Double {
    { arguments in
      let type = try arguments.floatingType(index)
      return type == .double ? try double(&arguments, type: type) : try float(&arguments, type: type)
    }
  }
}

extension NodeDescription {
  /// Input `index` when it is known already and belongs to the working type `Scalar`: DOUBLE to `Double`, all other
  /// floating-point types to `Float`.
  func ownConstant<Scalar: FloatingPointScalar>(_ index: Int, as type: Scalar.Type) throws -> Tensor<Scalar>? {
    guard let constant = constant(index), (constant.elementType == .double) == (Scalar.dataType == .float64) else {
      return nil
    }
    return try constantFloating(index, as: type)
  }
}

extension GraphValue {
  /// Numbers computed in a working type, rounded to `type` when that is one of the sixteen-bit types.
  init<Scalar: FloatingPointScalar>(rounding tensor: Tensor<Scalar>, to type: ElementType) throws {
    switch type {
    #if !(os(macOS) && arch(x86_64))
      case .float16: self.init(try tensor.converted(to: Float16.self))
    #endif
    case .bfloat16: self.init(try tensor.converted(to: BFloat16.self))
    case .double: self.init(try tensor.converted(to: Double.self))
    case .float: self.init(try tensor.converted(to: Float.self))
    default: self.init(tensor)
    }
  }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// The elements as numbers of `type` are: rounded, and widened again.
  func rounded(to type: ElementType) throws -> Tensor {
    guard type != ElementType(Scalar.dataType), case .tensor(let any) = try GraphValue(rounding: self, to: type) else {
      return self
    }
    return try any.converted(to: Scalar.self)
  }
}
