import Apus

/// A network that makes a vector of features of each token: what all heads stand on.
public protocol TextEncoder<Scalar>: Sendable {
  /// The type that the network computes in.
  associatedtype Scalar: FloatingPointScalar
  /// The sizes that the network is built from.
  associatedtype Configuration: TextEncoderConfiguration
  /// What makes scores of the features that the masked-language head predicts a word from.
  associatedtype Vocabulary: VocabularyDecoder<Scalar, Configuration>

  /// Where Hugging Face's models with a head keep the encoder: `bert`, `mobilebert`.
  static var scope: String { get }

  /// The sizes that the parameters were checked against.
  var configuration: Configuration { get }
  /// The table of word embeddings.
  var wordEmbeddings: Embedding<Scalar> { get }

  /// - Parameters:
  ///   - weights: the encoder's parameters, under Hugging Face's names, or those of a model that it is part of.
  ///   - hasPooler: whether ``pooled(_:)`` will be asked for.
  ///   - path: what observed activations are called, before the names of the encoder's own modules.
  /// - Throws: ``ModelConfigurationError`` for sizes that cannot be; ``WeightsError`` for parameters that are missing
  ///   or have another shape than the configuration says.
  init(_ weights: Weights, configuration: Configuration, hasPooler: Bool, path: String) throws

  /// The features of each token, `[batch, length, hidden size]`.
  /// - Throws: ``TensorError`` naming the argument that has another shape, or a number outside its table.
  func callAsFunction(_ input: TokenInput) throws -> Tensor<Scalar>

  /// The features of a whole text, `[batch, hidden size]`, made from those of its first token.
  func pooled(_ hidden: Tensor<Scalar>) throws -> Tensor<Scalar>
}

extension TextEncoder {
  /// The encoder by itself, pooler included.
  /// - Throws: ``ModelConfigurationError``, ``WeightsError``.
  public init(_ weights: Weights, configuration: Configuration) throws {
    try self.init(weights, configuration: configuration, hasPooler: true, path: "")
  }

  /// The scope of the encoder's parameters: below the name Hugging Face gives it, below `bert`, as checkpoints made
  /// from TensorFlow's have it, or at the top.
  static func parameters(_ weights: Weights) -> Weights {
    for name in [scope, "bert"] where weights.contains("\(name).\(wordEmbeddingsName)") { return weights[name] }
    return weights
  }

  static var wordEmbeddingsName: String { "embeddings.word_embeddings.weight" }

  /// - Throws: ``WeightsError/Reason/unexpected(name:model:)`` naming a parameter of the encoder's layers that was
  ///   never read: there are more layers than the configuration says, or other ones.
  static func checkAllUsed(_ weights: Weights) throws {
    guard let name = weights["encoder"].unusedNames.first else { return }
    throw WeightsError(file: weights.file, reason: .unexpected(name: name, model: "\(scope) as it is configured"))
  }
}

/// Makes the scores of all words from the features of the masked-language head.
public protocol VocabularyDecoder<Scalar, Configuration>: Sendable {
  /// The type that the network computes in.
  associatedtype Scalar: FloatingPointScalar
  /// The sizes that the network is built from.
  associatedtype Configuration: TextEncoderConfiguration

  /// - Parameters:
  ///   - weights: the scope `cls.predictions`.
  ///   - wordEmbeddings: what takes the place of `decoder.weight` where that is tied and not stored.
  init(_ weights: Weights, configuration: Configuration, wordEmbeddings: StoredMatrix) throws

  /// `[…, vocabulary]` from `[…, hidden size]`.
  func callAsFunction(_ features: Tensor<Scalar>) throws -> Tensor<Scalar>
}

extension VocabularyDecoder {
  /// `decoder.weight` `[vocabulary, features]`, or the word embeddings where it is tied to them and not stored.
  static func weight(
    _ weights: Weights, _ configuration: Configuration, wordEmbeddings: StoredMatrix
  ) throws -> StoredMatrix {
    if configuration.tiesWordEmbeddings, !weights.contains("decoder.weight") { return wordEmbeddings }
    return try StoredMatrix(weights, "decoder.weight", shape: wordEmbeddings.shape)
  }

  /// The bias of each word: `decoder.bias`, or `bias`, which it is tied to.
  static func bias(_ weights: Weights, _ configuration: Configuration) throws -> Tensor<Scalar> {
    try weights.tensor(
      weights.contains("decoder.bias") ? "decoder.bias" : "bias", shape: [configuration.vocabularySize])
  }
}

/// The features of a whole text: those of its first token, through a linear layer and tanh.
struct Pooler<Scalar: FloatingPointScalar>: Sendable {
  /// `nil` leaves the features as they are.
  let dense: Linear<Scalar>?

  /// Reads `dense`.
  init(_ weights: Weights, size: Int, activates: Bool = true) throws {
    dense = activates ? try Linear(biased: weights["dense"], inputs: size, outputs: size) : nil
  }

  func callAsFunction(_ hidden: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let first = try hidden.selected(axis: 1, index: 0)
    return try dense?(first, activation: .tanh) ?? first
  }
}
