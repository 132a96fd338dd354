import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// A model put into integers of eight bits, against the same done in NumPy (`static_quantization.py`).
@Suite struct StaticQuantizationTests {
  private struct Network {
    let model: ONNXModel
    let samples: [[String: GraphValue]]
    let logits: [Float]
    let quantized: [Float]

    init() throws {
      model = try ONNXModel(path: fixture("quantization/network.onnx"))
      let file = try NPZFile(path: fixture("quantization/expected.npz"))
      samples = try file.value(named: "images").samples(of: 1).map { ["images": $0] }
      logits = try file.tensor(named: "logits", as: Float.self).elements
      quantized = try file.tensor(named: "quantized", as: Float.self).elements
    }

    /// How far integers are from floats, root of the mean squares, as a part of these.
    var relativeError: Double {
      let (error, power) = zip(quantized, logits).reduce(into: (0.0, 0.0)) { sums, pair in
        sums.0 += Double(pair.0 - pair.1) * Double(pair.0 - pair.1)
        sums.1 += Double(pair.1) * Double(pair.1)
      }
      return (error / power).squareRoot()
    }

    /// The model with another node behind the logits, whose result is the only output.
    func ending(in type: String, _ attribute: String, _ number: Int64) throws -> ONNXModel {
      var proto = model.proto
      proto.graph.nodes.append(
        NodeProto(
          name: "end", opType: type, inputs: ["logits"], outputs: ["end"],
          attributes: [AttributeProto(name: attribute, value: .int(number))]))
      proto.graph.outputs = [ValueInfoProto(name: "end")]
      return try ONNXModel(proto)
    }

    func observed(_ rule: StaticQuantization.RangeRule = .extremes) throws -> StaticQuantization {
      var quantization = try StaticQuantization(model, rangeRule: rule)
      for sample in samples { try quantization.observe(sample) }
      return quantization
    }

    func outputs(of model: any GraphModel, optimizes: Bool = true) throws -> [Float] {
      var options = InferenceSession.Options()
      options.optimizes = optimizes
      let session = try InferenceSession(model, options: options)
      return try samples.flatMap { sample in
        guard case .tensor(.float32(let logits))? = try session.run(sample)["logits"] else { return [Float]() }
        return try logits.elements
      }
    }
  }

  @Test func logitsAreThoseOfIntegers() throws {
    let network = try Network()
    let quantization = try network.observed()
    #expect(quantization.layers.map(\.name) == ["first", "second", "third", "last"])
    #expect(quantization.layers.allSatisfy { 0.001 < $0.weightError && $0.weightError < 0.01 })
    let found = try network.outputs(of: quantization.model([0, 1, 2, 3]))
    // A number that lies between two levels may be rounded to either: one level in one term of a mean is 2e-4.
    for (found, expected) in zip(found, network.quantized) { #expect(abs(found - expected) < 2e-3) }
    #expect(found.count == network.quantized.count)
    // What is wrong by a level throughout would not pass.
    #expect(zip(found, network.logits).contains { abs($0 - $1) > 4e-3 })
  }

  @Test(arguments: [StaticQuantization.RangeRule.extremes, .percentile(0.999), .leastError])
  func rewritingAndWritingKeepEveryBit(_ rule: StaticQuantization.RangeRule) throws {
    let network = try Network()
    let model = try network.observed(rule).model([0, 1, 2, 3])
    let plain = try network.outputs(of: model, optimizes: false)
    #expect(try network.outputs(of: model) == plain)
    let written = try ModelProto(model, of: network.model.proto).encode()
    let read = try written.withUnsafeBytes { try ONNXModel(ModelProto.read(bytes: $0, name: "written")) }
    #expect(try network.outputs(of: read) == plain)
  }

  @Test func bytesAreMovedAndNothingLiesInFloatsBetweenLayers() throws {
    let model = try Network().observed().model([0, 1, 2, 3])
    let names = try InferenceSession(model).graph.nodes.map(\.operatorName.description)
    #expect(
      names == [
        "QuantizeLinear", "apus.ConvInteger", "Split", "apus.ConvInteger", "Concat", "apus.ConvInteger", "MaxPool",
        "GlobalAveragePool", "QuantizeLinear", "Flatten", "apus.MatMulInteger",
      ])
  }

