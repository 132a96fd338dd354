import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Models with a layer that is deliberately wrong beside what ONNX Runtime makes of the right one; written by
/// Tests/Fixtures/generate/onnx_parity.py.
@Suite struct ParityTests {
  private static let folder = fixture("parity/")

  private func model(_ name: String) throws -> ONNXModel { try ONNXModel(path: Self.folder + name + ".onnx") }

  private func values(_ name: String, without left: Set<String> = []) throws -> ReferenceValues {
    let file = try SafetensorsFile(path: Self.folder + name + ".safetensors")
    return ReferenceValues(names: file.tensorNames.filter { !left.contains($0) }) {
      .tensor(try file.anyTensor(named: $0))
    }
  }

  private func report(
    _ name: String, against reference: String = "reference", without left: Set<String> = [],
    options: ParityCheck.Options = .init()
  ) throws -> ParityReport {
    let reference = try values(reference, without: left)
    let model = try model(name)
    let input = try #require(model.graph.inputs.first)
    let inputName = model.graph.values[input].name
    let value = try #require(try reference.value(named: inputName))
    return try ParityCheck(model, options: options).run([inputName: value], reference: reference)
  }

  private func wrongNodes(_ report: ParityReport) -> [String] {
    report.nodes.filter { $0.status == .wrong }.map(\.name)
  }

  @Test func rightModelIsEqualNodeByNode() throws {
    let report = try report("right")
    #expect(report.verdict == .equal)
    #expect(report.checkedCount == 11)
    #expect(report.uncheckedCount == 0)
    #expect(report.unknownNames.isEmpty)
  }

