import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Small files that ask for anything: each ends with a typed error that says what was wanted and what is allowed.
@Suite struct GrowthTests {
  private static let scalar = GraphValueType.tensor(.int64, [])
  private static let truth = GraphValueType.tensor(.bool, [])

  /// `turns` turns of a loop over one state `s`, which `nodes` make `s2` of.
  private func loop(_ nodes: [NodeProto], from input: String, turns: Int64) throws -> GraphProto {
    let body = GraphProto(
      name: "body", nodes: [NodeProto("Identity", ["c"], ["again"])] + nodes,
      inputs: [
        ValueInfoProto(name: "i", type: Self.scalar), ValueInfoProto(name: "c", type: Self.truth),
        ValueInfoProto(name: "s"),
      ],
      outputs: [ValueInfoProto(name: "again", type: Self.truth), ValueInfoProto(name: "s2")])
    return GraphProto(
      nodes: [NodeProto("Loop", ["turns", "", input], ["y"], ["body": .graph(body)])],
      initializers: [try TensorProto(name: "turns", value: GraphValue(Tensor([turns], shape: [])))],
      inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")])
  }

  private func failure(_ body: () throws -> Void) -> NodeFailure? {
    do {
      try body()
      return nil
    } catch GraphError.node(let failure) {
      return failure
    } catch {
      Issue.record("\(error) names no node")
      return nil
    }
  }

  @Test func aLoopThatDoublesReachesTheLimitOnGrowth() throws {
    var options = InferenceSession.Options()
    options.limits.growth = 1 << 20
    let join = NodeProto("Concat", ["s", "s"], ["s2"], ["axis": .int(0)])
    let failure = try #require(
      failure { _ = try session(loop([join], from: "x", turns: 60), options: options).run(["x": counting(1)]) })
    #expect(failure.operatorName.type == "Concat")
    #expect(failure.reason.contains("\(1 << 20) bytes") && failure.reason.contains("--memory-limit"))
    // The state before, of half as much, is still there.
    #expect(failure.reason.contains("shape [262144], 1048576 bytes"))
    #expect(failure.fault == .data)
    let few = try session(loop([join], from: "x", turns: 10), options: options).run(["x": counting(1)])
    #expect(few["y"]?.shape == [1024])
  }

  /// Whether a chain begins at a constant or at an input, it is the run that refuses it.
  @Test func constantsThatDoubleAreNotMadeBeforehand() throws {
    var graph = SmallGraph()
    try graph.constant("s0", counting(8))
    for index in 0..<22 { graph.node("Concat", ["s\(index)", "s\(index)"], ["s\(index + 1)"], ["axis": .int(0)]) }
    graph.node("Relu", ["s22"], ["y"])
    let optimized = try graph.model(outputs: ["y"]).graph.optimized(.exact)
    // 32 bytes, of which 22 doublings would be 128 MiB.
    #expect(optimized.constantByteCount <= 1 << 16)
    #expect(optimized.nodes.contains { $0.operatorName.type == "Concat" })
  }

