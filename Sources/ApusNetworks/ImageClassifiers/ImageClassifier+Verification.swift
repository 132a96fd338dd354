import Apus

extension ImageClassifier {
  /// The network, with the ``ImageClassifierConfiguration`` that the metadata may hold under `configuration`.
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(
      weights, configuration: ImageClassifierConfiguration(metadata: metadata, file: weights.file))
  }

  /// Pictures, `[batch, channels, height, width]`.
  public var expectedInputs: [ExpectedInput] { [ExpectedInput(extents: [nil, channelCount, nil, nil])] }

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
  static let imageClassifiers = [
    imageClassifier("mobilenet_v2", MobileNetV2<Float>.self, MobileNetV2<Double>.self),
    imageClassifier("resnet18", ResNet<Float>.self, ResNet<Double>.self),
    imageClassifier("resnet50", ResNet<Float>.self, ResNet<Double>.self),
    imageClassifier("inception_v3", InceptionV3<Float>.self, InceptionV3<Double>.self),
  ]

  private static func imageClassifier(
    _ name: String, _ single: any VerifiableModel<Float>.Type, _ double: any VerifiableModel<Double>.Type
  ) -> ShippedModel {
    ShippedModel(name: name, single: single, double: double, isReadFromWeights: true)
  }
}