  /// PyTorch 2.13's GELU of FLOAT on x86-64 is off by 1.07e-6 at -3.43, where its two terms cancel.
  @Test func roundingOfCancellingTermsGoesByTheTerms() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(4)])
    graph.node("Gelu", ["x"], ["y"])
    let inputs = ["x": GraphValue(try Tensor<Float>([-3.4327707, 0.5, -1, 4]))]
    func verdict(_ first: Float) throws -> ParityReport.Verdict {
      let reference = try Tensor<Float>([first, 0.34573123, -0.15865526, 3.9998736])
      return try ParityCheck(graph.model(outputs: ["y"])).run(
        inputs, reference: ReferenceValues(["y": GraphValue(reference)])
      ).verdict
    }
    #expect(try verdict(-0.0010265238) == .equal)
    #expect(try verdict(-0.00103) != .equal)
  }

  /// The mean of centred numbers is rounding: -5.59e-9 by NumPy in float64, -1.12e-8 or 0 in float32, in whatever order.
  @Test(arguments: ["ReduceMean", "ReduceSum", "GlobalAveragePool", "AveragePool"])
  func meansOfCentredNumbersGoByTheirTerms(type: String) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(1), .size(1), .size(4)])
    graph.node(type, ["x"], ["y"], type == "AveragePool" ? ["kernel_shape": .ints([1, 4])] : [:])
    let model = try graph.model(outputs: ["y"])
    let x = try Tensor<Float>([0.7, -0.1, -0.4, -0.2], shape: [1, 1, 1, 4])
    func isEqual(_ mean: Float) throws -> Bool {
      let y = try Tensor([type == "ReduceSum" ? 4 * mean : mean], shape: [1, 1, 1, 1])
      return try ParityCheck(model).run(
        ["x": GraphValue(x)], reference: ReferenceValues(["y": GraphValue(y)])
      ).isEqual
    }
    for mean in [-5.58793545e-9, -1.1175871e-8, 0] as [Float] { #expect(try isEqual(mean)) }
    // Without the first number, or half a millionth of it too much.
    for mean in [-0.175, 3.5e-7] as [Float] { #expect(try !isEqual(mean)) }
  }

  /// Numbers of alternating signs, every second of which the other runtime has a millionth larger: 4.8e-7 is left of them.
  @Test func errorsOfTheTermsAreThoseOfTheirMean() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(8)])
    try graph.constant("one", GraphValue(Tensor<Float>([1], shape: [])))
    graph.node("Mul", ["x", "one"], ["product"])
    graph.node("ReduceMean", ["product"], ["y"])
    let model = try graph.model(outputs: ["y"])
    func report(off: Float) throws -> ParityReport {
      let other: [Float] = (0..<8).map { $0 % 2 == 0 ? 1 + off : -1 }
      return try ParityCheck(model).run(
        ["x": GraphValue(Tensor<Float>((0..<8).map { $0 % 2 == 0 ? 1 : -1 }, shape: [1, 8]))],
        reference: ReferenceValues([
          "product": GraphValue(Tensor(other, shape: [1, 8])),
          "y": GraphValue(Tensor<Float>([off / 2], shape: [1, 1])),
        ]))
    }
    #expect(try report(off: 0x1p-20).verdict == .equal)
    #expect(try report(off: 0x1p-10).nodes.map(\.status) == [.wrong, .inherits])
  }

  @Test(arguments: [
    ("int8_weights", "conv2"), ("epsilon", "norm"), ("swapped_axes", "transpose"), ("coordinates", "resize"),
  ])
  func exactlyTheWrongNodeIsNamed(model: String, node: String) throws {
    let report = try report(model)
    #expect(wrongNodes(report) == [node])
    guard case .wrong(let first, 1) = report.verdict else {
      Issue.record("verdict \(report.verdict)")
      return
    }
    #expect(report.nodes[first].name == node)
    #expect(report.nodes[first].suspects.isEmpty)
    // Nodes before it know nothing of it.
    for earlier in report.nodes[..<first] { #expect(earlier.status == .equal) }
  }

  @Test func laterNodesInherit() throws {
    let report = try report("int8_weights")
    let inheriting = report.nodes.filter { $0.status == .inherits }.map(\.name)
    #expect(inheriting.contains("transpose") && inheriting.contains("softmax"))
    for node in report.nodes where node.status == .inherits {
      #expect(node.outputs.allSatisfy { $0.isolated?.isAcceptable == true })
    }
  }

  @Test func suspectsAreTheNodesThatTheReferenceLacks() throws {
    let report = try report("int8_weights", without: ["conv2", "transpose", "reshape"])
    #expect(wrongNodes(report) == ["norm"])
    let node = try #require(report.nodes.first { $0.name == "norm" })
    #expect(node.suspects == ["conv2", "transpose", "reshape"])
    #expect(node.inputs.first?.source == .computed)
    #expect(report.uncheckedCount == 3)
  }

  @Test func outputsAloneShowThatSomethingIsWrongSomewhere() throws {
    let inner: Set = ["conv1", "relu1", "resize", "conv2", "transpose", "reshape", "norm", "project", "levels"]
    let report = try report("coordinates", without: inner)
    let node = try #require(report.nodes.first { $0.status == .wrong })
    #expect(node.suspects.contains("resize"))
    #expect(try self.report("right", without: inner).verdict == .equal)
  }

  @Test(arguments: [(1, 1, true), (1, 2, false), (2, 1, false)])
  func levelOffByOneIsNoDifference(levels: Int, elements: Int, isRounding: Bool) throws {
    let file = try values("reference", without: ["dequantized"])
    guard case .tensor(let any)? = try file.value(named: "levels"),
      var changed = try any.tensor(of: UInt8.self)?.elements
    else { throw OperatorError("the fixture has no levels") }
    // Of 128 elements 1 % is one.
    for index in 0..<elements {
      changed[index] = changed[index] > 128 ? changed[index] - UInt8(levels) : changed[index] + UInt8(levels)
    }
    let tensor = try Tensor<UInt8>(changed, shape: any.shape)
    let reference = ReferenceValues(names: file.names) { name in
      name == "levels" ? GraphValue(tensor) : try #require(try file.value(named: name))
    }
    let image = try #require(try file.value(named: "image"))
    let report = try ParityCheck(model("right")).run(["image": image], reference: reference)
    let quantize = try #require(report.nodes.first { $0.name == "quantize" })
    #expect(quantize.status == (isRounding ? .offByOneLevel : .wrong))
    #expect(report.isEqual == isRounding)

    // A tolerance of zero asks for equality and nothing else.
    var options = ParityCheck.Options()
    options.tolerance = ParityTolerance(absolute: 0)
    let strict = try ParityCheck(model("right"), options: options).run(["image": image], reference: reference)
    #expect(strict.nodes.first { $0.name == "quantize" }?.status == .wrong)
  }

  /// A tie that falls the other way where the reference has no levels; another scale and another zero point, of which most
  /// elements are off by less than two levels of 255, are none.
  @Test(arguments: [(1, 0, true), (1.01, 0, false), (1, 1, false)] as [(Float, Float, Bool)])
  func roundingToLevelsIsToldFromScalesBehindThem(scale: Float, shift: Float, isRounding: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(128)])
    try graph.constant("one", GraphValue(Tensor<Float>([1], shape: [])))
    try graph.constant("zero", GraphValue(Tensor<Int8>([0], shape: [])))
    graph.node("QuantizeLinear", ["x", "one", "zero"], ["levels"])
    graph.node("DequantizeLinear", ["levels", "one", "zero"], ["y"])
    // Ties go to the even number here, and one of three to the other there.
    var x = (0..<128).map(Float.init)
    x[60...62] = [0.5, 2.5, 4.5]
    var y = x.map { ($0.rounded(.toNearestOrEven) + shift) * scale }
    if isRounding { y[61] = 3 }
    let report = try ParityCheck(graph.model(outputs: ["y"])).run(
      ["x": GraphValue(Tensor(x))], reference: ReferenceValues(["y": GraphValue(Tensor(y))]))
    #expect(report.nodes.map(\.status) == [.unchecked, isRounding ? .equal : .wrong])
  }

  /// A tie that falls the other way: the levels may be off by one, and the label that this leads to may not.
  @Test func labelBehindLevelsIsExact() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(3)])
    try graph.constant("scale", GraphValue(Tensor<Float>([0.5], shape: [])))
    try graph.constant("zero", GraphValue(Tensor<UInt8>([0], shape: [])))
    try graph.constant("limit", GraphValue(Tensor<Float>([75.25])))
    graph.node("QuantizeLinear", ["x", "scale", "zero"], ["levels"])
    graph.node("DequantizeLinear", ["levels", "scale", "zero"], ["numbers"])
    graph.node("ArgMax", ["numbers"], ["label"], ["axis": .int(1)])
    graph.node("Greater", ["numbers", "limit"], ["beyond"])
    let report = try ParityCheck(graph.model(outputs: ["label", "beyond"])).run(
      ["x": GraphValue(Tensor<Float>([75, 75, 0], shape: [1, 3]))],
      reference: ReferenceValues([
        "levels": GraphValue(Tensor<UInt8>([150, 151, 0], shape: [1, 3])),
        "numbers": GraphValue(Tensor<Float>([75, 75.5, 0], shape: [1, 3])),
        "label": GraphValue(Tensor<Int64>([1], shape: [1, 1])),
        "beyond": GraphValue(Tensor<Bool>([false, true, false], shape: [1, 3])),
      ]))
    #expect(report.nodes.map(\.status) == [.offByOneLevel, .equal, .inherits, .inherits])
    #expect(report.verdict == .accumulated(first: 2))
  }

  /// Ties in levels that another runtime rounds otherwise, which the product multiplies: as rounding does by itself.
  /// Without ties a level more is no rounding.
  @Test(arguments: [(0.5, true), (0.4, false)]) func roundingBehindLevelsDrifts(x: Float, isTie: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(4), .size(64)])
    try graph.constant("one", GraphValue(Tensor<Float>([1], shape: [])))
    try graph.constant("zero", GraphValue(Tensor<Int8>([0], shape: [])))
    let signs: [Float] = (0..<192).map { i in (i / 3) >> (i % 3) & 1 == 0 ? -100 : 100 }
    try graph.constant("signs", GraphValue(Tensor<Float>(signs, shape: [64, 3])))
    graph.node("Mul", ["x", "one"], ["product"])
    graph.node("QuantizeLinear", ["product", "one", "zero"], ["levels"])
    graph.node("DequantizeLinear", ["levels", "one", "zero"], ["numbers"])
    graph.node("MatMul", ["numbers", "signs"], ["y"])
    // Where the last bit of a number is 1 the other runtime's product is above the tie.
    let other: [Float] = (0..<256).map { $0 % 2 == 1 ? max(x, 0.5).nextUp : x }
    let levels: [Float] = other.map { $0.rounded(.toNearestOrEven) }
    var sums = [Float](repeating: 0, count: 12)
    for (i, level) in levels.enumerated() {
      for column in 0..<3 { sums[i / 64 * 3 + column] += level * signs[i % 64 * 3 + column] }
    }
    let report = try ParityCheck(graph.model(outputs: ["y"])).run(
      ["x": GraphValue(Tensor(repeating: x, shape: [4, 64]))],
      reference: ReferenceValues([
        "product": GraphValue(Tensor<Float>(other, shape: [4, 64])),
        "levels": GraphValue(Tensor<Int8>(levels.map { Int8($0) }, shape: [4, 64])),
        "numbers": GraphValue(Tensor<Float>(levels, shape: [4, 64])),
        "y": GraphValue(Tensor<Float>(sums, shape: [4, 3])),
      ]))
    #expect(report.nodes.last?.status == (isTie ? .drifts : .inherits))
    #expect(report.isEqual == isTie)
  }

  /// A size hangs on no element, so a cancelling sum behind one is judged as it is without it.
  @Test(arguments: [false, true])
  func sizesExcuseNoDrift(readsSize: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(4), .size(64)])
    try graph.constant("one", GraphValue(Tensor<Float>([1], shape: [])))
    let signs: [Float] = (0..<192).map { i in (i / 3) >> (i % 3) & 1 == 0 ? -100 : 100 }
    try graph.constant("signs", GraphValue(Tensor<Float>(signs, shape: [64, 3])))
    graph.node("Mul", ["x", "one"], ["product"])
    if readsSize {
      graph.node("Shape", ["product"], ["size"])
      graph.node("Reshape", ["product", "size"], ["numbers"])
    } else {
      graph.node("Identity", ["product"], ["numbers"])
    }
    graph.node("MatMul", ["numbers", "signs"], ["y"])
    // Every second number is off by 1e-6 of itself, which a product may be; column 0 adds those with one sign.
    let off: Float = 1 + 16 * 0x1p-24
    let other: [Float] = (0..<256).map { $0 % 2 == 0 ? off : 1 }
    let sums: [Float] = (0..<12).map { $0 % 3 == 0 ? -100 * 32 * (off - 1) : 0 }
    let report = try ParityCheck(graph.model(outputs: ["y"])).run(
      ["x": GraphValue(Tensor<Float>(repeating: 1, shape: [4, 64]))],
      reference: ReferenceValues([
        "product": GraphValue(Tensor<Float>(other, shape: [4, 64])),
        "y": GraphValue(Tensor<Float>(sums, shape: [4, 3])),
      ]))
    #expect(report.nodes.last?.status == .inherits)
    #expect(!report.isEqual)
  }

  @Test func integersBehindLevelsAreLevelsOrSumsOrExact() throws {
    let rule = ParityTolerance()
    func tolerance(_ value: GraphValue, _ levels: ParityTolerance.Levels) throws -> Tolerance {
      try rule.cumulative(value, computedIn: value.elementType, levels: levels)
    }
    let label = GraphValue(try Tensor<Int64>([600]))
    for levels in [ParityTolerance.Levels.behind, .levels, .none] { #expect(try tolerance(label, levels) == .exact) }
    #expect(try tolerance(GraphValue(Tensor<UInt8>([9])), .behind) == .exact)
    #expect(try tolerance(GraphValue(Tensor<UInt8>([9])), .levels) == Tolerance(relative: 0, absolute: 2))
    #expect(try tolerance(GraphValue(Tensor<Int32>([255])), .sums) == Tolerance(relative: 0, absolute: 4))
    #expect(try tolerance(GraphValue(Tensor<Float>([255])), .behind) == Tolerance(relative: 0, absolute: 4))
  }

  @Test(
    arguments: [
      ([1, -2, 3, -1e9, -1e9], 3, 0x1p29), ([0.5, 0, -3.4028235e38], 0.5, 0x1p127), ([1, -1e9, -1e9, -1e9], 1, 0x1p29),
      // An activation of language models, and a mask like it.
      ([0.25, 0.5, 1, 5000], 5000, .infinity), ([1, -2, -10_000], 10_000, .infinity),
      // All there is, and all but a stray one of thirty-two.
      ([-1e9, 0, -1e9], 1e9, .infinity),
      ([1] + [Float](repeating: 1e6, count: 31), 1e6, .infinity),
      // What cancelling leaves of 1 is no scale of it; large and small without a gap.
      ([1e-8, 1e-8, 1e-8, 1], 1, .infinity), ([1, 100, 1e4, 1e6, 1e8, 1e10], 1e10, .infinity),
      ([.infinity, .nan, 2], 2, .infinity), ([], 0, .infinity),
    ] as [([Float], Double, Double)])
  func constantsOfMasksAreNoScale(elements: [Float], largest: Double, limit: Double) throws {
    let single = try ValueScale(GraphValue(Tensor(elements)))
    #expect(single.largest == largest && single.limit == limit)
    let double = try ValueScale(GraphValue(Tensor(elements.map(Double.init))))
    #expect(double.largest == largest && double.limit == limit)
  }

  /// A bias that is wrong goes into scores together with a mask of −10⁹, which is an input or is computed.
  @Test(arguments: [false, true])
  func errorBesideAMaskIsNamed(isComputed: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(4)])
    graph.input("hidden", [.size(4)])
    try graph.constant("bias", GraphValue(Tensor<Float>([0.5, -1, 0.25, 2])))
    try graph.constant("least", GraphValue(Tensor<Float>([-1e9])))
    graph.node("Mul", ["hidden", "least"], ["mask"])
    graph.node("Add", ["bias", "mask"], ["masked"])
    graph.node("Add", ["x", "masked"], ["scores"])
    graph.node("Softmax", ["scores"], ["y"])
    // By hand, with 0.75 in place of the bias −1; Softmax of 1.5, 2.75, 1.25 by NumPy.
    var values = [
      "masked": GraphValue(try Tensor<Float>([0.5, 0.75, 0.25, -1e9])),
      "scores": GraphValue(try Tensor<Float>([1.5, 2.75, 1.25, -1e9], shape: [1, 4])),
      "y": GraphValue(try Tensor<Float>([0.18978416, 0.66241179, 0.14780405, 0], shape: [1, 4])),
    ]
    if isComputed { values["mask"] = GraphValue(try Tensor<Float>([0, 0, 0, -1e9])) }
    let report = try ParityCheck(graph.model(outputs: ["y"])).run(
      [
        "x": GraphValue(Tensor<Float>([1, 2, 1, 3], shape: [1, 4])),
        "hidden": GraphValue(Tensor<Float>([0, 0, 0, 1])),
      ], reference: ReferenceValues(values))
    #expect(wrongNodes(report) == ["masked"])
    #expect(report.nodes.map(\.status) == [isComputed ? .equal : .unchecked, .wrong, .inherits, .inherits])
  }

  @Test func toleranceGivenReplacesTheRule() throws {
    var options = ParityCheck.Options()
    options.tolerance = ParityTolerance(relative: 0, absolute: 10)
    #expect(try report("int8_weights", options: options).nodes.allSatisfy { $0.status != .wrong })
    options.tolerance = ParityTolerance(relative: 0, absolute: 0)
    #expect(try !wrongNodes(report("int8_weights", options: options)).isEmpty)
  }

  @Test func float64ShowsWhichSideIsOff() throws {
    var options = ParityCheck.Options()
    options.computesTruth = true
    let report = try report("coordinates", options: options)
    let output = try #require(report.nodes.first { $0.status == .wrong }?.outputs.first)
    let truth = try #require(output.truth)
    let reference = try #require(truth.isolatedReference?.comparison?.differences?.rootMeanSquare)
    let actual = try #require(truth.isolatedActual?.comparison?.differences?.rootMeanSquare)
    // The file says align_corners; the reference computed half_pixel.
    #expect(reference > 1e-3)
    #expect(actual < 1e-7)
  }

  /// NumPy's float64 values; Apus computes in float32, and loses five digits with every inverse.
  @Test func rightNodesWhoseRoundingGrowsAreToldFromWrongOnes() throws {
    let report = try report("chain", against: "chain")
    #expect(wrongNodes(report).isEmpty)
    guard case .accumulated = report.verdict else {
      Issue.record("verdict \(report.verdict)")
      return
    }
  }

  @Test func nodeThatCannotBeRunIsReportedAndSkipped() throws {
    var proto = try model("right").proto
    let index = try #require(proto.graph.nodes.firstIndex { $0.name == "norm" })
    proto.graph.nodes[index].opType = "NoSuchOperator"
    let reference = try values("reference")
    let report = try ParityCheck(ONNXModel(proto)).run(
      ["image": #require(try reference.value(named: "image"))], reference: reference)
    guard case .incomplete(let first) = report.verdict else {
      Issue.record("verdict \(report.verdict)")
      return
    }
    #expect(report.nodes[first].name == "norm")
    // What comes after is judged on the reference's values all the same.
    #expect(report.nodes.first { $0.name == "project" }?.status == .equal)
  }

  @Test func valuesOfChanceAreTakenOver() throws {
    var graph = GraphProto(name: "chance")
    graph.nodes = [
      NodeProto(
        name: "draw", opType: "RandomNormal", outputs: ["drawn"],
        attributes: [AttributeProto(name: "shape", value: .ints([3]))]),
      NodeProto(name: "negate", opType: "Neg", inputs: ["drawn"], outputs: ["negated"]),
    ]
    graph.outputs = [ValueInfoProto(name: "negated", type: .tensor(.float, nil))]
    let model = try ONNXModel(ModelProto(opsetImports: [OperatorSetID(version: 17)], graph: graph))
    let report = try ParityCheck(model).run(
      [:],
      reference: ReferenceValues([
        "drawn": GraphValue(Tensor<Float>([1, -2, 3])), "negated": GraphValue(Tensor<Float>([-1, 2, -3])),
      ]))
    #expect(report.nodes.map(\.status) == [.random, .equal])
  }

  /// A Dropout that was left in training gives other numbers with every draw, and none that a model is to give.
  @Test(
    arguments: [(true, 0.5, .random), (false, 0.5, .equal), (true, 0, .equal)] as [(Bool, Float, ParityReport.Status)])
  func dropoutInTrainingIsLeftToChance(isTraining: Bool, ratio: Float, status: ParityReport.Status) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(4)])
    try graph.constant("ratio", GraphValue(Tensor<Float>([ratio], shape: [])))
    try graph.constant("training", GraphValue(Tensor<Bool>([isTraining], shape: [])))
    graph.node("Dropout", ["x", "ratio", "training"], ["dropped"])
    graph.node("Neg", ["dropped"], ["y"])
    let x = GraphValue(try Tensor<Float>([1, 2, 3, 4]))
    let report = try ParityCheck(graph.model(outputs: ["y"])).run(
      ["x": x], reference: ReferenceValues(["dropped": x, "y": GraphValue(Tensor<Float>([-1, -2, -3, -4]))]))
    #expect(report.verdict == (status == .random ? .inconclusive(.sameness) : .equal))
    #expect(report.nodes.map(\.status) == [status, .equal])
  }

  /// log(2x − 100) is NaN wherever x is small, with 3x as well.
  @Test(arguments: [false, true]) func valuesWithoutNumbersTellNothing(isWrong: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    try graph.constant("two", GraphValue(Tensor<Float>([2])))
    try graph.constant("hundred", GraphValue(Tensor<Float>([100])))
    graph.node("Mul", ["x", "two"], ["product"])
    graph.node("Sub", ["product", "hundred"], ["difference"])
    graph.node("Log", ["difference"], ["logarithm"])
    graph.node("Neg", ["logarithm"], ["y"])
    func numbers(_ elements: [Float]) throws -> GraphValue { GraphValue(try Tensor<Float>(elements)) }
    let none = try numbers([.nan, .nan, .nan])
    let report = try ParityCheck(graph.model(outputs: ["y"])).run(
      ["x": numbers([1, 2, 3])],
      reference: ReferenceValues([
        "product": numbers(isWrong ? [3, 6, 9] : [2, 4, 6]), "logarithm": none, "y": none,
      ]))
    #expect(report.namesWithoutNumbers == ["logarithm", "y"])
    #expect(report.verdict == (isWrong ? .wrong(first: 0, count: 1) : .inconclusive(.numbers)))
    #expect(!report.isEqual && report.unfitNames.isEmpty)
  }

  /// Nothing exceeds 10, with another limit of 20 either; beside an output that has elements it is merely named.
  @Test(arguments: [["found"], ["found", "y"]])
  func nothingIsNoEquality(outputs: [String]) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    try graph.constant("limit", GraphValue(Tensor<Float>([10])))
    graph.node("Neg", ["x"], ["y"])
    graph.node("Greater", ["x", "limit"], ["beyond"])
    graph.node("NonZero", ["beyond"], ["found"])
    let report = try ParityCheck(graph.model(outputs: outputs)).run(
      ["x": GraphValue(Tensor<Float>([1, 2, 3]))],
      reference: ReferenceValues([
        "found": GraphValue(Tensor<Int64>([], shape: [1, 0])), "y": GraphValue(Tensor<Float>([-1, -2, -3])),
      ]))
    #expect(report.verdict == (outputs.count == 1 ? .inconclusive(.numbers) : .equal))
    #expect(report.namesWithoutNumbers == ["found"])
  }

  /// One number is enough to be compared, and another output as well.
  @Test func numbersBesideNaNAreCompared() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2)])
    graph.node("Log", ["x"], ["logarithm"])
    graph.node("Neg", ["x"], ["y"])
    let model = try graph.model(outputs: ["logarithm", "y"])
    func report(_ x: [Float], _ logarithm: [Float]) throws -> ParityReport {
      try ParityCheck(model).run(
        ["x": GraphValue(Tensor<Float>(x))],
        reference: ReferenceValues([
          "logarithm": GraphValue(Tensor<Float>(logarithm)), "y": GraphValue(Tensor<Float>(x.map { -$0 })),
        ]))
    }
    let some = try report([-1, 1], [.nan, 0])
    #expect(some.verdict == .equal && some.namesWithoutNumbers.isEmpty)
    let none = try report([-1, 0], [.nan, -.infinity])
    #expect(none.verdict == .equal && none.namesWithoutNumbers == ["logarithm"])
  }

  @Test func namesOfNeitherModelNorInputsAreCounted() throws {
    let file = try values("reference")
    let odd = ReferenceValues(names: ["norm", "elsewhere"]) { _ in try #require(try file.value(named: "norm")) }
    let report = try ParityCheck(model("right")).run(
      ["image": #require(try file.value(named: "image"))], reference: odd)
    #expect(report.unknownNames == ["elsewhere"])
    #expect(report.checkedCount == 1)
  }

  /// The label is in no reference, or under a name that is nearly its own.
  @Test func outputsWithoutAReferenceAreNamed() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(3)])
    graph.node("Neg", ["x"], ["logits"])
    graph.node("ArgMax", ["logits"], ["label"], ["axis": .int(1)])
    let check = try ParityCheck(graph.model(outputs: ["logits", "label"]))
    let logits = GraphValue(try Tensor<Float>([-1, -2, -3], shape: [1, 3]))
    let label = GraphValue(try Tensor<Int64>([0], shape: [1, 1]))
    func report(_ values: [String: GraphValue]) throws -> ParityReport {
      try check.run(
        ["x": GraphValue(Tensor<Float>([1, 2, 3], shape: [1, 3]))], reference: ReferenceValues(values))
    }
    let all = try report(["logits": logits, "label": label])
    #expect(all.verdict == .equal && all.uncomparedOutputs.isEmpty)
    let some = try report(["logits": logits])
    #expect(some.verdict == .equal && some.uncomparedOutputs == ["label"])
    let misspelt = try report(["logits": logits, "Label": label])
    #expect(misspelt.verdict == .inconclusive(.outputs) && misspelt.verdict.name == "incomplete")
    #expect(misspelt.uncomparedOutputs == ["label"] && misspelt.unknownNames == ["Label"])
    // An inner value that nobody knows is nobody's output.
    #expect(try report(["logits": logits, "label": label, "Label": label]).verdict == .equal)
  }

  /// The reference has weights and inputs under their names as well: transposed, and of another run.
  @Test func constantsAndInputsOfTheReferenceAreCompared() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    try graph.constant("w", GraphValue(Tensor<Float>([1, 2, 3, 4], shape: [2, 2])))
    graph.node("MatMul", ["x", "w"], ["y"])
    let check = try ParityCheck(graph.model(outputs: ["y"]))
    func report(_ values: [String: GraphValue]) throws -> ParityReport {
      let y = GraphValue(try Tensor<Float>([7, 10], shape: [1, 2]))
      return try check.run(
        ["x": GraphValue(Tensor<Float>([1, 2], shape: [1, 2]))],
        reference: ReferenceValues(values.merging(["y": y]) { first, _ in first }))
    }
    let same = try report([
      "w": GraphValue(Tensor<Double>([1, 2, 3, 4], shape: [2, 2])),
      "x": GraphValue(Tensor<Int64>([1, 2], shape: [1, 2])),
    ])
    #expect(same.verdict == .equal && same.differingConstants.isEmpty && same.differingInputs.isEmpty)
    let other = try report([
      "w": GraphValue(Tensor<Float>([1, 3, 2, 4], shape: [2, 2])),
      "x": GraphValue(Tensor<Float>([1, 3], shape: [1, 2])),
    ])
    #expect(other.verdict == .equal && other.unknownNames.isEmpty)
    #expect(other.differingConstants == ["w"] && other.differingInputs == ["x"])
  }

  /// A label of another width, which a later node reads too; 2³² + 2 has the low bits of 2.
  @Test func integersOfAnotherWidthAreComparedByValue() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    try graph.constant("one", GraphValue(Tensor<Int32>([1])))
    graph.node("Cast", ["x"], ["label"], ["to": .int(6)])
    graph.node("Add", ["label", "one"], ["next"])
    let model = try graph.model(outputs: ["next"])
    func report(_ label: [Int64], _ next: [Int64]) throws -> ParityReport {
      try ParityCheck(model).run(
        ["x": GraphValue(Tensor<Float>([1, 2, -3]))],
        reference: ReferenceValues(["label": GraphValue(Tensor(label)), "next": GraphValue(Tensor(next))]))
    }
    let right = try report([1, 2, -3], [2, 3, -2])
    #expect(right.verdict == .equal)
    #expect(right.nodes.flatMap(\.outputs).allSatisfy { $0.isOfOtherIntegers })
    #expect(try !report([1, 3, -3], [2, 4, -2]).isEqual)
    let wide = try report([1, 1 << 32 + 2, -3], [2, 3, -2])
    #expect(wide.nodes[0].outputs[0].isolated?.isAcceptable == false)
  }

  @Test func referenceOfLessPrecisionIsJudgedByItsOwn() throws {
    let expected = GraphValue.tensor(.bfloat16(try Tensor<Float>([256, 1]).converted()))
    let rule = ParityTolerance()
    let (mixed, narrow) = (
      try rule.isolated(expected, computedIn: .float, terms: 1),
      try rule.isolated(expected, computedIn: .bfloat16, terms: 1)
    )
    #expect(mixed == narrow && mixed.relative == 1.6e-2)
    #expect(try rule.cumulative(expected, computedIn: .float, levels: .none).relative == 2e-1)
    // Of more precision, by the model's.
    let wide = GraphValue(try Tensor<Double>([257, 1]))
    #expect(try rule.isolated(wide, computedIn: .float, terms: 1).relative == 1.3e-6)
  }

  @Test func inputOfAnotherShapeIsRefused() throws {
    let check = try ParityCheck(model("right"))
    #expect(throws: GraphError.self) {
      try check.run(["image": GraphValue(Tensor<Float>(zeros: [1, 3, 9, 8]))], reference: ReferenceValues([:]))
    }
    #expect(throws: GraphError.self) { try check.run([:], reference: ReferenceValues([:])) }
  }
}

