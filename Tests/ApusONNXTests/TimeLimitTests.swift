import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What takes too long ends with an error, wherever it is at the time.
@Suite struct TimeLimitTests {
  private func isTimeLimit(_ body: () throws -> Void) -> Bool {
    do {
      try body()
    } catch GraphError.timeLimit {
      return true
    } catch {
      Issue.record("\(error)")
    }
    return false
  }

  /// A loop of 2⁶² turns.
  private var endless: GraphProto {
    get throws {
      let body = GraphProto(
        name: "body", nodes: [NodeProto("Identity", ["c"], ["again"]), NodeProto("Relu", ["s"], ["s2"])],
        inputs: [
          ValueInfoProto(name: "i", type: .tensor(.int64, [])), ValueInfoProto(name: "c", type: .tensor(.bool, [])),
          ValueInfoProto(name: "s"),
        ],
        outputs: [ValueInfoProto(name: "again", type: .tensor(.bool, [])), ValueInfoProto(name: "s2")])
      return GraphProto(
        nodes: [NodeProto("Loop", ["m", "", "x"], ["y"], ["body": .graph(body)])],
        initializers: [try TensorProto(name: "m", value: GraphValue(Tensor([Int64(1) << 62], shape: [])))],
        inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")])
    }
  }

  @Test func aRunEndsWithinALoop() throws {
    var options = InferenceSession.Options()
    options.limits.iterations = .max
    let unlimited = try session(endless, options: options)
    #expect(isTimeLimit { _ = try TimeLimit.with(.milliseconds(20)) { try unlimited.run(["x": counting(1)]) } })
    options.limits.time = .milliseconds(20)
    // On a machine that is busy preparing may take as long.
    #expect(isTimeLimit { _ = try session(endless, options: options).run(["x": counting(1)]) })
    // What ends first holds.
    #expect(
      isTimeLimit {
        try TimeLimit.with(.seconds(1_000_000)) {
          _ = try session(endless, options: options).run(["x": counting(1)])
        }
      })
    let error = GraphError.timeLimit(.milliseconds(1500))
    #expect("\(error)".contains("1.5 s") && "\(error)".contains("--time-limit") && error.fault == .time)
  }

  @Test func timeThatIsLongEnoughChangesNothing() throws {
    var options = InferenceSession.Options()
    options.limits.time = .seconds(1_000_000)
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    graph.node("Relu", ["x"], ["y"])
    let session = try InferenceSession(graph.model(outputs: ["y"]), options: options)
    #expect(try session.run(["x": counting(3)])["y"]?.tensor(of: Float.self)?.elements == [0, 1, 2])
    #expect(TimeLimit(.seconds(Int64.max)).end == .max)
  }

  /// No time at all: reading, preparing, folding and parity look at the clock too.
  @Test func readingAndPreparingEndToo() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    try graph.constant("c", counting(3))
    graph.node("Add", ["c", "c"], ["two"])
    graph.node("Add", ["x", "two"], ["y"])
    for index in 0..<300 { graph.node("Relu", [index == 0 ? "y" : "r\(index - 1)"], ["r\(index)"]) }
    let model = try graph.model(outputs: ["r299"])
    var options = InferenceSession.Options()
    options.limits.time = .zero
    #expect(isTimeLimit { _ = try InferenceSession(model, options: options) })
    options.optimizes = false
    #expect(isTimeLimit { _ = try InferenceSession(model, options: options) })
    #expect(isTimeLimit { _ = try TimeLimit.with(.zero) { try graph.model(outputs: ["r299"]) } })
    #expect(isTimeLimit { _ = try TimeLimit.with(.zero) { try OperatorCensus(model.graph) } })
    #expect(isTimeLimit { _ = try TimeLimit.with(.zero) { try RunCost(inferring: model) } })
    let check = try ParityCheck(model, options: .init(limits: .init(time: .zero)))
    let reference = ReferenceValues(names: ["y"]) { _ in counting(3) }
    #expect(isTimeLimit { _ = try check.run(["x": counting(3)], reference: reference) })
  }

  /// The work of one node is broken off between its pieces: what it has left is given to nobody.
  @Test func aLongNodeIsBrokenOff() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1_000_000)])
    // Every window covers a third of the map: hours.
    graph.node("Reshape", ["x", "s"], ["map"])
    try graph.constant("s", integers([1, 1, 1_000_000]))
    graph.node("MaxPool", ["map"], ["y"], ["kernel_shape": .ints([1_000_000]), "pads": .ints([500_000, 500_000])])
    var options = InferenceSession.Options()
    options.limits.time = .milliseconds(300)
    let model = try graph.model(outputs: ["y"])
    let x = try floats([1_000_000])
    #expect(isTimeLimit { _ = try InferenceSession(model, options: options).run(["x": x]) })
  }

  /// No node comes after the last one to see that it took too long.
  @Test func theLastNodeIsNoException() async throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    graph.node("Relu", ["x"], ["y"])
    let session = try InferenceSession(graph.model(outputs: ["y"]))
    let isCancelled = try await Task {
      do {
        _ = try session.run(["x": counting(3)]) { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
        return false
      } catch GraphError.cancelled {
        return true
      }
    }.value
    #expect(isCancelled)
  }

  /// One long transform is many passes over its numbers.
  @Test func aTransformIsBrokenOff() throws {
    let length = 65_536
    var looks = 0
    let transform = try FourierTransform(length: length, isInverse: false) { looks += 1 }
    #expect(looks > 0)
    var (real, imaginary) = ([Double](repeating: 0, count: length), [Double](repeating: 0, count: length))
    looks = 0
    #expect(throws: CancellationError.self) {
      try transform.transform(&real, &imaginary) {
        looks += 1
        if looks == 2 { throw CancellationError() }
      }
    }
    #expect(looks == 2)
    #expect(throws: CancellationError.self) {
      try FourierTransform(length: length + 1, isInverse: true) { throw CancellationError() }
    }
  }

  /// Loops over elements look at the clock themselves.
  @Test func elementsOneByOneAreBrokenOff() throws {
    #expect(
      isTimeLimit {
        try TimeLimit.with(.zero) { _ = try GraphValue(random: .float, shape: [2], seed: 1, name: "x") }
      })
    #expect(
      isTimeLimit {
        try TimeLimit.with(.zero) {
          _ = try runNode("NegativeLogLikelihoodLoss", [counting(2, 3), integers([0, 2])])
        }
      })
    #expect(throws: CancellationError.self) {
      try Execution.with(stop: StopSign(deadline: 0)) {
        try runNode("Pad", [counting(3), integers([0, 300])], ["mode": .string(Array("reflect".utf8))])
      }
    }
  }

  /// Strings are moved by their places, which a run that is broken off leaves unwritten.
  @Test func stringsThatWereNotMovedAreNotLookedUp() throws {
    let count = 100_000
    let texts = GraphValue.strings(try StringTensor((0..<count).map { "\($0)" }, shape: [count]))
    Execution.with(stop: StopSign(deadline: 0)) {
      // Whatever comes of it, it does not trap.
      _ = try? runNode("Gather", [texts, integers((0..<Int64(count)).map { Int64(count) - 1 - $0 })])
    }
  }
}
