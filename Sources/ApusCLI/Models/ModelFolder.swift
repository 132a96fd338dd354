import Apus
import ApusVision

/// The file of a model: `path` itself, or what a folder holds that an exporter of Hugging Face or timm wrote.
/// - Throws: ``CommandFailure`` for a folder without a model that can be read; ``FileError``.
func modelFile(_ path: String) throws -> String {
  guard try FileFormat(of: path) == .pretrainedFolder else { return path }
  let names = ["model.onnx", "onnx/model.onnx", "model.safetensors"]
  let folder = withoutTrailingSlashes(path)
  if let name = names.first(where: { fileExists("\(folder)/\($0)") }) { return "\(folder)/\(name)" }
  throw CommandFailure(
    .noInput, "\(path): has no model that can be read; \(names.joined(separator: ", ")) was expected")
}

extension FilePlan {
  /// - Parameters:
  ///   - path: a model, as a file or a folder, for whose use what lies beside it is read too.
  ///   - isRead: which files of the folder are read.
  mutating func readsModel(
    _ path: String?, as role: String, where isRead: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    guard let path else { return }
    reads(path, as: role, depth: 1, where: isRead)
    let file = (try? modelFile(path)) ?? path
    if file != path { reads(file, as: role) }
    for (_, path) in ModelCompanion.files(ofModel: file, named: ModelCompanion.names) {
      reads(path, as: "the model's configuration")
    }
  }
}