// MARK: - References that do not fit

/// A file whose normalisations the exporter folded, beside what hooks recorded (Tests/Fixtures/generate/torch_parity.py).
extension ParityTests {
  private static let recordedElsewhere: Set = ["/conv1/Conv_output_0", "/conv2/Conv_output_0", "/fc1/Gemm_output_0"]

  @Test func valuesRecordedBeforeFoldingAreNotHeldAgainstTheFile() throws {
    let report = try report("folded", against: "folded")
    #expect(report.verdict == .equal)
    #expect(report.unfitNames == Self.recordedElsewhere)
    #expect(report.checkedCount == 4)
    let witnesses = report.nodes.compactMap(\.unfitReference?.witness)
    #expect(witnesses == ["/relu1/Relu", "/silu/Mul", "/relu2/Relu"])
    // The reference has one value for the matrix and the ReLU that overwrites it.
    #expect(report.nodes.compactMap(\.unfitReference?.cause) == [.folded, .folded, .overwritten])
    let relu = try #require(report.nodes.first { $0.name == "/relu1/Relu" })
    #expect(relu.inputs.first?.source == .computed)
  }

  @Test func whatIsRecordedWithTheFoldingInMindFits() throws {
    let report = try report("folded", against: "hooked")
    #expect(report.verdict == .equal)
    #expect(report.unfitNames.isEmpty && report.checkedCount == 7)
  }

