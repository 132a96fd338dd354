import Apus
import ApusGraph
import ApusPlatform
import FoundationEssentials

/// A Core ML model: an ML program, a neural network, a classic model, or a pipeline of these, as a graph.
///
/// ```swift
/// let model = try CoreMLModel(path: "MobileNetV2.mlpackage")
/// let session = try InferenceSession(model)
/// ```
///
/// Nodes are named as the file's operations and layers, values as the file names them. An image is a tensor
/// `[1, planes, height, width]` of numbers from 0 to 255, planes in the order of its colour space; a dictionary is a list
/// of numbers in the order of ``keys(of:)``. A state `s` is an input `s`, zeros unless given, and an output `s.updated`
/// that the next run takes.
public struct CoreMLModel: GraphModel {
  public let graph: Graph
  public let metadata: [String: String]
  public let warnings: [String]
  /// What the model takes, gives and keeps, as its description declares it.
  public let inputs: [CoreMLFeature]
  public let outputs: [CoreMLFeature]
  public let states: [CoreMLFeature]
  /// The version of the format that the file declares.
  public let specificationVersion: Int
  /// The names of the functions of an ML program; one is read.
  public let functions: [String]
  private let keysByFeature: [String: [String]]
  private let source: CoreMLSource

  /// The paths of the files with weights that were read so far, sorted.
  public var externalFiles: [String] { source.weights?.paths ?? [] }

  /// What the numbers of a dictionary belong to, in the order of the list that stands for it; nil where the model does
  /// not say.
  public func keys(of feature: String) -> [String]? { keysByFeature[feature] }

  /// Reads the model at `url`, a package or a file. Weights stay in the mapped file.
  /// - Parameter function: the function of an ML program that is read; the one that the model names, when nil.
  /// - Throws: ``FileError``, ``CoreMLError`` for what is no model or has what Apus does not know.
  public init(
    contentsOf url: URL, function: String? = nil, arithmetic: CoreMLArithmetic = .float32,
    access: FileAccess = .mapped
  ) throws {
    try self.init(path: url.systemPath, function: function, arithmetic: arithmetic, access: access)
  }

  /// Reads the model at `path`, a package or a file. Weights stay in the mapped file.
  /// - Parameter function: the function of an ML program that is read; the one that the model names, when nil.
  /// - Throws: ``FileError``, ``CoreMLError`` for what is no model or has what Apus does not know.
  public init(
    path: String, function: String? = nil, arithmetic: CoreMLArithmetic = .float32, access: FileAccess = .mapped
  ) throws {
    let source: CoreMLSource
    switch Kind(path: path) {
    case .compiled: throw CoreMLError(path, .otherFormat(Self.compiledSentence))
    case .package:
      let package = try ModelPackage(path: path)
      let folder = package.model.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      source = CoreMLSource(
        file: try MappedFile(path: package.model, access: access),
        weights: WeightFiles(folder: folder.joined(separator: "/"), access: access))
    case .file: source = CoreMLSource(file: try MappedFile(path: path, access: access))
    }
    try self.init(source, name: path, function: function, arithmetic: arithmetic)
  }

  /// Reads a model of one file that is already in memory; `name` is what messages call it.
  /// - Throws: ``CoreMLError``.
  public init(
    bytes: UnsafeRawBufferPointer, name: String, function: String? = nil, arithmetic: CoreMLArithmetic = .float32
  ) throws {
    let source = CoreMLSource(file: try MappedFile(copying: bytes, name: name))
    try self.init(source, name: name, function: function, arithmetic: arithmetic)
  }

  init(_ source: CoreMLSource, name: String, function: String?, arithmetic: CoreMLArithmetic) throws {
    do {
      let message = try Fields(file: source, name: "Model")
      var builder = ModelBuilder(arithmetic: arithmetic, function: function)
      let built = try builder.model(message)
      self.source = source
      graph = built.graph
      (inputs, outputs, states) = (built.description.inputs, built.description.outputs, built.description.states)
      specificationVersion = try message.int(1)
      functions = builder.functions
      keysByFeature = builder.keys
      metadata = try Self.metadata(message)
      warnings = specificationVersion > Self.newestVersion
        ? ["the model declares version \(specificationVersion) of the format; \(Self.newestVersion) is the newest known"]
        : []
    } catch let error as ProtobufError {
      throw CoreMLError(name, .protobuf(error))
    } catch let reason as CoreMLError.Reason {
      throw CoreMLError(name, reason)
    } catch let error as OperatorError {
      throw CoreMLError(name, .invalid(at: "", error.description))
    } catch let error as TensorError {
      throw CoreMLError(name, .invalid(at: "", error.description))
    }
  }

  private static let newestVersion = 10

  private static func metadata(_ model: Fields) throws -> [String: String] {
    guard let fields = try model.message(2, "ModelDescription")?.message(100, "Metadata") else { return [:] }
    var result: [String: String] = [:]
    for entry in try fields.messages(100, "Metadata entry") { result[try entry.string(1)] = try entry.string(2) }
    for (name, number) in [("shortDescription", 1), ("version", 2), ("author", 3), ("license", 4)] {
      let text = try fields.string(number)
      if !text.isEmpty { result[name] = text }
    }
    return result
  }
}

// MARK: - Recognising

extension CoreMLModel {
  private static let compiledSentence =
    "is a compiled Core ML model (.mlmodelc), which only Apple's frameworks read; take the .mlpackage or .mlmodel that it "
    + "was compiled from"

  private enum Kind {
    case package, compiled, file

    init(path: String) {
      func exists(_ name: String) -> Bool { ApusPlatform.access("\(path)/\(name)", F_OK) == 0 }
      var bare = path[...]
      while bare.count > 1, bare.hasSuffix("/") { bare.removeLast() }
      if bare.hasSuffix(".mlmodelc") || exists("coremldata.bin") || exists("model.mil") {
        self = .compiled
      } else if exists(ModelPackage.manifestName) || bare.hasSuffix(".mlpackage") {
        self = .package
      } else {
        self = .file
      }
    }
  }

  /// Whether what lies at `path` is a Core ML model, compiled ones included: a folder by the names in it, a file by its
  /// outermost fields. Little is read.
  public static func recognizes(_ path: String) -> Bool {
    switch Kind(path: path) {
    case .package, .compiled: return true
    case .file:
      guard let file = try? MappedFile(path: path),
        let message = try? Fields(file: CoreMLSource(file: file), name: "Model")
      else { return false }
      return message.has(1) && ModelBuilder.modelTypes.keys.contains(where: message.has)
    }
  }
}
