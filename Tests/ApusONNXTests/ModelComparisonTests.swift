import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// One network as two exporters write it, and with its maps in NHWC: what belongs together has no name in common
/// (Tests/Fixtures/generate/torch_parity.py).
@Suite struct ModelComparisonTests {
  private static let folder = fixture("parity/")

  private func model(_ name: String) throws -> ONNXModel { try ONNXModel(path: Self.folder + name + ".onnx") }

  private func inputs(_ model: ONNXModel, seed: UInt64 = 1) throws -> [String: GraphValue] {
    let info = model.graph.values[try #require(model.graph.inputs.first)]
    let shape = try #require(info.type?.extents)
    return [info.name: try GraphValue(random: .float, shape: shape, seed: seed, name: "image")]
  }

  private func report(_ name: String, _ reference: String, samples: UInt64 = 1) throws -> ModelComparisonReport {
    let model = try model(name)
    var comparison = try ModelComparison(model, against: self.model(reference))
    for seed in 1...samples { try comparison.run(inputs(model, seed: seed), named: "\(seed)") }
    return comparison.report
  }

  @Test func modelIsEqualToItself() throws {
    let report = try report("folded", "folded", samples: 2)
    #expect(report.isEqual && report.isReferenceInFloat64)
    #expect(report.pairing.values.count == 10 && report.pairing.values.allSatisfy { $0.evidence == .name })
    #expect(report.weights.count == 8 && report.weights.allSatisfy(\.comparison.isEqual))
    #expect(report.samples.allSatisfy { $0.parity.checkedCount == 10 })
  }

  @Test func anotherExportersNamesArePairedByContent() throws {
    let report = try report("renamed", "folded", samples: 3)
    #expect(report.isEqual)
    #expect(report.pairing.inputs.map(\.evidence) == [.place])
    // Every map and matrix; the folded weights differ by rounding and are paired all the same.
    #expect(report.pairing.values.count == 10)
    let conv = try #require(report.pairing.values.first { $0.name == "getitem" })
    #expect(conv.referenceName == "/conv1/Conv_output_0" && conv.evidence == .content && conv.order.axes == nil)
    #expect(report.pairing.values.last?.referenceName == "scores")
    #expect(report.weights.count == 8)
  }

  @Test func axesInAnotherOrderAreFound() throws {
    let report = try report("channels_last", "folded")
    #expect(report.isEqual)
    let input = try #require(report.pairing.inputs.first)
    #expect(input.order == AxisOrder(axes: [1, 2, 0], shape: [1, 6, 6, 3]))
    let silu = try #require(report.pairing.values.first { $0.referenceName == "/silu/Mul_output_0" })
    #expect(silu.order == AxisOrder(axes: [1, 2, 0], shape: [1, 6, 6, 6]))
    let back = try self.report("folded", "channels_last")
    #expect(back.isEqual)
    #expect(back.pairing.inputs.first?.order.axes == [2, 0, 1])
  }

  @Test(arguments: [
    ("folded_weight", "renamed", "/conv2/Conv"), ("folded_matrix", "renamed", "/fc2/Gemm"),
    ("folded_weight", "channels_last", "/conv2/Conv"), ("epsilon", "right", "norm"), ("coordinates", "right", "resize"),
    ("swapped_axes", "right", "transpose"),
  ])
  func nodeAtWhichTwoModelsPartIsNamed(name: String, reference: String, node: String) throws {
    let report = try report(name, reference)
    #expect(!report.isEqual)
    let parity = try #require(report.firstDifferent?.parity)
    guard case .wrong(let first, _) = parity.verdict else {
      Issue.record("verdict \(parity.verdict)")
      return
    }
    let found = parity.nodes[first]
    #expect(found.name == node || found.suspects.contains(node), "\(found.name), or \(found.suspects)")
  }

  /// The same fault where names say nothing: a value with its axes exchanged is not taken for one that is laid out otherwise.
  @Test func missingTranspositionIsNotUndone() throws {
    var proto = try model("right").proto
    for (old, new) in [("transpose", "a"), ("reshape", "b"), ("norm", "c"), ("project", "d")] {
      for index in proto.graph.nodes.indices {
        proto.graph.nodes[index].inputs = proto.graph.nodes[index].inputs.map { $0 == old ? new : $0 }
        proto.graph.nodes[index].outputs = proto.graph.nodes[index].outputs.map { $0 == old ? new : $0 }
      }
    }
    let model = try model("swapped_axes")
    var comparison = try ModelComparison(model, against: ONNXModel(proto))
    try comparison.run(inputs(model))
    let parity = try #require(comparison.report.firstDifferent?.parity)
    let first = parity.nodes[try #require(parity.verdict.first)]
    #expect(first.name == "transpose" || first.suspects.contains("transpose"), "\(first.name), \(first.suspects)")
  }

  @Test func weightThatDiffersIsNamedWithItsElement() throws {
    let report = try report("folded_weight", "folded")
    let different = report.weights.filter { !$0.comparison.isEqual }
    #expect(different.count == 1)
    #expect(different.first?.comparison.differences?.largestAbsolute?.index == [2, 3, 1, 1])
  }

  @Test func outputsHaveStatisticsOverAllSamples() throws {
    let report = try report("folded_matrix", "renamed", samples: 4)
    let output = try #require(report.outputs.first)
    #expect(output.name == "scores" && output.firstRanks?.count == 4)
    // One weight of 40 is off by 0.05; rounding in float32 is near 1e-7.
    #expect(try #require(output.largestError.largest) > 1e-3)
    #expect(try #require(output.ownError.largest) < 1e-5)
    #expect(try #require(output.referenceError.largest) < 1e-5)
    #expect(try #require(output.signalToNoise.smallest) <= #require(output.signalToNoise.median))
    #expect(output.fiveRanks == nil, "five of five are always the same")
  }

  private func small(outputs: [String], _ nodes: (inout SmallGraph) throws -> Void) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(5)])
    try nodes(&graph)
    return try graph.model(outputs: outputs)
  }

  private func compared(
    _ model: ONNXModel, _ reference: ONNXModel, scaled: Double? = nil
  ) throws -> ModelComparisonReport {
    var options = ParityCheck.Options()
    options.tolerance.scaled = scaled
    var comparison = try ModelComparison(model, against: reference, options: options)
    try comparison.run(["x": GraphValue(Tensor<Float>([1, -2, 3, -4, 5], shape: [1, 5]))])
    return comparison.report
  }

  /// The sums are about what is finite on both sides, and would say that all is well.
  @Test(arguments: [("Sqrt", "Abs"), ("Abs", "Sqrt"), ("Log", "Neg")])
  func outputThatIsNotFiniteOnOneSideIsInfinitelyFarOff(own: String, reference: String) throws {
    let models = try [own, reference].map { name in try small(outputs: ["y"]) { $0.node(name, ["x"], ["y"]) } }
    let output = try #require(compared(models[0], models[1]).outputs.first)
    #expect(output.signalToNoise.smallest == -.infinity && output.largestError.largest == .infinity)
  }

  @Test func outputOfAnotherShapeIsInfinitelyFarOff() throws {
    let own = try small(outputs: ["y"]) { $0.node("ReduceSum", ["x"], ["y"]) }
    let output = try #require(compared(own, small(outputs: ["y"]) { $0.node("Abs", ["x"], ["y"]) }).outputs.first)
    #expect(output.name == "y" && output.signalToNoise.smallest == -.infinity && output.firstRanks == nil)
  }

  @Test func outputsOfOneModelAloneAreNamed() throws {
    let one = try small(outputs: ["y"]) { $0.node("Abs", ["x"], ["y"]) }
    let two = try small(outputs: ["y", "extra"]) {
      $0.node("Abs", ["x"], ["y"])
      $0.node("ReduceSum", ["x"], ["extra"])
    }
    let more = try compared(one, two)
    #expect(more.isEqual && more.pairing.unpairedReferenceOutputs == ["extra"])
    #expect(more.samples.first?.parity.unknownNames == ["extra"])
    let fewer = try compared(two, one)
    #expect(!fewer.isEqual && fewer.pairing.unpairedOutputs == ["extra"])
    #expect(fewer.samples.first?.parity.verdict == .inconclusive(.outputs))
    #expect(fewer.samples.first?.parity.uncomparedOutputs == ["extra"])
  }

  /// The value itself has a counterpart, in the middle of the reference.
  @Test func outputThatTheReferenceOnlyComputesIsNamed() throws {
    func model(_ outputs: [String]) throws -> ONNXModel {
      try small(outputs: outputs) {
        $0.node("Neg", ["x"], ["inner"])
        $0.node("Abs", ["inner"], ["y"])
      }
    }
    let report = try compared(model(["inner", "y"]), model(["y"]))
    let parity = try #require(report.samples.first?.parity)
    #expect(!report.isEqual && report.pairing.unpairedOutputs == ["inner"])
    #expect(parity.verdict == .inconclusive(.outputs) && !parity.isEqual)
    #expect(parity.uncomparedOutputs == ["inner"] && parity.checkedCount == 2)
    #expect(try compared(model(["y"]), model(["inner", "y"])).isEqual)
  }

  /// As coremltools makes of a classifier: the highest of the scores, moved first, and its name.
  @Test(arguments: [("scores", "ArgMax", true), ("scores", "ArgMin", false), ("x", "ArgMax", false)])
  func labelOfComparedScoresIsNoLack(source: String, choice: String, isImplied: Bool) throws {
    let plain = try small(outputs: ["y"]) { $0.node("Softmax", ["x"], ["y"]) }
    let classifier = try small(outputs: ["label", "probabilities"]) {
      try $0.constant("names", .strings(StringTensor(["a", "b", "c", "d", "e"], shape: [5])))
      try $0.constant("list", GraphValue(Tensor<Int64>([-1], shape: [1])))
      $0.node("Softmax", ["x"], ["scores"])
      $0.node("Reshape", [source, "list"], ["flat"])
      $0.node(choice, ["flat"], ["best"], ["axis": .int(0), "keepdims": .int(1)])
      $0.node("Gather", ["names", "best"], ["label"], ["axis": .int(0)])
      $0.node("Identity", ["scores"], ["probabilities"])
    }
    let report = try compared(classifier, plain)
    let parity = try #require(report.samples.first?.parity)
    #expect(report.isEqual == isImplied)
    #expect(parity.impliedOutputs == (isImplied ? ["label"] : []))
    #expect(parity.uncomparedOutputs == (isImplied ? [] : ["label"]))
    #expect(report.pairing.unpairedOutputs == ["label"])
    #expect(try compared(plain, classifier).isEqual)
  }

  /// An output of the reference that has no counterpart either may be the label.
  @Test func labelThatTheReferenceMayHaveIsALack() throws {
    let own = try small(outputs: ["y", "label"]) {
      $0.node("Softmax", ["x"], ["y"])
      $0.node("ArgMax", ["y"], ["label"], ["axis": .int(1), "keepdims": .int(0)])
    }
    let reference = try small(outputs: ["y", "ranks"]) {
      $0.node("Softmax", ["x"], ["y"])
      $0.node("Concat", ["x", "x"], ["ranks"], ["axis": .int(1)])
    }
    #expect(try compared(own, reference).samples.first?.parity.verdict == .inconclusive(.outputs))
  }

  /// Names decide, where shapes and types would say that the outputs were exchanged.
  @Test func outputsOfExchangedNamesDiffer() throws {
    func model(_ logits: String, _ label: String) throws -> ONNXModel {
      try small(outputs: [logits, label]) {
        $0.node("Neg", ["x"], [logits])
        $0.node("ArgMax", [logits], [label], ["axis": .int(1)])
      }
    }
    let right = try compared(model("logits", "label"), model("logits", "label"))
    #expect(right.isEqual)
    let exchanged = try compared(model("logits", "label"), model("label", "logits"))
    #expect(!exchanged.isEqual)
    let outputs = exchanged.pairing.values.filter { ["logits", "label"].contains($0.name) }
    #expect(outputs.count == 2 && outputs.allSatisfy { $0.name == $0.referenceName && $0.evidence == .name })
    #expect(exchanged.samples.first?.parity.nodes.first?.status == .wrong)
  }

  // MARK: Names in between

  /// The names of what is paired, the reference's behind the model's.
  private func names(_ report: ModelComparisonReport) -> [String: String] {
    Dictionary(uniqueKeysWithValues: report.pairing.values.map { ($0.name, $0.referenceName) })
  }

  /// As two exporters number the same values that began to count at different nodes.
  @Test func nameOfAnotherValueIsGivenUp() throws {
    func model(_ first: String, _ second: String) throws -> ONNXModel {
      try small(outputs: ["y"]) {
        try $0.constant("shift", GraphValue(Tensor<Float>([4, 0, -3, 1, 2])))
        $0.node("Abs", ["x"], [first])
        $0.node("Mul", [first, "shift"], [second])
        $0.node("Neg", [second], ["y"])
      }
    }
    let report = try compared(model("view", "view_1"), model("view_1", "view_2"))
    #expect(report.isEqual)
    #expect(names(report) == ["view": "view_1", "view_1": "view_2", "y": "y"])
    #expect(report.samples.first?.parity.unfitNames == [])
  }

  /// One layer with the weights of another, whose value it then has, and one with weights that are nobody's.
  @Test(
    arguments: [([2, -1, 1, 3, 1], [1, 2, -2, 1, 4]), ([9, 8, -7, 6, 5], [2, -1, 1, 3, 1])] as [([Float], [Float])])
  func layerThatDiffersKeepsItsName(first: [Float], second: [Float]) throws {
    func model(_ first: [Float], _ second: [Float]) throws -> ONNXModel {
      try small(outputs: ["y"]) {
        try $0.constant("a", GraphValue(Tensor<Float>(first)))
        try $0.constant("b", GraphValue(Tensor<Float>(second)))
        $0.node("Mul", ["x", "a"], ["linear"])
        $0.node("Mul", ["x", "b"], ["linear_1"])
        $0.node("Abs", ["linear"], ["size"])
        $0.node("Add", ["size", "linear_1"], ["y"])
      }
    }
    let report = try compared(model(first, second), model([1, 2, -2, 1, 4], [2, -1, 1, 3, 1]))
    let parity = try #require(report.samples.first?.parity)
    #expect(parity.nodes[try #require(parity.verdict.first)].name == "linear")
    #expect(names(report)["linear"] == "linear" && names(report)["linear_1"] == "linear_1")
  }

  /// A value that is off by 1e-4, and the same with 1e-5 added: it is nearer to what the other model adds 1e-5 to. Which of
  /// two comes of the other says more than that.
  @Test func counterpartsOfAChainAreNotCrossed() throws {
    func model(_ names: [String], off: Float) throws -> ONNXModel {
      try small(outputs: ["y"]) {
        try $0.constant("shift", GraphValue(Tensor(repeating: 7 + off, shape: [5])))
        try $0.constant("little", GraphValue(Tensor<Float>([1e-5])))
        $0.node("Add", ["x", "shift"], [names[0]])
        $0.node("Add", [names[0], "little"], [names[1]])
        $0.node("Neg", [names[1]], ["y"])
      }
    }
    let report = try compared(model(["sum", "more"], off: 1e-4), model(["add", "add_1"], off: 0))
    #expect(names(report) == ["sum": "add", "more": "add_1", "y": "y"])
    let nodes = try #require(report.samples.first?.parity.nodes)
    #expect(nodes.filter { $0.status == .wrong }.map(\.name) == ["sum"])
  }

  /// What is before a bias is like the sum to 60 dB, and the sum is the output.
  @Test func valueWithATwinIsNotPairedWithAnother() throws {
    func model(_ nodes: (inout SmallGraph) -> Void) throws -> ONNXModel {
      try small(outputs: ["y"]) {
        try $0.constant("w", GraphValue(Tensor((0..<20).map { Float(($0 * 7) % 11) - 4.5 }, shape: [5, 4])))
        try $0.constant("b", GraphValue(Tensor<Float>([0.01, -0.02, 0.01, 0.03])))
        nodes(&$0)
      }
    }
    let fused = try model {
      $0.node("Gemm", ["x", "w", "b"], ["sum"])
      $0.node("Identity", ["sum"], ["y"])
    }
    let split = try model {
      $0.node("MatMul", ["x", "w"], ["product"])
      $0.node("Add", ["product", "b"], ["y"])
    }
    for report in try [compared(fused, split), compared(split, fused)] {
      #expect(report.isEqual && names(report) == ["y": "y"])
      #expect(report.samples.first?.parity.unfitNames == [])
    }
  }

  /// Twice the input in two steps, the first element of which is zero at first and is put in place at the end, or is left.
  private func filled(_ place: Int) throws -> ONNXModel {
    try small(outputs: ["y"]) {
      try $0.constant("factors", GraphValue(Tensor<Float>([8, -4, 0.25, 16, -2])))
      try $0.constant("others", GraphValue(Tensor<Float>([0, -0.5, 8, 0.125, -1])))
      try $0.constant("four", GraphValue(Tensor<Float>([4])))
      try $0.constant("half", GraphValue(Tensor<Float>([-0.5])))
      try $0.constant("place", GraphValue(Tensor<Bool>((0..<5).map { $0 == place }, shape: [5])))
      $0.node("Mul", ["x", "factors"], ["turned"])
      $0.node("Mul", ["turned", "others"], ["begun"])
      $0.node("Div", ["begun", "four"], ["scaled"])
      $0.node("Neg", ["scaled"], ["negated"])
      $0.node("Mul", ["x", "half"], ["end"])
      $0.node("Where", ["place", "end", "negated"], ["y"])
    }
  }

  /// [0, −4, 6, −8, 10] is like [2, −4, 6, −8, 10] to 17 dB.
  @Test func valueThatIsMerelyLikeAnotherCountsByItsEffect() throws {
    let reference = try small(outputs: ["y"]) {
      try $0.constant("two", GraphValue(Tensor<Float>([2])))
      try $0.constant("quarter", GraphValue(Tensor<Float>([0.25])))
      $0.node("Mul", ["x", "two"], ["double"])
      $0.node("Mul", ["double", "quarter"], ["scaling"])
      $0.node("Neg", ["scaling"], ["y"])
    }
    let report = try compared(filled(0), reference)
    let parity = try #require(report.samples.first?.parity)
    #expect(names(report) == ["begun": "double", "scaled": "scaling", "y": "y"])
    #expect(report.isEqual && parity.unfitNames == ["begun", "scaled"])
    #expect(parity.nodes.compactMap(\.unfitReference).allSatisfy { $0.cause == .likeness && $0.witness == "y" })
    let wrong = try #require(compared(filled(1), reference).samples.first?.parity)
    #expect(wrong.nodes[try #require(wrong.verdict.first)].name == "begun")
    #expect(wrong.unfitNames.isEmpty)
  }

  @Test func outputThatNothingReadsIsNotCompared() throws {
    let own = try small(outputs: ["y"]) {
      try $0.constant("scale", GraphValue(Tensor<Float>([1, 2, 3, 4, 5])))
      $0.node("LayerNormalization", ["x", "scale"], ["normalized", "mean", "deviation"])
      $0.node("Neg", ["normalized"], ["y"])
    }
    let reference = try small(outputs: ["y"]) {
      try $0.constant("scale", GraphValue(Tensor<Float>([-1, -2, -3, -4, -5])))
      $0.node("ReduceMax", ["x"], ["deviation"])
      $0.node("Sub", ["x", "deviation"], ["centered"])
      $0.node("LayerNormalization", ["centered", "scale"], ["y"])
    }
    let report = try compared(own, reference)
    #expect(report.isEqual && names(report)["deviation"] == nil)
    #expect(report.pairing.valueCount == 2)
  }

  /// Ones are like 1.01, 0.98, 1.03, 0.96, 1.05 to 30 dB.
  @Test func valueOfShapesAloneIsNotPairedWithWhatIsMerelyLikeIt() throws {
    let own = try small(outputs: ["y"]) {
      try $0.constant("small", GraphValue(Tensor<Float>([0.01])))
      try $0.constant("one", GraphValue(Tensor<Float>([1])))
      $0.node("Shape", ["x"], ["shape"])
      $0.node("Expand", ["one", "shape"], ["ones"])
      $0.node("Neg", ["x"], ["turned"])
      $0.node("Mul", ["turned", "small"], ["part"])
      $0.node("Sub", ["part", "ones"], ["y"])
    }
    let reference = try small(outputs: ["y"]) {
      try $0.constant("little", GraphValue(Tensor<Float>([0.01])))
      try $0.constant("one", GraphValue(Tensor<Float>([1])))
      $0.node("Mul", ["x", "little"], ["share"])
      $0.node("Add", ["share", "one"], ["near"])
      $0.node("Neg", ["near"], ["y"])
    }
    let report = try compared(own, reference)
    #expect(report.isEqual && names(report)["ones"] == nil)
  }

  // MARK: Masks

  private func masked(_ constant: Float, _ reader: String, isComputed: Bool) throws -> ONNXModel {
    try small(outputs: ["y"]) {
      try $0.constant("hidden", GraphValue(Tensor<Float>([constant])))
      try $0.constant("zero", GraphValue(Tensor<Float>([0])))
      try $0.constant("two", GraphValue(Tensor<Float>([2])))
      try $0.constant("fixed", GraphValue(Tensor<Float>([0, 0, constant, 0, constant], shape: [1, 5])))
      $0.node("Greater", ["x", "two"], ["high"])
      if isComputed { $0.node("Where", ["high", "hidden", "zero"], ["mask"]) }
      $0.node("Add", ["x", isComputed ? "mask" : "fixed"], ["masked"])
      $0.node(reader, ["masked"], ["read"])
      $0.node("Neg", ["read"], ["y"])
    }
  }

  /// A Softmax makes exact zeros of either, in FLOAT as in DOUBLE.
  @Test(
    arguments: [
      (-.greatestFiniteMagnitude, -.infinity, false), (-.greatestFiniteMagnitude, -.infinity, true),
      (-1e9, -.infinity, false), (-.infinity, -1e9, false), (-1e9, -.infinity, true), (-1e4, -1e9, true),
      (-65504, -.greatestFiniteMagnitude, false), (-.greatestFiniteMagnitude, -65504, true),
    ] as [(Float, Float, Bool)])
  func constantsOfMasksWithoutEffectAreNotCounted(own: Float, reference: Float, isComputed: Bool) throws {
    let report = try compared(
      masked(own, "Softmax", isComputed: isComputed), masked(reference, "Softmax", isComputed: isComputed))
    let parity = try #require(report.samples.first?.parity)
    #expect(parity.verdict == .equal)
    #expect(parity.unfitNames == (isComputed ? ["mask", "masked"] : ["masked"]))
    #expect(parity.nodes.compactMap(\.unfitReference).allSatisfy { $0.cause == .mask && $0.witness == "read" })
  }

  /// In FLOAT16 the least number of FLOAT is −∞, so that the sum differs whichever mask it reads.
  @Test(arguments: [-65504, -1e4, -.infinity] as [Float])
  func masksOfHalfPrecisionWithoutEffectAreNotCounted(constant: Float) throws {
    func masked(_ constant: Float, as type: ElementType) throws -> ONNXModel {
      try small(outputs: ["y"]) {
        try $0.constant("constant", GraphValue(Tensor<Float>([constant])))
        try $0.constant("zero", GraphValue(Tensor<Float>([0])))
        try $0.constant("two", GraphValue(Tensor<Float>([2])))
        let to = ["to": AttributeProto.Content.int(Int64(type.rawValue))]
        for (wide, cast) in [("x", "numbers"), ("constant", "hidden"), ("zero", "nothing")] {
          $0.node("Cast", [wide], [cast], to)
        }
        $0.node("Greater", ["x", "two"], ["high"])
        $0.node("Where", ["high", "hidden", "nothing"], ["mask"])
        $0.node("Add", ["numbers", "mask"], ["masked"])
        $0.node("Softmax", ["masked"], ["read"])
        $0.node("Cast", ["read"], ["y"], ["to": .int(1)])
      }
    }
    let report = try compared(
      masked(constant, as: .float16), masked(-.greatestFiniteMagnitude, as: .float), scaled: 2e-3)
    let parity = try #require(report.samples.first?.parity)
    #expect(parity.verdict == .equal)
    #expect(parity.unfitNames == ["mask", "masked"])
  }

  /// A minimum sees the mask; −1000 is a number like any other, and has no effect on this input alone.
  @Test(arguments: [("ReduceMin", -Float.greatestFiniteMagnitude), ("Softmax", -1000)])
  func otherConstantsAreCounted(reader: String, constant: Float) throws {
    let report = try compared(
      masked(constant, reader, isComputed: false), masked(-.infinity, reader, isComputed: false))
    let parity = try #require(report.samples.first?.parity)
    #expect(parity.nodes[try #require(parity.verdict.first)].name == "masked")
    #expect(parity.unfitNames.isEmpty)
  }

  /// Rows of a table by ids that are of a type.
  private func lookup(_ type: ElementType) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("ids", [.size(3)], type)
    try graph.constant("table", GraphValue(Tensor<Float>([0.5, -1, 2, 3, -4, 5, 6, 7.25], shape: [4, 2])))
    graph.node("Cast", ["ids"], ["rows"], ["to": .int(7)])
    graph.node("Gather", ["table", "rows"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  @Test(arguments: [(ElementType.float, ElementType.int32), (.int32, .float), (.float16, .int64), (.int64, .int32)])
  func wholeNumbersGoIntoBothTypes(own: ElementType, other: ElementType) throws {
    let ids: [GraphValue] = try [
      GraphValue(Tensor<Float>([3, 0, 2])), GraphValue(Tensor<Double>([3, -0.0, 2])),
      GraphValue(Tensor<Int32>([3, 0, 2])),
      GraphValue(Tensor<Int64>([3, 0, 2])), GraphValue(Tensor<UInt8>([3, 0, 2])),
    ]
    for value in ids {
      var comparison = try ModelComparison(lookup(own), against: lookup(other))
      try comparison.run(["ids": value])
      #expect(comparison.report.isEqual)
      #expect(comparison.report.outputs.first?.largestError.largest == 0)
    }
  }

  /// The message has the type that was given, and whose it does not fit.
  @Test func numbersThatOneSideLacksAreRefused() throws {
    func message(_ own: ElementType, _ other: ElementType, _ value: GraphValue) throws -> String? {
      var comparison = try ModelComparison(lookup(own), against: lookup(other))
      let error = #expect(throws: GraphError.self) { try comparison.run(["ids": value]) }
      return error?.description
    }
    let halves = try GraphValue(Tensor<Float>([0.5, 1, 2]))
    #expect(try message(.float, .int32, halves) == "input 'ids': it is FLOAT[3]; the reference declares INT32[3]")
    #expect(try message(.int32, .float, halves) == "input 'ids': it is FLOAT[3]; the model declares INT32[3]")
    for large in [Float(0x1p31), -0x1p40, .infinity, .nan] {
      let value = try GraphValue(Tensor<Float>([large, 1, 2]))
      #expect(try message(.float, .int32, value)?.hasSuffix("it is FLOAT[3]; the reference declares INT32[3]") == true)
    }
    // The next float is 2²⁴ + 2.
    let odd = try GraphValue(Tensor<Int32>([0x100_0001, 1, 2]))
    #expect(try message(.int32, .float, odd) == "input 'ids': it is INT32[3]; the reference declares FLOAT[3]")
  }

  @Test func modelsOfOtherInputsAreRefused() throws {
    let chain = try model("chain")
    #expect(throws: GraphError.self) { try ModelComparison(chain, against: model("right")) }
    #expect(throws: GraphError.self) {
      var comparison = try ModelComparison(model("right"), against: model("right"))
      try comparison.run([:])
    }
  }
}