  /// With values in their places, and with values that do not fit around it.
  @Test(arguments: [
    ("folded_weight", "hooked", "/conv2/Conv"), ("folded_matrix", "hooked", "/fc2/Gemm"),
    ("folded_weight", "folded", "/conv2/Conv"), ("folded_matrix", "folded", "/fc2/Gemm"),
  ])
  func wrongWeightIsNotTakenForAnUnfitReference(model: String, reference: String, node: String) throws {
    let report = try report(model, against: reference)
    guard case .wrong(let first, _) = report.verdict else {
      Issue.record("verdict \(report.verdict)")
      return
    }
    #expect(report.nodes[first].name == node)
    #expect(report.nodes[..<first].allSatisfy { $0.status != .wrong })
  }

  /// In DOUBLE too, the nodes behind are fed with what the file computes.
  @Test func truthIsThatOfWhatTheFileComputes() throws {
    var options = ParityCheck.Options()
    options.computesTruth = true
    let report = try report("folded", against: "folded", options: options)
    for node in report.nodes where node.status == .equal {
      let truth = try #require(node.outputs.first?.truth?.isolatedReference?.comparison?.differences)
      #expect(truth.largestAbsolute?.value ?? 0 < 1e-5)
    }
  }

  @Test func unfitValueIsNeverReduced() throws {
    #expect(try reduction("folded", against: "folded").part == nil)
    let part = try #require(try reduction("folded_matrix", against: "folded").part)
    #expect(part.nodes == ["/fc2/Gemm"])
    let weight = try #require(try reduction("folded_weight", against: "hooked").part)
    #expect(weight.nodes == ["/conv2/Conv"])
  }

