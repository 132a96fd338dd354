import Apus
import ApusCoreML
import ApusFormats
import ApusGraph

/// Opens a model that a command reads, whose weights may lie in files of their own.
/// - Throws: ``CommandFailure`` where one of these is to be written; what ``ModelFile`` throws.
func openModel(_ path: String, arithmetic: CoreMLArithmetic = .float32) throws -> any GraphModel {
  let model = try namingModel(path) { try ModelFile.open(path, arithmetic: arithmetic) }
  try CheckedFiles.current.addData(model.externalFiles)
  return model
}

/// Runs `body`, and adds the file to what it finds wrong with a graph.
func namingModel<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as GraphError {
    guard case .graph = error else { throw error }
    throw CommandFailure(.badData, "\(path): \(error)")
  }
}
