import Apus
import ApusText
import ArgumentParser

extension SuggestionStyle: ExpressibleByArgument {}

/// `--model` and `--vocab`, of the commands that predict words.
struct LanguageModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A folder of Hugging Face with config.json, vocab.txt and model.safetensors, of a BERT or MobileBERT for masked "
        + "words, instead of the one that ships; or such a model as Core ML or .onnx.", valueName: "model"),
    completion: .file())
  var model: String?

  @Option(
    help: ArgumentHelp(
      "The vocabulary, a vocab.txt or the folder that has it, with tokenizer_config.json where there is one; that of the "
        + "folder, or beside the model.", valueName: "file"),
    completion: .files(.texts))
  var vocab: String?

  @OptionGroup var cache: CacheOptions

  /// The configuration of the model that ships, relative to the folder `Weights`.
  static let shippedFile = "keyboard/shipped/config.json"

  /// Adds what is read and written to a plan.
  func plan(_ files: inout FilePlan) {
    files.readsModel(try? path, as: model == nil ? "the model that ships," : "--model")
    files.reads(vocab, as: "--vocab")
    cache.plan(&files)
  }

  /// The model that is meant.
  func open() throws -> LanguageModel {
    try LanguageModel(path: path, vocabulary: vocab, cacheFolder: cache.folder)
  }

  private var path: String {
    get throws {
      if let model { return model }
      do {
        let configuration = try WeightsLocator().path(of: Self.shippedFile)
        return parentFolder(of: configuration)
      } catch let error as WeightsLocatorError {
        throw CommandFailure(
          .noInput,
          "\(error.name) was not found (looked for \(error.searched.joined(separator: ", "))); give a model with "
            + "--model, or the place of all that ships in the variable APUS_WEIGHTS")
      }
    }
  }
}

/// How words are suggested.
struct SuggestionOptions: ParsableArguments {
  @Option(
    name: [.customShort("k"), .customLong("count")],
    help: ArgumentHelp("How many words are suggested.", valueName: "n"))
  var count = 3

  @Option(
    help: """
      How the model is asked: stock, with the mask in the place of the word at the cursor; finetuned, with the mask \
      after what is typed of it. As the model's config.json says, else stock.
      """)
  var style: SuggestionStyle?

  func validate() throws {
    guard 1...1000 ~= count else { throw ValidationError("-k \(count): 1 to 1000 was expected.") }
  }

  func suggester(_ model: LanguageModel) throws -> KeyboardSuggester {
    let options = KeyboardSuggester.Options(count: count, style: style ?? model.style ?? .stock)
    return try KeyboardSuggester(
      network: model.network, tokenizer: model.tokenizer, options: options.fitted(to: model.network))
  }
}
