import Apus
import ApusGraph
import ApusText

/// A graph that scores every word at every place of a text, `[1, length, words]` or `[length, words]`.
struct GraphWordScoring: MaskedWordScoring {
  let vocabularySize: Int
  private let graph: TokenGraph

  var positionCount: Int { graph.positionCount ?? .max }

  /// What keeping laid-out weights was worth; nil without a cache.
  var cacheUse: InferenceSession.CacheUse? { graph.cacheUse }

  /// - Throws: ``CommandFailure`` for a graph with other inputs and outputs.
  init(_ model: any GraphModel, of path: String, paddingID: Int, cacheFolder: String?) throws {
    graph = try TokenGraph(
      model, of: path, as: "a masked-language model", paddingID: paddingID, cacheFolder: cacheFolder)
    let shape = graph.outputShape
    guard let words = shape.last, shape.dropLast().reduce(1, *) == graph.trialLength else {
      throw CommandFailure(
        .badData, "\(path): the output '\(graph.output)' is \(shape); [1, length, words] was expected")
    }
    vocabularySize = words
  }

  func scores(ids: [Int], at position: Int) throws -> [Float] {
    let (scores, length) = try graph.scores(ids: ids)
    guard scores.count == vocabularySize * length, ids.indices.contains(position) else {
      throw KeyboardError.wrongScoreCount(count: scores.count, expected: vocabularySize * length)
    }
    return Array(scores[(position * vocabularySize)..<((position + 1) * vocabularySize)])
  }
}
