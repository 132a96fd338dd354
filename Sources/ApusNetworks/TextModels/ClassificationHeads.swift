import Apus

/// An encoder with a classifier of whole texts: Hugging Face's `BertForSequenceClassification` and the like.
///
///     encoder, pooler       [batch, hidden]
///     classifier            [batch, labels]
public struct ForSequenceClassification<Encoder: TextEncoder>: PretrainedTextModel {
  /// The network below the classifier, with its pooler.
  public let encoder: Encoder
  private let classifier: Linear<Encoder.Scalar>

  /// Builds the model from parameters with Hugging Face's names; `classifier` has an output for each label.
  /// - Throws: ``ModelConfigurationError``, ``WeightsError``.
  public init(_ weights: Weights, configuration: Encoder.Configuration) throws {
    encoder = try Encoder(weights, configuration: configuration, hasPooler: true, path: Encoder.scope + ".")
    classifier = try Linear(
      biased: weights["classifier"], inputs: configuration.hiddenSize, outputs: configuration.labels.count)
  }

  /// The scores of each label, `[batch, labels]`; ``softmax(_:axis:)`` makes probabilities of them.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput) throws -> Tensor<Encoder.Scalar> {
    try classifier(encoder.pooled(encoder(input)))
  }
}

/// An encoder with a classifier of each token: Hugging Face's `BertForTokenClassification` and the like.
///
///     encoder               [batch, length, hidden]
///     classifier            [batch, length, labels]
public struct ForTokenClassification<Encoder: TextEncoder>: PretrainedTextModel {
  /// The network below the classifier.
  public let encoder: Encoder
  private let classifier: Linear<Encoder.Scalar>

  /// Builds the model from parameters with Hugging Face's names; `classifier` has an output for each label.
  /// - Throws: ``ModelConfigurationError``, ``WeightsError``.
  public init(_ weights: Weights, configuration: Encoder.Configuration) throws {
    encoder = try Encoder(weights, configuration: configuration, hasPooler: false, path: Encoder.scope + ".")
    classifier = try Linear(
      biased: weights["classifier"], inputs: configuration.hiddenSize, outputs: configuration.labels.count)
  }

  /// The scores of each label for each token, `[batch, length, labels]`.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput) throws -> Tensor<Encoder.Scalar> {
    try classifier(encoder(input))
  }
}

/// An encoder with a head that finds an answer in a text: Hugging Face's `BertForQuestionAnswering` and the like.
///
///     encoder               [batch, length, hidden]
///     qa_outputs            [batch, length, 2]: start and end
public struct ForQuestionAnswering<Encoder: TextEncoder>: PretrainedTextModel {
  /// The network below the head.
  public let encoder: Encoder
  private let outputs: Linear<Encoder.Scalar>

  /// Builds the model from parameters with Hugging Face's names.
  /// - Throws: ``ModelConfigurationError``, ``WeightsError``.
  public init(_ weights: Weights, configuration: Encoder.Configuration) throws {
    encoder = try Encoder(weights, configuration: configuration, hasPooler: false, path: Encoder.scope + ".")
    outputs = try Linear(biased: weights["qa_outputs"], inputs: configuration.hiddenSize, outputs: 2)
  }

  /// How well an answer starts and ends at each token, `[batch, length]` each.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput) throws -> (start: Tensor<Encoder.Scalar>, end: Tensor<Encoder.Scalar>) {
    let both = try outputs(encoder(input))
    return (try both.selected(axis: 2, index: 0), try both.selected(axis: 2, index: 1))
  }
}
