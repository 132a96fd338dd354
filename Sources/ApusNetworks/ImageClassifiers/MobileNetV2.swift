import Apus

/// MobileNetV2, for any width.
///
/// Sandler et al. 2018, "MobileNetV2: Inverted Residuals and Linear Bottlenecks".
///
///     images                                                            [batch, 3, height, width]
///     features.0          3×3, s 2, relu6                               [batch, 32, height/2, width/2]
///     features.1 … 17     inverted residual blocks                      [batch, 320, height/32, width/32]
///     features.18         1×1, relu6                                    [batch, 1280, height/32, width/32]
///     mean over places                                                  [batch, 1280]
///     classifier.1        Linear                                        [batch, classes]
///
/// Channels are read from the weights, so that every width multiple fits; strides are the paper's. Pictures may have
/// any size.
public struct MobileNetV2<Scalar: FloatingPointScalar>: ImageClassifier {
  /// The channels of `features.0`'s weight; 3 for pictures in colour.
  public let channelCount: Int
  /// The channels of `features.18`: 1280, or more for a width multiple above 1.
  public let featureCount: Int
  /// The outputs of `classifier.1`; 1000 for ImageNet's classes.
  public let classCount: Int
  /// 1: every convolution is padded.
  public var smallestSide: Int { 1 }

  private let stem: ConvNormActivation<Scalar>
  private let blocks: [InvertedResidual<Scalar>]
  private let last: ConvNormActivation<Scalar>
  private let classifier: Linear<Scalar>

  /// Builds the network from parameters with torchvision's names: `features.0.0.weight`, `features.1.conv.0.0.weight`,
  /// `classifier.1.weight`.
  ///
  /// With a width multiple in the configuration, channels are those ``MobileNetV2Width`` gives, and weights of another
  /// width are refused.
  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape, or has no place in the network;
  ///   ``ModelFileError`` where the configuration names another network.
  public init(_ weights: Weights, configuration: ImageClassifierConfiguration) throws {
    let width = configuration.widthMultiple.map { MobileNetV2Width($0) }
    let features = weights["features"]
    channelCount = try features["0.0"].inputCount("weight", rank: 4)
    stem = try ConvNormActivation(
      features["0.0"], features["0.1"], inputs: channelCount, outputs: width?.channels(32), kernel: 3, stride: 2,
      padding: 1, activation: .relu6)
    var channels = stem.outputs
    var blocks: [InvertedResidual<Scalar>] = []
    for group in Self.groups {
      for index in 0..<group.count {
        let block = try InvertedResidual<Scalar>(
          features[blocks.count + 1]["conv"], inputs: channels, outputs: width?.channels(group.channels),
          expansion: group.expansion, stride: index == 0 ? group.stride : 1)
        channels = block.outputs
        blocks.append(block)
      }
    }
    self.blocks = blocks
    last = try ConvNormActivation(
      features["18.0"], features["18.1"], inputs: channels, outputs: width?.lastChannels, kernel: 1, activation: .relu6)
    featureCount = last.outputs
    classCount = try configuration.classes ?? weights["classifier.1"].outputCount("weight", rank: 2)
    classifier = try Linear(weights["classifier.1"], inputs: last.outputs, outputs: classCount)
    try weights.refuseUnused(for: "MobileNetV2")
    try configuration.check(["mobilenet_v2"], blocks: "MobileNetV2", file: weights.file)
  }

  /// Table 2 of the paper: how often channels are multiplied inside a block, channels, blocks, stride of the first.
  private static var groups: [(expansion: Int, channels: Int, count: Int, stride: Size2D)] {
    [
      (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ]
  }

  /// The means of the last map's channels, `[batch, featureCount]`.
  /// - Parameter images: `[batch, channels, height, width]`, any size.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func features(_ images: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try checkShape(of: images)
    var x = try stem(images).observed(as: "features.0")
    for (index, block) in blocks.enumerated() {
      x = try block(x).observed(as: "features.\(index + 1)")
    }
    return try averaged(last(x).observed(as: "features.18"))
  }

  /// `[batch, classes]` from `[batch, featureCount]`, before softmax.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try classifier(features).observed(as: "classifier.1")
  }
}

/// How many channels a layer of a thinner or wider MobileNetV2 has.
package struct MobileNetV2Width: Hashable, Sendable {
  /// What the paper's channels are multiplied with.
  package let multiple: Double

  /// Any number; a negative or absurd one gives the nearest channels that can be counted.
  package init(_ multiple: Double) {
    self.multiple = multiple
  }

  /// The multiple of `divisor` nearest to `multiple · channels`, the greater of two, but none that takes away more than
  /// a tenth, and at least `divisor`.
  package func channels(_ channels: Int, multipleOf divisor: Int = 8) -> Int {
    // Widths that no network has become the nearest that can be counted.
    let divisor = Double(max(1, divisor))
    let wanted = multiple.isNaN ? 0 : min(max(0, Double(channels) * multiple), 1e9)
    let rounded = max(divisor, ((wanted + divisor / 2) / divisor).rounded(.down) * divisor)
    return Int(min(rounded < 0.9 * wanted ? rounded + divisor : rounded, 2e9))
  }

  /// The last convolution's channels: never fewer than the paper's 1280.
  package var lastChannels: Int {
    MobileNetV2Width(max(1, multiple)).channels(1280)
  }
}

/// A map with few channels is given many, filtered, and brought back to few without an activation; added to itself
/// where nothing changed its shape.
private struct InvertedResidual<Scalar: FloatingPointScalar>: Sendable {
  let outputs: Int
  private let convolutions: [ConvNormActivation<Scalar>]
  private let isResidual: Bool

  /// - Parameter outputs: `nil` takes as many as the weights have.
  init(_ weights: Weights, inputs: Int, outputs: Int?, expansion: Int, stride: Size2D) throws {
    let hidden = inputs * expansion
    var stages: [ConvNormActivation<Scalar>] = []
    if expansion > 1 {
      stages.append(
        try ConvNormActivation(
          weights["0.0"], weights["0.1"], inputs: inputs, outputs: hidden, kernel: 1, activation: .relu6))
    }
    let (depthwise, projection) = (weights[stages.count], weights[stages.count + 1])
    stages.append(
      try ConvNormActivation(
        depthwise[0], depthwise[1], inputs: hidden, outputs: hidden, kernel: 3, stride: stride, padding: 1,
        groups: hidden, activation: .relu6))
    stages.append(
      try ConvNormActivation(
        projection, weights[stages.count + 1], inputs: hidden, outputs: outputs, kernel: 1))
    convolutions = stages
    self.outputs = stages[stages.count - 1].outputs
    isResidual = stride == 1 && inputs == self.outputs
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var y = x
    for convolution in convolutions { y = try convolution(y) }
    return isResidual ? try x + y : y
  }
}
