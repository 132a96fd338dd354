import Apus

/// Why the pictures of a ZIP archive cannot be read.
public struct ImageArchiveError: ApusError, Hashable, Sendable {
  /// What an archive can have wrong with it.
  public enum Reason: Error, Hashable, Sendable {
    /// It is no archive, or damaged, or of an unsupported kind.
    case archive(ZipError)
    /// An entry whose name leads out of the archive: `/x`, or with `..` in it.
    case nameLeavesArchive(String)
    /// Two pictures that lie in different folders.
    case severalFolders(String, String)
  }

  /// The archive.
  public let file: String
  /// What is wrong.
  public let reason: Reason

  /// ``Fault/data``: the archive is there, and cannot be used.
  public var fault: Fault { .data }
}

extension ImageArchiveError: CustomStringConvertible {
  /// The archive and what is wrong with it.
  public var description: String { "\(file): \(reason)" }
}

extension ImageArchiveError.Reason: CustomStringConvertible {
  /// What is wrong, without the archive.
  public var description: String {
    switch self {
    case .archive(let error): "\(error)"
    case .nameLeavesArchive(let name): "the ZIP entry \"\(name)\" has a name that leads out of the archive"
    case .severalFolders(let one, let other):
      "the pictures \"\(one)\" and \"\(other)\" are in different folders; expected all of them in one"
    }
  }
}
