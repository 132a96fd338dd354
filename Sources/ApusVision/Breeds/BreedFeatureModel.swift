import Apus

/// Classifies breeds by features that something else has computed of a picture: a multinomial logistic regression whose
/// first class is the reference.
///
///     s₀ = 0        sₖ = wₖ · f + bₖ, k = 1 …        p = softmax(s)
///
/// The weights file is safetensors with `weights` `[classes - 1, features]` and `offset` `[classes - 1]`.
public struct BreedFeatureModel: Sendable {
  /// The classes, the reference first.
  public let labels: [String]
  /// The numbers that it takes of a picture: the columns of `weights`.
  public let featureCount: Int
  private let weights: Tensor<Double>
  private let offset: Tensor<Double>

  /// - Parameter labels: one per class, the reference first; the 120 breeds when absent.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError`` for shapes that do not fit.
  public init(path: String, labels: [String]? = nil) throws {
    try self.init(Weights(SafetensorsFile(path: path)), labels: labels)
  }

  /// - Throws: ``WeightsError`` for shapes that do not fit.
  public init(_ parameters: Weights, labels: [String]? = nil) throws {
    let labels = labels ?? DogBreed.all.map(\.label)
    featureCount = try parameters.shape(of: "weights").last ?? 0
    weights = try parameters.tensor("weights", shape: [labels.count - 1, featureCount])
    offset = try parameters.tensor("offset", shape: [labels.count - 1])
    self.labels = labels
  }

  /// - Parameter features: as many numbers as the model has columns.
  /// - Throws: ``BreedError`` for another number of them, and numbers that are not finite.
  public func callAsFunction(_ features: [Double]) throws -> BreedRanking {
    guard features.count == featureCount else {
      throw BreedError("\(features.count) features; the model takes \(featureCount)")
    }
    if let index = features.firstIndex(where: { !$0.isFinite }) {
      throw BreedError("feature \(index) is \(features[index])")
    }
    let scores = try matmul(weights, Tensor(features, shape: [featureCount, 1])).flattened() + offset
    let all = try concatenate([Tensor<Double>(zeros: [1]), scores], axis: 0)
    return try BreedRanking(labels: labels, probabilities: softmax(all, axis: 0).elements)
  }
}
