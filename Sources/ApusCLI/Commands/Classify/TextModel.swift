import Apus
import ApusGraph
import ApusNetworks
import ApusText
import ApusVision

/// A classifier of texts or of their tokens with its vocabulary, of whatever format.
struct TextModel {
  /// What it says of a text.
  enum Answer {
    case text(ClassPrediction)
    case tokens([TokenReport.Token])
  }

  private let tokenizer: WordPieceTokenizer
  private let labels: ClassLabels?
  private let scoring: ClassScoring
  private let classifiesTokens: Bool
  private let positionCount: Int
  /// A row of scores for the text, or for each token.
  private let scores: ([Int]) throws -> [[Float]]
  private let graph: TokenGraph?

  /// What keeping laid-out weights was worth; nil for a network without a cache.
  var cacheUse: InferenceSession.CacheUse? { graph?.cacheUse }

  /// Whether a vocabulary lies beside a model, as no classifier of pictures has it.
  static func hasVocabulary(beside path: String) -> Bool {
    !ModelCompanion.files(ofModel: path, named: ["vocab.txt"]).isEmpty
  }

  /// - Parameters:
  ///   - path: a model as a graph, or weights with their `config.json` beside them.
  ///   - vocabulary: a vocab.txt, or a folder that has one; that beside the model when nil.
  init(path: String, vocabulary: String?, _ options: ClassifierOptions) throws {
    let beside = ModelCompanion.files(ofModel: path, named: ["vocab.txt"]).first?.path
    tokenizer = try WordPieceTokenizer(
      vocabulary: vocabulary ?? beside.map(parentFolder) ?? parentFolder(of: path))
    let configuration = try ModelCompanion.configuration(ofModel: path)
    if try configuration?.text("problem_type") == "regression" {
      throw CommandFailure(.badData, "\(path): gives a number and not classes, as config.json says; 'apus run' runs it")
    }
    var named = configuration?.classNames.map { ClassLabels($0, origin: .configuration("config.json")) }
    var (scale, longest) = (nil as ScoreScale?, Int.max)
    if try FileFormat(of: path) == .safetensors {
      let classifier = try PretrainedFolder(path: path).textClassifier()
      (classifiesTokens, longest) = (classifier.classifiesTokens, classifier.positionCount)
      scores = { try classifier.logits(ids: $0) }
      self.graph = nil
      named = ClassLabels(classifier.labels, origin: .configuration("config.json"))
      scale = .logits
    } else {
      let model = try openModel(path)
      let graph = try TokenGraph(
        model, of: path, as: "a classifier of texts", paddingID: tokenizer.paddingID,
        cacheFolder: options.cache.folder)
      self.graph = graph
      scale = ScoreScale(ofOutput: graph.output, in: model.graph)
      let shape = graph.outputShape
      guard let classes = shape.last, classes > 0, [1, graph.trialLength].contains(shape.dropLast().reduce(1, *)),
        2...3 ~= shape.count
      else {
        throw CommandFailure(
          .badData,
          "\(path): the output '\(graph.output)' is \(shape); a number for each class, [1, classes], or of "
            + "each token, [1, length, classes], was expected")
      }
      let isOfTokens = shape.dropLast().reduce(1, *) == graph.trialLength && graph.trialLength > 1
      classifiesTokens = isOfTokens
      longest =
        try graph.positionCount ?? configuration?.integer("max_position_embeddings", default: .max, in: 1...Int.max)
        ?? .max
      scores = { ids in
        let (numbers, length) = try graph.scores(ids: ids)
        let rows = isOfTokens ? length : 1
        guard numbers.count == rows * classes else {
          throw CommandFailure(
            .badData,
            "\(path): the output '\(graph.output)' has \(numbers.count) numbers; \(rows * classes) were expected")
        }
        return (0..<(isOfTokens ? ids.count : 1)).map { Array(numbers[$0 * classes..<($0 + 1) * classes]) }
      }
    }
    positionCount = longest
    labels = try options.labels.map { try ClassLabels(path: $0) } ?? named
    let stated = options.scores.scale
    scoring = ClassScoring(
      stated ?? scale, isExclusive: try configuration?.isMultiLabel != true, isStated: stated != nil)
  }

  /// What it says of a text, and whether there is anything to be said about that.
  func callAsFunction(_ text: String) throws -> (answer: Answer, note: String?) {
    var encoding = tokenizer.encode(text, specials: .recognized)
    var note: String?
    if encoding.count > positionCount {
      note = "the text has \(encoding.count) tokens, and the model reads \(positionCount): what follows was left out"
      encoding = try tokenizer.encode(text, truncation: Truncation(to: positionCount), specials: .recognized)
    }
    let rows = try scores(encoding.ids)
    let predictions = try rows.map { try ClassPrediction(scoring.probabilities($0), labels: labels) }
    guard classifiesTokens else {
      guard let only = predictions.first else { throw CommandFailure(.badData, "the model gives nothing") }
      return (.text(only), note)
    }
    let tokens = zip(encoding.ids, zip(encoding.ranges, predictions)).compactMap { id, found -> TokenReport.Token? in
      guard let range = found.0, let best = found.1.ranking.first else { return nil }
      return TokenReport.Token(
        piece: tokenizer.vocabulary.token(of: id) ?? "", start: range.lowerBound, end: range.upperBound,
        name: found.1.name(ofClass: best), index: best, probability: found.1.probabilities[best])
    }
    return (.tokens(tokens), note)
  }
}

extension WordPieceTokenizer {
  /// - Parameter path: a vocab.txt, or a folder that has one.
  init(vocabulary path: String) throws {
    self =
      try isFolder(path)
      ? WordPieceTokenizer(folder: path)
      : WordPieceTokenizer(
        WordPieceVocabulary(path: fileExists(path) || path.hasSuffix(".txt") ? path : "\(path)/vocab.txt"))
  }
}
