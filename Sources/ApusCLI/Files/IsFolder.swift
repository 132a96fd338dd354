import FoundationEssentials

/// Whether there is a folder at `path`.
func isFolder(_ path: String) -> Bool {
  var isDirectory = false
  return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
}
