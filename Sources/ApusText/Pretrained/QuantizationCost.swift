import Apus

/// How far a network with quantised parameters is from the one they were made from, on some texts.
public struct QuantizationCost: Sendable {
  /// A part's output.
  public struct Activation: Sendable, Hashable, Encodable {
    /// The name that the activation is observed by, such as `mobilebert.encoder.layer.0`.
    public let name: String
    /// ‖x − x̂‖ / ‖x‖ over all texts.
    public let relativeError: Double
  }

  /// A text, and the place whose words are predicted.
  public struct Sample: Sendable, Hashable {
    /// The tokens, special ones included.
    public var ids: [Int]
    /// The place among ``ids`` whose words are predicted.
    public var position: Int

    /// A text; whether it fits a network is checked when it is run.
    public init(ids: [Int], position: Int) {
      (self.ids, self.position) = (ids, position)
    }
  }

  /// In the order of computation.
  public private(set) var activations: [Activation] = []
  /// The number of texts.
  public private(set) var sampleCount = 0
  /// The largest absolute difference of the scores of all words at the predicted places.
  public private(set) var largestDifference = 0.0
  /// The mean absolute difference of those scores.
  public private(set) var meanDifference = 0.0
  /// ‖x − x̂‖ / ‖x‖ of those scores, of all texts together.
  public private(set) var relativeError = 0.0
  /// Samples whose best word is the same.
  public private(set) var sameBest = 0
  /// Samples whose three best words are the same, in any order.
  public private(set) var sameBestThree = 0

  /// - Parameter progress: called with how many samples are done.
  /// - Throws: ``TensorError`` for a sample that does not fit the network.
  public init(
    of quantized: MaskedLanguageModel<Float>, against original: MaskedLanguageModel<Float>, on samples: [Sample],
    progress: (_ done: Int) throws -> Void = { _ in }
  ) throws {
    var errors: [String: RelativeError] = [:]
    var order: [String] = []
    var scores = RelativeError()
    var (sum, count) = (0.0, 0)
    for (index, sample) in samples.enumerated() {
      try progress(index)
      let (expected, inside) = try Activations.recording { try original.logits(ids: sample.ids, at: sample.position) }
      let (found, other) = try Activations.recording { try quantized.logits(ids: sample.ids, at: sample.position) }
      if order.isEmpty { order = inside.names }
      for name in inside.names {
        guard let x: Tensor<Float> = other[name]?.tensor(), let y: Tensor<Float> = inside[name]?.tensor() else {
          continue
        }
        errors[name, default: RelativeError()].add(x, of: y)
      }
      scores.add(found, of: expected)
      let (a, b) = (try expected.elements, try found.elements)
      for (a, b) in zip(a, b) {
        let difference = Double((a - b).magnitude)
        largestDifference = max(largestDifference, difference)
        sum += difference
      }
      count += a.count
      let (best, otherBest) = (Self.best(3, of: a), Self.best(3, of: b))
      if best.first == otherBest.first { sameBest += 1 }
      if Set(best) == Set(otherBest) { sameBestThree += 1 }
    }
    sampleCount = samples.count
    meanDifference = count > 0 ? sum / Double(count) : 0
    relativeError = scores.value
    activations = order.sorted(by: Self.isEarlier).map {
      Activation(name: $0, relativeError: errors[$0]?.value ?? 0)
    }
  }

  private static func best(_ count: Int, of scores: [Float]) -> [Int] {
    var highest = HighestScores<Int>(limit: count)
    for (index, score) in scores.enumerated() { highest.add(index, score: Double(score)) }
    return highest.sorted
  }

  /// Embeddings, the layers by number, then the head.
  private static func isEarlier(_ a: String, _ b: String) -> Bool {
    func key(_ name: String) -> (Int, Int) {
      if name.hasSuffix("embeddings") { return (0, 0) }
      if let number = name.split(separator: ".").last.flatMap({ Int($0) }) { return (1, number) }
      return (2, 0)
    }
    return key(a) < key(b)
  }

  /// Random texts, the same for the same seed; each has a place that is predicted. None for a count below 1.
  public static func samples(
    count: Int, seed: UInt64, for model: MaskedLanguageModel<Float>, length: Int = 32
  ) -> [Sample] {
    var random = SplitMix64(seed: seed)
    func number(below limit: Int) -> Int { Int(random.next() % UInt64(max(1, limit))) }
    let length = max(1, min(length, model.positionCount))
    return (0..<max(0, count)).map { _ in
      Sample(ids: (0..<length).map { _ in number(below: model.vocabularySize) }, position: number(below: length))
    }
  }

  /// Prompts: the first mask of each is predicted, or one at its end where it has none. Of a long one the end is kept.
  public static func samples(
    of prompts: [String], tokenizer: WordPieceTokenizer, for model: MaskedLanguageModel<Float>, length: Int = 32
  ) throws -> [Sample] {
    let limit = max(3, min(length, model.positionCount))
    return prompts.compactMap { prompt in
      var ids = tokenizer.pieces(of: prompt, specials: .recognized).ids
      if !ids.contains(tokenizer.maskID) { ids.append(tokenizer.maskID) }
      ids = [tokenizer.classID] + ids.suffix(limit - 2) + [tokenizer.separatorID]
      return ids.firstIndex(of: tokenizer.maskID).map { Sample(ids: ids, position: $0) }
    }
  }
}
