import Apus

/// An encoder with the head that says which word stands at a place: Hugging Face's `BertForMaskedLM`,
/// `MobileBertForMaskedLM`.
///
///     encoder                                        [batch, length, hidden]
///     cls.predictions.transform: dense, activation, LayerNorm
///     cls.predictions.decoder                        [batch, length, vocabulary]
///
/// The decoder is as much work as half of a small encoder. To score only some positions, pass them:
///
/// ```swift
/// let scores = try model.logits(input, at: Tensor([5], shape: [1, 1]))   // [1, 1, vocabulary]
/// ```
public struct ForMaskedLM<Encoder: TextEncoder>: PretrainedTextModel {
  /// What the encoder computes in.
  public typealias Scalar = Encoder.Scalar

  /// The network below the head.
  public let encoder: Encoder
  private let dense: Linear<Scalar>
  private let norm: FeatureNorm<Scalar>
  private let vocabulary: Encoder.Vocabulary

  /// Builds the model from parameters with Hugging Face's names.
  /// - Throws: ``ModelConfigurationError``, ``WeightsError``.
  public init(_ weights: Weights, configuration: Encoder.Configuration) throws {
    encoder = try Encoder(weights, configuration: configuration, hasPooler: false, path: Encoder.scope + ".")
    let (scope, size) = (weights["cls"]["predictions"], configuration.hiddenSize)
    dense = try Linear(biased: scope["transform"]["dense"], inputs: size, outputs: size)
    norm = try FeatureNorm(
      scope["transform"]["LayerNorm"], .layerNorm, size: size, epsilon: configuration.layerNormEpsilon)
    vocabulary = try Encoder.Vocabulary(
      scope, configuration: configuration, wordEmbeddings: encoder.wordEmbeddings.table)
  }

  /// The scores of every word at every place, `[batch, length, vocabulary]`.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput) throws -> Tensor<Scalar> {
    try predictions(encoder(input))
  }

  /// The scores of every word at some places only.
  /// - Parameter positions: `[batch, count]`; places in each text, at least 0 and less than its length.
  /// - Returns: `[batch, count, vocabulary]`.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput, at positions: Tensor<Int64>) throws -> Tensor<Scalar> {
    try input.check(encoder.configuration)
    guard positions.rank == 2, positions.shape[0] == input.batch else {
      throw TensorError.shape(
        operation: "ForMaskedLM",
        reason: "positions have the shape \(positions.shape); expected [\(input.batch), count]")
    }
    let hidden = try encoder(input)
    let chosen = try (0..<input.batch).map { text in
      try Embedding(weight: hidden.selected(axis: 0, index: text))(
        positions.selected(axis: 0, index: text), argument: "positions")
    }
    guard !chosen.isEmpty else {
      return try Tensor(zeros: [0, positions.shape[1], encoder.configuration.vocabularySize])
    }
    return try predictions(chosen.count == 1 ? chosen[0].unsqueezed(0) : stack(chosen, axis: 0))
  }

  private func predictions(_ hidden: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let features = try norm(dense(hidden, activation: encoder.configuration.hiddenActivation))
    return try vocabulary(features.observed(as: "cls.predictions.transform"))
  }
}
