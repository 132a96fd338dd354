import Apus
import ApusNetworks
import FoundationEssentials

/// A folder of Hugging Face, as it is downloaded or as `save_pretrained` writes it: `config.json`, and
/// `model.safetensors` or `model.safetensors.index.json` with the files it names.
///
/// ```swift
/// let folder = try PretrainedFolder(path: "mobilebert-uncased")
/// let model = try folder.maskedLanguageModel()
/// let scores = try model.logits(ids: [101, 7592, 103, 102], at: 2)   // [30522]
/// ```
///
/// Opening reads the configuration and the headers of the files; parameters are read when a model is made of them.
/// Other files of the folder are not looked at. Where there are both a single file and an index, the single one is
/// taken, as Hugging Face does.
///
/// Parameters may be float32, float16, bfloat16 or float64, and matrices 8-bit integers with scales, as
/// ``EightBitForm`` writes them; they stay so in memory, except that float64 is narrowed.
public struct PretrainedFolder: Sendable {
  /// The networks whose folders are read (`model_type`).
  public enum ModelType: String, Sendable, Hashable, CaseIterable {
    case bert
    case mobileBERT = "mobilebert"
  }

  /// The folder, as it was named.
  public let path: String
  /// The network that `config.json` names.
  public let modelType: ModelType
  /// The classes of Hugging Face that the folder is for (`architectures`); usually one, empty when it does not say.
  public let architectures: [String]
  /// All parameters, under the names of the files.
  public let weights: Weights
  /// What `config.json` says.
  let fields: ConfigurationFields
  private let configuration: MappedFile

  /// Opens the folder at `url`.
  /// - Throws: as ``init(path:access:)`` does.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, access: access)
  }

  /// Opens the folder at `path`, or that of the `.safetensors` file there, whose parameters are then taken.
  /// - Throws: ``FileError`` for a file that is missing or cannot be read; ``PretrainedFolderError`` for a folder of
  ///   another kind; ``JSONError`` or ``ModelConfigurationError`` for `config.json`; ``SafetensorsError``,
  ///   ``SafetensorsShardsError``, or ``FileFormatError`` for a file of another format, for the weights.
  public init(path: String, access: FileAccess = .mapped) throws {
    let file = path.hasSuffix(".safetensors") ? path : nil
    let path = file.map { parentFolder(of: $0) } ?? path
    self.path = path
    configuration = try MappedFile(path: "\(path)/config.json", access: access)
    fields = try ConfigurationFields(configuration)
    architectures = fields.architectures
    modelType = try Self.modelType(fields)
    if let method = fields.quantizationMethod, method != EightBitForm.method {
      throw ModelConfigurationError(
        source: fields.source, name: "quantization_config",
        reason: "says that \(method) quantised the weights, which is not read; expected \(EightBitForm.method)")
    }
    weights = try file.map { try Weights(path: $0, access: access) } ?? Self.weights(path, access: access)
  }

  /// The same folder with other parameters.
  public func with(_ weights: Weights) -> PretrainedFolder {
    PretrainedFolder(self, weights)
  }

  private init(_ other: PretrainedFolder, _ weights: Weights) {
    (path, modelType, architectures) = (other.path, other.modelType, other.architectures)
    (fields, configuration, self.weights) = (other.fields, other.configuration, weights)
  }

  /// The text of `config.json`.
  package var configurationText: [UInt8] { configuration.withUnsafeBytes { Array($0) } }

  /// What `model_type` says, or the class's name where it says nothing, as in folders from before there was one.
  private static func modelType(_ fields: ConfigurationFields) throws -> ModelType {
    let name = try fields.text("model_type")
    if let name, let type = ModelType(rawValue: name) { return type }
    if name == nil, let architecture = fields.architectures.first {
      if architecture.hasPrefix("MobileBert") { return .mobileBERT }
      if architecture.hasPrefix("Bert") { return .bert }
    }
    let known = ModelType.allCases.map(\.rawValue).joined(separator: ", ")
    throw ModelConfigurationError(
      source: fields.source, name: "model_type",
      reason: (name.map { "is \"\($0)\"" } ?? "is missing") + "; expected one of \(known)")
  }

  private static func weights(_ path: String, access: FileAccess) throws -> Weights {
    func isThere(_ name: String) throws -> Bool {
      do {
        _ = try MappedFile(path: "\(path)/\(name)")
        return true
      } catch FileError.notFound {
        return false
      }
    }
    if try isThere("model.safetensors") { return try Weights(path: "\(path)/model.safetensors", access: access) }
    let index = "model.safetensors.index.json"
    if try isThere(index) { return Weights(try SafetensorsShards(indexPath: "\(path)/\(index)", access: access)) }
    for name in PretrainedFolderError.otherFormats where try isThere(name) {
      throw PretrainedFolderError(folder: path, reason: .otherFormat(file: name))
    }
    throw FileError.notFound(path: "\(path)/model.safetensors")
  }
}

