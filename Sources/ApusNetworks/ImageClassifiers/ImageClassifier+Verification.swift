import Apus

extension ImageClassifier {
  /// The network, with the ``ImageClassifierConfiguration`` that the metadata may hold under `configuration`.
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(
      weights, configuration: ImageClassifierConfiguration(metadata: metadata, file: weights.file))
  }

  /// `features` and `logits`.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let features = try features(inputs.single())
    return ["features": features, "logits": try logits(features: features)]
  }
}

extension ResNet: VerifiableModel {}
extension MobileNetV2: VerifiableModel {}
extension InceptionV3: VerifiableModel {}

extension ShippedModel {
  static var imageClassifiers: [ShippedModel] {
    [
      ShippedModel(name: "mobilenet_v2", single: MobileNetV2<Float>.self, double: MobileNetV2<Double>.self),
      ShippedModel(name: "resnet18", single: ResNet<Float>.self, double: ResNet<Double>.self),
      ShippedModel(name: "resnet50", single: ResNet<Float>.self, double: ResNet<Double>.self),
      ShippedModel(name: "inception_v3", single: InceptionV3<Float>.self, double: InceptionV3<Double>.self),
    ]
  }
}
