import Apus
import ApusGraph
import FoundationEssentials

/// A program of `torch.export`, which `torch.export.save` of torch 2.9 or later wrote, as a graph.
///
/// ```swift
/// let model = try TorchModel(path: "resnet18.pt2")
/// let session = try InferenceSession(model)
/// ```
///
/// Values have the names of the program's nodes, parameters and buffers their names in the module; nodes have the path of
/// the module that called them before their names: `layer1.0.conv1/conv2d_1`. A size that the program leaves open is an
/// open extent. What a program changes of its buffers is not kept: every run begins with what the archive has.
public struct TorchModel: GraphModel {
  /// The graph, nothing rewritten.
  public let graph: Graph
  /// The versions of PyTorch, of the format and of the sets of operators, by name.
  public let metadata: [String: String]
  /// What is unusual and not wrong, a sentence each.
  public let warnings: [String]
  /// The version of PyTorch that wrote the program, `2.13.0+cpu`.
  public let torchVersion: String
  /// The version of the format, of which 8.x is read.
  public let schemaVersion: (major: Int, minor: Int)
  /// The programs that the archive has; one is read.
  public let programs: [String]
  private let operatorSets: [ModelSummary.OperatorSet]
  private let census: [(operator: String, count: Int)]
  private let isCore: Bool
  private let ranges: [(name: String, range: SizeRange)]
  private let file: MappedFile

  /// All is in the archive.
  public var externalFiles: [String] { [] }

  /// Outputs have the names of the nodes that give them, which count how often an operator came before.
  public var hasNamedOutputs: Bool { false }

  /// Reads the archive at `url`. Weights stay in the mapped file.
  /// - Parameter program: the program that is read; the one called `model`, or the first, when nil.
  /// - Throws: ``FileError``, ``FileFormatError`` for a file of another format, ``TorchError`` for a damaged one and for
  ///   what Apus does not know.
  public init(contentsOf url: URL, program: String? = nil, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, program: program, access: access)
  }

  /// Reads the archive at `path`. Weights stay in the mapped file.
  /// - Parameter program: the program that is read; the one called `model`, or the first, when nil.
  /// - Throws: ``FileError``, ``FileFormatError`` for a file of another format, ``TorchError`` for a damaged one and for
  ///   what Apus does not know.
  public init(path: String, program: String? = nil, access: FileAccess = .mapped) throws {
    switch try FileFormat(of: path) {
    // What is of no known format may be a damaged archive, and its reader says where.
    case .torchExport, .unknown, .zip: try self.init(MappedFile(path: path, access: access), program: program)
    case let format: throw FileFormatError(path: path, found: format, purpose: .model)
    }
  }

  /// Reads an archive that is already in memory; `name` is what messages call it.
  /// - Throws: ``FileError/empty(path:)`` for no bytes, ``FileFormatError`` for another format, ``TorchError`` for a
  ///   damaged archive and for what Apus does not know.
  public init(bytes: UnsafeRawBufferPointer, name: String, program: String? = nil) throws {
    guard !bytes.isEmpty else { throw FileError.empty(path: name) }
    let file = try MappedFile(copying: bytes, name: name)
    do {
      try self.init(file, program: program)
    } catch let error as TorchError {
      if let other = FileFormatError(file, expecting: [.torchExport, .zip]) { throw other }
      throw error
    }
  }

  init(_ file: MappedFile, program: String?) throws {
    self.file = file
    do {
      let archive = try TorchArchive(file, program: program)
      let message = try archive.program()
      var builder = ProgramBuilder(message, archive)
      graph = try builder.build()
      ranges = builder.ranges
      programs = archive.programs
      torchVersion = message.torchVersion
      schemaVersion = message.version
      isCore = message.isCore
      operatorSets = message.operatorSets.sorted { $0.key < $1.key }.map {
        .init(domain: $0.key, version: Int64($0.value))
      }
      let counts = Dictionary(
        message.graph.nodes.map { (OperatorTarget($0.target).description, 1) }, uniquingKeysWith: +)
      census = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
      metadata = [
        "torch_version": message.torchVersion, "schema_version": "\(message.version.major).\(message.version.minor)",
      ]
      let newest = TorchProgram.newestMinor
      warnings =
        builder.warnings
        + (message.version.minor > newest
          ? ["the program declares version 8.\(message.version.minor) of the format; 8.\(newest) is the newest known"]
          : [])
    } catch let reason as TorchError.Reason {
      throw TorchError(file.name, reason)
    } catch let error where error is OperatorError || error is TensorError {
      throw TorchError(file.name, .invalid(at: "", "\(error)"))
    }
  }

  /// Throws when the archive is no longer what it was.
  public func checkFiles() throws { try file.checkIsWhole() }

  /// What the file says of itself.
  public var summary: ModelSummary {
    var parameters = ParameterCensus()
    for (id, value) in graph.constants where !graph.values[id].name.contains("/constant_") {
      guard let type = value.elementType, let shape = value.shape else { continue }
      parameters.add(type: "\(type)", shape: shape, bits: type.bitCount ?? 0)
    }
    var summary = ModelSummary(format: "PyTorch export", version: Int64(schemaVersion.major), parameters: parameters)
    summary.producer = torchVersion.isEmpty ? "" : "torch \(torchVersion)"
    summary.operatorSets = operatorSets
    summary.metadata = metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    summary.facts = [("dialect", isCore ? "core ATen" : "ATen")]
    if programs.count > 1 { summary.facts.append(("programs", programs.joined(separator: ", "))) }
    if !ranges.isEmpty {
      summary.facts.append(("made for", ranges.map { "\($0.name) \($0.range)" }.joined(separator: ", ")))
    }
    let names = census.map { $0.count == 1 ? $0.operator : "\($0.operator) × \($0.count)" }
    summary.facts.append(("calls", names.joined(separator: ", ")))
    return summary
  }
}
