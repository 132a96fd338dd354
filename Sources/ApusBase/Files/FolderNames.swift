import ApusPlatform

/// The names of everything in the folder at `path`, hidden ones too, in no order.
/// - Throws: ``FileError`` when it is not a folder, or cannot be read.
package func folderNames(at path: String) throws(FileError) -> [String] {
  guard !path.utf8.contains(0), let folder = opendir(path.systemBytes) else {
    let code = errno
    let reason = lastSystemError()
    if code == ENOENT { throw FileError.notFound(path: path) }
    throw FileError.unreadable(path: path, reason: code == ENOTDIR ? "it is not a folder" : reason)
  }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(systemBytes: $0.prefix { $0 != 0 }) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}
