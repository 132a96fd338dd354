import Apus
import ApusNetworks
import Testing

@Suite struct TextModelTests {
  private let ids = [[5, 17, 98, 0, 42, 42], [3, 2, 1, 7, 7, 50]] as [[Int64]]

  private func masked(_ network: TextNetwork? = nil) throws -> MobileBERTForMaskedLM<Float> {
    try (network ?? TextNetwork("mobilebert-small")).model()
  }

  private func largestDifference(_ a: Tensor<Float>, _ b: Tensor<Float>) throws -> Float {
    try #require(a.shape == b.shape)
    return try zip(a.elements, b.elements).map { abs($0 - $1) }.max() ?? 0
  }

  // MARK: - Places, batches, masks

  @Test func scoresAtChosenPlacesAreThoseOfAll() throws {
    let input = TokenInput(ids: try tokenIDs(ids))
    let model = try masked()
    let all = try model.logits(input)
    #expect(all.shape == [2, 6, 99])
    let chosen = try model.logits(input, at: tokenIDs([[4, 0], [5, 5]]))
    #expect(chosen.shape == [2, 2, 99])
    for (text, places) in [[4, 0], [5, 5]].enumerated() {
      for (index, place) in places.enumerated() {
        let there = try all.selected(axis: 0, index: text).selected(axis: 0, index: place)
        let here = try chosen.selected(axis: 0, index: text).selected(axis: 0, index: index)
        #expect(try largestDifference(there, here) < 1e-5)
      }
    }
  }

  @Test(arguments: [[[6, 0], [0, 0]], [[-1, 0], [0, 0]], [[0, 0]]] as [[[Int64]]])
  func placesOutsideTheTextAreRefused(rows: [[Int64]]) throws {
    let model = try masked()
    let input = TokenInput(ids: try tokenIDs(ids))
    let error = try #require(throws: TensorError.self) { try model.logits(input, at: tokenIDs(rows)) }
    #expect("\(error)".contains("positions"))
  }

  @Test func aTextInABatchIsWhatItIsAlone() throws {
    let model = try masked()
    let both = try model.logits(TokenInput(ids: tokenIDs(ids)))
    for (index, row) in ids.enumerated() {
      let alone = try model.logits(TokenInput(ids: row.map(Int.init)))
      #expect(try largestDifference(alone.selected(axis: 0, index: 0), both.selected(axis: 0, index: index)) < 1e-5)
    }
  }

  @Test func paddingThatIsMaskedChangesNothingBeforeItsNeighbour() throws {
    let model: BERTForTokenClassification<Float> = try TextNetwork("bert-tokens").model()
    let short = try model.logits(TokenInput(ids: tokenIDs([[5, 17, 98]])))
    let padded = TokenInput(ids: try tokenIDs([[5, 17, 98, 1, 2]]), attentionMask: try tokenIDs([[1, 1, 1, 0, 0]]))
    let long = try model.logits(padded)
    #expect(try largestDifference(short, long.sliced(axis: 1, to: 3)) < 1e-5)
    var open = padded
    open.attentionMask = nil
    #expect(try largestDifference(model.logits(open).sliced(axis: 1, to: 3), short) > 1e-3)
  }

  @Test func defaultsAreZerosAndCountedPlaces() throws {
    let model = try masked()
    let plain = try model.logits(TokenInput(ids: tokenIDs(ids)))
    let said = TokenInput(
      ids: try tokenIDs(ids), attentionMask: try Tensor(repeating: 1, shape: [2, 6]),
      tokenTypes: try Tensor(zeros: [2, 6]), positions: try tokenIDs([[0, 1, 2, 3, 4, 5]]))
    #expect(try largestDifference(plain, model.logits(said)) == 0)
    var other = said
    other.tokenTypes = try Tensor(repeating: 1, shape: [2, 6])
    #expect(try largestDifference(plain, model.logits(other)) > 1e-3)
  }

