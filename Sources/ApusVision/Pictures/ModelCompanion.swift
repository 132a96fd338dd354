import Apus
import ApusNetworks

/// What lies beside a model's file. A model in a folder `onnx` has it in the folder above as well, as exporters lay it
/// out.
package enum ModelCompanion {
  /// The names of all that is read there, of models of pictures and of texts.
  package static let names = ["preprocessor_config.json", "config.json", "vocab.txt", "tokenizer_config.json"]

  /// The folders that are looked at, the nearest first.
  private static func folders(ofModel path: String) -> [String] {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let folders = folder.last == "onnx" ? [folder, folder.dropLast()] : [folder]
    return folders.map { ($0 + [""]).joined(separator: "/") }
  }

  /// Those files of these names that are there, the nearest first.
  package static func files(ofModel path: String, named names: [String]) -> [(name: String, path: String)] {
    folders(ofModel: path).flatMap { folder in names.map { ($0, folder + $0) } }.filter { MappedFile.isThere($0.1) }
  }

  /// The `config.json` of Hugging Face or timm; nil where there is none.
  /// - Throws: ``FileError``; ``ModelConfigurationError`` for one that cannot be read.
  package static func configuration(ofModel path: String) throws -> ConfigurationFields? {
    try files(ofModel: path, named: ["config.json"]).first.map { try ConfigurationFields(path: $0.path) }
  }
}
