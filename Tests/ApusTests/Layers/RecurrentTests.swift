import Testing

@testable import Apus

/// RNN, LSTM and GRU against PyTorch, and against themselves.
@Suite struct RecurrentTests {
  @Test(arguments: GoldenCase.all(in: "recurrent"))
  func agreesWithPyTorch(golden: GoldenCase) throws {
    let a = golden.attributes
    let (inputs, hidden, layers) = try (a.int("inputs"), a.int("hidden"), a.int("layers"))
    let (bidirectional, batchFirst) = try (a.bool("bidirectional"), a.bool("batchFirst"))
    func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> [String: Tensor<S>] {
      let weights = try x.weights()
      let start = try x.optional("h0")
      switch golden.name.prefix(while: { $0 != "." }) {
      case "RNN":
        let nonlinearity = try #require(RNNNonlinearity(rawValue: a.string("nonlinearity")))
        let layer = try RNN<S>(
          weights, inputs: inputs, hidden: hidden, layers: layers, nonlinearity: nonlinearity, batchFirst: batchFirst,
          bidirectional: bidirectional)
        let result = try layer(x["x"], state: start)
        return ["output": result.output, "hidden": result.state]
      case "GRU":
        let layer = try GRU<S>(
          weights, inputs: inputs, hidden: hidden, layers: layers, batchFirst: batchFirst, bidirectional: bidirectional)
        let result = try layer(x["x"], state: start)
        return ["output": result.output, "hidden": result.state]
      default:
        let layer = try LSTM<S>(
          weights, inputs: inputs, hidden: hidden, layers: layers, batchFirst: batchFirst, bidirectional: bidirectional)
        let state = try start.map { LSTM<S>.State(hidden: $0, cell: try x["c0"]) }
        let result = try layer(x["x"], state: state)
        return ["output": result.output, "hidden": result.state.hidden, "cell": result.state.cell]
      }
    }
    // The baseline has no fused multiply-add, as PyTorch has; only where a BLAS multiplies for it, its products are as exact.
    let isFused = BLAS.shared != nil
    try golden.check(rms: isFused ? 1.2 : 1.3, largest: isFused ? 2 : 4, evaluate, evaluate)
  }

  func weights(gates: Int, inputs: Int, hidden: Int) throws -> Weights {
    var random = SplitMix64(seed: 9)
    return Weights([
      "weight_ih_l0": try Tensor<Float>.random([gates * hidden, inputs], using: &random),
      "weight_hh_l0": try Tensor<Float>.random([gates * hidden, hidden], using: &random),
      "bias_ih_l0": try Tensor<Float>.random([gates * hidden], using: &random),
      "bias_hh_l0": try Tensor<Float>.random([gates * hidden], using: &random),
    ])
  }

  @Test func threadsDoNotChangeTheResult() throws {
    let layer = try LSTM<Float>(weights(gates: 4, inputs: 70, hidden: 150), inputs: 70, hidden: 150)
    let x: Tensor<Float> = try randomTensor([4, 3, 70], seed: 4)
    let results = try onEveryVariant { try layer(x).output }
    #expect(results.count == Execution.availableVariants.count)
  }

  @Test func aSequenceMayBeContinued() throws {
    let layer = try GRU<Float>(weights(gates: 3, inputs: 3, hidden: 6), inputs: 3, hidden: 6)
    let x: Tensor<Float> = try randomTensor([7, 2, 3], seed: 6)
    let whole = try layer(x)
    let first = try layer(x.sliced(axis: 0, to: 4))
    let second = try layer(x.sliced(axis: 0, from: 4), state: first.state)
    #expect(try concatenate([first.output, second.output], axis: 0).elements == whole.output.elements)
    #expect(try second.state.elements == whole.state.elements)
  }

  @Test func theStateGivenIsNotChanged() throws {
    let layer = try RNN<Float>(weights(gates: 1, inputs: 3, hidden: 4), inputs: 3, hidden: 4)
    let state = try Tensor<Float>(repeating: 0.5, shape: [1, 2, 4])
    _ = try layer(Tensor(repeating: 1, shape: [2, 2, 3]), state: state)
    #expect(try state.elements.allSatisfy { $0 == 0.5 })
  }

  @Test func refusesWhatDoesNotFit() throws {
    let weights = try weights(gates: 4, inputs: 3, hidden: 5)
    #expect(throws: WeightsError.self) { try LSTM<Float>(weights, inputs: 4, hidden: 5) }
    #expect(throws: WeightsError.self) { try LSTM<Float>(weights, inputs: 3, hidden: 5, layers: 2) }
    #expect(throws: WeightsError.self) { try LSTM<Float>(weights, inputs: 3, hidden: 5, bidirectional: true) }
    #expect(throws: WeightsError.self) { try GRU<Float>(weights, inputs: 3, hidden: 5) }
    #expect(throws: TensorError.self) { try RNN<Float>(weights, inputs: 3, hidden: 0) }
    #expect(throws: TensorError.self) { try RNN<Float>(weights, inputs: 3, hidden: .max) }
    let layer = try LSTM<Float>(weights, inputs: 3, hidden: 5)
    #expect(throws: TensorError.self) { try layer(Tensor(zeros: [2, 3])) }
    #expect(throws: TensorError.self) { try layer(Tensor(zeros: [2, 1, 4])) }
    #expect(throws: TensorError.self) { try layer(Tensor(zeros: [0, 1, 3])) }
    let wrong = LSTM<Float>.State(hidden: try Tensor(zeros: [1, 2, 5]), cell: try Tensor(zeros: [1, 1, 5]))
    #expect(throws: TensorError.self) { try layer(Tensor(zeros: [2, 1, 3]), state: wrong) }
    #expect(try layer(Tensor(zeros: [2, 0, 3])).output.shape == [2, 0, 5])
  }
}
