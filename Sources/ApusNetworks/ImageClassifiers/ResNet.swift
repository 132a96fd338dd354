import Apus

/// Residual networks: ResNet-18, -34, -50, -101, -152, ResNeXt and wide ones, which differ in parameters only.
///
/// He et al. 2015, "Deep Residual Learning for Image Recognition", with the stride on the 3×3 convolution of a
/// bottleneck, as torchvision has it.
///
///     images                                                    [batch, 3, height, width]
///     conv1, bn1, relu   7×7, s 2                               [batch, 64, height/2, width/2]
///     maxpool            3×3, s 2                               [batch, 64, height/4, width/4]
///     layer1 … layer4    residual blocks; the first of layer2, layer3 and layer4 halves the map
///     avgpool                                                   [batch, features]
///     fc                 Linear                                 [batch, classes]
///
/// How many blocks a layer has, whether they are basic or bottlenecks, and all channels are read from the weights;
/// so are the groups of ResNeXt. Pictures may have any size.
public struct ResNet<Scalar: FloatingPointScalar>: ImageClassifier {
  /// The channels of `conv1`'s weight; 3 for pictures in colour.
  public let channelCount: Int
  /// The channels of the last block: 512 for basic blocks, 2048 for bottlenecks as torchvision builds them.
  public let featureCount: Int
  /// The outputs of `fc`; 1000 for ImageNet's classes.
  public let classCount: Int
  /// 1: every convolution is padded.
  public var smallestSide: Int { 1 }
  /// Blocks of each layer: `[3, 4, 6, 3]` is ResNet-50 when blocks are bottlenecks, ResNet-34 when they are basic.
  public var blockCounts: [Int] { layers.map(\.count) }

  private let stem: ConvNormActivation<Scalar>
  private let layers: [[ResidualBlock<Scalar>]]
  private let fc: Linear<Scalar>

  /// Builds the network from parameters with torchvision's names: `conv1.weight`, `bn1.weight`,
  /// `layer1.0.downsample.0.weight`, `fc.weight`.
  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape, or has no place in the network;
  ///   ``ModelFileError`` where the configuration names a network with other blocks.
  public init(_ weights: Weights, configuration: ImageClassifierConfiguration) throws {
    channelCount = try weights["conv1"].inputCount("weight", rank: 4)
    stem = try ConvNormActivation(
      weights["conv1"], weights["bn1"], inputs: channelCount, kernel: 7, stride: 2, padding: 3, activation: .relu)
    var channels = stem.outputs
    var layers: [[ResidualBlock<Scalar>]] = []
    for number in 1...4 {
      let scope = weights["layer\(number)"]
      var blocks: [ResidualBlock<Scalar>] = []
      repeat {
        let stride: Size2D = number > 1 && blocks.isEmpty ? 2 : 1
        blocks.append(try ResidualBlock(scope[blocks.count], inputs: channels, stride: stride))
        channels = blocks[blocks.count - 1].outputs
      } while scope[blocks.count].contains("conv1.weight")
      layers.append(blocks)
    }
    self.layers = layers
    featureCount = channels
    classCount = try configuration.classes ?? weights["fc"].outputCount("weight", rank: 2)
    fc = try Linear(weights["fc"], inputs: channels, outputs: classCount)
    try weights.refuseUnused(for: "ResNet")
    let isBottleneck = weights["layer1.0"].contains("conv3.weight")
    try configuration.check(
      Self.names(blockCounts, isBottleneck: isBottleneck),
      blocks: "a ResNet with \(isBottleneck ? "bottleneck" : "basic") blocks \(blockCounts)", file: weights.file)
  }

  /// What torchvision calls networks of such blocks.
  private static func names(_ counts: [Int], isBottleneck: Bool) -> [String] {
    switch (counts, isBottleneck) {
    case ([2, 2, 2, 2], false): ["resnet18"]
    case ([3, 4, 6, 3], false): ["resnet34"]
    case ([3, 4, 6, 3], true): ["resnet50", "resnext50_32x4d", "wide_resnet50_2"]
    case ([3, 4, 23, 3], true): ["resnet101", "resnext101_32x8d", "resnext101_64x4d", "wide_resnet101_2"]
    case ([3, 8, 36, 3], true): ["resnet152"]
    default: ["resnet"]
    }
  }

  /// What `avgpool` gives, `[batch, featureCount]`.
  /// - Parameter images: `[batch, channels, height, width]`, any size.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func features(_ images: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try checkShape(of: images)
    var x = try stem(images).observed(as: "relu").channelBlocked
    x = try maxPool2d(x, kernel: 3, stride: 2, padding: 1).observed(as: "maxpool")
    for (number, blocks) in layers.enumerated() {
      for (index, block) in blocks.enumerated() {
        x = try block(x).observed(as: "layer\(number + 1).\(index)")
      }
    }
    return try averaged(x, observedAs: "avgpool")
  }

  /// `[batch, classes]` from `[batch, featureCount]`, before softmax.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try fc(features).observed(as: "fc")
  }
}

/// Two convolutions or three, and the input added to what they give.
///
///     basic        relu(x + bn2(conv2(relu(bn1(conv1(x))))))                                3×3, 3×3
///     bottleneck   relu(x + bn3(conv3(relu(bn2(conv2(relu(bn1(conv1(x)))))))))              1×1, 3×3, 1×1
///
/// Where the map changes its size or its channels, `downsample` brings the input to the same.
private struct ResidualBlock<Scalar: FloatingPointScalar>: Sendable {
  let outputs: Int
  private let convolutions: [ConvNormActivation<Scalar>]
  private let downsample: ConvNormActivation<Scalar>?

  init(_ weights: Weights, inputs: Int, stride: Size2D) throws {
    func stage(
      _ number: Int, _ inputs: Int, _ kernel: Size2D, stride: Size2D = 1, groups: Int = 1, isLast: Bool = false
    ) throws -> ConvNormActivation<Scalar> {
      try ConvNormActivation(
        weights["conv\(number)"], weights["bn\(number)"], inputs: inputs, kernel: kernel, stride: stride,
        padding: .same(kernel), groups: groups, activation: isLast ? .identity : .relu)
    }
    if weights.contains("conv3.weight") {
      let first = try stage(1, inputs, 1)
      let perGroup = try weights["conv2"].inputCount("weight", rank: 4)
      let groups = first.outputs.isMultiple(of: max(perGroup, 1)) ? first.outputs / max(perGroup, 1) : 1
      let second = try stage(2, first.outputs, 3, stride: stride, groups: groups)
      convolutions = [first, second, try stage(3, second.outputs, 1, isLast: true)]
    } else {
      let first = try stage(1, inputs, 3, stride: stride)
      convolutions = [first, try stage(2, first.outputs, 3, isLast: true)]
    }
    outputs = convolutions[convolutions.count - 1].outputs
    let isNeeded = stride != 1 || inputs != outputs || weights.contains("downsample.0.weight")
    downsample =
      isNeeded
      ? try ConvNormActivation(
        weights["downsample.0"], weights["downsample.1"], inputs: inputs, outputs: outputs, kernel: 1, stride: stride)
      : nil
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var y = x
    for convolution in convolutions { y = try convolution(y) }
    return try add(y, downsample.map { try $0(x) } ?? x, activation: .relu)
  }
}
