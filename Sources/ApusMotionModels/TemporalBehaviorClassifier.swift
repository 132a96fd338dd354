import Apus
import ApusMotion
import ApusNetworks

/// A temporal network of one's own in the place of ``BehaviorModel``: a ``TCN`` or a ``RecurrentClassifier`` that
/// takes the 48 coordinates of 24 keypoints.
///
/// ```swift
/// let classifier = try TemporalBehaviorClassifier(path: "my-behavior.safetensors")
/// var stream = try BehaviorStream(classifier: classifier)
/// ```
public struct TemporalBehaviorClassifier: BehaviorClassifying {
  /// The labels and the window that the network was trained with.
  public let modelInfo: BehaviorModelInfo
  /// The network itself.
  public let network: any TemporalClassifier<Float>

  /// - Parameter info: as many labels as the network has classes.
  /// - Throws: ``ModelFileError`` when the labels are more or fewer, or the network takes other than 48 coordinates.
  public init(_ network: any TemporalClassifier<Float>, info: BehaviorModelInfo) throws {
    func check(_ what: String, _ found: Int, _ expected: Int) throws {
      guard found == expected else {
        throw ModelFileError(
          file: info.name, reason: "the network has \(found) \(what), where \(expected) were expected")
      }
    }
    try check("numbers at a step", network.featureCount, PoseVector.featureCount)
    try check("classes", network.classCount, info.labels.count)
    self.network = network
    modelInfo = info
  }

  /// Reads the network from a safetensors file. The metadata may hold a ``TemporalConfiguration`` under
  /// `configuration`, the labels under `labels`, those that were training targets under `separable_labels`, separated
  /// by commas, `trained_on`, the rate it learned under `frames_per_second`, and the frames of a window under
  /// `window_length` (100 when absent).
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``; ``ModelFileError`` for a description that is not
  ///   right.
  public init(path: String) throws {
    let file = try SafetensorsFile(path: path)
    let (weights, metadata) = (Weights(file), file.metadata)
    let length = try metadata["window_length"].map { text in
      guard let length = Int(text) else {
        throw ModelFileError(file: file.name, reason: "window_length: \"\(text)\" is not an integer")
      }
      return length
    }
    let configuration = try TemporalConfiguration(metadata: metadata, file: file.name)
    let isRecurrent = weights.scope(holding: "weight_ih_l0") != nil
    try self.init(
      isRecurrent
        ? RecurrentClassifier<Float>(weights, configuration: configuration)
        : TCN<Float>(weights, configuration: configuration),
      info: BehaviorModelInfo(
        metadata: metadata, file: file.name, name: isRecurrent ? "recurrent-behavior" : "tcn-behavior",
        windowLength: length ?? 100))
  }

  /// - Parameter window: 48 coordinates of `windowLength` frames, the frames of one coordinate side by side.
  /// - Returns: a probability for each label, 1 in total.
  /// - Throws: ``MotionConfigurationError`` for another number of them.
  public func probabilities(forWindow window: [Float]) throws -> [Float] {
    try probabilities(forWindows: window, count: 1)
  }

  /// - Parameter windows: `count` windows one after the other.
  /// - Returns: a probability for each label of the first window, then of the second, and so on.
  /// - Throws: ``MotionConfigurationError`` for another number of coordinates.
  public func probabilities(forWindows windows: [Float], count: Int) throws -> [Float] {
    try check(windows, count: count)
    if count == 0 { return [] }
    let poses = try Tensor<Float>(windows, shape: [count, PoseVector.featureCount, windowLength])
    return try softmax(network(poses), axis: -1).elements
  }
}
