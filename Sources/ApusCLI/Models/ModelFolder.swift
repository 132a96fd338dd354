import Apus

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
