import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Which output of a model is held against which of another, and in what shape.
@Suite struct ComparedOutputTests {
  /// A graph that reads "x" of some shape.
  private func model(
    _ shape: [Int], input: String = "x", outputs: [String], _ nodes: (inout SmallGraph) throws -> Void
  ) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input(input, shape.map(GraphDimension.size))
    try nodes(&graph)
    return try graph.model(outputs: outputs)
  }

  private func compared(
    _ model: any GraphModel, _ reference: any GraphModel, shape: [Int]
  ) throws -> ModelComparisonReport {
    var comparison = try ModelComparison(model, against: reference)
    let name = try #require(comparison.report.pairing.inputs.first?.name)
    try comparison.run([name: GraphValue(random: .float, shape: shape, seed: 1, name: "x")])
    return comparison.report
  }

  private func pair(_ name: String, _ report: ModelComparisonReport) throws -> ModelPairing.Pair {
    try #require(report.pairing.values.first { $0.name == name })
  }

  // MARK: Shapes

  private func product(_ output: String, _ node: (inout SmallGraph, String) throws -> Void) throws -> ONNXModel {
    try model([4, 6], outputs: [output]) {
      try $0.constant("w", GraphValue(random: .float, shape: [6, 4], seed: 2, name: "w"))
      $0.node("MatMul", ["x", "w"], ["l"])
      try node(&$0, "l")
    }
  }

  private func reshaped(to shape: [Int], _ output: String) throws -> ONNXModel {
    try product(output) {
      try $0.constant("shape", GraphValue(Tensor(shape.map(Int64.init))))
      $0.node("Reshape", [$1, "shape"], [output])
    }
  }

  @Test(
    arguments: [[2, 8], [8, 2], [16], [2, 2, 4]] as [[Int]], ["y", "z"])
  func outputOfAnotherShapeDiffersThoughItHoldsTheSame(shape: [Int], name: String) throws {
    let (own, reference) = (try reshaped(to: shape, name), try reshaped(to: [4, 4], "y"))
    for report in try [compared(own, reference, shape: [4, 6]), compared(reference, own, shape: [4, 6])] {
      #expect(!report.isEqual)
      #expect(report.outputs.first?.signalToNoise.smallest == -.infinity)
      let parity = try #require(report.samples.first?.parity)
      #expect(parity.nodes[try #require(parity.verdict.first)].operatorName.type == "Reshape")
    }
    #expect(try compared(own, own, shape: [4, 6]).isEqual)
  }

  /// One of two models lacks a transposition, whether the shape shows it or not.
  /// Core ML has no numbers without axes, and its networks of layers have one for a batch or none.
  @Test(arguments: [[1, 4, 4], [4, 4, 1]] as [[Int]], ["y", "z"])
  func axesOfExtentOneOfOutputsAreSaid(shape: [Int], name: String) throws {
    let (own, reference) = (try reshaped(to: shape, name), try reshaped(to: [4, 4], "y"))
    let report = try compared(own, reference, shape: [4, 6])
    #expect(report.isEqual)
    #expect(try pair(name, report).order.shape == shape && pair(name, report).referenceShape == [4, 4])
    #expect(try compared(reference, own, shape: [4, 6]).isEqual)
  }

  @Test(arguments: [[4, 6], [6, 6]] as [[Int]], ["y", "z"])
  func outputWithItsAxesExchangedDiffers(shape: [Int], name: String) throws {
    func own(_ node: String, _ output: String) throws -> ONNXModel {
      try model(shape, outputs: [output]) {
        try $0.constant("one", GraphValue(Tensor<Float>([1])))
        $0.node("Neg", ["x"], ["n"])
        $0.node("Add", ["n", "one"], ["m"])
        $0.node(node, ["m"], [output])
      }
    }
    let report = try compared(own("Transpose", name), own("Identity", "y"), shape: shape)
    #expect(!report.isEqual)
    #expect(try pair(name, report).order.axes == nil)
  }

  // MARK: Layouts

  /// Maps with their channels last in one model, and second in the other.
  private func maps(
    _ shape: [Int], isLast: Bool, _ node: (inout SmallGraph, _ axis: Int) throws -> Void
  ) throws -> ONNXModel {
    let moved = isLast ? [shape[0], shape[2], shape[3], shape[1]] : shape
    return try model(moved, outputs: ["y"]) {
      let channels = isLast ? [shape[1]] : [shape[1], 1, 1]
      try $0.constant("scale", GraphValue(random: .float, shape: channels, seed: 3, name: "scale"))
      $0.node("Mul", ["x", "scale"], ["scaled"])
      try node(&$0, isLast ? 3 : 1)
    }
  }

  @Test func layoutOfInputsIsThatOfOutputs() throws {
    let (last, second) = try (
      maps([1, 3, 4, 5], isLast: true) { graph, _ in graph.node("Neg", ["scaled"], ["y"]) },
      maps([1, 3, 4, 5], isLast: false) { graph, _ in graph.node("Neg", ["scaled"], ["y"]) }
    )
    let report = try compared(last, second, shape: [1, 4, 5, 3])
    #expect(report.isEqual)
    #expect(try pair("y", report).order == AxisOrder(axes: [1, 2, 0], shape: [1, 4, 5, 3]))
    #expect(try pair("y", report).referenceShape == [1, 3, 4, 5])
    #expect(report.pairing.inputs.first?.referenceShape == [1, 3, 4, 5])
    #expect(try compared(second, last, shape: [1, 3, 4, 5]).isEqual)
  }

  /// A sum over all channels leaves one, which is moved as they were, or left out.
  @Test(arguments: [true, false])
  func channelOfExtentOneIsMovedAsOthersAre(isKept: Bool) throws {
    func sum(isLast: Bool, keeps: Bool) throws -> ONNXModel {
      try maps([1, 3, 4, 5], isLast: isLast) { graph, axis in
        try graph.constant("axis", GraphValue(Tensor<Int64>([Int64(axis)])))
        graph.node("ReduceSum", ["scaled", "axis"], ["y"], ["keepdims": .int(keeps ? 1 : 0)])
      }
    }
    let report = try compared(
      sum(isLast: true, keeps: isKept), sum(isLast: false, keeps: true), shape: [1, 4, 5, 3])
    #expect(report.isEqual)
    #expect(try pair("y", report).referenceShape == [1, 1, 4, 5])
  }

  /// As many channels as rows and columns: no shape shows that the axes are others.
  @Test func layoutOfInputsIsThatOfCubes() throws {
    let weight = try GraphValue(random: .float, shape: [3, 4], seed: 4, name: "w")
    let last = try model([1, 4, 4, 3], outputs: ["y"]) {
      try $0.constant("w", weight)
      $0.node("MatMul", ["x", "w"], ["y"])
    }
    let second = try model([1, 3, 4, 4], outputs: ["y"]) {
      try $0.constant("w", weight)
      $0.node("Transpose", ["x"], ["turned"], ["perm": .ints([0, 2, 3, 1])])
      $0.node("MatMul", ["turned", "w"], ["product"])
      $0.node("Transpose", ["product"], ["y"], ["perm": .ints([0, 3, 1, 2])])
    }
    let report = try compared(last, second, shape: [1, 4, 4, 3])
    #expect(report.isEqual)
    #expect(try pair("y", report).order.axes == [1, 2, 0])
  }

  /// A model that turns its input at once, so that all that follows has its axes exchanged.
  @Test func layoutOfMostValuesIsThatOfOutputs() throws {
    func chain(_ input: String, _ graph: inout SmallGraph) throws {
      try graph.constant("three", GraphValue(Tensor<Float>([3])))
      graph.node("Neg", [input], ["negated"])
      graph.node("Mul", ["negated", "three"], ["scaled"])
      graph.node("Exp", ["scaled"], ["y"])
    }
    let turned = try model([3, 4], outputs: ["y"]) {
      $0.node("Transpose", ["x"], ["turned"])
      try chain("turned", &$0)
    }
    let report = try compared(turned, model([3, 4], outputs: ["y"]) { try chain("x", &$0) }, shape: [3, 4])
    #expect(report.isEqual)
    #expect(try pair("y", report).order.axes == [1, 0])
  }

  // MARK: Inputs

  private func flat(_ shape: [Int], input: String = "x") throws -> ONNXModel {
    try model(shape, input: input, outputs: ["y"]) {
      try $0.constant("list", GraphValue(Tensor<Int64>([-1])))
      $0.node("Reshape", [input, "list"], ["l"])
      $0.node("Neg", ["l"], ["y"])
    }
  }

  @Test(arguments: [[2, 12], [24]] as [[Int]])
  func inputThatWouldBeCutOtherwiseIsRefused(shape: [Int]) throws {
    let byName = #expect(throws: GraphError.self) { try compared(flat(shape), flat([4, 6]), shape: shape) }
    let type = GraphValueType.tensor(.float, shape.map(GraphDimension.size))
    #expect(byName?.description == "input 'x': it is \(type); the reference declares FLOAT[4, 6]")
    #expect(throws: GraphError.self) { try ModelComparison(flat(shape, input: "q"), against: flat([4, 6])) }
  }

  @Test func inputWithAnAxisOfExtentOneIsSaid() throws {
    let report = try compared(flat([1, 4, 6]), flat([4, 6]), shape: [1, 4, 6])
    let input = try #require(report.pairing.inputs.first)
    #expect(report.isEqual && input.order.shape == [1, 4, 6] && input.referenceShape == [4, 6])
    #expect(try compared(flat([4, 6]), flat([4, 6]), shape: [4, 6]).pairing.inputs.first?.referenceShape == nil)
  }

  // MARK: Order

  private func signs(_ negated: String, _ size: String, outputs: [String]) throws -> ONNXModel {
    try model([2, 5], outputs: outputs) {
      $0.node("Neg", ["x"], [negated])
      $0.node("Abs", ["x"], [size])
    }
  }

  /// Exporters rename outputs and keep their order.
  @Test func outputsOfOtherNamesArePairedInOrder() throws {
    let reference = try signs("c", "d", outputs: ["c", "d"])
    let right = try compared(signs("a", "b", outputs: ["a", "b"]), reference, shape: [2, 5])
    #expect(right.isEqual)
    #expect(try pair("a", right).referenceName == "c" && pair("b", right).referenceName == "d")
    #expect(try !compared(signs("a", "b", outputs: ["b", "a"]), reference, shape: [2, 5]).isEqual)
  }

  /// Of one output more in the reference, what the others hold says which it is.
  @Test func outputsOfAReferenceWithMoreKeepTheirOrder() throws {
    func reference(_ outputs: [String]) throws -> ONNXModel {
      try model([2, 5], outputs: outputs) {
        $0.node("Exp", ["x"], ["more"])
        $0.node("Neg", ["x"], ["c"])
        $0.node("Abs", ["x"], ["d"])
      }
    }
    let own = try signs("a", "b", outputs: ["a", "b"])
    let right = try compared(own, reference(["more", "c", "d"]), shape: [2, 5])
    #expect(right.isEqual && right.pairing.unpairedReferenceOutputs == ["more"])
    #expect(try !compared(own, reference(["d", "more", "c"]), shape: [2, 5]).isEqual)
  }

  /// A model whose outputs have made-up names, as a program of torch.export has.
  private struct Unnamed: GraphModel {
    let base: ONNXModel
    var graph: Graph { base.graph }
    var metadata: [String: String] { base.metadata }
    var summary: ModelSummary { base.summary }
    var warnings: [String] { base.warnings }
    var externalFiles: [String] { base.externalFiles }
    var hasNamedOutputs: Bool { false }
  }

  @Test func madeUpNamesOfOutputsDoNotCount() throws {
    let (own, reference) = try (signs("a", "b", outputs: ["a", "b"]), signs("a", "b", outputs: ["b", "a"]))
    #expect(try compared(own, reference, shape: [2, 5]).isEqual)
    #expect(try !compared(Unnamed(base: own), reference, shape: [2, 5]).isEqual)
    #expect(try !compared(own, Unnamed(base: reference), shape: [2, 5]).isEqual)
    #expect(try compared(Unnamed(base: own), own, shape: [2, 5]).isEqual)
  }

  // MARK: Sequences

  private func split(_ parts: [Int64]) throws -> ONNXModel {
    try product("parts") {
      try $0.constant("split", GraphValue(Tensor(parts)))
      $0.node("SplitToSequence", [$1, "split"], ["parts"], ["axis": .int(0)])
    }
  }

  /// The reference is in DOUBLE, and what it holds is compared with FLOAT, as of tensors.
  @Test func sequencesAreComparedElementByElement() throws {
    let report = try compared(split([2, 2]), split([2, 2]), shape: [4, 6])
    #expect(report.isEqual && report.isReferenceInFloat64)
    #expect(report.pairing.values.count == 2 && report.pairing.valueCount == 2)
    let other = try #require(compared(split([2, 2]), split([1, 3]), shape: [4, 6]).samples.first?.parity)
    #expect(other.nodes[try #require(other.verdict.first)].name == "parts")
  }

  @Test func sequenceInAnotherOrderDiffers() throws {
    func pair(_ elements: [String]) throws -> ONNXModel {
      try model([2, 5], outputs: ["all"]) {
        $0.node("Neg", ["x"], ["a"])
        $0.node("Exp", ["x"], ["b"])
        $0.node("SequenceConstruct", elements, ["all"])
      }
    }
    #expect(try compared(pair(["a", "b"]), pair(["a", "b"]), shape: [2, 5]).isEqual)
    let parity = try #require(compared(pair(["a", "b"]), pair(["b", "a"]), shape: [2, 5]).samples.first?.parity)
    #expect(parity.verdict == .wrong(first: 2, count: 1))
    #expect(parity.nodes[2].outputs.first?.isolated?.reason?.hasPrefix("element 0: ") == true)
  }

  /// What reads a sequence of the reference is given it in the model's own numbers.
  @Test func sequenceThatIsAnOutputIsReadToo() throws {
    let model = try model([2, 5], outputs: ["all", "y"]) {
      try $0.constant("one", GraphValue(Tensor<Float>([1])))
      try $0.constant("first", GraphValue(Tensor<Int64>([0], shape: [])))
      $0.node("Exp", ["x"], ["a"])
      $0.node("SequenceConstruct", ["a", "x"], ["all"])
      $0.node("SequenceAt", ["all", "first"], ["b"])
      $0.node("Add", ["b", "one"], ["y"])
    }
    #expect(try compared(model, model, shape: [2, 5]).isEqual)
  }
}

/// Orders of axes as those of all axes, by NumPy's `transpose`.
@Suite struct AxisPermutationTests {
  @Test(
    arguments: [
      ([1, 3, 4, 5], [1, 4, 5, 3], [1, 2, 0], [0, 2, 3, 1]), ([1, 1, 28, 28], [1, 28, 28, 1], nil, [0, 2, 3, 1]),
      ([1, 1000, 1, 1], [1, 1, 1, 1000], nil, [0, 2, 3, 1]), ([1, 28, 28, 1], [1, 1, 28, 28], nil, [0, 3, 1, 2]),
      ([2, 3], [2, 3], nil, [0, 1]), ([2, 3], [3, 2], nil, nil), ([2, 12], [4, 6], nil, nil),
      ([4, 6], [1, 4, 6], nil, nil),
    ] as [([Int], [Int], [Int]?, [Int]?)])
  func permutationHasAllAxes(source: [Int], target: [Int], axes: [Int]?, expected: [Int]?) {
    #expect(AxisOrder(axes: axes, shape: target).permutation(of: source) == expected)
  }
}