  @Test func layersCanStayInFloats() throws {
    let network = try Network()
    let quantization = try network.observed()
    #expect(try network.outputs(of: quantization.model([])) == network.outputs(of: network.model))
    let kinds = try InferenceSession(quantization.model([1, 3])).graph.nodes.map(\.operatorName.type)
    #expect(kinds.count { $0 == "ConvInteger" } == 1)
    #expect(kinds.count { $0 == "MatMulInteger" } == 1)
    #expect(kinds.count { $0 == "Conv" } == 2)
  }

  @Test func whatCostsMostIsLeftInFloats() throws {
    let network = try Network()
    let quantization = try network.observed()
    let all = try quantization.choice(probes: network.samples, tolerance: 1)
    #expect(all.layers == [0, 1, 2, 3])
    #expect(all.effects.allSatisfy { $0 > 0 })
    #expect(abs(all.error.total - network.relativeError) < 0.05 * all.error.total)

    let worst = try #require(all.effects.indices.max { all.effects[$0] < all.effects[$1] })
    let tolerance =
      all.effects.enumerated().filter { $0.offset != worst }.map { $0.element * $0.element }.reduce(0, +)
      .squareRoot() * 1.01
    let some = try quantization.choice(probes: network.samples, tolerance: tolerance)
    #expect(!some.layers.contains(worst))
    #expect(some.layers.count >= 2)
    #expect(try quantization.choice(probes: network.samples, tolerance: 0).layers.isEmpty)
    let kept = try quantization.choice(probes: network.samples, tolerance: 1, keeping: ["first"])
    #expect(kept.layers == [1, 2, 3])
  }

  /// FLOAT16 is the 10th of the standard's types, DOUBLE the 11th.
  @Test(arguments: [10, 11] as [Int64])
  func outputsOfAnyWidthShowWhatLayersCost(type: Int64) throws {
    let network = try Network()
    var quantization = try StaticQuantization(network.ending(in: "Cast", "to", type), rangeRule: .extremes)
    for sample in network.samples { try quantization.observe(sample) }
    let all = try quantization.choice(probes: network.samples, tolerance: 1)
    #expect(abs(all.error.total - network.relativeError) < 0.05 * network.relativeError)
    #expect(all.effects.allSatisfy { $0 > 0 })
    #expect(try quantization.choice(probes: network.samples, tolerance: 0).layers.isEmpty)
  }

  @Test func sessionsInDoubleShowWhatLayersCost() throws {
    let network = try Network()
    var quantization = try StaticQuantization(
      network.model, rangeRule: .extremes, options: .init(computesInFloat64: true))
    for sample in network.samples { try quantization.observe(sample) }
    let all = try quantization.choice(probes: network.samples, tolerance: 1)
    #expect(abs(all.error.total - network.relativeError) < 0.05 * network.relativeError)
  }

  @Test func whereNothingShowsWhatLayersCostNoneIsChosen() throws {
    let network = try Network()
    var quantization = try StaticQuantization(network.ending(in: "ArgMax", "axis", -1))
    for sample in network.samples { try quantization.observe(sample) }
    let error = #expect(throws: QuantizationError.self) { try quantization.choice(probes: network.samples) }
    #expect(error?.description.hasPrefix("no output is of floating-point numbers") == true)
    #expect(error?.fault == .data)
  }