// MARK: - Models

extension PretrainedFolder {
  /// The network with the head that says which words may stand at a masked place.
  /// - Throws: ``PretrainedFolderError`` for a folder with another head; ``ModelConfigurationError`` and
  ///   ``WeightsError`` for a configuration that no network has, or that the parameters contradict.
  public func maskedLanguageModel() throws -> MaskedLanguageModel<Float> {
    try maskedLanguageModel(as: Float.self)
  }

  /// The same in arithmetic of the caller's choice.
  public func maskedLanguageModel<Scalar: FloatingPointScalar>(
    as type: Scalar.Type
  ) throws -> MaskedLanguageModel<Scalar> {
    let heads = ["ForMaskedLM", "ForPreTraining"]
    guard architectures.isEmpty || architectures.contains(where: { name in heads.contains(where: name.hasSuffix) })
    else {
      throw PretrainedFolderError(folder: path, reason: .otherHead(architectures: architectures))
    }
    return switch modelType {
    case .bert: MaskedLanguageModel(.bert(try model()))
    case .mobileBERT: MaskedLanguageModel(.mobileBERT(try model()))
    }
  }

  /// A model of a kind that the caller knows.
  /// - Throws: ``ModelConfigurationError`` and ``WeightsError`` for a configuration that no network has, or that the
  ///   parameters contradict.
  public func model<Model: PretrainedTextModel>(_ type: Model.Type = Model.self) throws -> Model {
    let configuration = try configuration.withUnsafeBytes {
      try Model.Encoder.Configuration(json: $0, source: fields.source)
    }
    return try Model(weights, configuration: configuration)
  }
}

extension PretrainedTextModel {
  /// Reads a folder such as Hugging Face's `save_pretrained` writes: see ``PretrainedFolder``. The type of the model is
  /// the caller's choice; what the folder says it is for is not looked at.
  /// - Throws: ``FileError``, ``FileFormatError``, ``SafetensorsError``, ``SafetensorsShardsError``, ``ModelConfigurationError``,
  ///   ``WeightsError``, ``PretrainedFolderError``.
  public init(folder: String) throws {
    self = try PretrainedFolder(path: folder).model()
  }
}

/// A folder that is right in itself, and holds something else than was asked for.
public struct PretrainedFolderError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The folder, as it was named.
  public let folder: String
  /// What it holds instead.
  public let reason: Reason

  /// What a folder can hold that is not what was asked for.
  public enum Reason: Hashable, Sendable {
    /// Weights only in a format that is not read.
    case otherFormat(file: String)
    /// A model with another head than that of a masked-language model.
    case otherHead(architectures: [String])
    /// A model with another head than that of a classifier of texts or of their tokens.
    case noClassifier(architectures: [String])
    /// Parameters in 8 bits where floating-point ones are needed.
    case alreadyQuantized(tensor: String)
  }

  /// An error about the folder at the path `folder`.
  public init(folder: String, reason: Reason) {
    self.folder = folder
    self.reason = reason
  }

  /// Files of weights that Hugging Face's folders may have instead.
  static let otherFormats = [
    "pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack", "rust_model.ot",
  ]

  /// The folder, what it holds, and what to do about it.
  public var description: String {
    switch reason {
    case .otherFormat(let file):
      """
      \(folder): holds its weights in \(file), which is not read; save them as model.safetensors, with Python: \
      transformers.AutoModelForMaskedLM.from_pretrained("\(folder)").save_pretrained("NEW_FOLDER")
      """
    case .otherHead(let architectures):
      "\(folder): holds a \(architectures.joined(separator: ", ")); expected a masked-language model, such as "
        + "MobileBertForMaskedLM"
    case .noClassifier(let architectures):
      "\(folder): holds a \(architectures.joined(separator: ", ")); expected a classifier, such as "
        + "BertForSequenceClassification or BertForTokenClassification"
    case .alreadyQuantized(let tensor):
      "\(folder): the parameter \"\(tensor)\" is in 8 bits already"
    }
  }
}

extension PretrainedFolderError {
  /// ``Fault/data``: the folder's content.
  public var fault: Fault { .data }
}
