import Apus
import ApusGraph
import FoundationEssentials

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
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw FileError.notFound(path: path)
    }
    guard isFolder else {
      throw FileError.unreadable(path: path, reason: "it is neither a folder nor a .zip archive of tests")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw FileError.unreadable(path: path, reason: "the folder cannot be listed")
    }
    return names.filter {
      FileManager.default.fileExists(atPath: "\(path)/\($0)/model.onnx")
    }.sorted()
  }

  func file(_ path: String) throws -> MappedFile? {
    let full = "\(self.path)/\(path)"
    return FileManager.default.fileExists(atPath: full) ? try MappedFile(path: full) : nil
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
