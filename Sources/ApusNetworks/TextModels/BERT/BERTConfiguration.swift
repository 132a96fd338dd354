import Apus

/// The sizes of a BERT, with Hugging Face's defaults: those of `bert-base-uncased`.
public struct BERTConfiguration: TextEncoderConfiguration {
  /// Words the network knows (`vocab_size`).
  public var vocabularySize = 30_522
  /// Features of a token, between layers and as they come out (`hidden_size`).
  public var hiddenSize = 768
  /// `num_hidden_layers`.
  public var layerCount = 12
  /// `num_attention_heads`; divides ``hiddenSize``.
  public var headCount = 12
  /// Features between the two halves of a feed-forward network (`intermediate_size`).
  public var intermediateSize = 3072
  /// Between the two halves of a feed-forward network, and in the masked-language head (`hidden_act`).
  public var hiddenActivation = Activation.gelu()
  /// The longest text, in tokens (`max_position_embeddings`).
  public var positionCount = 512
  /// Segments a text may have (`type_vocab_size`).
  public var tokenTypeCount = 2
  /// What keeps the root of a layer normalisation away from zero (`layer_norm_eps`).
  public var layerNormEpsilon = 1e-12
  /// Whether the masked-language head decodes with the table of word embeddings (`tie_word_embeddings`).
  public var tiesWordEmbeddings = true
  /// The names of the classes (`id2label`).
  public var labels = ["LABEL_0", "LABEL_1"]

  /// The sizes of `bert-base-uncased`, and two classes.
  public init() {}

  /// Reads the text of a `config.json`; keys that do not change what is computed are ignored.
  /// - Parameter source: what messages call the text.
  /// - Throws: ``ModelConfigurationError`` naming the key, for a decoder, cross attention, and relative positions too;
  ///   ``JSONError``.
  public init(json: UnsafeRawBufferPointer, source: String) throws {
    let fields = try ConfigurationFields(json, source: source)
    vocabularySize = try fields.integer("vocab_size", default: vocabularySize, in: ConfigurationLimit.vocabulary)
    hiddenSize = try fields.integer("hidden_size", default: hiddenSize, in: ConfigurationLimit.size)
    layerCount = try fields.integer("num_hidden_layers", default: layerCount, in: ConfigurationLimit.layers)
    headCount = try fields.integer("num_attention_heads", default: headCount, in: ConfigurationLimit.size)
    intermediateSize = try fields.integer("intermediate_size", default: intermediateSize, in: ConfigurationLimit.size)
    hiddenActivation = try fields.choice("hidden_act", default: hiddenActivation, of: Activation.byHiddenActName)
    positionCount = try fields.integer(
      "max_position_embeddings", default: positionCount, in: ConfigurationLimit.positions)
    tokenTypeCount = try fields.integer("type_vocab_size", default: tokenTypeCount, in: ConfigurationLimit.size)
    layerNormEpsilon = try fields.number("layer_norm_eps", default: layerNormEpsilon, in: ConfigurationLimit.epsilon)
    tiesWordEmbeddings = try fields.truth("tie_word_embeddings", default: tiesWordEmbeddings)
    labels = try fields.classLabels(limit: ConfigurationLimit.labels)
    // What would compute something else.
    try fields.require("is_decoder", toBe: false)
    try fields.require("add_cross_attention", toBe: false)
    _ = try fields.choice("position_embedding_type", default: 0, of: ["absolute": 0])
    try validate()
  }

  /// Checks ranges, and that the heads divide ``hiddenSize``.
  /// - Throws: ``ModelConfigurationError`` naming the key of `config.json`.
  public func validate() throws {
    try validateCommon()
    try check(layerCount, in: ConfigurationLimit.layers, key: "num_hidden_layers")
    try check(intermediateSize, in: ConfigurationLimit.size, key: "intermediate_size")
    try check(heads: headCount, divide: hiddenSize, named: "hidden_size")
  }
}
