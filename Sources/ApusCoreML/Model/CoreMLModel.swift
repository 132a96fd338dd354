import Apus
import ApusGraph
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
  /// The graph, nothing rewritten.
  public let graph: Graph
  /// What exporters and authors wrote beside the model, by name.
  public let metadata: [String: String]
  /// What is unusual and not wrong, a sentence each.
  public let warnings: [String]
  /// What the model takes, gives and keeps, as its description declares it.
  public let inputs: [CoreMLFeature]
  /// What the model gives.
  public let outputs: [CoreMLFeature]
  /// What it keeps from one run to the next.
  public let states: [CoreMLFeature]
  /// The version of the format that the file declares.
  public let specificationVersion: Int
  /// The names of the functions of an ML program; one is read.
  public let functions: [String]
  /// What kind of model it is, as the format calls it: `mlProgram`.
  public let kind: String
  /// The version of the set of operations of an ML program: 5 for iOS 15, 6 for iOS 16, and so on; nil for other models.
  public let operatorSet: Int?
  private let keysByFeature: [String: [String]]
  private let forms: [String: ValueForm]
  private let source: CoreMLSource

  /// The paths of the files with weights that were read so far, sorted.
  public var externalFiles: [String] { source.weights?.paths ?? [] }

  /// What the numbers of a dictionary belong to, in the order of the list that stands for it; nil where the model does
  /// not say.
  public func keys(of feature: String) -> [String]? { keysByFeature[feature] }

  /// What an input or an output stands for: pictures, dictionaries and single numbers.
  public func form(of value: String) -> ValueForm? { forms[value] }

  /// Reads the model at `url`, a package or a file. Weights stay in the mapped file.
  /// - Parameter function: the function of an ML program that is read; the one that the model names, when nil.
  /// - Throws: ``FileError``, ``FileFormatError`` for a file of another format or a compiled model, ``CoreMLError`` for a
  ///   damaged one and for what Apus does not know.
  public init(
    contentsOf url: URL, function: String? = nil, arithmetic: CoreMLArithmetic = .float32,
    access: FileAccess = .mapped
  ) throws {
    try self.init(path: url.systemPath, function: function, arithmetic: arithmetic, access: access)
  }

  /// Reads the model at `path`, a package or a file. Weights stay in the mapped file.
  /// - Parameter function: the function of an ML program that is read; the one that the model names, when nil.
  /// - Throws: ``FileError``, ``FileFormatError`` for a file of another format or a compiled model, ``CoreMLError`` for a
  ///   damaged one and for what Apus does not know.
  public init(
    path: String, function: String? = nil, arithmetic: CoreMLArithmetic = .float32, access: FileAccess = .mapped
  ) throws {
    let source: CoreMLSource
    switch try FileFormat(of: path) {
    case .coreMLPackage:
      let package = try ModelPackage(path: path)
      let folder = package.model.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      source = CoreMLSource(
        file: try MappedFile(path: package.model, access: access),
        weights: WeightFiles(folder: folder.joined(separator: "/"), access: access))
    // What is of no known format may be a damaged model, and its reader says where.
    case .coreMLModel, .unknown: source = CoreMLSource(file: try MappedFile(path: path, access: access))
    case let format: throw FileFormatError(path: path, found: format, purpose: .model)
    }
    try self.init(source, name: path, function: function, arithmetic: arithmetic)
  }

  /// Reads a model of one file that is already in memory; `name` is what messages call it.
  /// - Throws: ``FileError/empty(path:)`` for no bytes, ``FileFormatError`` for another format, ``CoreMLError`` for a
  ///   damaged model and for what Apus does not know.
  public init(
    bytes: UnsafeRawBufferPointer, name: String, function: String? = nil, arithmetic: CoreMLArithmetic = .float32
  ) throws {
    guard !bytes.isEmpty else { throw FileError.empty(path: name) }
    let file = try MappedFile(copying: bytes, name: name)
    do {
      try self.init(CoreMLSource(file: file), name: name, function: function, arithmetic: arithmetic)
    } catch let error as CoreMLError {
      if let other = FileFormatError(file, expecting: [.coreMLModel]) { throw other }
      throw error
    }
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
      operatorSet = builder.operatorSet
      kind = message.numbers.lazy.compactMap { ModelBuilder.modelTypes[$0] }.last ?? ""
      keysByFeature = builder.keys
      forms = try (inputs + outputs).reduce(into: [:]) { forms, feature in
        forms[feature.name] = try feature.form(keys: builder.keys[feature.name])
      }
      metadata = try Self.metadata(message)
      warnings =
        specificationVersion > Self.newestVersion
        ? [
          "the model declares version \(specificationVersion) of the format; \(Self.newestVersion) is the newest known"
        ]
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

  /// What the file says of itself.
  public var summary: ModelSummary {
    var census = ParameterCensus()
    graph.count(in: &census)
    var summary = ModelSummary(format: "Core ML", version: Int64(specificationVersion), parameters: census)
    summary.producer = metadata["com.github.apple.coremltools.version"].map { "coremltools \($0)" } ?? ""
    summary.text = metadata["shortDescription"] ?? ""
    summary.metadata = metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    summary.operatorSets = [.init(domain: "coreml", version: Int64(operatorSet ?? specificationVersion))]
    summary.facts = [("kind", kind)]
    if functions.count > 1 { summary.facts.append(("functions", functions.joined(separator: ", "))) }
    if !states.isEmpty { summary.facts.append(("states", states.map(\.name).joined(separator: ", "))) }
    return summary
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

extension Graph {
  /// Counts the constants that come from the file, those of subgraphs included.
  fileprivate func count(in census: inout ParameterCensus) {
    for (id, value) in constants {
      guard !captures.contains(where: { $0.inner == id }), let type = value.elementType, let shape = value.shape else {
        continue
      }
      census.add(type: "\(type)", shape: shape, bits: type.bitCount ?? 0)
    }
    for node in nodes { for subgraph in node.subgraphs.values { subgraph.count(in: &census) } }
  }
}
