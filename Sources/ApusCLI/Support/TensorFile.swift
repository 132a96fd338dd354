import Apus

/// The named tensors of a `.npy`, `.npz` or `.safetensors` file.
struct TensorFile {
  let path: String
  /// In the order of the file. A `.npy` file has one tensor without a name.
  let names: [String]
  private let load: (String) throws -> AnyTensor

  static let extensions = ["npy", "npz", "safetensors"]

  init(path: String) throws {
    self.path = path
    switch Self.fileExtension(path) {
    case "npy":
      let tensor = try NPYFile.read(path: path)
      names = [""]
      load = { _ in tensor }
    case "npz":
      let archive = try NPZFile(path: path)
      names = archive.arrayNames
      load = { try archive.anyTensor(named: $0) }
    case "safetensors":
      let file = try SafetensorsFile(path: path)
      names = file.tensorNames
      load = { try file.anyTensor(named: $0) }
    default:
      throw CommandFailure(.usage, "\(path): expected a name that ends in .npy, .npz or .safetensors")
    }
  }

  func tensor(_ name: String) throws -> AnyTensor { try load(name) }

  private static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
