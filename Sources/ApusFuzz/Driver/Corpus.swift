import Apus

/// Inputs that are kept: each reaches code that no other one does.
enum Corpus {
  /// The inputs at `paths`: files as they are, archives (`.zip`) by their entries; in folders the archive and the files that
  /// are named after the target.
  static func inputs(at paths: [String], for target: any FuzzTarget) throws -> [[UInt8]] {
    try paths.flatMap { path in
      if let names = try? folderNames(at: path) {
        let archive = "\(target.name).zip"
        let packed = names.contains(archive) ? try entries(of: "\(path)/\(archive)") : []
        return try packed + names.sorted().filter { isInput($0, of: target) }.map { try bytes(of: "\(path)/\($0)") }
      }
      return path.hasSuffix(".zip") ? try entries(of: path) : [try bytes(of: path)]
    }
  }

  /// Whether a file's name is the target's with nothing but numbers after it, as no other target's is.
  private static func isInput(_ name: String, of target: any FuzzTarget) -> Bool {
    guard name.hasPrefix("\(target.name)-") else { return false }
    return name.dropFirst(target.name.count + 1).allSatisfy { $0 == "-" || $0.isWholeNumber }
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    do {
      return try MappedFile(path: path, access: .copied).withUnsafeBytes { Array($0) }
    } catch FileError.empty {
      return []
    }
  }

  private static func entries(of path: String) throws -> [[UInt8]] {
    let archive = try ZipArchive(MappedFile(path: path, access: .copied))
    return try archive.entries.map { entry in
      let (bytes, owner) = try archive.contents(of: entry)
      return withExtendedLifetime(owner) { Array(bytes) }
    }
  }
}