  /// What a value is made of by several nodes may be off by what they round, and by no more.
  @Test func roundingOfSeveralNodesIsMeasured() throws {
    // 100 + x - 100 loses two digits of x, and no rule about the result's size can know.
    var graph = GraphProto(name: "cancelling")
    graph.inputs = [ValueInfoProto(name: "x", type: .tensor(.float, [.size(4)]))]
    graph.initializers = [try TensorProto(name: "large", value: GraphValue(Tensor<Float>([100])))]
    graph.nodes = [
      NodeProto(name: "add", opType: "Add", inputs: ["x", "large"], outputs: ["sum"]),
      NodeProto(name: "subtract", opType: "Sub", inputs: ["sum", "large"], outputs: ["y"]),
    ]
    graph.outputs = [ValueInfoProto(name: "y", type: .tensor(.float, nil))]
    let model = try ONNXModel(ModelProto(opsetImports: [OperatorSetID(version: 17)], graph: graph))
    let x = try Tensor<Float>([0.1, 0.2, 0.3, 0.7])
    func status(_ y: Tensor<Float>) throws -> [ParityReport.Status] {
      try ParityCheck(model).run(["x": GraphValue(x)], reference: ReferenceValues(["y": GraphValue(y)])).nodes.map(
        \.status)
    }
    #expect(try status(x) == [.unchecked, .equal])
    #expect(try status(Tensor<Float>([0.1, 0.2, 0.31, 0.7])) == [.unchecked, .wrong])
  }

