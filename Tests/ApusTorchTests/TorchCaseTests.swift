import Apus
import ApusFormats
import Foundation
import Testing

@testable import ApusGraph
@testable import ApusTorch

/// Programs of torch.export with what PyTorch gives for them (`Tests/Fixtures/generate/torch_programs.py`).
@Suite struct TorchCaseTests {
  static let names = [
    "algebra", "algebra-core", "batches", "batches-core", "block", "block-core", "controlled", "controlled-core",
    "counted", "cut", "depthwise", "depthwise-core", "instances-core", "limits", "masked", "masked-core", "neighbours",
    "opened", "opened-core", "parts", "parts-core", "recurrent", "residuals", "residuals-core", "resized", "sized",
    "sizes", "spectra", "spectra-core", "turned", "unsized", "written",
  ]
  /// What PyTorch computes in float32 alone, or in numbers of sixteen bits.
  static let quantized = ["blocks", "corners", "quantized", "quantized-blocks", "quantized-rows", "steps"]

  @Test(arguments: names + quantized) func `answers are those of PyTorch`(name: String) throws {
    let test = try TorchConformanceCase(path: torchFixture(name))
    #expect(test.run() == .passed)
    var plain = InferenceSession.Options()
    plain.optimizes = false
    plain.plansMemory = false
    #expect(test.run(options: plain) == .passed)
  }

  /// The program was made in float32, and PyTorch ran the module in float64. The ε of normalisations is an attribute of the
  /// standard's operators, which is a FLOAT: 1e-5 is 3e-8 of itself off there, which moves results by 1e-11 at most.
  @Test(arguments: names) func `in float64 they are those of the module in float64`(name: String) throws {
    let test = try TorchConformanceCase(path: torchFixture(name))
    let model = try test.model()
    var options = InferenceSession.Options()
    options.computesInFloat64 = true
    let session = try InferenceSession(model, options: options)
    let outputs = try session.run(test.inputs(0, of: model.graph))
    let file = try NPZFile(path: torchFixture("\(name)/double.npz"))
    for (place, id) in model.graph.outputs.enumerated() {
      let expected = try file.value(named: "\(place)")
      let value = try #require(outputs[model.graph.values[id].name])
      let difference = try value.difference(from: expected, within: Tolerance(relative: 1e-10, absolute: 1e-10))
      #expect(difference == nil, "output \(place): \(difference ?? "")")
    }
  }

  @Test func `what core ATen writes out runs as what it was`() throws {
    let session = try InferenceSession(TorchModel(path: torchFixture("masked-core/model.pt2")))
    let types = Set(session.graph.nodes.map(\.operatorName.description))
    #expect(types.isSuperset(of: ["apus.Conv", "apus.HardSigmoid", "apus.Softmax", "LayerNormalization"]))
    #expect(types.isDisjoint(with: ["BatchNormalization", "Gelu", "HardSwish", "ReduceSum", "Softmax"]))
    for node in session.graph.nodes where node.operatorName == OperatorName(type: "LayerNormalization") {
      #expect(node.outputs.dropFirst().allSatisfy { $0 == nil })
    }
  }

  @Test func `every fixture is a test`() throws {
    #expect(
      try ConformanceSuite(path: torchFixture()).cases.map(\.name).sorted() == (Self.names + Self.quantized).sorted())
  }

  /// An answer that is not right must not pass.
  @Test func `a wrong answer is found`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-torch-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: URL(filePath: torchFixture("depthwise")), to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = FileManager.default
    try files.removeItem(at: folder.appending(path: "inputs.npz"))
    try files.copyItem(
      at: URL(filePath: torchFixture("depthwise/expected.npz")), to: folder.appending(path: "inputs.npz"))
    guard case .wrong = try TorchConformanceCase(path: folder.path(percentEncoded: false)).run() else {
      Issue.record("a wrong answer passes")
      return
    }
  }

  /// Core ATen as torch 2.13 tags it, without what runs backwards.
  @Test func `the core set is read`() throws {
    let text = try String(contentsOf: URL(filePath: torchFixture("core_operators.txt")), encoding: .utf8)
    let core = text.split(separator: "\n").map { "aten.\($0)" }
    #expect(core.count > 150)
    #expect(
      Set(core).subtracting(ProgramBuilder.operatorNames).sorted() == [
        // An order by chance, and how memory is laid out.
        "aten.randperm", "aten.sym_storage_offset", "aten.sym_stride",
      ])
  }
}

