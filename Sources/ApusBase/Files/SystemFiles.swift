import ApusPlatform

/// What the system says of the file at `path`, links followed; nil where there is nothing that can be looked at.
package func fileStatus(_ path: String) -> stat? {
  guard !path.utf8.contains(0) else { return nil }
  var status = stat()
  return stat(path.systemBytes, &status) == 0 ? status : nil
}

/// Whether there is something at `path`.
package func fileExists(_ path: String) -> Bool { fileStatus(path) != nil }

/// Whether there is a folder at `path`.
package func isFolder(_ path: String) -> Bool { fileStatus(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

/// Whether there is a regular file at `path`.
package func isRegularFile(_ path: String) -> Bool { fileStatus(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

/// Makes a folder, and those around it; nothing where it is already.
/// - Throws: ``FileError/unwritable(path:reason:)``.
package func makeFolder(at path: String) throws(FileError) {
  guard !path.isEmpty, !path.utf8.contains(0) else {
    throw FileError.unwritable(path: path, reason: "not the name of a folder")
  }
  if mkdir(path.systemBytes, 0o777) == 0 { return }
  let code = errno
  var reason = lastSystemError()
  if code == ENOENT {
    let parent = parentFolder(of: path)
    if parent != path, parent != "." {
      try makeFolder(at: parent)
      if mkdir(path.systemBytes, 0o777) == 0 { return }
      reason = lastSystemError()
    }
  }
  if let status = fileStatus(path) {
    if status.st_mode & S_IFMT == S_IFDIR { return }
    reason = "it is no folder"
  }
  throw FileError.unwritable(path: path, reason: reason)
}
