import Apus

/// The sizes of a BERT, with Hugging Face's defaults: those of `bert-base-uncased`.
public struct BERTConfiguration: TextEncoderConfiguration {
  public var vocabularySize = 30_522
  public var hiddenSize = 768
  /// `num_hidden_layers`.
  public var layerCount = 12
  /// `num_attention_heads`; divides ``hiddenSize``.
  public var headCount = 12
  /// Features between the two halves of a feed-forward network (`intermediate_size`).
  public var intermediateSize = 3072
  public var hiddenActivation = Activation.gelu()
  public var positionCount = 512
  public var tokenTypeCount = 2
  public var layerNormEpsilon = 1e-12
  public var tiesWordEmbeddings = true
  public var labels = ["LABEL_0", "LABEL_1"]

  public init() {}

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

  public func validate() throws {
    try validateCommon()
    try check(layerCount, in: ConfigurationLimit.layers, key: "num_hidden_layers")
    try check(intermediateSize, in: ConfigurationLimit.size, key: "intermediate_size")
    try check(heads: headCount, divide: hiddenSize, named: "hidden_size")
  }
}