@Suite struct TorchModelTests {
  @Test func `layers between integers are products of integers`() throws {
    let session = try InferenceSession(TorchModel(path: torchFixture("quantized/model.pt2")))
    #expect(
      session.graph.nodes.map(\.operatorName.type) == [
        "QuantizeLinear", "ConvInteger", "ConvInteger", "ReduceMean", "QuantizeLinear", "MatMulInteger",
      ])
  }

  @Test func `names are those of the program and of the module`() throws {
    let model = try TorchModel(path: torchFixture("residuals/model.pt2"))
    let graph = model.graph
    func names(_ ids: [Graph.ValueID]) -> [String] { ids.map { graph.values[$0].name } }
    #expect(names(graph.inputs) == ["image"])
    #expect(names(graph.outputs) == ["linear"])
    #expect(graph.value(named: "layer1.0.conv1.weight").map { graph.constants[$0]?.shape } == [4, 4, 3, 3])
    #expect(graph.value(named: "head.2.bias") != nil)
    #expect(graph.nodes.contains { $0.name == "layer1.0.conv1/conv2d_1" && $0.operatorName.type == "Conv" })
    #expect(graph.values[graph.inputs[0]].type.map { "\($0)" }?.hasSuffix(", 3, 14, 12]") == true)
  }

  @Test func `outputs changed through a view have the program's names`() throws {
    let graph = try TorchModel(path: torchFixture("limits/model.pt2")).graph
    let names = graph.outputs.map { graph.values[$0].name }
    #expect(names.first == "mul" && Set(names).count == names.count)
  }

  @Test func `the summary says what wrote the program`() throws {
    let model = try TorchModel(path: torchFixture("block-core/model.pt2"))
    #expect(model.torchVersion.hasPrefix("2.") && model.schemaVersion.major == 8 && model.programs == ["model"])
    #expect(model.summary.producer == "torch \(model.torchVersion)")
    #expect(model.summary.facts.first?.text == "core ATen")
    #expect(try TorchModel(path: torchFixture("block/model.pt2")).summary.facts.first?.text == "ATen")
    #expect(model.summary.operatorSets.first?.domain == "aten")
    // 16 · 11 + 16 · 16 + 2 · 32 + 48 · 17 + 16 · 17 + 32 · 17 + 16 · 33, and the mask.
    #expect(model.summary.parameters.entries.first { $0.type == "FLOAT" }?.elements == 2656)
  }

  /// What looks for known scales finds one that float32 does not have exactly.
  @Test func `scales are known`() throws {
    var program = Program()
    func step(_ name: String, of x: String, gives y: String) -> String {
      Program.node(
        "torch.ops.quantized_decomposed.\(name)_per_tensor.default",
        [
          "input": .tensor(x), "scale": .float("0.1"), "zero_point": .int(3), "quant_min": .int(0),
          "quant_max": .int(255),
        ], gives: y)
    }
    program.nodes = [step("quantize", of: "x", gives: "q"), step("dequantize", of: "q", gives: "y")]
    program.shapes["q"] = [2, 3]
    let text = program.text.replacingOccurrences(of: #""q":{"dtype":7"#, with: #""q":{"dtype":1"#)
    let model = try readModel(Archive(program: text).bytes)
    #expect(model.graph.nodes.map(\.operatorName.type) == ["QuantizeLinear", "DequantizeLinear"])
    let x = GraphValue(try Tensor<Float>([0, 0.14, -0.26, 100, -100, 1], shape: [2, 3]))
    let y = try #require(try InferenceSession(model).run(["x": x])["y"])
    let expected = GraphValue(try Tensor<Float>([0, 0.1, -0.3, 25.2, -0.3, 1], shape: [2, 3]))
    #expect(try y.difference(from: expected, within: Tolerance(relative: 1e-6, absolute: 0)) == nil)
  }

  /// Complex numbers go in and out as pairs.
  @Test func `complex inputs and outputs are pairs`() throws {
    var program = Program()
    program.nodes = [Program.node("conj", ["self": .tensor("x")], gives: "y")]
    let text = program.text.replacingOccurrences(of: #""dtype":7"#, with: #""dtype":10"#)
    let model = try readModel(Archive(program: text).bytes)
    #expect(!model.hasNamedOutputs)
    #expect(model.warnings.count == 2 && model.warnings.allSatisfy { $0.contains("torch.view_as_real") })
    let x = GraphValue(try Tensor<Float>((0..<12).map(Float.init), shape: [2, 3, 2]))
    let y = try #require(try InferenceSession(model).run(["x": x])["y"])
    let expected = GraphValue(
      try Tensor<Float>((0..<12).map { $0 % 2 == 0 ? Float($0) : -Float($0) }, shape: [2, 3, 2]))
    #expect(try y.difference(from: expected, within: Tolerance(relative: 0, absolute: 0)) == nil)
    let wild = text.replacingOccurrences(of: #""strides":[{"as_int":3}"#, with: #""strides":[{"as_int":\#(Int.min)}"#)
    #expect(wild != text && refusal(Archive(program: wild).bytes) == nil)
    program.nodes = [Program.node("sinh", ["self": .tensor("x")], gives: "y")]
    let other = program.text.replacingOccurrences(of: #""dtype":7"#, with: #""dtype":10"#)
    #expect(refusal(Archive(program: other).bytes)?.contains("aten.sinh.default of complex numbers") == true)
  }

  @Test func `changed buffers are said and not kept`() throws {
    let model = try TorchModel(path: torchFixture("recurrent/model.pt2"))
    #expect(model.warnings.count == 1 && model.warnings[0].contains("calls"))
  }

  @Test func `a model is opened by its content`() throws {
    #expect(try FileFormat(of: torchFixture("sizes/model.pt2")) == .torchExport)
    #expect(try ModelFile.open(torchFixture("sizes/model.pt2")) is TorchModel)
  }

  /// A program of open rows, of which `ranges` and `guards` say more.
  private func openRows(_ rows: String, ranges: String, guards: String = "") throws -> TorchModel {
    let size = #"{"as_expr":{"expr_str":"\#(rows)","hint":{"as_int":8}}}"#
    let text = Program().text
      .replacingOccurrences(of: #""sizes":[{"as_int":2}"#, with: #""sizes":[\#(size)"#)
      .replacingOccurrences(
        of: #""range_constraints":{}"#, with: #""range_constraints":{\#(ranges)},"guards_code":[\#(guards)]"#)
    return try readModel(Archive(program: text).bytes)
  }

  /// What is said of so many rows; nil where they run.
  private func failure(_ model: TorchModel, rows: Int) throws -> String? {
    let session = try InferenceSession(model)
    do {
      let y = try session.run(["x": GraphValue(Tensor<Float>(zeros: [rows, 3]))])["y"]
      return y?.shape == [rows, 3] ? nil : "another shape"
    } catch let error as GraphError {
      return "\(error)"
    }
  }

  @Test func `sizes are those that the program was made for`() throws {
    let symbol = "Symbol('s7', positive=True, integer=True)"
    let model = try openRows(symbol, ranges: #""s7":{"min_val":4,"max_val":16}"#)
    #expect(try failure(model, rows: 4) == nil && failure(model, rows: 16) == nil)
    #expect(try failure(model, rows: 3) == "input 'x': axis 0 has size 3; the program was made for 4 to 16")
    #expect(try failure(model, rows: 17) == "input 'x': axis 0 has size 17; the program was made for 4 to 16")
    #expect(model.summary.facts.contains { $0.label == "made for" && $0.text == "s7 4 to 16" })
    #expect(throws: GraphError.self) { try InferenceSession(model).memoryUsage(for: ["x": [3, 3]]) }
    // What PyTorch says of every open size, and does not hold anyone to.
    let free = try openRows(symbol, ranges: #""s7":{"min_val":2,"max_val":9223372036854775806}"#)
    #expect(try [0, 1, 2, 99].allSatisfy { try failure(free, rows: $0) == nil } && free.warnings.isEmpty)
    #expect(!free.summary.facts.contains { $0.label == "made for" })
    for (rows, key, least) in [
      ("Mul(Integer(2), \(symbol))", "2*s7", 4), ("Add(Mul(Integer(2), \(symbol)), Integer(1))", "2*s7 + 1", 5),
      ("Add(\(symbol), Integer(-1))", "s7 - 1", 3),
    ] {
      let derived = try openRows(rows, ranges: #""s7":{"min_val":2,"max_val":null},"\#(key)":{"min_val":\#(least)}"#)
      #expect(try failure(derived, rows: least) == nil)
      #expect(try failure(derived, rows: least - 1)?.hasSuffix("made for at least \(least)") == true)
      #expect(derived.summary.facts.contains { $0.text == "x.0 at least \(least)" })
    }
  }

  @Test func `conditions on sizes that the program was made under are held`() throws {
    let guards = #""L['x'].size()[0] <= 25","(L['x'].size()[0] % 2) == 0","Mod(L['x'].size()[0], 5) == 0""#
    let model = try openRows("Symbol('s7', positive=True, integer=True)", ranges: "", guards: guards)
    #expect(try failure(model, rows: 24) == nil && failure(model, rows: 0) == nil)
    #expect(
      try failure(model, rows: 26)
        == "input 'x': the program was made under a condition that does not hold: L['x'].size()[0] <= 25")
    #expect(try failure(model, rows: 3)?.hasSuffix("(L['x'].size()[0] % 2) == 0") == true)
    #expect(
      model.warnings == [
        "a condition on sizes that the program was made under is not checked: Mod(L['x'].size()[0], 5) == 0"
      ])
  }

  /// Of inputs of [7, 10] and [3], and one that is -5, as Python computes them; nil where it divides by 0, and
  /// of integers beyond 64 bits.
  @Test(
    arguments: [
      ("L['x'].size()[0] == 7", true), ("L['x'].size()[1] < 10", false), ("L['x'].size()[1] > 9", true),
      ("((-1) + (L['x'].size()[1] // 2)) != 1", true), ("(-1)*L['x'].size()[0] // 2 == -4", true),
      ("(-7) % L['y'][0].size()[0] == 2", true), ("L['n'] % 3 == 1 and L['n'] // 3 == -2", true),
      ("2 + 3*L['x'].size()[0] - 1 >= 22", true), ("20 / L['x'].size()[1] / 2 == 1", true),
      ("(2 % L['x'].size()[0]) != 0 or L['x'].size()[0] == 1", true),
      ("L['x'].size()[0] == 1 or L['x'].size()[0] == 7 and L['x'].size()[1] == 1", false),
      ("max(1, L['x'].size()[0] // 8)*min(5, L['x'].size()[1], 6) == 5", true),
      ("math.trunc(0.29*torch.sym_float(L['x'].size()[0])) >= 3", false),
      ("math.ceil(0.25*torch.sym_float(L['x'].size()[1])) == 3", true),
      ("L['x'].size()[0] % (L['y'][0].size()[0] - 3) == 1", nil),
      ("L['x'].size()[0]*9223372036854775807 > 1", nil),
    ] as [(String, Bool?)])
  func `conditions are what Python makes of them`(text: String, holds: Bool?) throws {
    let read = try #require(SizeGuard(text, places: ["x": 0, "y_0": 1, "n": 2]))
    #expect(read.holds(InputSizes(shapes: [[7, 10], [3], []], numbers: [nil, nil, -5])) == holds)
  }

  @Test(arguments: [
    "", "1 == 1", "L['z'].size()[0] == 1", "L['x'].size()[0] ** 2 == 1", "L['x'].size()[0] == 1e3",
    "not L['x'].size()[0]",
    "L['x'].size()[0", "L['x'].size()[a] == 1", "(L['x'].size()[0] == 1", "1 < L['x'].size()[0] < 3",
    "L['x'].size()[0] ==",
    "f(L['x'].size()[0]) == 1", "L['x'].size()[0] == 99999999999999999999.9.9",
    String(repeating: "(", count: 5000) + "L['x'].size()[0]" + String(repeating: ")", count: 5000) + " == 1",
  ])
  func `conditions that are not read`(text: String) { #expect(SizeGuard(text, places: ["x": 0]) == nil) }

  /// A picture of one channel, its rows and columns taken by factors.
  private static func nearest(from size: [Int], to result: [Int], by factors: String) -> Program {
    var program = Program()
    program.shapes = ["x": [1, 1] + size, "y": [1, 1] + result]
    program.nodes = [
      Program.node(
        "torch.ops.aten.upsample_nearest2d.vec",
        [
          "input": .tensor("x"), "output_size": .other(#"{"as_none":true}"#),
          "scale_factors": .other(#"{"as_floats":[\#(factors)]}"#),
        ], gives: "y")
    ]
    return program
  }

  /// Where a picture becomes twice as long, PyTorch takes each place twice, though 2.1 would lead elsewhere; of pictures
  /// alone, and of each axis by itself.
  @Test(arguments: [false, true]) func `places of pictures twice as long stand twice`(isOpen: Bool) throws {
    let program = Self.nearest(from: [6, 6], to: [12, 12], by: "2.1,2.1")
    var text = program.text
    for size in isOpen ? [6, 12] : [] {
      let rows = #"{"as_expr":{"expr_str":"Symbol('s\#(size)', integer=True)","hint":{"as_int":\#(size)}}}"#
      text = text.replacingOccurrences(
        of: #""sizes":[{"as_int":1},{"as_int":1},{"as_int":\#(size)}"#,
        with: #""sizes":[{"as_int":1},{"as_int":1},\#(rows)"#)
    }
    #expect(isOpen == (text != program.text))
    let x = GraphValue(try Tensor<Float>((0..<36).map(Float.init), shape: [1, 1, 6, 6]))
    let y = try #require(try InferenceSession(readModel(Archive(program: text).bytes)).run(["x": x])["y"])
    let places = (0..<144).map { $0 / 12 / 2 * 6 + $0 % 12 / 2 }
    let expected = GraphValue(try Tensor(places.map(Float.init), shape: [1, 1, 12, 12]))
    #expect(try y.difference(from: expected, within: Tolerance(relative: 0, absolute: 0)) == nil)
  }

  /// PyTorch 2.13: up to 128 rows and columns of a result together the lengths count, beyond them the factor alone.
  @Test(arguments: [118, 119], [false, true]) func `places of large pictures follow the factor`(
    rows: Int, isOpen: Bool
  ) throws {
    let program = Self.nearest(from: [rows, 5], to: [rows, 10], by: "1.0,2.1")
    var text = program.text
    if isOpen {
      let size = #"{"as_expr":{"expr_str":"Symbol('s', integer=True)","hint":{"as_int":\#(rows)}}}"#
      text = text.replacingOccurrences(
        of: #""sizes":[{"as_int":1},{"as_int":1},{"as_int":\#(rows)}"#,
        with: #""sizes":[{"as_int":1},{"as_int":1},\#(size)"#)
    }
    #expect(isOpen == (text != program.text))
    let columns: [Float] = [0, 1, 2, 3, 4]
    let x = GraphValue(try Tensor((0..<rows).flatMap { _ in columns }, shape: [1, 1, rows, 5]))
    let y = try #require(try InferenceSession(readModel(Archive(program: text).bytes)).run(["x": x])["y"])
    let places: [Float] = rows == 118 ? [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] : [0, 0, 0, 1, 1, 2, 2, 3, 3, 4]
    let expected = GraphValue(try Tensor((0..<rows).flatMap { _ in places }, shape: [1, 1, rows, 10]))
    #expect(try y.difference(from: expected, within: Tolerance(relative: 0, absolute: 0)) == nil)
  }

  /// Rows up to the first end are multiplied with the first matrix, and so on.
  @Test(arguments: [([1, 2], [6, 60, 1500, 15000]), ([1, 1], [6, 60, 0, 0]), ([0, 2], [600, 6000, 1500, 15000])])
  func `rows are multiplied in groups`(ends: [Float], expected: [Float]) throws {
    var program = Program()
    program.parameters = [("p_w", "w"), ("p_e", "e")]
    (program.shapes["p_w"], program.shapes["p_e"], program.shapes["y"]) = ([2, 3, 2], [2], [2, 2])
    program.nodes = [
      Program.node("_grouped_mm", ["self": .tensor("x"), "mat2": .tensor("p_w"), "offs": .tensor("p_e")], gives: "y")
    ]
    let matrices: [Float] = [1, 10, 1, 10, 1, 10, 100, 1000, 100, 1000, 100, 1000]
    let archive = Archive(
      program: program.text, weights: [("w", [2, 3, 2], [6, 2, 1], matrices), ("e", [2], [1], ends)])
    let x = GraphValue(try Tensor<Float>([1, 2, 3, 4, 5, 6], shape: [2, 3]))
    let y = try #require(try InferenceSession(readModel(archive.bytes)).run(["x": x])["y"])
    let wanted = GraphValue(try Tensor(expected, shape: [2, 2]))
    #expect(try y.difference(from: wanted, within: Tolerance(relative: 0, absolute: 0)) == nil)
  }

  /// Large weights are not copied: they lie where the archive is mapped.
  @Test func `a weight that lies otherwise than in order is put in order`() throws {
    var program = Program()
    program.parameters = [("p_w", "w")]
    program.nodes = [
      Program.node("add.Tensor", ["self": .tensor("x"), "other": .tensor("p_w")], gives: "y")
    ].map { $0.replacingOccurrences(of: "\"add.Tensor\"", with: "\"torch.ops.aten.add.Tensor\"") }
    let archive = Archive(program: program.text, weights: [("w", [2, 3], [1, 2], [1, 2, 3, 4, 5, 6])])
    let session = try InferenceSession(readModel(archive.bytes))
    let y = try session.run(["x": GraphValue(Tensor<Float>(zeros: [2, 3]))])["y"]
    let expected = GraphValue(try Tensor<Float>([1, 3, 5, 2, 4, 6], shape: [2, 3]))
    #expect(try y?.difference(from: expected, within: Tolerance(relative: 0, absolute: 0)) == nil && y != nil)
  }
}
