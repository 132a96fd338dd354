import Apus

/// A network that turns pictures into one number for each class.
///
/// Its parameters have torchvision's names, and everything that can be read from their shapes is: the number of
/// classes, of layers, of channels.
///
/// ```swift
/// let network = try ResNet<Float>(path: "resnet50.safetensors")
/// let logits = try network(images)                // [batch, 1000]
/// let features = try network.features(images)     // [batch, 2048], what the last layer sees
/// ```
public protocol ImageClassifier<Scalar>: Sendable {
  /// The type that the network computes in.
  associatedtype Scalar: FloatingPointScalar

  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape, or has no place in the network;
  ///   ``ModelFileError`` where the configuration names another network.
  init(_ weights: Weights, configuration: ImageClassifierConfiguration) throws

  /// Channels of a picture, 3 as a rule.
  var channelCount: Int { get }
  /// The least height and width of a picture.
  var smallestSide: Int { get }
  /// Numbers that ``features(_:)`` gives for a picture.
  var featureCount: Int { get }
  /// Numbers that a picture becomes.
  var classCount: Int { get }

  /// What the last layer makes its choice from, averaged over all places: `[batch, features]`.
  ///
  /// - Parameter images: `[batch, channels, height, width]`, any size from ``smallestSide`` on.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  func features(_ images: Tensor<Scalar>) throws -> Tensor<Scalar>

  /// The classes' numbers before softmax, `[batch, classes]`, of ``features(_:)``.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape than `[batch, features]`.
  func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar>
}

extension ImageClassifier {
  /// The classes' numbers before softmax, `[batch, classes]`.
  ///
  /// - Parameter images: `[batch, channels, height, width]`, scaled as in training.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func callAsFunction(_ images: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try logits(features: features(images))
  }

  /// Reads the network from its parameters alone.
  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape, or has no place in the network.
  public init(_ weights: Weights) throws {
    try self.init(weights, configuration: ImageClassifierConfiguration())
  }

  /// Reads the network from a safetensors file, whose metadata may hold an ``ImageClassifierConfiguration`` as JSON
  /// under `configuration`.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``, ``ModelFileError``.
  public init(path: String) throws {
    let file = try SafetensorsFile(path: path)
    try self.init(
      Weights(file), configuration: ImageClassifierConfiguration(metadata: file.metadata, file: file.name))
  }

  /// Refuses what are not pictures for this network.
  func checkShape(of images: Tensor<Scalar>) throws {
    let shape = images.shape
    guard shape.count == 4, shape[1] == channelCount, min(shape[2], shape[3]) >= smallestSide else {
      throw TensorError.shape(
        operation: "\(Self.self)",
        reason: "images have the shape \(shape), where [batch, \(channelCount), height, width] with a height and width "
          + "of at least \(smallestSide) was expected")
    }
  }

  /// The mean over all places, `[batch, channels]`, of maps.
  func averaged(_ maps: Tensor<Scalar>, observedAs path: String? = nil) throws -> Tensor<Scalar> {
    var mean = try globalAveragePool(maps)
    if let path { mean = mean.observed(as: path) }
    return try mean.flattened(from: 1)
  }
}
