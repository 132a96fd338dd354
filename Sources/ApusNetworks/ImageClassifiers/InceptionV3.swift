import Apus

/// InceptionV3.
///
/// Szegedy et al. 2015, "Rethinking the Inception Architecture for Computer Vision".
///
///     images                                                 [batch, 3, 299, 299]
///     Conv2d_1a_3x3 s 2, Conv2d_2a_3x3, Conv2d_2b_3x3        [batch, 64, 147, 147]
///     maxpool1 3×3, s 2                                      [batch, 64, 73, 73]
///     Conv2d_3b_1x1, Conv2d_4a_3x3                           [batch, 192, 71, 71]
///     maxpool2 3×3, s 2                                      [batch, 192, 35, 35]
///     Mixed_5b, 5c, 5d                                       [batch, 288, 35, 35]
///     Mixed_6a                                               [batch, 768, 17, 17]
///     Mixed_6b, 6c, 6d, 6e                                   [batch, 768, 17, 17]
///     Mixed_7a                                               [batch, 1280, 8, 8]
///     Mixed_7b, 7c                                           [batch, 2048, 8, 8]
///     avgpool                                                [batch, 2048]
///     fc                  Linear                             [batch, classes]
///
/// Other sizes than 299 × 299 work as well, from 75 × 75 on. The head that helps training, `AuxLogits`, is not used;
/// its parameters may be present. Batch normalisations have an epsilon of 0.001.
public struct InceptionV3<Scalar: FloatingPointScalar>: ImageClassifier {
  /// 2048, what the last module gives.
  public let featureCount: Int
  /// The outputs of `fc`; 1000 for ImageNet's classes.
  public let classCount: Int
  /// 3, red, green and blue.
  public var channelCount: Int { 3 }
  /// 75 pixels: what the unpadded convolutions and poolings leave something of.
  public var smallestSide: Int { 75 }

  private let transform: InputTransform<Scalar>?
  private let stem: [InceptionStage<Scalar>]
  private let modules: [(name: String, module: InceptionModule<Scalar>)]
  private let fc: Linear<Scalar>

  /// Builds the network from parameters with torchvision's names: `Conv2d_1a_3x3.conv.weight`,
  /// `Mixed_5b.branch1x1.bn.weight`, `fc.weight`.
  ///
  /// With `transformInput` in the configuration, pictures are normalised with ImageNet's mean and deviation, as
  /// torchvision does it, while the weights expect them between -1 and 1, as the original authors did.
  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape, or has no place in the network;
  ///   ``ModelFileError`` where the configuration names another network.
  public init(_ weights: Weights, configuration: ImageClassifierConfiguration) throws {
    transform = configuration.transformInput == true ? try InputTransform() : nil
    var channels = 3
    stem = try [
      ("Conv2d_1a_3x3", 32, 3, 2, 0), ("Conv2d_2a_3x3", 32, 3, 1, 0), ("Conv2d_2b_3x3", 64, 3, 1, 1),
      ("maxpool1", nil, 3, 2, 0), ("Conv2d_3b_1x1", 80, 1, 1, 0), ("Conv2d_4a_3x3", 192, 3, 1, 0),
      ("maxpool2", nil, 3, 2, 0),
    ].map { (name: String, outputs: Int?, kernel: Int, stride: Int, padding: Int) in
      guard let outputs else { return InceptionStage(name: name, convolution: nil) }
      let convolution = try ConvNormActivation<Scalar>(
        inception: weights[name], inputs: channels, outputs: outputs, kernel: Size2D(height: kernel, width: kernel),
        stride: Size2D(height: stride, width: stride), padding: Padding2D(height: padding, width: padding))
      channels = outputs
      return InceptionStage(name: name, convolution: convolution)
    }
    var modules: [(name: String, module: InceptionModule<Scalar>)] = []
    for (name, branches) in InceptionPlan.modules {
      let module = try InceptionModule<Scalar>(weights[name], inputs: channels, branches: branches)
      channels = module.outputs
      modules.append((name, module))
    }
    self.modules = modules
    featureCount = channels
    classCount = try configuration.classes ?? weights["fc"].outputCount("weight", rank: 2)
    fc = try Linear(weights["fc"], inputs: channels, outputs: classCount)
    try weights.refuseUnused(for: "InceptionV3") { $0.hasPrefix("AuxLogits.") }
    try configuration.check(["inception_v3"], blocks: "InceptionV3", file: weights.file)
  }

  /// What `avgpool` gives, `[batch, 2048]`.
  /// - Parameter images: `[batch, 3, height, width]`, at least 75 × 75.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func features(_ images: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try checkShape(of: images)
    var x = try transform.map { try $0(images) } ?? images
    for stage in stem { x = try stage(x).observed(as: stage.name) }
    for (name, module) in modules { x = try module(x).observed(as: name) }
    return try averaged(x, observedAs: "avgpool")
  }

  /// `[batch, classes]` from `[batch, 2048]`, before softmax.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try fc(features).observed(as: "fc")
  }
}

/// A convolution before the first module, or a maximum over 3 × 3 places at every second one.
private struct InceptionStage<Scalar: FloatingPointScalar>: Sendable {
  let name: String
  let convolution: ConvNormActivation<Scalar>?

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try convolution.map { try $0(x) } ?? maxPool2d(x, kernel: 3, stride: 2)
  }
}

/// From pictures normalised as torchvision does it, `(x - mean) / deviation` with ImageNet's, to `2 · x - 1`.
private struct InputTransform<Scalar: FloatingPointScalar>: Sendable {
  /// Both `[1, 3, 1, 1]`.
  private let scale: Tensor<Scalar>
  private let shift: Tensor<Scalar>

  init() throws {
    let (means, deviations) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    scale = try Tensor(deviations.map { Scalar($0 / 0.5) }, shape: [1, 3, 1, 1])
    shift = try Tensor(means.map { Scalar(($0 - 0.5) / 0.5) }, shape: [1, 3, 1, 1])
  }

  func callAsFunction(_ images: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try images * scale + shift
  }
}