  /// How many rows there are follows from numbers, and one level is enough for another row.
  @Test func outputsOfOtherShapesAreNotFree() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    try graph.constant("w", GraphValue(Tensor([1, 0.25] as [Float], shape: [2, 1])))
    try graph.constant("limit", GraphValue(Tensor([100.25] as [Float], shape: [1, 1])))
    graph.node("MatMul", ["x", "w"], ["a"])
    graph.node("Equal", ["a", "limit"], ["same"])
    graph.node("NonZero", ["same"], ["places"])
    graph.node("Cast", ["places"], ["y"], ["to": .int(1)])
    var quantization = try StaticQuantization(graph.model(outputs: ["y"]))
    // 100 + 0.25, of which no sum of levels of 100 / 255 and 1 / 127 is one.
    let sample = ["x": GraphValue(try Tensor([100, 1] as [Float], shape: [1, 2]))]
    try quantization.observe(sample)
    let choice = try quantization.choice(probes: [sample], tolerance: 1)
    #expect(choice.effects == [Double.infinity])
    #expect(choice.layers.isEmpty)
  }

  @Test func argumentsThatCannotBeAreRefused() throws {
    let network = try Network()
    let quantization = try network.observed()
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: QuantizationError.self) { try body() }
      #expect(error?.fault == .usage)
    }
    refused { _ = try quantization.choice(probes: []) }
    for tolerance in [-1, -.infinity, .nan] as [Double] {
      refused { _ = try quantization.choice(probes: network.samples, tolerance: tolerance) }
    }
    refused { _ = try quantization.choice(probes: network.samples, keeping: ["frist"]) }
    for index in [-1, 4, 99, .min, .max] { refused { _ = try quantization.model([0, index]) } }
    for part in [.nan, .infinity, 1e300, -1, 0.5, 1.001] as [Double] {
      refused { _ = try StaticQuantization(network.model, rangeRule: .percentile(part)) }
      var other = quantization
      other.rangeRule = .percentile(part)
      refused { _ = try other.model([0]) }
    }
  }

  /// Two products of one value, of which a first pass takes one and a second the other: what is new has names of its
  /// own, and sums are those of integers.
  @Test func whatIsStillInFloatsIsQuantisedUnderNewNames() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(4)])
    try graph.constant("first", GraphValue(Tensor([127, 1, -3, 2] as [Float], shape: [4, 1])))
    try graph.constant("second", GraphValue(Tensor([127, 2, 0, -1] as [Float], shape: [4, 1])))
    graph.node("MatMul", ["x", "first"], ["a"])
    graph.node("MatMul", ["x", "second"], ["b"])
    // Levels of 1 from 0 on, and weights whose largest is 127: every number is a level.
    let inputs = ["x": GraphValue(try Tensor([0, 85, 170, 255] as [Float], shape: [1, 4]))]
    var model: any GraphModel = try graph.model(outputs: ["a", "b"])
    for expected in ["a", "b"] {
      var quantization = try StaticQuantization(model, rangeRule: .extremes)
      #expect(quantization.layers.first?.name == expected)
      try quantization.observe(inputs)
      let written = try ModelProto(quantization.model([0]), of: nil).encode()
      model = try written.withUnsafeBytes { try ONNXModel(ModelProto.read(bytes: $0, name: "written")) }
      let names = model.graph.values.map(\.name)
      #expect(Set(names).count == names.count)
      #expect(Set(model.graph.nodes.map(\.name)).count == model.graph.nodes.count)
    }
    #expect(model.graph.nodes.count { $0.operatorName.type == "MatMulInteger" } == 2)
    let values = try InferenceSession(model).run(inputs)
    for (name, expected) in ["a": 85 - 3 * 170 + 2 * 255, "b": 2 * 85 - 255] as [String: Float] {
      guard case .tensor(.float32(let found))? = values[name] else { throw QuantizationError("no \(name)") }
      #expect(try found.elements == [expected])
    }
    let error = #expect(throws: QuantizationError.self) { try StaticQuantization(model) }
    #expect(error?.description.contains("already") == true)
  }

  /// The model that is read of what is written of `proto` with none, or these, of its layers in integers.
  private func written(
    _ proto: ModelProto, layers: Set<Int> = [], sample: [String: GraphValue]
  ) throws -> (proto: ModelProto, model: ONNXModel) {
    var quantization = try StaticQuantization(ONNXModel(proto))
    try quantization.observe(sample)
    let written = try readModel(ModelProto(quantization.model(layers), of: proto).encode())
    return (written, try ONNXModel(written))
  }

  private func floats(_ name: String, of model: ONNXModel, _ inputs: [String: GraphValue]) throws -> [Float] {
    guard case .tensor(.float32(let found))? = try InferenceSession(model).run(inputs)[name] else {
      throw Unexpected("no \(name)")
    }
    return try found.elements
  }

  /// `y = x · 2 · 3 · 5 · 3`, of which each convolution takes in a product: under a name that the file has for another
  /// weight, and where two nodes have one name.
  @Test(arguments: ["a", "b"])
  func whatIsFoldedHasANameOfItsOwn(second: String) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(1), .size(1), .size(2)])
    func weight(_ number: Float) throws -> GraphValue { GraphValue(try Tensor([number], shape: [1, 1, 1, 1])) }
    try graph.constant("a.weight", weight(2))
    try graph.constant("other", weight(5))
    try graph.constant("three", weight(3))
    graph.node("Conv", ["x", "a.weight"], ["a"])
    graph.node("Mul", ["a", "three"], ["m"])
    graph.node("Conv", ["m", "other"], ["b"])
    graph.node("Mul", ["b", "three"], ["y"])
    var proto = try graph.model(outputs: ["y"]).proto
    proto.graph.nodes[2].name = second
    let inputs = ["x": GraphValue(try Tensor([1, -2] as [Float], shape: [1, 1, 1, 2]))]
    let model = try written(proto, sample: inputs).model
    #expect(model.graph.nodes.map(\.operatorName.type) == ["Conv", "Conv"])
    #expect(try floats("y", of: model, inputs) == [90, -180])
  }

  /// Branches read what an Identity and a Dropout give, and call what only they do: a function of the file's, and an
  /// operator of another set.
  @Test func branchesReadWhatIsLeft() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    graph.input("flag", [], .bool)
    try graph.constant("w", GraphValue(Tensor([1, 2, 3, 4] as [Float], shape: [2, 2])))
    graph.node("MatMul", ["x", "w"], ["a"])
    graph.node("Identity", ["a"], ["same"])
    graph.node("Dropout", ["a"], ["dropped"])
    graph.node("Identity", ["flag"], ["condition"])
    func branch(_ node: NodeProto) -> AttributeProto.Content {
      .graph(GraphProto(name: "branch", nodes: [node], outputs: node.outputs.map { ValueInfoProto(name: $0) }))
    }
    graph.node(
      "If", ["condition"], ["y"],
      [
        "then_branch": branch(NodeProto(opType: "Twice", domain: "own", inputs: ["same"], outputs: ["t"])),
        "else_branch": branch(
          NodeProto(
            opType: "FusedMatMul", domain: "com.microsoft", inputs: ["dropped", "w"], outputs: ["e"],
            attributes: [AttributeProto(name: "alpha", value: .float(0.5))])),
      ])
    var proto = try graph.model(outputs: ["y"]).proto
    proto.opsetImports += [
      OperatorSetID(domain: "com.microsoft", version: 1), OperatorSetID(domain: "own", version: 3),
    ]
    proto.functions = [
      FunctionProto(
        name: "Twice", domain: "own", inputs: ["p"], outputs: ["q"],
        nodes: [NodeProto(opType: "Add", inputs: ["p", "p"], outputs: ["q"])],
        opsetImports: [OperatorSetID(version: 21)])
    ]
    func inputs(_ flag: Bool) throws -> [String: GraphValue] {
      [
        "x": GraphValue(try Tensor([1, 1] as [Float], shape: [1, 2])),
        "flag": GraphValue(try Tensor([flag], shape: [])),
      ]
    }
    let (written, model) = try written(proto, sample: inputs(true))
    #expect(written.opsetImports.map { "\($0.domain) \($0.version)" } == [" 21", "com.microsoft 1", "own 3"])
    #expect(written.functions.map(\.name) == ["Twice"])
    #expect(!written.graph.nodes.contains { ["Identity", "Dropout"].contains($0.opType) })
    // x · w is 4 and 6; half of that times w is 0.5 · (4 + 18) and 0.5 · (8 + 24).
    #expect(try floats("y", of: model, inputs(true)) == [8, 12])
    #expect(try floats("y", of: model, inputs(false)) == [11, 16])
  }

  /// Initialisers that are no inputs came with version 4 of the format.
  @Test func whatTheFileSaysIsKept() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    try graph.constant("w", GraphValue(Tensor([1, 2, 3, 4] as [Float], shape: [2, 2])))
    graph.node("MatMul", ["x", "w"], ["y"])
    var proto = try graph.model(outputs: ["y"]).proto
    proto.irVersion = 3
    proto.graph.docString = "of the graph"
    proto.graph.metadata = [StringStringEntry(key: "k", value: "v")]
    proto.graph.inputs[0].docString = "the picture"
    proto.graph.inputs[0].denotations = TypeDenotations(type: "IMAGE", axes: ["DATA_BATCH", ""])
    // TypeProto: tensor_type 1 (elem_type 1, shape 2 (dim 1 (dim_value 1, denotation 3))), denotation 6.
    let dims = field(1, [8, 1] + field(3, "DATA_BATCH")) + field(1, [8, 2])
    let type = field(1, [8, 1] + field(2, dims)) + field(6, "IMAGE")
    let inputs = ["x": GraphValue(try Tensor([1, 1] as [Float], shape: [1, 2]))]
    for bytes in [
      try proto.encode(), try written(readModel(proto.encode()), layers: [0], sample: inputs).proto.encode(),
    ] {
      #expect(bytes.firstRange(of: field(2, type)) != nil)
    }
    let found = try written(readModel(proto.encode()), layers: [0], sample: inputs).proto
    #expect(found.graph.inputs == proto.graph.inputs)
    #expect(found.graph.docString == "of the graph")
    #expect(found.graph.metadata.map { [$0.key, $0.value] } == [["k", "v"]])
    #expect(found.irVersion == 4)
    // The model says nothing of its output; checkers ask for elements and rank.
    let shown = GraphValueType.tensor(.float, [.unknown, .unknown])
    #expect(found.graph.outputs.map(\.type) == [shown])
    // What it says is kept where it is true.
    for (said, type) in [([.size(1), .symbol("n")], nil), ([], shown)] as [([GraphDimension], GraphValueType?)] {
      proto.graph.outputs[0].type = .tensor(.float, said)
      let found = try written(readModel(proto.encode()), layers: [0], sample: inputs).proto
      #expect(found.graph.outputs.map(\.type) == [type ?? .tensor(.float, said)])
    }
  }

  /// ONNX Runtime has the DepthToSpace of version 1 for floats alone.
  @Test(arguments: [(10, false), (11, true)])
  func bytesAreMovedWhereRuntimesMoveThem(version: Int, moves: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(1), .size(2), .size(2)])
    try graph.constant("first", GraphValue(Tensor([1, 2, 3, 4] as [Float], shape: [4, 1, 1, 1])))
    try graph.constant("second", GraphValue(Tensor([5] as [Float], shape: [1, 1, 1, 1])))
    graph.node("Conv", ["x", "first"], ["a"])
    graph.node("DepthToSpace", ["a"], ["m"], ["blocksize": .int(2)])
    graph.node("Conv", ["m", "second"], ["y"])
    let proto = try graph.model(outputs: ["y"], version: version).proto
    let sample = ["x": GraphValue(try Tensor([1, 2, 3, 4] as [Float], shape: [1, 1, 2, 2]))]
    let nodes = try written(proto, layers: [0, 1], sample: sample).proto.graph.nodes
    let moved = try #require(nodes.first { $0.opType == "DepthToSpace" }?.inputs.first)
    #expect(nodes.first { $0.outputs.contains(moved) }?.opType == (moves ? "QuantizeLinear" : "Mul"))
  }

  /// What a function's results are called costs a node, which is of the version that the function's own nodes are of.
  @Test(arguments: [17, 18]) func layersInFunctionsAreQuantisedAndWritten(version: Int64) throws {
    let function = FunctionProto(
      name: "Layer", domain: "own", inputs: ["p", "weight"], outputs: ["q"],
      nodes: [
        NodeProto(opType: "MatMul", inputs: ["p", "weight"], outputs: ["r"]),
        NodeProto(opType: "Relu", inputs: ["r"], outputs: ["q"]),
      ], opsetImports: [OperatorSetID(version: version)])
    let weight = GraphValue(try Tensor([127, 1, -3, 2] as [Float], shape: [4, 1]))
    let model = try ONNXModel(
      ModelProto(
        opsetImports: [OperatorSetID(version: 17), OperatorSetID(domain: "own", version: 1)],
        graph: GraphProto(
          name: "calls",
          nodes: [NodeProto(name: "call", opType: "Layer", domain: "own", inputs: ["x", "w"], outputs: ["y"])],
          initializers: [TensorProto(name: "w", value: weight)],
          inputs: [ValueInfoProto(name: "x", type: .tensor(.float, [.size(1), .size(4)]))],
          outputs: [ValueInfoProto(name: "y")]),
        functions: [function]))
    let inputs = ["x": GraphValue(try Tensor([0, 85, 170, 255] as [Float], shape: [1, 4]))]
    var quantization = try StaticQuantization(model, rangeRule: .extremes)
    try quantization.observe(inputs)
    let proto = try ModelProto(quantization.model([0]), of: model.proto)
    #expect(proto.opsetImports.map(\.version) == [version])
    let values = try InferenceSession(ONNXModel(readModel(proto.encode()))).run(inputs)
    guard case .tensor(.float32(let found))? = values["y"] else { throw QuantizationError("no y") }
    #expect(try found.elements == [85 - 3 * 170 + 2 * 255])
  }

  /// A Gemm of 0.5 · x · w + 2 · bias, the bias a row, and of weights that a byte holds with a scale of 1.
  @Test func factorsAndARowOfBiasBecomePartOfALayer() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(4)])
    try graph.constant("w", GraphValue(Tensor([254, 2, -6, 4, 0, 254, 2, 2] as [Float], shape: [2, 4])))
    try graph.constant("bias", GraphValue(Tensor([1, -2] as [Float], shape: [1, 2])))
    graph.node("Gemm", ["x", "w", "bias"], ["y"], ["transB": .int(1), "alpha": .float(0.5), "beta": .float(2)])
    var quantization = try StaticQuantization(graph.model(outputs: ["y"]), rangeRule: .extremes)
    let inputs = ["x": GraphValue(try Tensor([0, 85, 170, 255] as [Float], shape: [1, 4]))]
    try quantization.observe(inputs)
    let values = try InferenceSession(quantization.model([0])).run(inputs)
    guard case .tensor(.float32(let found))? = values["y"] else { throw QuantizationError("no y") }
    // 85 − 3 · 170 + 2 · 255 + 2 and 127 · 85 + 170 + 255 − 4.
    #expect(try found.elements == [87, 11_216])
  }

  @Test func aWeightWithInfinityStaysInFloats() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    try graph.constant("good", GraphValue(Tensor([127, 1, 2, 127] as [Float], shape: [2, 2])))
    try graph.constant("bad", GraphValue(Tensor([1, -.infinity, 1, 0] as [Float], shape: [2, 2])))
    graph.node("MatMul", ["x", "good"], ["a"])
    graph.node("MatMul", ["a", "bad"], ["y"])
    let quantization = try StaticQuantization(graph.model(outputs: ["y"]))
    #expect(quantization.layers.map(\.name) == ["a"])
    #expect(quantization.exceptions.map(\.name) == ["y"])
    #expect(quantization.exceptions.first?.reason.contains("infinity") == true)
  }

  @Test func whatCannotBeQuantisedIsSaid() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(4), .size(4)])
    graph.node("Relu", ["x"], ["y"])
    let empty = #expect(throws: QuantizationError.self) { try StaticQuantization(graph.model(outputs: ["y"])) }
    #expect(empty?.description.hasPrefix("there is nothing to quantise: no Conv") == true)

    graph.node("MatMul", ["x", "x"], ["z"])
    let unknown = #expect(throws: QuantizationError.self) { try StaticQuantization(graph.model(outputs: ["y", "z"])) }
    #expect(unknown?.description.contains("'z' (MatMul): the weight is not known") == true)

    let network = try Network()
    let quantization = try StaticQuantization(network.model)
    #expect(throws: QuantizationError.self) { try quantization.model([0]) }
    var other = quantization
    let nan = GraphValue(try Tensor([Float](repeating: .nan, count: 3 * 12 * 13), shape: [1, 3, 12, 13]))
    #expect(throws: QuantizationError.self) { try other.observe(["images": nan]) }
  }
}

