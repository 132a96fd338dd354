import Apus

/// Inputs that are kept: each reaches code that no other one does.
enum Corpus {
  /// The inputs at `paths`: files as they are, archives (`.zip`) by their entries; in folders the archive that is named
  /// after the target.
  static func inputs(at paths: [String], for target: any FuzzTarget) throws -> [[UInt8]] {
    try paths.flatMap { path in
      if let names = try? folderNames(at: path) {
        let archive = "\(target.name).zip"
        return names.contains(archive) ? try entries(of: "\(path)/\(archive)") : []
      }
      if path.hasSuffix(".zip") { return try entries(of: path) }
      return [try MappedFile(path: path, access: .copied).withUnsafeBytes { Array($0) }]
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
