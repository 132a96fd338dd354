import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Loops and branches: limits, what is captured, and what is declared for results that never came to be.
@Suite struct StructureControlFlowTests {
  private static let scalar = GraphValueType.tensor(.int64, [])
  private static let truth = GraphValueType.tensor(.bool, [])

  /// A loop over `nodes`, whose `m` and `go` may be empty.
  private func loop(
    _ nodes: [NodeProto], m: String = "", go: String = "", outputs: [ValueInfoProto]
  ) -> GraphProto {
    let body = GraphProto(
      name: "body", nodes: nodes,
      inputs: [ValueInfoProto(name: "i", type: Self.scalar), ValueInfoProto(name: "c", type: Self.truth)],
      outputs: [ValueInfoProto(name: "again", type: Self.truth)] + outputs)
    return GraphProto(
      nodes: [
        NodeProto("Loop", [m, go], outputs.map { "all_\($0.name)" }, ["body": .graph(body)])
      ],
      inputs: [ValueInfoProto(name: "m", type: Self.scalar), ValueInfoProto(name: "go", type: Self.truth)],
      outputs: outputs.map { ValueInfoProto(name: "all_\($0.name)") })
  }

  private func inputs(_ turns: Int64, _ condition: Bool = true) throws -> [String: GraphValue] {
    try ["m": GraphValue(Tensor([turns], shape: [])), "go": GraphValue(Tensor([condition], shape: []))]
  }

  private let again = NodeProto("Identity", ["c"], ["again"])
  private let turn = NodeProto("Identity", ["i"], ["t"])

