import Apus

/// The sizes of a MobileBERT, with Hugging Face's defaults: those of `google/mobilebert-uncased`.
public struct MobileBERTConfiguration: TextEncoderConfiguration {
  /// Words the network knows (`vocab_size`).
  public var vocabularySize = 30_522
  /// Features of a word in the table (`embedding_size`).
  public var embeddingSize = 128
  /// Features of a token between layers and as they come out (`hidden_size`).
  public var hiddenSize = 512
  /// `num_hidden_layers`.
  public var layerCount = 24
  /// `num_attention_heads`; divides ``bodySize``.
  public var headCount = 4
  /// Features between the two halves of a feed-forward network (`intermediate_size`).
  public var intermediateSize = 512
  /// Inside a feed-forward network, and in the masked-language head (`hidden_act`).
  public var hiddenActivation = Activation.relu
  /// The longest text, in tokens (`max_position_embeddings`).
  public var positionCount = 512
  /// Segments a text may have (`type_vocab_size`).
  public var tokenTypeCount = 2
  /// What keeps the root of a layer normalisation away from zero, where there is one (`layer_norm_eps`).
  public var layerNormEpsilon = 1e-12
  /// Whether a token's embedding is made from its neighbours' words too (`trigram_input`).
  public var usesTrigrams = true
  /// Whether layers work on fewer features than they pass on (`use_bottleneck`).
  public var usesBottleneck = true
  /// Features inside a bottleneck (`intra_bottleneck_size`).
  public var bottleneckSize = 128
  /// Whether the bottleneck makes queries, keys and values too (`use_bottleneck_attention`).
  public var usesBottleneckAttention = false
  /// Whether queries and keys share a bottleneck of their own (`key_query_shared_bottleneck`).
  public var sharesKeyQueryBottleneck = true
  /// Feed-forward networks in a layer, one after the other (`num_feedforward_networks`).
  public var feedForwardCount = 4
  /// `normalization_type`.
  public var normalization = NormalizationType.noNorm
  /// Whether the pooler has a linear layer and tanh (`classifier_activation`).
  public var poolerActivates = true
  /// Whether the masked-language head decodes with the table of word embeddings (`tie_word_embeddings`).
  public var tiesWordEmbeddings = true
  /// The names of the classes (`id2label`).
  public var labels = ["LABEL_0", "LABEL_1"]

  /// Features inside a layer.
  public var bodySize: Int { usesBottleneck ? bottleneckSize : hiddenSize }

  /// The sizes of `google/mobilebert-uncased`, and two classes.
  public init() {}

  /// Reads the text of a `config.json`; keys that do not change what is computed are ignored.
  /// - Parameter source: what messages call the text.
  /// - Throws: ``ModelConfigurationError`` naming the key; ``JSONError``.
  public init(json: UnsafeRawBufferPointer, source: String) throws {
    let fields = try ConfigurationFields(json, source: source)
    func size(_ key: String, _ value: Int) throws -> Int {
      try fields.integer(key, default: value, in: ConfigurationLimit.size)
    }
    vocabularySize = try fields.integer("vocab_size", default: vocabularySize, in: ConfigurationLimit.vocabulary)
    embeddingSize = try size("embedding_size", embeddingSize)
    hiddenSize = try size("hidden_size", hiddenSize)
    layerCount = try fields.integer("num_hidden_layers", default: layerCount, in: ConfigurationLimit.layers)
    headCount = try size("num_attention_heads", headCount)
    intermediateSize = try size("intermediate_size", intermediateSize)
    hiddenActivation = try fields.choice("hidden_act", default: hiddenActivation, of: Activation.byHiddenActName)
    positionCount = try fields.integer(
      "max_position_embeddings", default: positionCount, in: ConfigurationLimit.positions)
    tokenTypeCount = try size("type_vocab_size", tokenTypeCount)
    layerNormEpsilon = try fields.number("layer_norm_eps", default: layerNormEpsilon, in: ConfigurationLimit.epsilon)
    usesTrigrams = try fields.truth("trigram_input", default: usesTrigrams)
    usesBottleneck = try fields.truth("use_bottleneck", default: usesBottleneck)
    bottleneckSize = try size("intra_bottleneck_size", bottleneckSize)
    usesBottleneckAttention = try fields.truth("use_bottleneck_attention", default: usesBottleneckAttention)
    sharesKeyQueryBottleneck = try fields.truth("key_query_shared_bottleneck", default: sharesKeyQueryBottleneck)
    feedForwardCount = try size("num_feedforward_networks", feedForwardCount)
    normalization = try fields.choice(
      "normalization_type", default: normalization,
      of: Dictionary(uniqueKeysWithValues: NormalizationType.allCases.map { ($0.rawValue, $0) }))
    poolerActivates = try fields.truth("classifier_activation", default: poolerActivates)
    tiesWordEmbeddings = try fields.truth("tie_word_embeddings", default: tiesWordEmbeddings)
    labels = try fields.classLabels(limit: ConfigurationLimit.labels)
    try validate()
  }

  /// Checks ranges, that the heads divide ``bodySize``, and that queries can be made as the bottleneck's settings ask.
  /// - Throws: ``ModelConfigurationError`` naming the key of `config.json`.
  public func validate() throws {
    try validateCommon()
    try check(embeddingSize, in: ConfigurationLimit.size, key: "embedding_size")
    try check(layerCount, in: ConfigurationLimit.layers, key: "num_hidden_layers")
    try check(intermediateSize, in: ConfigurationLimit.size, key: "intermediate_size")
    try check(bottleneckSize, in: ConfigurationLimit.size, key: "intra_bottleneck_size")
    try check(feedForwardCount, in: ConfigurationLimit.size, key: "num_feedforward_networks")
    try check(heads: headCount, divide: bodySize, named: usesBottleneck ? "intra_bottleneck_size" : "hidden_size")
    // Queries are then made from all features, by a layer that takes those of the bottleneck.
    if usesBottleneck, !usesBottleneckAttention, !sharesKeyQueryBottleneck, bottleneckSize != hiddenSize {
      throw invalid(
        "key_query_shared_bottleneck",
        "is false, and so is use_bottleneck_attention: that needs intra_bottleneck_size (\(bottleneckSize)) to equal "
          + "hidden_size (\(hiddenSize))")
    }
  }
}