  /// The same within the branches of one node.
  @Test func aBodyRoundsAsOftenAsItHasNodes() throws {
    let branch = GraphProto(
      name: "branch",
      nodes: [
        NodeProto(name: "add", opType: "Add", inputs: ["x", "large"], outputs: ["sum"]),
        NodeProto(name: "subtract", opType: "Sub", inputs: ["sum", "large"], outputs: ["rest"]),
      ], outputs: [ValueInfoProto(name: "rest")])
    var graph = SmallGraph()
    graph.input("x", [.size(4)])
    try graph.constant("large", GraphValue(Tensor<Float>([100])))
    try graph.constant("always", GraphValue(Tensor<Bool>([true], shape: [])))
    graph.node("If", ["always"], ["y"], ["then_branch": .graph(branch), "else_branch": .graph(branch)])
    let model = try graph.model(outputs: ["y"])
    let x = try Tensor<Float>([0.1, 0.2, 0.3, 0.7])
    func status(_ y: Tensor<Float>) throws -> [ParityReport.Status] {
      try ParityCheck(model).run(["x": GraphValue(x)], reference: ReferenceValues(["y": GraphValue(y)])).nodes.map(
        \.status)
    }
    #expect(try status(x) == [.equal])
    #expect(try status(Tensor<Float>([0.1, 0.2, 0.31, 0.7])) == [.wrong])
  }
}

