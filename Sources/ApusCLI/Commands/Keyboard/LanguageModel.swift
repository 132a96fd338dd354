import Apus
import ApusFormats
import ApusText

/// A masked-language model with its vocabulary, of whatever format.
struct LanguageModel {
  let tokenizer: WordPieceTokenizer
  let network: any MaskedWordScoring
  /// How it is to be asked, where it says so.
  let style: SuggestionStyle?

  /// - Parameters:
  ///   - path: a folder of Hugging Face or its weights, or a model as a graph.
  ///   - vocabulary: a vocab.txt, or a folder that has one; that of the model's folder when nil.
  init(path: String, vocabulary: String?) throws {
    guard fileExists(path) else { throw CommandFailure(.noInput, "\(path): no such file or folder") }
    let isGraph = Self.isGraph(path)
    let isInside = isFolder(path) && !isGraph
    tokenizer = try WordPieceTokenizer(
      vocabulary: vocabulary ?? (isInside ? path : parentFolder(of: withoutTrailingSlashes(path))))
    if isGraph {
      network = try GraphWordScoring(ModelFile.open(path), of: path, paddingID: tokenizer.paddingID)
      style = nil
    } else {
      let folder = try PretrainedFolder(path: path)
      network = try folder.maskedLanguageModel()
      style = try folder.suggestionStyle
    }
  }

  /// Whether the file at `path` is a model as a graph, by its content; else its weights belong to a network that Apus has.
  static func isGraph(_ path: String) -> Bool {
    guard let format = try? FileFormat(of: path) else { return false }
    return format != .pretrainedFolder && format != .safetensors
  }
}
