import Apus

extension BehaviorClassifier: VerifiableModel {
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(weights, metadata: metadata)
  }

  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let logits = try logits(inputs.single())
    return ["logits": logits, "probabilities": try softmax(logits, axis: -1)]
  }
}
