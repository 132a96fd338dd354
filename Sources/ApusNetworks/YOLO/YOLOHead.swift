import Apus

/// The head of all these networks: for each map a branch for boxes, one for classes and, for poses, one for keypoints.
///
/// A branch is two convolutions of 3 × 3 and one of 1 × 1. Generation 11 splits those of the classes into depthwise and
/// pointwise ones.
struct YOLOHead<Scalar: FloatingPointScalar>: Sendable {
  private let boxes: [YOLOBranch<Scalar>]
  private let scores: [YOLOBranch<Scalar>]
  private let keypoints: [YOLOBranch<Scalar>]
  private let configuration: YOLOConfiguration
  /// What each bin of a distribution stands for, in cells: `[1, bins]`.
  private let distances: Tensor<Scalar>

  init(_ weights: Weights, _ configuration: YOLOConfiguration) throws {
    let inputs = YOLOWidths(configuration).outputs
    let bins = YOLOConfiguration.bins
    let boxWidth = max(16, inputs[0] / 4, 4 * bins)
    let scoreWidth = max(inputs[0], min(configuration.classes, 100))
    boxes = try inputs.indices.map {
      try YOLOBranch(weights["cv2"][$0], inputs[$0], hidden: boxWidth, outputs: 4 * bins)
    }
    scores = try inputs.indices.map {
      try YOLOBranch(
        weights["cv3"][$0], inputs[$0], hidden: scoreWidth, outputs: configuration.classes,
        isDepthwise: configuration.generation == .v11)
    }
    let numbers = configuration.keypoints?.numbers ?? 0
    keypoints =
      try numbers == 0
      ? []
      : inputs.indices.map {
        try YOLOBranch(weights["cv4"][$0], inputs[$0], hidden: max(inputs[0] / 4, numbers), outputs: numbers)
      }
    distances = try (weights.optionalTensor("dfl.conv.weight", shape: [1, bins, 1, 1]) ?? Tensor(range: bins))
      .reshaped([bins, 1])
    self.configuration = configuration
  }

  func callAsFunction(_ features: [Tensor<Scalar>]) throws -> YOLOMaps<Scalar> {
    YOLOMaps(
      boxes: try zip(boxes, features).map { try $0($1) },
      scores: try zip(scores, features).map { try $0($1) },
      keypoints: try zip(keypoints, features).map { try $0($1) },
      configuration: configuration, distances: distances)
  }
}

/// Convolutions over one map, the last without normalisation and activation.
struct YOLOBranch<Scalar: FloatingPointScalar>: Sendable {
  private let blocks: [ConvolutionBlock<Scalar>]
  private let last: Conv2d<Scalar>

  init(_ weights: Weights, _ inputs: Int, hidden: Int, outputs: Int, isDepthwise: Bool = false) throws {
    blocks =
      try isDepthwise
      ? [
        ConvolutionBlock(weights[0][0], inputs, inputs, kernel: 3, groups: inputs),
        ConvolutionBlock(weights[0][1], inputs, hidden),
        ConvolutionBlock(weights[1][0], hidden, hidden, kernel: 3, groups: hidden),
        ConvolutionBlock(weights[1][1], hidden, hidden),
      ]
      : [
        ConvolutionBlock(weights[0], inputs, hidden, kernel: 3),
        ConvolutionBlock(weights[1], hidden, hidden, kernel: 3),
      ]
    last = try Conv2d(weights[2], inputs: hidden, outputs: outputs, kernel: 1)
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var x = x
    for block in blocks { x = try block(x) }
    return try last(x)
  }
}
