import ApusTestSupport
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
    try golden.check(evaluate, evaluate)
  }

  func weights(gates: Int, inputs: Int, hidden: Int, suffixes: [String] = ["_l0"], scale: Float = 1) throws -> Weights {
    var random = SplitMix64(seed: 9)
    var tensors: [String: Tensor<Float>] = [:]
    for suffix in suffixes {
      tensors["weight_ih\(suffix)"] = try Tensor<Float>.random([gates * hidden, inputs], using: &random)
      tensors["weight_hh\(suffix)"] = try Tensor<Float>.random([gates * hidden, hidden], using: &random) * scale
      tensors["bias_ih\(suffix)"] = try Tensor<Float>.random([gates * hidden], using: &random)
      tensors["bias_hh\(suffix)"] = try Tensor<Float>.random([gates * hidden], using: &random)
    }
    return Weights(tensors)
  }

  @Test func threadsDoNotChangeTheResult() throws {
    let layer = try LSTM<Float>(weights(gates: 4, inputs: 70, hidden: 150), inputs: 70, hidden: 150)
    let x: Tensor<Float> = try randomTensor([4, 3, 70], seed: 4)
    let results = try resultsByVariant { try layer(x).output }
    #expect(results.count == Execution.availableVariants.count)
  }

  @Test(arguments: [(1, 5), (3, 16), (13, 17), (25, 33)])
  func rangesOfRowsAndChunksOfStepsMakeNoDifference(batch: Int, hidden: Int) throws {
    let (inputs, time) = (19, 41)
    let weights = try weights(gates: 3, inputs: inputs, hidden: hidden, suffixes: ["_l0", "_l0_reverse"], scale: 0.1)
    let x: Tensor<Float> = try randomTensor([batch, time, inputs], seed: 3)
    let exact = try GRU<Double>(
      weights, inputs: inputs, hidden: hidden, batchFirst: true, bidirectional: true)(x.asDouble)
    let layer = try GRU<Float>(weights, inputs: inputs, hidden: hidden, batchFirst: true, bidirectional: true)
    for (variant, output) in try resultsByVariant({ try layer(x).output }) {
      #expect(largestDifference(try output.elements, try exact.output.elements) < 1e-5, "\(variant)")
    }
    // Steps first, each row and each direction by itself.
    let timeFirst = try GRU<Double>(weights, inputs: inputs, hidden: hidden, bidirectional: true)
    for row in 0..<batch {
      let alone = try timeFirst(x.asDouble.sliced(axis: 0, from: row, to: row + 1).transposed(0, 1))
      let output = try exact.output.sliced(axis: 0, from: row, to: row + 1)
      #expect(largestDifference(try output.elements, try alone.output.elements) < 1e-13)
      let state = try exact.state.sliced(axis: 1, from: row, to: row + 1)
      #expect(largestDifference(try state.elements, try alone.state.elements) < 1e-13)
    }
  }

  @Test func infinitiesDoNotSpread() throws {
    // What fills up the vectors must not meet them: 0 · ∞ is not a number.
    let ones = Weights([
      "weight_ih_l0": try Tensor<Float>(repeating: 1, shape: [5, 3]),
      "weight_hh_l0": try Tensor<Float>(repeating: 1, shape: [5, 5]),
    ])
    let layer = try RNN<Float>(ones, inputs: 3, hidden: 5, nonlinearity: .relu)
    for batch in [1, 2] {
      let output = try layer(Tensor(repeating: .infinity, shape: [4, batch, 3])).output
      #expect(try output.elements.allSatisfy { $0 == .infinity })
    }
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

  /// One piece of work has all steps of some rows: no step is made once nobody wants them.
  @Test func stepsEndWithTheStopSign() throws {
    let (hidden, time) = (3, 5)
    let sweep = try RecurrentSweep<Float>(
      weights(gates: 1, inputs: 2, hidden: hidden), suffix: "_l0", cell: .elman(.tanh), inputs: 2, hidden: hidden,
      isReversed: false)
    func states(_ stop: StopSign) throws -> [Float] {
      let x = try Tensor<Float>(repeating: 1, shape: [time, 2])
      let y = try Tensor<Float>(zeros: [time, hidden])
      let (state, cells) = (try Tensor<Float>(zeros: [hidden]), try Tensor<Float>(zeros: [hidden]))
      let scratch = try Tensor<Float>(zeros: [sweep.scratchCount(rows: 1, together: 2)])
      Execution.with(stop: stop) {
        sweep(
          .init(base: x.pointer, timeStep: 2, rowStep: 2),
          into: .init(base: y.mutablePointer, timeStep: hidden, rowStep: hidden), rows: 1, time: time, together: 2,
          finalState: state.mutablePointer, finalCells: cells.mutablePointer, scratch: scratch.mutablePointer)
      }
      withExtendedLifetime((x, cells, scratch)) {}
      return try y.elements + state.elements
    }
    #expect(try states(StopSign()).allSatisfy { $0 != 0 })
    #expect(try states(StopSign(deadline: 0)).allSatisfy { $0 == 0 })
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
