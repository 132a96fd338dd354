import Apus
import ApusGraph

/// The file that messages are read from, with the files beside it that hold tensors of it.
package final class FileSource: ProtobufSource {
  package let file: MappedFile
  let externalFiles: ExternalFiles?

  /// - Parameter externalFiles: nil where there is no folder to look in.
  package init(file: MappedFile, externalFiles: ExternalFiles? = nil) {
    self.file = file
    self.externalFiles = externalFiles
  }

  /// The paths of the external files that were read so far, sorted.
  var externalPaths: [String] { externalFiles?.paths ?? [] }

  /// - Throws: ``FileError/shrank(path:)``.
  func checkFiles() throws {
    try file.checkIsWhole()
    try externalFiles?.check()
  }
}
