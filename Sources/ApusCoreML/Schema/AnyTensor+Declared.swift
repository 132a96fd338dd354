import Apus
import ApusGraph

extension AnyTensor {
  /// The same elements with another shape and type, as inputs of models declare them.
  func with(shape: [Int], elementType: ElementType) throws -> AnyTensor {
    func make<Scalar: TensorScalar>(_: Scalar.Type) throws -> AnyTensor {
      AnyTensor(try converted(to: Scalar.self).reshaped(shape))
    }
    switch elementType {
    case .float: return try make(Float.self)
    #if !(os(macOS) && arch(x86_64))
      case .float16: return try make(Float16.self)
    #endif
    case .int8: return try make(Int8.self)
    case .int32: return try make(Int32.self)
    case .int64: return try make(Int64.self)
    default: return try make(Double.self)
    }
  }
}