/// Ranges that samples show.
@Suite struct RangeHistogramTests {
  private func histogram(_ parts: [[Float]]) throws -> RangeHistogram {
    var histogram = RangeHistogram()
    for part in parts { try histogram.add(Tensor(part)) }
    return histogram
  }

  @Test func extremesAreExactAndHoldZero() throws {
    #expect(try histogram([[1, 3], [2.5]]).range(.extremes) == 0...3)
    #expect(try histogram([[-2], [-0.5, -7]]).range(.extremes) == -7...0)
    #expect(try histogram([[-2, 1e-3, 6e4]]).range(.extremes) == -2...6e4)
    #expect(try histogram([[0, 0]]).range(.leastError) == 0...0)
    #expect(try histogram([]).range(.percentile(0.9)) == 0...0)
  }

  @Test func outermostNumbersAreLeftOut() throws {
    let numbers = (0..<10_000).map { Float($0) / 100 }
    let range = try histogram([numbers, [1000]]).range(.percentile(0.99))
    #expect(range.lowerBound == 0)
    #expect(abs(range.upperBound - 99) < 1)
  }

  @Test func aLoneNumberIsCutOffWhereTheOthersGainFromIt() throws {
    let numbers = (0..<100_000).map { Float($0 % 1000) / 1000 }
    // (4 - h)² + n (h / 255)² / 12 is least here.
    let best = 4 / (1 + 100_000 / (12 * 255.0 * 255))
    #expect(try abs(histogram([numbers, [4]]).range(.leastError).upperBound - best) < 0.08)
    // Every tenth is no loner.
    #expect(try histogram([numbers, [Float](repeating: 4, count: 10_000)]).range(.leastError).upperBound > 3.9)
  }

