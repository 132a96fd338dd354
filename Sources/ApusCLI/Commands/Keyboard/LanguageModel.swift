import Apus
import ApusGraph
import ApusText

/// A masked-language model with its vocabulary, of whatever format.
struct LanguageModel {
  let tokenizer: WordPieceTokenizer
  let network: any MaskedWordScoring
  /// How it is to be asked, where it says so.
  let style: SuggestionStyle?
  /// What keeping laid-out weights was worth; nil for a network without a cache.
  var cacheUse: InferenceSession.CacheUse? { (network as? GraphWordScoring)?.cacheUse }

  /// - Parameters:
  ///   - path: a folder of Hugging Face or its weights, or a model as a graph.
  ///   - vocabulary: a vocab.txt, or a folder that has one; that of the model's folder when nil.
  ///   - cacheFolder: where the weights of a graph are kept as they were laid out; nowhere when nil.
  init(path: String, vocabulary: String?, cacheFolder: String?) throws {
    guard fileExists(path) else { throw CommandFailure(.noInput, "\(path): no such file or folder") }
    let isGraph = Self.isGraph(path)
    let isInside = isFolder(path) && !isGraph
    tokenizer = try WordPieceTokenizer(
      vocabulary: vocabulary ?? (isInside ? path : parentFolder(of: withoutTrailingSlashes(path))))
    if isGraph {
      network = try GraphWordScoring(
        openModel(path), of: path, paddingID: tokenizer.paddingID, cacheFolder: cacheFolder)
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
