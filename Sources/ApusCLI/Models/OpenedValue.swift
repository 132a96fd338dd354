import Apus
import ApusGraph
import ApusONNX

/// Reads a value from a `.pb` that a command is given, whose elements may lie in files of their own.
/// - Throws: ``CommandFailure`` where one of these is to be written; what ``ValueFile`` throws.
func openValue(
  _ path: String, as type: GraphValueType = .tensor(nil, nil)
) throws -> (name: String, value: GraphValue) {
  let (name, value, files) = try ValueFile.readNamingFiles(contentsOf: path, as: type)
  try CheckedFiles.current.add(files, as: "the data of \(path),")
  return (name, value)
}
