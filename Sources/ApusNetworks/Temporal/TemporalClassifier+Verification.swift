import Apus

extension TemporalClassifier {
  /// The network, with the ``TemporalConfiguration`` that the metadata may hold under `configuration`.
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(weights, configuration: TemporalConfiguration(metadata: metadata, file: weights.file))
  }

  /// A sequence, `[batch, features, time]`.
  public var expectedInputs: [ExpectedInput] { [ExpectedInput(extents: [nil, featureCount, nil])] }

  /// `features` and `logits`.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let features = try features(inputs.single())
    return ["features": features, "logits": try logits(features: features)]
  }
}

extension TCN: VerifiableModel {}
extension RecurrentClassifier: VerifiableModel {}

extension ShippedModel {
  static var temporalModels: [ShippedModel] {
    [
      ShippedModel(name: "tcn", single: TCN<Float>.self, double: TCN<Double>.self),
      ShippedModel(name: "tcn-causal", single: TCN<Float>.self, double: TCN<Double>.self),
      ShippedModel(name: "lstm", single: RecurrentClassifier<Float>.self, double: RecurrentClassifier<Double>.self),
      ShippedModel(name: "gru", single: RecurrentClassifier<Float>.self, double: RecurrentClassifier<Double>.self),
    ]
  }
}
