import Apus
import ApusPlatform

/// Which file a path means, whatever links lead to it: the same for every name of one file, and for every spelling of a
/// name that no file has yet.
struct FileIdentity: Hashable, Sendable {
  /// What kind of thing is there.
  enum Kind {
    case file, folder
    /// Nothing yet.
    case absent
    /// A pipe, a device: nothing that could be lost.
    case other
  }

  private let device: UInt64
  private let number: UInt64
  /// What follows the last folder that is there; empty for what is there itself.
  private let rest: String

  private init(_ status: stat, rest: String = "") {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    self.rest = rest
  }

  private static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  /// What `path` means; nil for what cannot be looked at.
  static func of(_ path: String) -> (identity: FileIdentity, kind: Kind)? {
    guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
    var status = stat()
    if stat(path.systemBytes, &status) == 0 { return (FileIdentity(status), kind(status)) }
    var (folder, rest) = (throughLinks(path) ?? path, "")
    repeat {
      folder = withoutTrailingSlashes(folder)
      let name = folder.split(separator: "/").last.map(String.init) ?? ""
      folder = parentFolder(of: folder)
      if name != "." { rest = rest.isEmpty ? name : "\(name)/\(rest)" }
      if stat(folder.systemBytes, &status) == 0 { return (FileIdentity(status, rest: rest), .absent) }
    } while folder != "/" && folder != "."
    return nil
  }

  /// The path of `path` without links, the same before and after something is made there or replaced; nil for what cannot
  /// be anywhere.
  static func place(of path: String) -> String? {
    guard !path.isEmpty, !path.utf8.contains(0), var folder = throughLinks(path) else { return nil }
    var names: [Substring] = []
    while true {
      if let real = realPath(folder) {
        // Folders that are not there yet will be no links.
        let parts = names.reversed().reduce(into: real.split(separator: "/")) { parts, name in
          if name == ".." { _ = parts.popLast() } else if name != "." { parts.append(name) }
        }
        return "/" + parts.joined(separator: "/")
      }
      folder = withoutTrailingSlashes(folder)
      guard folder != "/", folder != ".", let name = folder.split(separator: "/").last else { return nil }
      names.append(name)
      folder = parentFolder(of: folder)
    }
  }

  /// The regular file that a descriptor reads or writes; nil for a pipe, a terminal, or nothing.
  static func ofFile(_ descriptor: Int32) -> FileIdentity? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, kind(status) == .file else { return nil }
    return FileIdentity(status)
  }
}
