import Apus

/// What a network that reads text is built from: the sizes in Hugging Face's `config.json`.
public protocol TextEncoderConfiguration: Sendable, Hashable {
  /// Words the network knows (`vocab_size`).
  var vocabularySize: Int { get }
  /// Features of a token, as the encoder gives them (`hidden_size`).
  var hiddenSize: Int { get }
  /// The longest text, in tokens (`max_position_embeddings`).
  var positionCount: Int { get }
  /// Segments a text may have (`type_vocab_size`).
  var tokenTypeCount: Int { get }
  /// `hidden_act`.
  var hiddenActivation: Activation { get }
  /// What keeps the root of a layer normalisation away from zero (`layer_norm_eps`).
  var layerNormEpsilon: Double { get }
  /// Whether the decoder of the masked-language head is the table of word embeddings (`tie_word_embeddings`).
  var tiesWordEmbeddings: Bool { get }
  /// The names of the classes (`id2label`); a head for classification has an output for each.
  var labels: [String] { get }

  /// Reads the text of a `config.json`, with Hugging Face's defaults for what it does not say.
  /// - Parameter source: what messages call the text.
  /// - Throws: ``ModelConfigurationError`` naming the key; ``JSONError``.
  init(json: UnsafeRawBufferPointer, source: String) throws

  /// - Throws: ``ModelConfigurationError`` naming a value that no network can have.
  func validate() throws
}

extension TextEncoderConfiguration {
  /// Reads the text of a `config.json`.
  /// - Throws: ``ModelConfigurationError`` naming the key; ``JSONError``.
  public init(json: String, source: String = "config.json") throws {
    var text = json
    self = try text.withUTF8 { try Self(json: UnsafeRawBufferPointer($0), source: source) }
  }

  /// Reads a `config.json`.
  /// - Throws: ``FileError``; ``ModelConfigurationError`` naming the key; ``JSONError``.
  public init(path: String) throws {
    let file = try MappedFile(path: path, access: .mapped)
    self = try file.withUnsafeBytes { try Self(json: $0, source: path) }
  }
}

/// Bounds on the numbers of a configuration: far beyond any network there is, far below what overflows.
enum ConfigurationLimit {
  static let size = 1...(1 << 16)
  static let vocabulary = 1...(1 << 24)
  static let positions = 1...(1 << 24)
  static let layers = 0...4096
  static let labels = 1 << 16
  static let epsilon = 0.0...1.0
}

extension TextEncoderConfiguration {
  /// - Throws: ``ModelConfigurationError`` when a value is outside its bounds.
  func check(_ value: Int, in range: ClosedRange<Int>, key: String) throws {
    guard range.contains(value) else {
      throw invalid(key, "is \(value); expected \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// - Throws: ``ModelConfigurationError`` when the heads do not divide the features.
  func check(heads: Int, divide features: Int, named name: String) throws {
    try check(heads, in: ConfigurationLimit.size, key: "num_attention_heads")
    guard features.isMultiple(of: heads) else {
      throw invalid("num_attention_heads", "is \(heads), which does not divide \(name), \(features)")
    }
  }

  /// Checks what all such networks have.
  func validateCommon() throws {
    try check(vocabularySize, in: ConfigurationLimit.vocabulary, key: "vocab_size")
    try check(hiddenSize, in: ConfigurationLimit.size, key: "hidden_size")
    try check(positionCount, in: ConfigurationLimit.positions, key: "max_position_embeddings")
    try check(tokenTypeCount, in: ConfigurationLimit.size, key: "type_vocab_size")
    try check(labels.count, in: 1...ConfigurationLimit.labels, key: "num_labels")
    guard ConfigurationLimit.epsilon.contains(layerNormEpsilon) else {
      throw invalid("layer_norm_eps", "is \(layerNormEpsilon); expected 0 to 1")
    }
  }

  func invalid(_ key: String, _ reason: String) -> ModelConfigurationError {
    ModelConfigurationError(source: "configuration", name: key, reason: reason)
  }
}

extension Activation {
  /// The functions `hidden_act` may name.
  static let byHiddenActName: [String: Activation] = [
    "gelu": .gelu(), "gelu_python": .gelu(), "gelu_new": .gelu(approximate: .tanh),
    "gelu_pytorch_tanh": .gelu(approximate: .tanh), "gelu_python_tanh": .gelu(approximate: .tanh),
    "gelu_accurate": .gelu(approximate: .tanh), "relu": .relu, "relu6": .relu6, "leaky_relu": .leakyReLU(),
    "silu": .silu, "swish": .silu, "mish": .mish, "tanh": .tanh, "sigmoid": .sigmoid, "hardswish": .hardSwish,
    "linear": .identity,
  ]
}