  @Test func levelsCoverTheRangeAndHoldZero() throws {
    let levels = ByteLevels(covering: -1...3)
    #expect(levels.zeroPoint == 64)
    #expect(abs(Double(levels.scale) - 4.0 / 255) < 1e-8)
    #expect(ByteLevels(covering: 0...0).scale == 1)
    #expect(ByteLevels(covering: 0...1e-44).scale == 1)
    #expect(ByteLevels(covering: -5...0).zeroPoint == 255)
  }

  @Test func everyOutputOfAWeightUsesAllItsLevels() throws {
    let weight = try ByteWeight(
      Tensor<Float>([0.5, -1, 0.25, 0, 0, 0, 3, 254, -127], shape: [3, 3]), outputsLast: false)
    #expect(try weight.bytes.elements == [64, -127, 32, 0, 0, 0, 2, 127, -64])
    let scales: [Float] = [1 / 127, 1, 2]
    #expect(weight.scales == scales)
    let columns = try ByteWeight(Tensor<Float>([1, 0, -0.5, 8], shape: [2, 2]), outputsLast: true)
    #expect(try columns.bytes.elements == [127, 0, -64, 127])
    #expect(throws: OperatorError.self) {
      try ByteWeight(Tensor<Float>([1, .infinity], shape: [1, 2]), outputsLast: false)
    }
  }
}
