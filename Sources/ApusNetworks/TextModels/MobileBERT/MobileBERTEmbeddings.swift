import Apus

/// A token's features: its word and its neighbours' words through a linear layer, its position and its segment.
///
/// The table of words is narrow; a token sees the words before and after it, zeros at the ends of the text.
struct MobileBERTEmbeddings<Scalar: FloatingPointScalar>: Sendable {
  let words: Embedding<Scalar>
  /// `nil` where a word's features are the token's.
  let transformation: Linear<Scalar>?
  let positions: Embedding<Scalar>
  let tokenTypes: Embedding<Scalar>
  let norm: FeatureNorm<Scalar>
  let usesTrigrams: Bool

  init(_ weights: Weights, _ configuration: MobileBERTConfiguration) throws {
    let size = configuration.hiddenSize
    let wordSize = configuration.embeddingSize
    usesTrigrams = configuration.usesTrigrams
    words = try Embedding(weights["word_embeddings"], rows: configuration.vocabularySize, features: wordSize)
    transformation =
      usesTrigrams || wordSize != size
      ? try Linear(
        biased: weights["embedding_transformation"], inputs: usesTrigrams ? 3 * wordSize : wordSize, outputs: size)
      : nil
    positions = try Embedding(weights["position_embeddings"], rows: configuration.positionCount, features: size)
    tokenTypes = try Embedding(weights["token_type_embeddings"], rows: configuration.tokenTypeCount, features: size)
    // This one, and the one in a layer's output, have the default epsilon in Hugging Face's code too.
    norm = try FeatureNorm(weights["LayerNorm"], configuration.normalization, size: size, epsilon: 1e-5)
  }

  func callAsFunction(_ input: TokenInput) throws -> Tensor<Scalar> {
    var features = try words(input.ids, argument: "ids")
    if usesTrigrams { features = try trigrams(features) }
    if let transformation { features = try transformation(features) }
    return try norm(features + positions.places(of: input) + tokenTypes.segments(of: input))
  }

  /// `[batch, length, 3 · features]`: the next token's, its own, the one's before.
  private func trigrams(_ words: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let length = words.shape[1]
    let border = try Tensor<Scalar>(zeros: [words.shape[0], 1, words.shape[2]])
    let next = try concatenate([words.sliced(axis: 1, from: 1), border], axis: 1)
    let previous = try concatenate([border, words.sliced(axis: 1, to: length - 1)], axis: 1)
    return try concatenate([next, words, previous], axis: 2)
  }
}
