import Apus
import ApusGraph

/// The named tensors of a `.npy`, `.npz` or `.safetensors` file; its content says which.
struct TensorFile {
  let path: String
  /// In the order of the file. A `.npy` file has one tensor without a name.
  let names: [String]
  private let load: (String) throws -> GraphValue

  static let extensions = ["npy", "npz", "safetensors"]

  /// - Throws: ``FileFormatError`` for a file of another format, and the errors of the formats' readers.
  init(path: String) throws {
    self.path = path
    switch try FileFormat(of: path) {
    case .npy:
      let value = try NPYFile.value(path: path)
      names = [""]
      load = { _ in value }
    case .npz:
      let archive = try NPZFile(path: path)
      names = archive.arrayNames
      load = { try archive.value(named: $0) }
    case .safetensors:
      let file = try SafetensorsFile(path: path)
      names = file.tensorNames
      load = { .tensor(try file.anyTensor(named: $0)) }
    case let format: throw FileFormatError(path: path, found: format, purpose: .tensors)
    }
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

  /// What follows the last dot of a file's name, in small letters.
  static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
