import Apus
import FoundationEssentials

/// A folder whose name ends with `.mlpackage`: a manifest, a model, and files with its weights.
struct ModelPackage {
  /// The path of the model's own file.
  let model: String
  /// The folder that files with weights lie in.
  let data: String

  static let manifestName = "Manifest.json"
  /// A manifest is some hundred bytes.
  private static let manifestLimit = 1 << 20

  /// Reads the manifest of the package at `path`.
  /// - Throws: ``CoreMLError`` for a manifest that makes no sense or names places outside of the package.
  init(path: String) throws {
    let file: MappedFile
    do {
      file = try MappedFile(path: "\(path)/\(Self.manifestName)", limit: Self.manifestLimit)
    } catch let error as FileError {
      throw CoreMLError(path, .package("\(error)"))
    }
    let (root, items): (String, [String: String])
    do {
      (root, items) = try file.withUnsafeBytes(Self.contents)
    } catch let error as JSONError {
      throw CoreMLError(path, .package("\(Self.manifestName): \(error)"))
    }
    guard let item = items[root] else {
      throw CoreMLError(path, .package("\(Self.manifestName) names no item '\(root)', its root model"))
    }
    data = "\(path)/Data"
    model = "\(data)/" + (try Self.checked(item, of: path))
  }

  private static func contents(_ bytes: UnsafeRawBufferPointer) throws -> (root: String, items: [String: String]) {
    var root = ""
    var items: [String: String] = [:]
    var reader = JSONReader(bytes)
    try reader.object { reader, key in
      switch key {
      case "rootModelIdentifier": root = try reader.string()
      case "itemInfoEntries":
        try reader.object { reader, identifier in
          var path = ""
          try reader.object { reader, key in
            if key == "path" { path = try reader.string() } else { try reader.skip() }
          }
          items[identifier] = path
        }
      default: try reader.skip()
      }
    }
    try reader.end()
    return (root, items)
  }

  /// A path of the package's own, which must not leave it.
  static func checked(_ path: String, of package: String) throws -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, !path.utf8.contains(0), !path.hasPrefix("/"),
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
    else {
      throw CoreMLError(package, .package("'\(path)' is not the path of a file within the package"))
    }
    return path
  }
}
