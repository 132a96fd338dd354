import Apus

extension GraphValue {
  /// Numbers computed in a working type, rounded to `type` when that is a floating-point type; as they are when it is
  /// another.
  init<Scalar: FloatingPointScalar>(rounding tensor: Tensor<Scalar>, to type: ElementType) throws {
    guard type != ElementType(Scalar.dataType) else {
      self.init(tensor)
      return
    }
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
    var result = self
    if type.isFloatingPoint, let dataType = type.dataType { try result.round(to: dataType) }
    return result
  }
}