  /// Weights of few bits become many more bytes, and so does what is made of those.
  @Test func constantsOfAFewTimesTheirSizeAreMadeBeforehand() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1)])
    try graph.constant("w", GraphValue(Tensor([UInt8](repeating: 3, count: 1 << 17), shape: [1 << 17])))
    graph.node("Cast", ["w"], ["f"], ["to": .int(1)])
    graph.node("Neg", ["f"], ["n"])
    graph.node("Concat", ["n", "n"], ["c"], ["axis": .int(0)])
    graph.node("Add", ["x", "c"], ["y"])
    #expect(try graph.model(outputs: ["y"]).graph.optimized(.exact).nodes.map(\.operatorName.type) == ["Add"])
  }

  /// Before a run nothing is done whose time or memory follows from what texts say.
  @Test func textsAreNotWorkedOnBeforehand() throws {
    var graph = SmallGraph()
    try graph.constant("t", texts("aaab"))
    graph.node("StringConcat", ["t", "t"], ["c"])
    graph.node("RegexFullMatch", ["c"], ["m"], ["pattern": .string(Array("(a|b)*".utf8))])
    graph.node("Not", ["m"], ["y"])
    let model = try graph.model(outputs: ["y"])
    let known = try model.graph.inference().known
    #expect(try known[#require(model.graph.value(named: "c"))] == nil)
    #expect(try known[#require(model.graph.value(named: "m"))] == nil)
    #expect(
      try model.graph.optimized(.exact).nodes.map(\.operatorName.type) == ["StringConcat", "RegexFullMatch", "Not"])
    #expect(try InferenceSession(model).run([:])["y"]?.tensor(of: Bool.self)?.elements == [false])
  }

  @Test func textsThatDoubleReachTheLimitOnGrowth() throws {
    var graph = SmallGraph()
    try graph.constant("s0", texts("abcdefgh"))
    for index in 0..<20 { graph.node("StringConcat", ["s\(index)", "s\(index)"], ["s\(index + 1)"]) }
    var options = InferenceSession.Options()
    options.limits.growth = 1 << 16
    let session = try InferenceSession(graph.model(outputs: ["s20"]), options: options)
    let failure = try #require(failure { _ = try session.run([:]) })
    #expect(failure.operatorName.type == "StringConcat" && failure.reason.contains("\(1 << 16) bytes"))
    #expect(failure.fault == .data)
  }

  /// Runs `body` with 1 MiB for what is made meanwhile.
  private func withMebibyte(_ body: () throws -> Void) throws {
    try TaskMemory.with(account: MemoryAccount(limit: 1 << 20), body)
  }

  /// Lists that operators work with, and results of unknown length, count as tensors do: here each takes more than the
  /// megabyte that the numbers alone would fit into.
  @Test func whatOperatorsWorkWithCounts() throws {
    func isRefused(_ type: String, _ inputs: [GraphValue?], _ attributes: [String: AttributeValue] = [:]) throws {
      try withMebibyte {
        #expect(throws: TensorError.self, "\(type)") { _ = try outputs(of: type, inputs, attributes) }
      }
    }
    // Places of 16 bytes, which texts of up to fifteen lie in.
    try isRefused("Cast", [floats([70_000])], ["to": .int(8)])
    try isRefused("TopK", [floats([40_000]), whole([40_000])])
    // Three numbers for each of 20,000 classes, and room for as many again while the list grows.
    try isRefused("NonMaxSuppression", [floats([1, 2, 4]), floats([1, 20_000, 2]), whole([1])])
    let text = texts(String(repeating: "a", count: 300_000))
    // The first result counts as long as it is there.
    try withMebibyte {
      let first = try outputs(of: "StringConcat", [text, text])
      #expect(throws: TensorError.self) { _ = try outputs(of: "StringConcat", [text, text]) }
      withExtendedLifetime(first) {}
    }
    try withMebibyte { for _ in 0..<3 { _ = try outputs(of: "StringConcat", [text, text]) } }
  }

  /// What needs no more than its result has that at its disposal.
  @Test func whatIsWrittenInPlaceTakesNoMore() throws {
    // 800 kB each.
    let numbers = try floats([100_000])
    try withMebibyte {
      let places = try outputs(of: "NonZero", [numbers])[0]
      #expect(try places?.extents == [1, 100_000])
    }
    let truths = GraphValue(try Tensor(repeating: true, shape: [100_000]))
    try withMebibyte {
      let result = try outputs(of: "Compress", [truths, truths], ["axis": .int(0)])[0]
      #expect(try result?.extents == [100_000])
    }
    let (scores, labels) = (try floats([100_000, 1]), GraphValue(try Tensor<Int64>(zeros: [100_000])))
    try withMebibyte {
      // The scores as DOUBLE.
      let loss = try outputs(of: "NegativeLogLikelihoodLoss", [scores, labels])[0]
      #expect(try loss?.tensor(of: Float.self)?.elements == [-1])
    }
  }

  @Test func aScanAndASequenceCountAsGrowth() throws {
    var options = InferenceSession.Options()
    options.limits.growth = 1 << 16
    let body = GraphProto(
      name: "body", nodes: [NodeProto("Expand", ["e", "n"], ["wide"])], inputs: [ValueInfoProto(name: "e")],
      outputs: [ValueInfoProto(name: "wide", type: .tensor(.float, [.unknown]))])
    let scan = GraphProto(
      nodes: [
        NodeProto("Constant", [], ["n"], ["value_ints": .ints([1000])]),
        NodeProto("Scan", ["x"], ["y"], ["body": .graph(body), "num_scan_inputs": .int(1)]),
      ], inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")])
    #expect(try session(scan, options: options).run(["x": counting(4)])["y"]?.shape == [4, 1000])
    #expect(
      failure { _ = try session(scan, options: options).run(["x": counting(40)]) }?.reason.contains("scans") == true)
    // The same tensor again and again costs nothing; all of them side by side do.
    let join = GraphProto(
      nodes: [
        NodeProto("SequenceConstruct", [String](repeating: "x", count: 100), ["s"]),
        NodeProto("ConcatFromSequence", ["s"], ["y"], ["axis": .int(0)]),
      ], inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")])
    #expect(try session(join, options: options).run(["x": counting(100)])["y"]?.shape == [10_000])
    let joined = failure { _ = try session(join, options: options).run(["x": counting(1000)]) }
    #expect(joined?.operatorName.type == "ConcatFromSequence")
  }

  @Test func theDefaultGoesByTheModelAndItsInputs() throws {
    let limits = InferenceSession.Limits()
    let expected = MemoryLimit.isGiven ? nil : 64 * (1000 + 40) + 1 << 30
    #expect(limits.growthLimit(constants: 1000, inputs: [counting(10), nil]) == expected)
    #expect(InferenceSession.Limits(growth: 7).growthLimit(constants: 1000, inputs: []) == 7)
    #expect(limits.growthLimit(constants: .max, inputs: []) == (MemoryLimit.isGiven ? nil : .max))
  }

  /// Sixty tensors, each twice as long as the one before: shapes tell, and no node runs.
  @Test func whatShapesTellToBeTooLargeIsRefusedBeforeAnythingRuns() throws {
    var graph = SmallGraph()
    graph.input("v0", [.size(1)])
    for index in 0..<60 { graph.node("Concat", ["v\(index)", "v\(index)"], ["v\(index + 1)"], ["axis": .int(0)]) }
    let session = try InferenceSession(graph.model(outputs: ["v60"]))
    let profile = InferenceProfile()
    let failure = try #require(failure { _ = try session.run(["v0": counting(1)], profile: profile) })
    #expect(profile.entries.isEmpty)
    #expect(failure.node == "v60" && failure.reason.contains("shape [\(1 << 60)], \(1 << 62) bytes"))
  }

  /// 25 TB, of which the first product would take some gigabytes: refused before that.
  @Test func einsumIsRefusedByTheShapeOfItsResult() throws {
    let operands = try [30_000, 30_000, 7_200].map { try floats([$0]) }
    #expect(
      throws: TensorError.memory(
        bytes: 30_000 * 30_000 * 7_200 * 4, limit: Execution.memoryLimit, shape: [30_000, 30_000, 7_200])
    ) { try runNode("Einsum", operands, ["equation": .string(Array("i,j,k->ijk".utf8))]) }
  }

  /// Each function calls the one before it twice: 2²⁰ nodes of some kilobytes of file.
  @Test func anEmptyGridTakesNothingHoweverLongItsOtherAxis() throws {
    let theta = try GraphValue.noise([1, 2, 3])
    let size = GraphValue(try Tensor<Int64>([1, 1, 0, 1 << 40], shape: [4]))
    let grid = try #require(try runNode("AffineGrid", [theta, size])[0])
    guard case .tensor(let tensor) = grid else { throw OperatorError("a grid is a tensor") }
    #expect(tensor.shape == [1, 0, 1 << 40, 2])
  }

  @Test func functionsThatDoubleAreRefused() throws {
    var functions = [
      FunctionProto(
        name: "F0", domain: "d", inputs: ["x"], outputs: ["y"], nodes: [NodeProto("Relu", ["x"], ["y"])],
        opsetImports: [OperatorSetID(version: 21)])
    ]
    func call(_ index: Int, _ input: String, _ output: String) -> NodeProto {
      NodeProto(opType: "F\(index)", domain: "d", inputs: [input], outputs: [output])
    }
    for index in 1...20 {
      functions.append(
        FunctionProto(
          name: "F\(index)", domain: "d", inputs: ["x"], outputs: ["y"],
          nodes: [call(index - 1, "x", "t"), call(index - 1, "t", "y")],
          opsetImports: [OperatorSetID(version: 21), OperatorSetID(domain: "d", version: 1)]))
    }
    func model(_ index: Int) -> ModelProto {
      ModelProto(
        opsetImports: [OperatorSetID(version: 21), OperatorSetID(domain: "d", version: 1)],
        graph: GraphProto(
          nodes: [call(index, "x", "y")], inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")]),
        functions: functions)
    }
    #expect(try InferenceSession(ONNXModel(model(5))).run(["x": counting(3)])["y"]?.shape == [3])
    let error = #expect(throws: GraphError.self) { try ONNXModel(model(20)) }
    #expect(error.map { "\($0)".contains("functions are written out") } == true)
  }

  /// A function whose name is long, called by others again and again, names every node after all of them.
  @Test func namesOfWrittenOutFunctionsAreLimited() throws {
    let long = String(repeating: "n", count: 1 << 16)
    let functions = [
      FunctionProto(
        name: "F", domain: "d", inputs: ["x"], outputs: ["y"],
        nodes: (0..<1000).map { NodeProto("Relu", [$0 == 0 ? "x" : "t\($0)"], [$0 == 999 ? "y" : "t\($0 + 1)"]) },
        opsetImports: [OperatorSetID(version: 21)])
    ]
    let calls = (0..<4).map { index in
      NodeProto(
        name: "\(long)\(index)", opType: "F", domain: "d", inputs: [index == 0 ? "x" : "v\(index)"],
        outputs: [index == 3 ? "y" : "v\(index + 1)"])
    }
    let model = ModelProto(
      opsetImports: [OperatorSetID(version: 21), OperatorSetID(domain: "d", version: 1)],
      graph: GraphProto(
        nodes: calls, inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")]),
      functions: functions)
    let error = #expect(throws: GraphError.self) { try ONNXModel(model) }
    #expect(error.map { "\($0)".contains("names of nodes") } == true)
  }

  /// What nobody else holds is written to where it lies: a loop that adds to a sequence copies none of it.
  @Test func sequencesGrowWhereTheyLie() throws {
    func address(_ value: GraphValue?) -> UnsafePointer<GraphValue>? {
      guard case .sequence(let values, _)? = value else { return nil }
      return values.withUnsafeBufferPointer(\.baseAddress)
    }
    func sequence() -> GraphValue {
      var values = [GraphValue](repeating: counting(1), count: 10)
      values.reserveCapacity(100)
      return .sequence(values, element: .tensor(.float, nil))
    }
    func change(_ type: String, count: Int, _ values: () -> [GraphValue?]) throws -> (before: UInt?, after: UInt?) {
      let node = Node(
        name: type, operatorName: OperatorName(type: type), opset: 21, inputs: (0..<count).map { $0 },
        outputs: [9])
      let operation = try #require(Operators.byName[node.operatorName]).prepare(NodeDescription(node: node))
      var arguments = Arguments(values(), context: RunContext())
      let before = address(arguments[0]).map(UInt.init(bitPattern:))
      return (before, try address(operation(&arguments)[0]).map(UInt.init(bitPattern:)))
    }
    let inserted = try change("SequenceInsert", count: 2) { [sequence(), counting(1)] }
    #expect(inserted.before != nil && inserted.before == inserted.after)
    let erased = try change("SequenceErase", count: 1) { [sequence()] }
    #expect(erased.before != nil && erased.before == erased.after)
    // Somebody else who holds it keeps what it was.
    let held = sequence()
    let copied = try change("SequenceInsert", count: 2) { [held, counting(1)] }
    #expect(copied.before != copied.after)
    if case .sequence(let values, _) = held { #expect(values.count == 10) }
  }

  /// A loop hands its state on: each turn may write over what the last one gave.
  @Test func loopsHandTheirStateOn() throws {
    let insert = NodeProto("SequenceInsert", ["s", "x"], ["s2"])
    var graph = try loop([insert], from: "e", turns: 2000)
    graph.nodes.insert(NodeProto("SequenceEmpty", [], ["e"]), at: 0)
    let result = try session(graph).run(["x": counting(1)])["y"]
    guard case .sequence(let values, _)? = result else { throw Unexpected("\(String(describing: result))") }
    #expect(values.count == 2000)
  }

  @Test func messagesNameTheBeginningOfLongNames() throws {
    let long = String(repeating: "n", count: 1 << 16)
    let name = OperatorName(domain: long, type: long)
    let failure = NodeFailure(node: long, operatorName: name, inputs: [long, long], reason: "it is")
    let errors: [any Error] = [
      GraphError.unsupported(operator: name, opset: 1, node: long), GraphError.node(failure),
      GraphError.input(name: long, reason: "it is"), GraphError.noSuchValue(name: long, suggestion: long),
    ]
    for error in errors {
      #expect("\(error)".count < 1000 && "\(error)".contains(String(repeating: "n", count: 200) + "…"))
    }
  }

  /// A value that thousands read, each of which a pass replaces: who reads it stays right.
  @Test func rewritingKeepsCountOfManyReaders() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2)])
    let count = 500
    for index in 0..<count {
      graph.node("Identity", ["x"], ["i\(index)"])
      graph.node("Relu", ["i\(index)"], ["r\(index)"])
      graph.node("Neg", ["r\(index)"], ["n\(index)"])
    }
    graph.node("Sum", (0..<count).map { "n\($0)" }, ["y"])
    let model = try graph.model(outputs: ["y"])
    var plain = InferenceSession.Options()
    plain.optimizes = false
    let rewritten = try InferenceSession(model)
    #expect(rewritten.graph.nodes.allSatisfy { $0.operatorName.type != "Identity" })
    let x = try GraphValue.noise([2])
    let (a, b) = (try rewritten.run(["x": x])["y"], try InferenceSession(model, options: plain).run(["x": x])["y"])
    #expect(try a?.tensor(of: Float.self)?.elements == b?.tensor(of: Float.self)?.elements)

    var rewriter = GraphRewriter(model.graph)
    let value = try #require(model.graph.value(named: "x"))
    #expect(rewriter.readerCount(of: value) == count)
    for index in stride(from: 0, to: 3 * (count - 1), by: 3) { rewriter.remove(index) }
    #expect(rewriter.readerCount(of: value) == 1)
    #expect(rewriter.readers(of: value) == [3 * (count - 1)] && rewriter.soleReader(of: value) == 3 * (count - 1))
  }
}
