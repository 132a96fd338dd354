import Apus

/// Tells a dog's behaviour from the motion of 24 keypoints over 100 frames.
///
/// Three strided convolutions over time, a linear bottleneck, and a small classifier. Normalisation comes *after* the
/// activation, so it cannot be folded into the convolution before it.
///
///     poses                                           [batch, 48, 100]
///     encoder.0  Conv1d 48 → 64, k 7, pad 3   ReLU   encoder.2  BatchNorm1d    [batch, 64, 100]
///     encoder.3  Conv1d 64 → 128, k 5, s 2, pad 2   ReLU   encoder.5  BatchNorm1d    [batch, 128, 50]
///     encoder.6  Conv1d 128 → 256, k 3, s 2, pad 1   ReLU   encoder.8  BatchNorm1d    [batch, 256, 25]
///     flatten                                         [batch, 6400]
///     fc_mu  Linear 6400 → 32                         [batch, 32]
///     classifier.0  Linear 32 → 64   ReLU             [batch, 64]
///     classifier.3  Linear 64 → 21                    [batch, 21]
///     softmax
///
/// Channel 2k of the input is x, channel 2k + 1 is y of keypoint k, as fractions of the image's width and height from
/// its top left corner; frame 0 is the oldest. What the outputs are called, and streams of poses, are ApusMotionModels'
/// and ApusMotion's.
///
/// ```swift
/// let classifier = try BehaviorClassifier<Float>(path: "behavior-classifier.safetensors")
/// let probabilities = try classifier(poses)       // [batch, 21]
/// ```
///
/// `BehaviorClassifier<Double>` is the same model in float64: the reference that the other is compared with.
public struct BehaviorClassifier<Scalar: FloatingPointScalar>: Sendable {
  /// Outputs: one for each label.
  public let labelCount: Int

  private let encoder: [Stage]
  private let mean: Linear<Scalar>
  private let hidden: Linear<Scalar>
  private let output: Linear<Scalar>

  /// Channels of the input: x and y of each keypoint.
  public static var featureCount: Int { 48 }
  /// Frames of the input.
  public static var windowLength: Int { 100 }
  static var latentCount: Int { 32 }
  /// Outputs of a network that does not say: the behaviours it was made for.
  public static var usualLabelCount: Int { 21 }

  /// Builds the model from parameters with the names of PyTorch's state dictionary.
  ///
  /// - Parameter labelCount: how many outputs `classifier.3` must have.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape.
  public init(_ weights: Weights, labelCount: Int = usualLabelCount) throws {
    let (stages, classifier) = (weights["encoder"], weights["classifier"])
    self.labelCount = labelCount
    encoder = [
      try Stage(stages, 0, inputs: Self.featureCount, outputs: 64, kernel: 7, stride: 1),
      try Stage(stages, 3, inputs: 64, outputs: 128, kernel: 5, stride: 2),
      try Stage(stages, 6, inputs: 128, outputs: 256, kernel: 3, stride: 2),
    ]
    mean = try Linear(weights["fc_mu"].withBias, inputs: 256 * 25, outputs: Self.latentCount)
    hidden = try Linear(classifier[0].withBias, inputs: Self.latentCount, outputs: 64)
    output = try Linear(classifier[3].withBias, inputs: 64, outputs: labelCount)
  }

  /// The probability of each label, `[batch, labels]`, of pose sequences `[batch, 48, 100]`.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func callAsFunction(_ poses: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try softmax(logits(poses), axis: -1)
  }

  /// What ``callAsFunction(_:)`` applies softmax to, `[batch, labels]`.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape than `[batch, 48, 100]`.
  public func logits(_ poses: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try checkShape(poses)
    var features = poses
    for stage in encoder { features = try stage(features) }
    let latent = try mean(features.flattened(from: 1)).observed(as: "fc_mu")
    return try output(relu(hidden(latent))).observed(as: "classifier.3")
  }

  private func checkShape(_ poses: Tensor<Scalar>) throws {
    guard poses.rank == 3, poses.shape[1] == Self.featureCount, poses.shape[2] == Self.windowLength else {
      let expected = "[batch, \(Self.featureCount), \(Self.windowLength)]"
      throw TensorError.shape(
        operation: "BehaviorClassifier", reason: "poses have the shape \(poses.shape), where \(expected) was expected")
    }
  }
}

extension BehaviorClassifier {
  /// Convolution, ReLU, batch normalisation, in this order.
  private struct Stage: Sendable {
    let convolution: Conv1d<Scalar>
    let normalization: BatchNorm1d<Scalar>
    let name: String

    /// The layers numbered `index` and `index + 2`; the one between has no parameters.
    init(_ layers: Weights, _ index: Int, inputs: Int, outputs: Int, kernel: Int, stride: Int) throws {
      convolution = try Conv1d(
        layers[index].withBias, inputs: inputs, outputs: outputs, kernel: kernel, stride: stride, padding: kernel / 2)
      normalization = try BatchNorm1d(layers[index + 2].withScaleAndBias, channels: outputs)
      name = layers.fullName(String(index + 2))
    }

    func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try normalization(relu(convolution(x))).observed(as: name)
    }
  }
}

extension Weights {
  /// The same scope, once it is known to have a bias: layers do without one, this network does not.
  fileprivate var withBias: Weights {
    get throws {
      _ = try shape(of: "bias")
      return self
    }
  }

  fileprivate var withScaleAndBias: Weights {
    get throws {
      _ = try shape(of: "weight")
      return try withBias
    }
  }
}