  @Test(arguments: [("", ""), ("m", ""), ("", "go"), ("m", "go")])
  func aLoopThatNeverEndsReachesTheLimit(m: String, go: String) throws {
    var options = InferenceSession.Options()
    options.limits.iterations = 1_000
    let graph = loop([again, turn], m: m, go: go, outputs: [ValueInfoProto(name: "t", type: Self.scalar)])
    let error = #expect(throws: GraphError.self) {
      try session(graph, options: options).run(inputs(Int64.max))
    }
    guard case .limit = error else {
      Issue.record("\(String(describing: error)) is not the limit")
      return
    }
  }

  @Test func aLoopThatNeverEndsCanBeCancelled() async throws {
    var options = InferenceSession.Options()
    options.limits.iterations = .max
    let graph = loop([again, turn], m: "m", outputs: [ValueInfoProto(name: "t", type: Self.scalar)])
    let endless = try session(graph, options: options)
    let inputs = try inputs(Int64.max)
    let task = Task { try endless.run(inputs) }
    task.cancel()
    await #expect(throws: GraphError.self) { try await task.value }
  }

  /// A million times as much each turn: the second asks for more than any machine has.
  @Test func loopsThatGrowTheirStateReachTheMemoryLimit() throws {
    let body = GraphProto(
      name: "body",
      nodes: [
        NodeProto("Constant", [], ["n"], ["value_ints": .ints([1 << 20])]), NodeProto("Tile", ["s", "n"], ["s2"]),
        again,
      ],
      inputs: [
        ValueInfoProto(name: "i", type: Self.scalar), ValueInfoProto(name: "c", type: Self.truth),
        ValueInfoProto(name: "s"),
      ],
      outputs: [ValueInfoProto(name: "again", type: Self.truth), ValueInfoProto(name: "s2")])
    let graph = GraphProto(
      nodes: [NodeProto("Loop", ["m", "", "x"], ["y"], ["body": .graph(body)])],
      inputs: [ValueInfoProto(name: "m", type: Self.scalar), ValueInfoProto(name: "x")],
      outputs: [ValueInfoProto(name: "y")])
    let growing = try session(graph)
    for x in [counting(1), texts("a")] {
      #expect(try growing.run(["m": GraphValue(Tensor([Int64(1)], shape: [])), "x": x])["y"]?.shape == [1 << 20])
      #expect(throws: GraphError.self) { try growing.run(["m": GraphValue(Tensor([Int64(9)], shape: [])), "x": x]) }
    }
  }

  @Test func loopsWithoutTurnsGiveEmptyResultsAsDeclared() throws {
    let declared: [(GraphValueType?, [Int]?)] = [
      (.tensor(.float, [.size(2), .size(3)]), [0, 2, 3]), (.tensor(.string, [.unknown, .symbol("n")]), [0, 0, 0]),
      (.tensor(.bool, nil), [0]), (.tensor(.int4, [.size(5)]), [0, 5]), (nil, nil), (.tensor(nil, []), nil),
    ]
    for (type, shape) in declared {
      let graph = loop([again, turn], m: "m", outputs: [ValueInfoProto(name: "t", type: type)])
      if let shape {
        let result = try session(graph).run(inputs(0))["all_t"]
        #expect(result?.shape == shape)
        if case .tensor(let elementType, _)? = type { #expect(result?.elementType == elementType) }
      } else {
        #expect(throws: GraphError.self) { try session(graph).run(inputs(0)) }
      }
    }
  }

  /// A loop whose turns give tensors of different shapes has no result.
  @Test func scannedShapesMustAgree() throws {
    let shape = NodeProto("ConstantOfShape", ["list"], ["t"])
    let list = NodeProto("Unsqueeze", ["i", "axis"], ["list"])
    let axis = NodeProto("Constant", [], ["axis"], ["value_ints": .ints([0])])
    let graph = loop([again, axis, list, shape], m: "m", outputs: [ValueInfoProto(name: "t")])
    #expect(try session(graph).run(inputs(1))["all_t"]?.shape == [1, 0])
    #expect(throws: GraphError.self) { try session(graph).run(inputs(2)) }
  }

  /// Names within a branch hide those around it, and what is captured comes from the nearest graph that has it.
  @Test(arguments: [true, false])
  func branchesSeeTheNearestValueOfAName(condition: Bool) throws {
    func branch(_ name: String, _ nodes: [NodeProto], _ output: String) -> AttributeProto.Content {
      .graph(GraphProto(name: name, nodes: nodes, outputs: [ValueInfoProto(name: output)]))
    }
    let own = NodeProto("Constant", [], ["k"], ["value_ints": .ints([2])])
    let inner = NodeProto(
      "If", ["go"], ["r"],
      [
        // Reads the k of the branch around it, and x from two graphs up.
        "then_branch": branch("a", [NodeProto("Concat", ["k", "x"], ["p"], ["axis": .int(0)])], "p"),
        // Has a k of its own.
        "else_branch": branch(
          "b",
          [
            NodeProto("Constant", [], ["k"], ["value_ints": .ints([3])]),
            NodeProto("Concat", ["k", "x"], ["q"], ["axis": .int(0)]),
          ], "q"),
      ])
    let outer = NodeProto(
      "If", ["yes"], ["y"], ["then_branch": branch("t", [own, inner], "r"), "else_branch": branch("e", [], "k")])
    let graph = GraphProto(
      nodes: [
        NodeProto("Constant", [], ["k"], ["value_ints": .ints([1])]),
        NodeProto("Identity", ["go"], ["same"]), NodeProto("Or", ["go", "true"], ["yes"]),
        NodeProto("Equal", ["k", "k"], ["true"]),
        outer,
      ],
      inputs: [
        ValueInfoProto(name: "go", type: Self.truth), ValueInfoProto(name: "x", type: .tensor(.int64, [.size(1)])),
      ],
      outputs: [ValueInfoProto(name: "y"), ValueInfoProto(name: "k")])
    let outputs = try session(graph).run(["go": GraphValue(Tensor([condition], shape: [])), "x": list(9)])
    guard case .tensor(let y)? = outputs["y"], case .tensor(let k)? = outputs["k"] else {
      Issue.record("there are no outputs")
      return
    }
    #expect(try y.tensor(of: Int64.self)?.elements == [condition ? 2 : 3, 9])
    #expect(try k.tensor(of: Int64.self)?.elements == [1])
  }

  @Test func graphsWithinGraphsAreLimitedWhileTheyRun() throws {
    var branch = GraphProto(name: "leaf", outputs: [ValueInfoProto(name: "x")])
    for depth in 0..<6 {
      let node = NodeProto("If", ["go"], ["y\(depth)"], ["then_branch": .graph(branch), "else_branch": .graph(branch)])
      branch = GraphProto(name: "depth \(depth)", nodes: [node], outputs: [ValueInfoProto(name: "y\(depth)")])
    }
    branch.inputs = [ValueInfoProto(name: "go", type: Self.truth), ValueInfoProto(name: "x")]
    let values = try ["go": GraphValue(Tensor([true], shape: [])), "x": list(1)]
    var options = InferenceSession.Options()
    options.limits.depth = 6
    #expect(try session(branch, options: options).run(values).count == 1)
    options.limits.depth = 5
    #expect(throws: GraphError.self) { try session(branch, options: options).run(values) }
  }

  @Test func bodiesThatDoNotFitTheirNodeAreRefused() throws {
    let empty = GraphProto(name: "empty")
    for (type, inputs) in [("Loop", ["m", "go"]), ("Scan", ["x"]), ("SequenceMap", ["x"])] {
      let graph = GraphProto(
        nodes: [NodeProto(type, inputs, ["y"], ["body": .graph(empty), "num_scan_inputs": .int(.max)])],
        inputs: [
          ValueInfoProto(name: "m", type: Self.scalar), ValueInfoProto(name: "go", type: Self.truth),
          ValueInfoProto(name: "x"),
        ],
        outputs: [ValueInfoProto(name: "y")])
      #expect(throws: GraphError.self) { try session(graph) }
    }
  }

  /// The state [1] plus an entry of two numbers is [2].
  @Test func statesOfScansKeepTheirShape() throws {
    let body = GraphProto(
      nodes: [NodeProto("Add", ["s", "e"], ["t"], [:])], inputs: ["s", "e"].map { ValueInfoProto(name: $0) },
      outputs: [ValueInfoProto(name: "t")])
    let graph = GraphProto(
      nodes: [NodeProto("Scan", ["s0", "x"], ["y"], ["body": .graph(body), "num_scan_inputs": .int(1)])],
      inputs: ["s0", "x"].map { ValueInfoProto(name: $0) }, outputs: [ValueInfoProto(name: "y")])
    let rows = GraphValue(try Tensor<Float>([1, 2, 3, 4, 5, 6], shape: [3, 2]))
    func run(_ state: Tensor<Float>) throws -> GraphValue {
      try #require(session(graph).run(["s0": GraphValue(state), "x": rows])["y"])
    }
    #expect(try run(Tensor([10, 20])).hasSameBits(as: GraphValue(Tensor<Float>([19, 32]))))
    #expect(throws: GraphError.self) { try run(Tensor([10])) }
  }
}
