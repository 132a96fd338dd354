import Apus
import ApusKernelInterface

// Operators on single elements that write their result over an input which is not needed any more.

extension Arguments {
  /// Input `index` as ``floating(_:as:)`` has it, given up by the run if this was its last use.
  mutating func takeFloating<Scalar: FloatingPointScalar>(_ index: Int, as type: Scalar.Type) throws -> Tensor<Scalar> {
    let tensor = try floating(index, as: type)
    giveUp(index)
    return tensor
  }

  /// `a op b` for two tensors of one working type and shape; nil for all others, which are left as they are.
  mutating func combined(_ operation: BinaryOperation, _ name: String) throws -> GraphValue? {
    guard try tensor(0).shape == tensor(1).shape, try dataType(0) == dataType(1) else { return nil }
    func combined<Scalar: FloatingPointScalar>(_ type: Scalar.Type) throws -> GraphValue {
      var (a, b) = try (takeFloating(0, as: type), takeFloating(1, as: type))
      return GraphValue(try Tensor.combine(operation, overwriting: &a, or: &b, name))
    }
    switch try dataType(0) {
    case .float32: return try combined(Float.self)
    case .float64: return try combined(Double.self)
    default: return nil
    }
  }
}
