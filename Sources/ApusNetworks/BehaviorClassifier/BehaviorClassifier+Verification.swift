import Apus

extension BehaviorClassifier: VerifiableModel {
  /// The network, with the labels that the metadata names.
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(weights, metadata: metadata)
  }

  /// Pose sequences, `[batch, 48, 100]`.
  public var expectedInputs: [ExpectedInput] { [ExpectedInput(extents: [nil, Self.featureCount, Self.windowLength])] }

  /// `logits` and `probabilities` of the one input of the sample.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let logits = try logits(inputs.single())
    return ["logits": logits, "probabilities": try softmax(logits, axis: -1)]
  }
}
