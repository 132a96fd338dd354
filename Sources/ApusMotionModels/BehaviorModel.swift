import Apus
import ApusMotion
import ApusNetworks
import FoundationEssentials

/// The behaviour classifier for streams of poses: a ``BehaviorClassifier``, and what its outputs are called.
///
/// ```swift
/// let model = try BehaviorModel.shipped()
/// var stream = try BehaviorStream(classifier: model)
/// ```
public struct BehaviorModel: BehaviorClassifying {
  /// Labels, window length, and what the model was trained on.
  public let modelInfo: BehaviorModelInfo
  /// The network itself.
  public let network: BehaviorClassifier<Float>

  /// Builds the model from parameters with the names of PyTorch's state dictionary.
  ///
  /// - Parameter info: as many labels as the network has outputs, and a window of 100 frames.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape; ``MotionConfigurationError`` for
  ///   another window.
  public init(_ weights: Weights, info: BehaviorModelInfo) throws {
    let length = BehaviorClassifier<Float>.windowLength
    guard info.windowLength == length else {
      throw MotionConfigurationError.wrongWindowSize(
        found: PoseVector.featureCount * info.windowLength, expected: PoseVector.featureCount * length)
    }
    modelInfo = info
    network = try BehaviorClassifier(weights, labelCount: info.labels.count)
  }

  /// Reads the model from a safetensors file.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``; ``ModelFileError`` for labels that are not right.
  public init(path: String) throws {
    try self.init(SafetensorsFile(path: path))
  }

  /// Reads the model from a safetensors file.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``; ``ModelFileError`` for labels that are not right.
  public init(contentsOf url: URL) throws {
    try self.init(SafetensorsFile(contentsOf: url))
  }

  /// Reads the model from a safetensors file whose metadata describes it: `labels`, and `separable_labels`, the ones
  /// that were training targets, separated by commas; `frames_per_second`, `trained_on`. Without them the labels are those of
  /// ``DogBehavior``, and the rate is ``BehaviorModelInfo/usualFramesPerSecond``.
  public init(_ file: SafetensorsFile) throws {
    try self.init(
      Weights(file),
      info: BehaviorModelInfo(
        metadata: file.metadata, file: file.name, name: "behavior-classifier",
        windowLength: BehaviorClassifier<Float>.windowLength,
        framesPerSecond: BehaviorModelInfo.usualFramesPerSecond))
  }

  /// The model that ships, found by ``WeightsLocator``.
  ///
  /// - Parameter weights: a file, or a folder laid out as `Weights` is, to take instead.
  /// - Throws: ``WeightsLocatorError`` when it is nowhere to be found.
  public static func shipped(weights: String? = nil) throws -> BehaviorModel {
    try BehaviorModel(path: WeightsLocator(chosen: weights).path(of: BehaviorClassifier<Float>.shippedFile))
  }

  /// The probability of each label for one window `[48, 100]`, channel-major.
  /// - Throws: ``MotionConfigurationError`` for another number of values.
  public func probabilities(forWindow window: [Float]) throws -> [Float] {
    try probabilities(forWindows: window, count: 1)
  }

  /// The probabilities for several windows in one batch: `[count, 48, 100]` becomes `[count, labels]`.
  /// - Throws: ``MotionConfigurationError`` for another number of values.
  public func probabilities(forWindows windows: [Float], count: Int) throws -> [Float] {
    try check(windows, count: count)
    if count == 0 { return [] }
    let poses = try Tensor<Float>(
      windows, shape: [count, PoseVector.featureCount, BehaviorClassifier<Float>.windowLength])
    return try network(poses).elements
  }
}