// MARK: - Reducing

extension ParityTests {
  private func reduction(
    _ name: String, against reference: String = "reference", without left: Set<String> = []
  ) throws -> (part: ParityReduction?, written: ModelProto?, options: ParityCheck.Options) {
    let reference = try values(reference, without: left)
    let model = try model(name)
    let input = model.graph.values[try #require(model.graph.inputs.first)].name
    let inputs = [input: try #require(try reference.value(named: input))]
    let check = try ParityCheck(model)
    let report = try check.run(inputs, reference: reference)
    let part = try check.reduction(of: inputs, reference: reference, report: report)
    return (part, try part.map { try ModelProto($0, of: model.proto) }, check.options)
  }

  @Test(arguments: [
    ("int8_weights", "conv2"), ("epsilon", "norm"), ("swapped_axes", "transpose"), ("coordinates", "resize"),
  ])
  func reductionIsTheWrongNodeAlone(model: String, node: String) throws {
    let (found, proto, options) = try reduction(model)
    let (part, message) = (try #require(found), try #require(proto))
    #expect(part.kind == .isolated)
    #expect(part.nodes == [node])
    #expect(message.graph.nodes.map(\.name) == [node])
    // Weights of other nodes stay behind.
    #expect(message.graph.initializers.count <= 2)
    let bytes = try message.encode()
    let written = try ONNXModel(bytes.withUnsafeBytes { try ModelProto.read(bytes: $0, name: "part") })
    #expect(try part.stillDiffers(written, inputs: part.inputs, outputs: part.outputs, options: options))
  }

  /// Readers of the file would refuse an Exp that is said to give more elements than it has.
  @Test func reductionDeclaresWhatTheNodeGives() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    graph.node("Exp", ["x"], ["y"])
    let model = try graph.model(outputs: ["y"])
    let check = try ParityCheck(model)
    let inputs = ["x": GraphValue(try Tensor<Float>([0, 1], shape: [1, 2]))]
    let reference = ReferenceValues(["y": GraphValue(try Tensor<Double>([1, 2, 1, 2], shape: [2, 2]))])
    let report = try check.run(inputs, reference: reference)
    let part = try #require(try check.reduction(of: inputs, reference: reference, report: report))
    let written = try ModelProto(part, of: model.proto)
    #expect(written.graph.outputs.map(\.type) == [.tensor(.float, [.size(1), .size(2)])])
  }

  @Test func reductionReachesBackToWhatTheReferenceHas() throws {
    let part = try #require(try reduction("swapped_axes", without: ["transpose", "reshape"]).part)
    #expect(part.nodes == ["transpose", "reshape", "norm"])
    #expect(Set(part.inputs.keys) == ["conv2"])
  }

  @Test func amplifiedRoundingIsCutToWhereItIsAmplified() throws {
    let (found, proto, options) = try reduction("chain", against: "chain")
    let part = try #require(found)
    #expect(part.kind == .cumulative)
    // The first product with the inverse: its input is rounded to float32, and that is enough.
    #expect(part.nodes == ["product1"])
    let written = try ONNXModel(#require(proto))
    #expect(try part.stillDiffers(written, inputs: part.inputs, outputs: part.outputs, options: options))
  }

  @Test func theReportOfAnotherModelIsRefused() throws {
    let report = try report("epsilon")
    let reference = try values("reference")
    var shorter = SmallGraph()
    shorter.input("x", [.size(4)])
    shorter.node("Relu", ["x"], ["y"])
    for other in [try model("folded_weight"), try shorter.model(outputs: ["y"])] {
      let check = try ParityCheck(other)
      #expect(throws: GraphError.self) { try check.reduction(of: [:], reference: reference, report: report) }
    }
  }

  @Test func nothingIsLeftOfARightModel() throws {
    #expect(try reduction("right").part == nil)
  }
}

// MARK: - What a difference is made of

extension ParityTests {
  @Test(arguments: [
    ("epsilon", "norm", DifferencePattern.attribute(name: "epsilon", value: "1e-05")),
    ("swapped_axes", "transpose", .attribute(name: "perm", value: "[0, 1, 2, 3]")),
    ("swapped_axes", "transpose", .axes([0, 2, 1])),
    ("coordinates", "resize", .attribute(name: "coordinate_transformation_mode", value: "\"half_pixel\"")),
    ("folded_weight", "/conv2/Conv", .places(axis: 1, places: [2], extent: 6)),
    ("folded_matrix", "/fc2/Gemm", .places(axis: 1, places: [2], extent: 5)),
  ])
  func reasonIsNamed(model: String, node: String, pattern: DifferencePattern) throws {
    let report = try report(model, against: model.hasPrefix("folded") ? "hooked" : "reference")
    let found = try #require(report.nodes.first { $0.name == node })
    #expect(found.patterns.contains(pattern), "\(found.patterns)")
  }

  @Test(
    arguments: [
      ([2, 4, 6, 8, 10, 12], [1, 2, 3, 4, 5, 6], DifferencePattern.factor(2)),
      ([2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6], .shift(1)),
      ([1, 4, 2, 5, 3, 6], [1, 2, 3, 4, 5, 6], nil),
      ([1, 2, 3, 4, 4, 4], [1, 2, 3, 4, 5, 6], .saturation(at: 4, count: 2, isReference: false)),
      ([1, 2, 3, 4, 5, 6], [1, 3, 3, 3, 3, 3], nil),
      ([65504, 2, 3, 4, 5, .infinity], [70000, 2, 3, 4, 5, 1e5], .overflow(of: .float16, count: 2)),
      ([1e39, 2, 3, 4, 5, -.infinity], [.infinity, 2, 3, 4, 5, -3.7e38], .overflow(of: .float, count: 2)),
      ([1e5, 2, 3, 4, 5, -.infinity], [.infinity, 2, 3, 4, 5, -3.7e38], .overflow(of: .float16, count: 2)),
      ([0, 2, 9, 4, 0, 6], [1, 2, 3, 4, 5, 6], .everyPlace(axis: 0, step: 2, first: 0)),
      ([1, 2, 3, 9, 5, 6], [1, 2, 3, 4, 5, 6], .places(axis: 0, places: [3], extent: 6)),
    ] as [([Double], [Double], DifferencePattern?)])
  func patternsHoldForEveryElement(actual: [Double], expected: [Double], pattern: DifferencePattern?) throws {
    let found = try DifferencePattern.all(
      GraphValue(Tensor(actual)), GraphValue(Tensor(expected)), tolerance: Tolerance(relative: 1e-6, absolute: 0))
    if let pattern { #expect(found.contains(pattern), "\(found)") } else { #expect(found.isEmpty, "\(found)") }
  }

  /// One element beyond the tolerance by little: nothing is gained by a factor of 1.0000002 or a shift by 1e-6.
  @Test func whatNoChangeExplainsAsWellIsNoPattern() throws {
    let found = try DifferencePattern.all(
      GraphValue(Tensor<Double>([1, 2, 3.000006, 4, 5, 6])), GraphValue(Tensor<Double>([1, 2, 3, 4, 5, 6])),
      tolerance: Tolerance(relative: 1e-6, absolute: 0))
    #expect(found == [.places(axis: 0, places: [2], extent: 6)])
  }

  @Test func bordersAreThoseOfMaps() throws {
    let expected = try Tensor<Float>(range: 32).reshaped([1, 2, 4, 4])
    let actual = try Tensor<Float>(
      expected.elements.enumerated().map { offset, x in
        let (row, column) = (offset / 4 % 4, offset % 4)
        return row == 0 || row == 3 || column == 0 || column == 3 ? x + Float(offset % 3) + 1 : x
      }, shape: [1, 2, 4, 4])
    let found = try DifferencePattern.all(
      GraphValue(actual), GraphValue(expected), tolerance: Tolerance(relative: 1e-6, absolute: 0))
    #expect(found == [.border(axes: [2, 3])])
  }
}

// MARK: - Terms

extension ParityTests {
  @Test func termsOfAnElementAreCounted() {
    func node(_ type: String, domain: String = "", _ attributes: [String: AttributeValue] = [:]) -> Node {
      let name = OperatorName(domain: domain, type: type)
      return Node(name: "", operatorName: name, opset: 21, inputs: [], outputs: [], attributes: attributes)
    }
    func terms(_ node: Node, _ inputs: [[Int]?], _ output: [Int]) -> Int {
      node.termCount(inputs: inputs, output: output)
    }
    #expect(terms(node("Conv"), [[1, 8, 9, 9], [16, 8, 3, 3]], [1, 16, 7, 7]) == 72)
    #expect(terms(node("MatMul"), [[4, 5], [5, 6]], [4, 6]) == 5)
    #expect(terms(node("Gemm", ["transA": .int(1)]), [[5, 4], [5, 6]], [4, 6]) == 5)
    let reordered = node("FusedMatMul", domain: "com.microsoft", ["transA": .int(1), "transBatchA": .int(1)])
    #expect(terms(reordered, [[3, 5, 2], [5, 3, 4]], [5, 2, 4]) == 3)
    #expect(terms(node("ReduceSum"), [[2, 3, 4]], [2, 1, 1]) == 12)
    #expect(terms(node("LayerNormalization", ["axis": .int(1)]), [[2, 3, 4]], [2, 3, 4]) == 12)
    #expect(terms(node("Softmax"), [[2, 7]], [2, 7]) == 7)
    #expect(terms(node("Einsum"), [[4, 5], [5, 6]], [4, 6]) == 5)
    #expect(terms(node("ConvTranspose", ["group": .int(0)]), [[1, 4, 3, 3], [4, 2, 3, 3]], [1, 2, 5, 5]) == 36)
    #expect(terms(node("Relu"), [[5]], [5]) == 1)
    // Absurd attributes of a file trap nothing.
    #expect(terms(node("AveragePool", ["kernel_shape": .ints([.max, .max])]), [[1, 1, 2, 2]], [1, 1, 1, 1]) == .max)
    #expect(terms(node("Softmax", ["axis": .int(.min)]), [[2, 7]], [2, 7]) == 1)
    #expect(terms(node("LayerNormalization", ["axis": .int(.max)]), [[2, 7]], [2, 7]) == 1)
    #expect(terms(node("LayerNormalization", ["axis": .int(.min)]), [[2, 7]], [2, 7]) == 14)
  }
}
