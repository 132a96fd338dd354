import Apus

/// BERT without a head: Hugging Face's `BertModel`.
///
/// Devlin and others, "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", 2018.
///
///     ids                                                      [batch, length]
///     word + token type + position embeddings, LayerNorm       [batch, length, hidden]
///     as often as there are layers:
///       attention of several heads, dense, + x, LayerNorm
///       dense, activation, dense, + x, LayerNorm
///     pooler: the first token, dense, tanh                     [batch, hidden]
public struct BERTModel<Scalar: FloatingPointScalar>: TextEncoder {
  /// The decoder of `BertForMaskedLM`.
  public typealias Vocabulary = BERTVocabulary<Scalar>

  /// `bert`.
  public static var scope: String { "bert" }

  /// The sizes that the parameters were checked against.
  public let configuration: BERTConfiguration
  private let embeddings: BERTEmbeddings<Scalar>
  private let layers: [BERTLayer<Scalar>]
  private let pooler: Pooler<Scalar>?
  private let path: String

  /// The table of word embeddings, `[vocabulary, hidden]`.
  public var wordEmbeddings: Embedding<Scalar> { embeddings.words }

  /// Reads the parameters below `bert`, or at the top where there is none.
  /// - Throws: ``ModelConfigurationError``; ``WeightsError`` for a parameter that is missing, has another shape, or
  ///   belongs to a layer beyond the configured ones.
  public init(_ weights: Weights, configuration: BERTConfiguration, hasPooler: Bool, path: String) throws {
    try configuration.validate()
    let weights = Self.parameters(weights)
    self.configuration = configuration
    self.path = path
    embeddings = try BERTEmbeddings(weights["embeddings"], configuration)
    layers = try (0..<configuration.layerCount).map { try BERTLayer(weights["encoder"]["layer"][$0], configuration) }
    pooler = hasPooler ? try Pooler(weights["pooler"], size: configuration.hiddenSize) : nil
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
  /// - Returns: `[batch, hidden]`.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a model without its pooler.
  public func pooled(_ hidden: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard let pooler else {
      throw TensorError.argument(operation: "BERTModel", reason: "this model was built without its pooler")
    }
    return try pooler(hidden).observed(as: "\(path)pooler")
  }
}

struct BERTEmbeddings<Scalar: FloatingPointScalar>: Sendable {
  let words: Embedding<Scalar>
  let positions: Embedding<Scalar>
  let tokenTypes: Embedding<Scalar>
  let norm: FeatureNorm<Scalar>

  init(_ weights: Weights, _ configuration: BERTConfiguration) throws {
    let size = configuration.hiddenSize
    words = try Embedding(weights["word_embeddings"], rows: configuration.vocabularySize, features: size)
    positions = try Embedding(weights["position_embeddings"], rows: configuration.positionCount, features: size)
    tokenTypes = try Embedding(weights["token_type_embeddings"], rows: configuration.tokenTypeCount, features: size)
    norm = try FeatureNorm(
      weights["LayerNorm"], .layerNorm, size: size, epsilon: configuration.layerNormEpsilon)
  }

  func callAsFunction(_ input: TokenInput) throws -> Tensor<Scalar> {
    let words = try words(input.ids, argument: "ids")
    return try norm(words + tokenTypes.segments(of: input) + positions.places(of: input))
  }
}

extension Embedding {
  /// The rows of a table of token types: `[batch, length, features]`, or `[features]` where all are 0.
  func segments(of input: TokenInput) throws -> Tensor<Scalar> {
    guard let types = input.tokenTypes else { return try rows(0..<1).reshaped([table.shape[1]]) }
    return try self(types, argument: "tokenTypes")
  }

  /// The rows of a table of positions: `[batch, length, features]`, or `[length, features]` where texts start at 0.
  func places(of input: TokenInput) throws -> Tensor<Scalar> {
    guard let positions = input.positions else { return try rows(0..<input.length) }
    return try self(positions, argument: "positions")
  }
}

struct BERTLayer<Scalar: FloatingPointScalar>: Sendable {
  let attention: SelfAttention<Scalar>
  let attentionOutput: ResidualOutput<Scalar>
  let feedForward: FeedForward<Scalar>

  init(_ weights: Weights, _ configuration: BERTConfiguration) throws {
    let (size, epsilon) = (configuration.hiddenSize, configuration.layerNormEpsilon)
    let scope = weights["attention"]
    attention = try SelfAttention(scope["self"], size: size, valueInputs: size, heads: configuration.headCount)
    attentionOutput = try ResidualOutput(
      scope["output"], inputs: size, outputs: size, norm: .layerNorm, epsilon: epsilon)
    feedForward = try FeedForward(
      weights, size: size, intermediateSize: configuration.intermediateSize,
      activation: configuration.hiddenActivation, norm: .layerNorm, epsilon: epsilon)
  }

  func callAsFunction(_ x: Tensor<Scalar>, masks: [AttentionMask<Scalar>]) throws -> Tensor<Scalar> {
    try feedForward(attentionOutput(attention(x, values: x, masks: masks), residual: x))
  }
}

/// BERT's decoder: the table of word embeddings as a linear layer.
public struct BERTVocabulary<Scalar: FloatingPointScalar>: VocabularyDecoder {
  private let decoder: Linear<Scalar>

  /// Reads `decoder.weight`, where it is stored or not tied, and the bias of each word.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape.
  public init(_ weights: Weights, configuration: BERTConfiguration, wordEmbeddings: StoredMatrix) throws {
    decoder = try Linear(
      stacking: [.outputsFirst(Self.weight(weights, configuration, wordEmbeddings: wordEmbeddings))],
      bias: Self.bias(weights, configuration))
  }

  /// `[…, vocabulary]` from `[…, hidden]`: a product with the table, and a bias.
  public func callAsFunction(_ features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try decoder(features)
  }
}