  @Test func aTextOfOneTokenHasNoNeighbours() throws {
    let model = try masked()
    let alone = try model.logits(TokenInput(ids: [7]))
    #expect(alone.shape == [1, 1, 99])
    let padded = TokenInput(ids: try tokenIDs([[7, 7]]), attentionMask: try tokenIDs([[1, 0]]))
    // A neighbour is part of the embedding, masked or not, as in Hugging Face's code.
    #expect(try largestDifference(alone, model.logits(padded).sliced(axis: 1, to: 1)) > 1e-3)
  }

  @Test func resultsDoNotDependOnThreads() throws {
    let model = try masked()
    let input = TokenInput(
      ids: try tokenIDs(ids), attentionMask: try tokenIDs([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]]))
    for variant in Execution.availableVariants {
      let results = try [1, 2, 3].map { threads in
        try Execution.with(threads: threads, variant: variant) { try model.logits(input).elements }
      }
      #expect(results.allSatisfy { $0 == results[0] })
    }
  }

  @Test func anEmptyBatchGivesEmptyResults() throws {
    let input = TokenInput(ids: try Tensor(zeros: [0, 6]), attentionMask: try Tensor(zeros: [0, 6]))
    #expect(try masked().logits(input).shape == [0, 6, 99])
    #expect(try masked().logits(input, at: Tensor(zeros: [0, 2])).shape == [0, 2, 99])
    #expect(try masked().logits(TokenInput(ids: tokenIDs(ids)), at: Tensor(zeros: [2, 0])).shape == [2, 0, 99])
    let sequence: BERTForSequenceClassification<Float> = try TextNetwork("bert-sequence").model()
    #expect(try sequence.logits(input).shape == [0, 3])
  }

  // MARK: - Arguments

  @Test(
    arguments: [
      (ids: [[5, 99]], named: "ids"), (ids: [[5, -1]], named: "ids"),
      (ids: [Array(repeating: 1, count: 41)], named: "40 positions"), (ids: [[]], named: "length"),
    ] as [(ids: [[Int64]], named: String)])
  func idsThatDoNotFitAreRefused(ids: [[Int64]], named: String) throws {
    let model = try masked()
    let error = try #require(throws: TensorError.self) { try model.logits(TokenInput(ids: tokenIDs(ids))) }
    #expect("\(error)".contains(named))
  }

  @Test func otherArgumentsThatDoNotFitAreRefusedByName() throws {
    let model = try masked()
    let ids = try tokenIDs(ids)
    let wrong: [(String, TokenInput)] = [
      ("attentionMask", TokenInput(ids: ids, attentionMask: try Tensor(zeros: [2, 5]))),
      ("attentionMask", TokenInput(ids: ids, attentionMask: try Tensor(zeros: [2, 1, 1, 6]))),
      ("tokenTypes", TokenInput(ids: ids, tokenTypes: try Tensor(zeros: [6]))),
      ("tokenTypes", TokenInput(ids: ids, tokenTypes: try Tensor(repeating: 2, shape: [2, 6]))),
      ("positions", TokenInput(ids: ids, positions: try Tensor(zeros: [2, 5]))),
      ("positions", TokenInput(ids: ids, positions: try Tensor(repeating: 40, shape: [1, 6]))),
      ("ids", TokenInput(ids: try Tensor(zeros: [6]))),
    ]
    for (name, input) in wrong {
      let error = try #require(throws: TensorError.self) { try model.logits(input) }
      #expect("\(error)".contains(name))
    }
  }

  @Test func weightsThatAreNoNumbersStayNone() throws {
    var network = try TextNetwork("mobilebert-small")
    let name = "mobilebert.encoder.layer.1.attention.self.key.bias"
    network.parameters[name] = AnyTensor(try Tensor<Float>(repeating: .nan, shape: [32]))
    #expect(try masked(network).logits(TokenInput(ids: tokenIDs(ids))).elements.allSatisfy(\.isNaN))
  }
}
