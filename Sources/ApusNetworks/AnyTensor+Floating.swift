import Apus

extension AnyTensor {
  /// The elements as `Scalar`, whatever type they are stored in.
  func floating<Scalar: FloatingPointScalar>(as type: Scalar.Type = Scalar.self) throws -> Tensor<Scalar> {
    guard let tensor = try tensor(as: type, converting: true) else {
      throw TensorError.argument(operation: "convert", reason: "\(dataType) elements do not become \(Scalar.dataType)")
    }
    return tensor
  }
}
