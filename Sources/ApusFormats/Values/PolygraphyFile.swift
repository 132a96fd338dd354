import Apus
import ApusGraph

/// Values as Polygraphy saves them in JSON: what came out of a runner (`--save-outputs`), or what went in
/// (`--save-inputs`).
///
/// Opening looks for where the arrays are; one is decoded when it is asked for.
public struct PolygraphyFile: Sendable {
  /// The names of the values of each iteration, in the order of the file.
  public let iterations: [[String]]
  private let offsets: [[UTF8Key: Int]]
  private let file: MappedFile

  /// Opens the file at `path`.
  /// - Throws: ``FileError``, ``ValueDumpError``.
  public init(path: String) throws { try self.init(MappedFile(path: path)) }

  private init(_ file: MappedFile) throws {
    func failure(_ reason: ValueDumpError.Reason) -> ValueDumpError { ValueDumpError(path: file.name, reason: reason) }
    let layout: PolygraphyLayout
    do {
      layout = try file.withUnsafeBytes { bytes in
        var reader = JSONReader(bytes)
        return try PolygraphyLayout(&reader)
      }
    } catch let error as JSONError {
      throw failure(.json(error))
    } catch let reason as ValueDumpError.Reason {
      throw failure(reason)
    }
    guard layout.runners.count <= 1 else { throw failure(.severalRunners(layout.runners)) }
    guard layout.iterations.contains(where: { !$0.isEmpty }) else { throw failure(.noValues) }
    self.file = file
    iterations = layout.iterations.map { $0.map(\.name) }
    offsets = try layout.iterations.map { values in
      try Dictionary(values.map { (UTF8Key($0.name), $0.offset) }) { _, _ in
        throw failure(.duplicateName(Self.duplicate(values.map(\.name))))
      }
    }
  }

  private static func duplicate(_ names: [String]) -> String {
    var seen: Set<UTF8Key> = []
    return names.first { !seen.insert(UTF8Key($0)).inserted } ?? ""
  }

  /// An array of numbers.
  /// - Parameter iteration: an index of ``iterations``.
  /// - Throws: ``ValueDumpError`` for a name that no value has, and for what is not written as an array; ``NumPyError``.
  public func value(named name: String, in iteration: Int = 0) throws -> GraphValue {
    func failure(_ reason: ValueDumpError.Reason) -> ValueDumpError { ValueDumpError(path: file.name, reason: reason) }
    guard offsets.indices.contains(iteration), let offset = offsets[iteration][UTF8Key(name)] else {
      throw failure(.noSuchValue(name))
    }
    do {
      return try file.withUnsafeBytes { bytes in
        var reader = JSONReader(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        guard let array = Base64.bytes(of: try reader.string()) else { throw failure(.badBase64(name)) }
        return .tensor(try array.withUnsafeBytes { try NPYFile.read(bytes: $0, name: "\(file.name): '\(name)'") })
      }
    } catch let error as JSONError {
      throw failure(.json(error))
    }
  }
}

/// Where the arrays are in a file of Polygraphy.
///
/// Results are `{"lst": [[RUNNER, [{"outputs": {NAME: VALUE, …}, …}, …]], …]}`, inputs `[{NAME: VALUE, …}, …]`. A value is
/// `{"array": TEXT}`, the text a `.npy` file in base 64, or such an object in another one under `values`.
struct PolygraphyLayout {
  typealias Values = [(name: String, offset: Int)]

  private(set) var iterations: [Values] = []
  private(set) var runners: [String] = []

  private static let depthLimit = 8
  private static let classKey = "polygraphy_class"

  /// - Throws: ``JSONError``, ``ValueDumpError/Reason``.
  init(_ reader: inout JSONReader) throws {
    if try reader.kind() == .array {
      try reader.array { reader in iterations.append(try Self.values(&reader)) }
    } else {
      var values: Values = []
      try reader.object { reader, key in
        switch key {
        case "lst": try reader.array { reader in try addRunner(&reader) }
        case Self.classKey: try reader.skip()
        default: values.append((key, try Self.offset(of: key, &reader)))
        }
      }
      if !values.isEmpty { iterations.append(values) }
    }
    try reader.end()
  }

  /// A name, and what it gave in each iteration.
  private mutating func addRunner(_ reader: inout JSONReader) throws {
    var place = 0
    try reader.array { reader in
      switch place {
      case 0: runners.append(try reader.string(limit: JSONReader.keyLimit))
      case 1: try reader.array { reader in try addIteration(&reader) }
      default: try reader.skip()
      }
      place += 1
    }
  }

  private mutating func addIteration(_ reader: inout JSONReader) throws {
    try reader.object { reader, key in
      if key == "outputs" { iterations.append(try Self.values(&reader)) } else { try reader.skip() }
    }
  }

  private static func values(_ reader: inout JSONReader) throws -> Values {
    var values: Values = []
    try reader.object { reader, key in
      if key == classKey { try reader.skip() } else { values.append((key, try offset(of: key, &reader))) }
    }
    return values
  }

  /// Where the text of a value's array begins.
  private static func offset(of name: String, _ reader: inout JSONReader, depth: Int = 0) throws -> Int {
    guard depth < depthLimit else { throw reader.error(.tooDeep(limit: depthLimit)) }
    var found: Int?
    try reader.object { reader, key in
      switch key {
      case "values": found = try offset(of: name, &reader, depth: depth + 1)
      case "array":
        guard try reader.kind() == .string else { throw reader.error(.expected("an array in base 64")) }
        found = reader.offset
        try reader.skip()
      case "tensor": throw ValueDumpError.Reason.torchTensor(name)
      default: try reader.skip()
      }
    }
    guard let found else { throw reader.error(.expected("an object with \"array\"")) }
    return found
  }
}

extension ValueDumpError.Reason: Error {}
