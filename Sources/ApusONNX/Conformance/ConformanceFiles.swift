import Apus
import ApusGraph

/// Where conformance tests lie: a folder, or a ZIP archive of one.
protocol ConformanceFiles: Sendable {
  /// The names of the tests' folders, in alphabetical order.
  func tests() throws -> [String]
  /// A file by its path within the folder; nil when there is none.
  func file(_ path: String) throws -> MappedFile?
}

/// Tests in a folder, a folder each.
struct ConformanceFolder: ConformanceFiles {
  let path: String

  func tests() throws -> [String] {
    guard fileExists(path) else { throw FileError.notFound(path: path) }
    guard isFolder(path) else {
      throw FileError.unreadable(path: path, reason: "it is neither a folder nor a .zip archive of tests")
    }
    return try folderNames(at: path).filter { fileExists("\(path)/\($0)/model.onnx") }.sorted()
  }

  func file(_ path: String) throws -> MappedFile? {
    let full = "\(self.path)/\(path)"
    return fileExists(full) ? try MappedFile(path: full) : nil
  }
}

/// Tests in a ZIP archive, a folder each.
struct ConformanceArchive: ConformanceFiles {
  private let archive: ZipArchive
  private let entries: [String: ZipArchive.Entry]

  init(path: String) throws {
    archive = try ZipArchive(MappedFile(path: path))
    entries = Dictionary(archive.entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func tests() -> [String] {
    let suffix = "/model.onnx"
    return entries.keys.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
  }

  func file(_ path: String) throws -> MappedFile? {
    guard let entry = entries[path] else { return nil }
    let (bytes, owner) = try archive.contents(of: entry)
    return try withExtendedLifetime(owner) { try MappedFile(copying: bytes, name: path) }
  }
}
