import Apus

/// MobileBERT without a head: Hugging Face's `MobileBertModel`.
///
/// Sun and others, "MobileBERT: a Compact Task-Agnostic BERT for Resource-Limited Devices", 2020.
///
///     ids                                                       [batch, length]
///     three words, linear; + position, + token type; norm       [batch, length, hidden]
///     layers, narrow inside                                     [batch, length, hidden]
///     pooler: the first token, dense, tanh                      [batch, hidden]
public struct MobileBERTModel<Scalar: FloatingPointScalar>: TextEncoder {
  /// The decoder of `MobileBertForMaskedLM`.
  public typealias Vocabulary = MobileBERTVocabulary<Scalar>

  /// `mobilebert`.
  public static var scope: String { "mobilebert" }

  /// The sizes that the parameters were checked against.
  public let configuration: MobileBERTConfiguration
  private let embeddings: MobileBERTEmbeddings<Scalar>
  private let layers: [MobileBERTLayer<Scalar>]
  private let pooler: Pooler<Scalar>?
  private let path: String

  /// The table of word embeddings, `[vocabulary, embedding]`.
  public var wordEmbeddings: Embedding<Scalar> { embeddings.words }

  /// Reads the parameters below `mobilebert` or `bert`, or at the top where there is neither.
  /// - Throws: ``ModelConfigurationError``; ``WeightsError`` for a parameter that is missing, has another shape, or
  ///   belongs to a layer beyond the configured ones.
  public init(_ weights: Weights, configuration: MobileBERTConfiguration, hasPooler: Bool, path: String) throws {
    try configuration.validate()
    let weights = Self.parameters(weights)
    self.configuration = configuration
    self.path = path
    embeddings = try MobileBERTEmbeddings(weights["embeddings"], configuration)
    layers = try (0..<configuration.layerCount).map {
      try MobileBERTLayer(weights["encoder"]["layer"][$0], configuration)
    }
    pooler =
      hasPooler
      ? try Pooler(weights["pooler"], size: configuration.hiddenSize, activates: configuration.poolerActivates) : nil
    try Self.checkAllUsed(weights)
  }

  /// The features of each token, `[batch, length, hidden]`; observed as `embeddings` and `encoder.layer.0` ….
  /// - Throws: ``TensorError`` naming the argument that has another shape, or a number outside its table.
  public func callAsFunction(_ input: TokenInput) throws -> Tensor<Scalar> {
    try input.check(configuration)
    let masks: [AttentionMask<Scalar>] = try input.attentionMasks()
    var hidden = try embeddings(input).observed(as: "\(path)embeddings")
    for (index, layer) in layers.enumerated() {
      hidden = try layer(hidden, masks: masks).observed(as: "\(path)encoder.layer.\(index)")
    }
    return hidden
  }

  /// - Parameter hidden: `[batch, length, hidden]`, of which the first token counts.
  /// - Returns: `[batch, hidden]`; the token's features as they are where the configuration has no linear layer.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a model without its pooler.
  public func pooled(_ hidden: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard let pooler else {
      throw TensorError.argument(operation: "MobileBERTModel", reason: "this model was built without its pooler")
    }
    return try pooler(hidden).observed(as: "\(path)pooler")
  }
}

/// MobileBERT's decoder: the narrow table of word embeddings, extended by a matrix of its own to all features.
///
///     scores = features[…, :embedding] · decoder.weightᵀ + features[…, embedding:] · dense.weight + bias
public struct MobileBERTVocabulary<Scalar: FloatingPointScalar>: VocabularyDecoder {
  private let decoder: Linear<Scalar>

  /// - Throws: ``ModelConfigurationError`` where words have more features than tokens; ``WeightsError``.
  public init(_ weights: Weights, configuration: MobileBERTConfiguration, wordEmbeddings: StoredMatrix) throws {
    let (size, wordSize) = (configuration.hiddenSize, configuration.embeddingSize)
    guard wordSize <= size else {
      throw configuration.invalid(
        "embedding_size", "is \(wordSize), more than hidden_size, \(size), which the masked-language head cannot have")
    }
    let table = try Self.weight(weights, configuration, wordEmbeddings: wordEmbeddings)
    var pieces = [StoredLinearWeight.outputsFirst(table)]
    if wordSize < size {
      let rest = [size - wordSize, configuration.vocabularySize]
      pieces.append(.inputsFirst(try StoredMatrix(weights, "dense.weight", shape: rest)))
    }
    decoder = try Linear(stacking: pieces, bias: Self.bias(weights, configuration))
  }

  /// `[…, vocabulary]` from `[…, hidden]`.
  public func callAsFunction(_ features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try decoder(features)
  }
}