@Suite struct AxisOrderTests {
  @Test func everyOrderThatFitsIsTried() {
    #expect(AxisOrder.all(from: [1, 3, 4, 4], to: [1, 4, 4, 3]).map(\.axes) == [[1, 2, 0], [2, 1, 0], nil])
    #expect(AxisOrder.all(from: [2, 3], to: [2, 3]).map(\.axes) == [nil])
    #expect(AxisOrder.all(from: [2, 3], to: [6]).map(\.axes) == [nil])
    #expect(AxisOrder.all(from: [2, 3], to: [7]).isEmpty)
  }

  @Test func orderMovesWhatItSays() throws {
    let x = try Tensor<Double>(range: 24).reshaped([1, 2, 3, 4])
    let order = AxisOrder(axes: [1, 2, 0], shape: [1, 3, 4, 2])
    let (moved, expected) = (try order(x), try x.permuted([0, 2, 3, 1]))
    #expect(moved.shape == expected.shape)
    #expect(try moved.elements == expected.elements)
    #expect(order.strides(in: x.shape) == [4, 1, 12])
  }

  @Test func likenessFindsTheOrder() throws {
    let x = try Tensor<Double>(range: 4000).reshaped([10, 20, 20])
    let y = try x.permuted([2, 0, 1])
    let likeness = try #require(try Likeness.best(of: x, for: y))
    #expect(likeness.degree == 1 && likeness.order.axes == [2, 0, 1])
    #expect(try Likeness.best(of: x, for: Tensor<Double>(range: 3)) == nil)
  }

