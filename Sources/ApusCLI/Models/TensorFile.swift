import Apus
import ApusFormats
import ApusGraph

/// The named tensors of a `.npy`, `.npz` or `.safetensors` file, of a folder of `.npy` files, or of values that Polygraphy
/// saved; the content says which.
struct TensorFile {
  let path: String
  /// In the order of the file. A `.npy` file has one tensor without a name.
  let names: [String]
  private let load: (String) throws -> GraphValue

  /// The formats that are read.
  static let formats: [FileFormat] = [.npy, .npz, .safetensors, .json]

  /// A file of several iterations has the values of each, named `INDEX/NAME`.
  /// - Throws: ``FileFormatError`` for a file of another format, and the errors of the formats' readers.
  init(path: String) throws {
    let iterations = try Self.iterations(path: path)
    if let only = iterations.first, iterations.count == 1 {
      self = only
      return
    }
    let places = iterations.enumerated().flatMap { index, file in
      file.names.map { ("\(index)/\($0)", (file: file, name: $0)) }
    }
    let entries = Dictionary(places, uniquingKeysWith: { first, _ in first })
    self.init(path: path, names: places.map(\.0)) { name in
      guard let (file, name) = entries[name] else {
        throw CommandFailure(.badData, "\(path): has no entry '\(name)'")
      }
      return try file.value(name)
    }
  }

  /// The iterations of a file: several only where Polygraphy saved them.
  /// - Throws: as ``init(path:)``.
  static func iterations(path: String) throws -> [TensorFile] {
    guard !isFolder(path) else {
      let folder = try ArrayFolder(path: path)
      return [TensorFile(path: path, names: folder.arrayNames) { try folder.value(named: $0) }]
    }
    switch try FileFormat(of: path) {
    case .npy:
      let value = try NPYFile.value(path: path)
      return [TensorFile(path: path, names: [""]) { _ in value }]
    case .npz:
      let archive = try NPZFile(path: path)
      return [TensorFile(path: path, names: archive.arrayNames) { try archive.value(named: $0) }]
    case .safetensors:
      let file = try SafetensorsFile(path: path)
      return [TensorFile(path: path, names: file.tensorNames) { .tensor(try file.anyTensor(named: $0)) }]
    case .json:
      let file = try PolygraphyFile(path: path)
      return file.iterations.enumerated().map { index, names in
        TensorFile(path: path, names: names) { try file.value(named: $0, in: index) }
      }
    case let format: throw FileFormatError(path: path, found: format, purpose: .tensors)
    }
  }

  private init(path: String, names: [String], load: @escaping (String) throws -> GraphValue) {
    (self.path, self.names, self.load) = (path, names, load)
  }

  /// Numbers, or texts.
  func value(_ name: String) throws -> GraphValue { try load(name) }

  /// - Throws: ``CommandFailure`` for texts.
  func tensor(_ name: String) throws -> AnyTensor {
    guard case .tensor(let tensor) = try load(name) else {
      throw CommandFailure(
        .badData, "\(path)\(name.isEmpty ? "" : ": '\(name)'"): holds texts; numbers were expected")
    }
    return tensor
  }
}

extension FileKind {
  static let tensors = FileKind(TensorFile.formats)
  /// Values of any type.
  static let values = FileKind(extensions: tensors.extensions + ["pb"])
}
