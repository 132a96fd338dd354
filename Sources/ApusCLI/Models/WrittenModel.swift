import ApusGraph
import ApusONNX

extension ModelProto {
  /// Writes a model that can be read again; of another one no file is left.
  /// - Throws: ``CommandFailure`` where it cannot be read; ``FileError``, ``ONNXFileError``.
  func writeChecked(to path: String) throws {
    do {
      _ = try ONNXModel(self)
    } catch let error as GraphError {
      throw CommandFailure(
        .software, "\(path): was not written, since it could not be read: \(error); please report it")
    }
    try write(to: path)
  }
}