  /// Scores before a mask and behind it, a mask and zeros.
  @Test(
    arguments: [
      ([1, 2, 3, 4], [1, 2, 3, -.infinity]), ([0, 0, 0, 0], [0, -.infinity, 0, -.infinity]), ([1, .nan], [1, 2]),
      ([1, .infinity], [1, -.infinity]), ([.nan, .infinity], [.nan, .infinity]),
    ] as [([Double], [Double])])
  func whatIsInfiniteInOneAloneIsNotAlike(value: [Double], other: [Double]) throws {
    let (value, other) = (try Tensor<Double>(value), try Tensor<Double>(other))
    #expect(try Likeness.best(of: other, for: value) == nil)
    #expect(try Likeness.best(of: value, for: other) == nil)
  }

  /// Of two that are masked alike, the numbers beside the mask decide.
  @Test(arguments: [-Double.infinity, -Double(Float.greatestFiniteMagnitude)])
  func maskIsNoLikeness(constant: Double) throws {
    let value = try Tensor<Double>([1, 2, constant, 2])
    #expect(try Likeness.best(of: Tensor<Double>([1, 2, constant, 2]), for: value)?.degree == 1)
    // 1 − (4 + 16 + 16) / (1 + 4 + 4)
    #expect(try Likeness.best(of: Tensor<Double>([-1, -2, constant, -2]), for: value)?.degree == -3)
  }
}
