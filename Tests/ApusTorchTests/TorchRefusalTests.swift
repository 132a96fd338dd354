import Apus
import ApusTestSupport
import Foundation
import Testing

@testable import ApusGraph
@testable import ApusTorch

@Suite struct TorchRefusalTests {
  @Test func `a program made by hand is read`() {
    #expect(ApusTorchTests.refusal(Archive().bytes) == nil)
  }

  @Test func `cut archives are refused`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: torchFixture("parts/model.pt2"))))
    for count in stride(from: 97, to: bytes.count, by: 97) {
      #expect(throws: TorchError.self, "\(count) bytes") { try readModel(Array(bytes[..<count])) }
    }
  }

  @Test func `no bytes, and those of other formats, are said to be that`() throws {
    #expect(throws: FileError.empty(path: "memory")) { try readModel([]) }
    // The field of an ONNX graph, and a page about a file.
    let others: [([UInt8], FileFormat)] = [([8, 10, 58, 0], .onnx), (Array("<!DOCTYPE html>".utf8), .markup)]
    for (bytes, format) in others {
      #expect(throws: FileFormatError(path: "memory", found: format, purpose: .model)) { try readModel(bytes) }
    }
    #expect(throws: TorchError.self) { try readModel([0xFF, 0, 1]) }
  }

  @Test func `cut programs are refused with their entry`() {
    let text = Program().text
    for count in stride(from: 0, to: text.utf8.count - 1, by: 13) {
      let said = ApusTorchTests.refusal(
        Archive(program: String(decoding: text.utf8.prefix(count), as: UTF8.self)).bytes)
      #expect(said?.hasPrefix("entry 'models/model.json':") == true, "\(count): \(said ?? "read")")
    }
  }

  @Test func `entries must be there`() {
    for name in ["models/model.json", "byteorder", "data/weights/model_weights_config.json"] {
      let said = ApusTorchTests.refusal(Archive(missing: name).bytes)
      #expect(said?.contains("entry '\(name)'") == true, "\(said ?? "read")")
    }
    #expect(ApusTorchTests.refusal(Archive().bytes, program: "other")?.contains("its programs are model") == true)
    let big = Archive(entries: ["byteorder": Array("big".utf8)])
    #expect(ApusTorchTests.refusal(big.bytes)?.contains("the order 'big' is not supported") == true)
  }

  @Test func `older archives are named with what writes them anew`() {
    for name in ["serialized_exported_program.json", "data/weights/model.pt"] {
      let said = ApusTorchTests.refusal(Archive(entries: [name: [1, 2, 3]]).bytes)
      #expect(said?.contains("torch before 2.9") == true && said?.contains("torch.export.save(") == true)
    }
    var old = Program()
    old.version = 7
    #expect(ApusTorchTests.refusal(Archive(program: old.text).bytes)?.contains("version 7.20") == true)
    old.version = 9
    #expect(
      ApusTorchTests.refusal(Archive(program: old.text).bytes)?.contains("version 9.20 of the format (8.x is read)")
        == true)
  }

  @Test func `newer minor versions are read and said`() throws {
    var newer = Program()
    newer.minor = 99
    #expect(try readModel(Archive(program: newer.text).bytes).warnings.first?.contains("8.99") == true)
  }

  private func refusal(ofNode node: String) -> String? {
    var program = Program()
    program.nodes = [node]
    return ApusTorchTests.refusal(Archive(program: program.text).bytes)
  }

  @Test func `operators that are not covered are named with what helps`() {
    let unknown = refusal(ofNode: Program.node("frobnicate", ["self": .tensor("x")], gives: "y"))
    #expect(unknown?.hasPrefix("node 'y': the operator aten.frobnicate.default is not supported") == true)
    #expect(unknown?.contains("run_decompositions()") == true)
    let higher = refusal(ofNode: Program.node("torch.ops.higher_order.cond", ["pred": .tensor("x")], gives: "y"))
    #expect(higher?.contains("higher_order.cond") == true && higher?.contains("run_decompositions") == false)
    // What is cast as it goes along is written out by decompositions.
    let autocast = Program.node(
      "torch.ops.higher_order.wrap_with_autocast",
      [
        "": .string("cpu"), "type": .other(#"{"as_scalar_type":13}"#), "enabled": .other(#"{"as_bool":true}"#),
        "cache": .other(#"{"as_bool":true}"#), "graph": .other(#"{"as_graph":{"graph":{"inputs":[],"outputs":[]}}}"#),
      ], gives: "y")
    #expect(refusal(ofNode: autocast)?.contains("run_decompositions()") == true)
    let projected = Program.node(
      "torch.ops.aten.lstm.input",
      [
        "input": .tensor("x"), "hx": .tensors(["x", "x"]), "params": .tensors(["x", "x", "x", "x", "x"]),
        "has_biases": .other(#"{"as_bool":true}"#), "num_layers": .int(1),
      ], gives: "y")
    #expect(refusal(ofNode: projected)?.contains("LSTM with projections is not supported") == true)
    #expect(refusal(ofNode: projected)?.contains("run_decompositions()") == true)
    // What was decomposed is not decomposed again.
    var core = Program()
    core.nodes = [Program.node("frobnicate", ["self": .tensor("x")], gives: "y")]
    let decomposed = core.text.replacingOccurrences(of: #""verifiers":["TRAINING"]"#, with: #""verifiers":[""]"#)
    let said = ApusTorchTests.refusal(Archive(program: decomposed).bytes)
    #expect(said?.contains("aten.frobnicate.default is not supported") == true)
    #expect(said?.contains("run_decompositions") == false)
    let custom = refusal(ofNode: Program.node("torch.ops.mine.relu.default", ["self": .tensor("x")], gives: "y"))
    #expect(custom?.contains("mine.relu.default") == true)
  }

  /// A graph of one tensor `x`, as an argument.
  private func inner(_ nodes: [String], gives outputs: String...) -> Program.Argument {
    let tensors = (["x"] + outputs).map { #""\#($0)":\#(Program.meta([2, 3]))"# }.joined(separator: ",")
    let returned = outputs.map { Program.Argument.tensor($0).json }.joined(separator: ",")
    return .other(
      #"{"as_graph":{"name":"g","graph":{"inputs":[{"as_tensor":{"name":"x"}}],"outputs":[\#(returned)],"#
        + #""nodes":[\#(nodes.joined(separator: ","))],"tensor_values":{\#(tensors)}}}}"#)
  }

  @Test func `graphs that operators are called with fit what they are given`() {
    func cond(_ first: Program.Argument, _ second: Program.Argument, _ given: [String]) -> String? {
      refusal(
        ofNode: Program.node(
          "torch.ops.higher_order.cond", ["": .tensor("x"), "": first, "": second, "": .tensors(given)], gives: "y"))
    }
    let relu = inner([Program.node("relu", ["self": .tensor("x")], gives: "r")], gives: "r")
    let two = inner([Program.node("relu", ["self": .tensor("x")], gives: "r")], gives: "r", "x")
    #expect(cond(relu, relu, ["x"]) == nil)
    #expect(cond(relu, two, ["x"])?.contains("the branches give 1 and 2 values") == true)
    #expect(cond(relu, relu, ["x", "x"])?.contains("a graph of 1 inputs is given 2 values") == true)
    #expect(cond(relu, .int(1), ["x"])?.contains("argument 2 is no graph") == true)
    let change = inner([Program.node("relu_", ["self": .tensor("x")], gives: "r")], gives: "r")
    #expect(cond(relu, change, ["x"])?.contains("writes over 'x', which comes from outside") == true)
    let unknown = inner([Program.node("frobnicate", ["self": .tensor("x")], gives: "r")], gives: "r")
    #expect(cond(relu, unknown, ["x"])?.contains("aten.frobnicate") == true)
  }

  /// Each condition is written twice, and so is what is in it.
  @Test func `loops in conditions of loops do not double without end`() {
    var condition = inner([], gives: "x")
    for _ in 0..<24 {
      condition = inner(
        [
          Program.node(
            "torch.ops.higher_order.while_loop",
            ["": condition, "": inner([], gives: "x"), "": .tensors(["x"]), "": .tensors([])], gives: "y")
        ], gives: "y")
    }
    let loop = Program.node(
      "torch.ops.higher_order.while_loop",
      ["": condition, "": inner([], gives: "x"), "": .tensors(["x"]), "": .tensors([])], gives: "y")
    #expect(refusal(ofNode: loop)?.contains("nested deeper than 8") == true)
  }

  @Test func `a value without axes has none to go along`() {
    for node in [
      Program.node(
        "select_scatter", ["self": .tensor("s"), "src": .tensor("s"), "dim": .int(0), "index": .int(0)], gives: "y"),
      Program.node("slice_scatter", ["self": .tensor("s"), "src": .tensor("s")], gives: "y"),
    ] {
      var program = Program()
      program.shapes["s"] = []
      program.nodes = [Program.node("sum", ["self": .tensor("x")], gives: "s"), node]
      let said = ApusTorchTests.refusal(Archive(program: program.text).bytes)
      #expect(said?.hasSuffix("axis 0 does not exist") == true, "\(said ?? "read")")
    }
  }

  /// A mean with a divisor of its own, of windows that may be cut, looks at the sizes that the program says the result has.
  @Test func `means of windows that are said to be of fewer axes`() {
    var program = Program()
    program.shapes = ["x": [1, 1, 4, 4], "y": [3]]
    program.nodes = [
      Program.node(
        "avg_pool2d",
        ["self": .tensor("x"), "kernel_size": .ints([2, 2]), "ceil_mode": .int(1), "divisor_override": .int(3)],
        gives: "y")
    ]
    let said = ApusTorchTests.refusal(Archive(program: program.text).bytes)
    #expect(said?.contains("windows of 2 axes") == true, "\(said ?? "read")")
  }

  @Test func `arguments are named`() {
    let place = "node 'y' (aten.relu.default): "
    #expect(refusal(ofNode: Program.node("relu", [:], gives: "y")) == place + "it has no arguments")
    #expect(
      refusal(ofNode: Program.node("relu", ["self": .tensor("z")], gives: "y")) == place
        + "'z' is given by nothing before it")
    #expect(
      refusal(ofNode: Program.node("relu", ["self": .string("z")], gives: "y")) == place
        + "argument 'self' is not a tensor or a number")
    let axis = Program.node("softmax", ["self": .tensor("x"), "dim": .int(5)], gives: "y")
    #expect(refusal(ofNode: axis)?.hasSuffix("axis 5 does not exist in a tensor of rank 2") == true)
    let open = #"{"as_sym_int":{"as_name":"s"}}"#
    #expect(
      refusal(ofNode: Program.node("flip", ["self": .tensor("x"), "dims": .other(open)], gives: "y"))
        == "node 'y' (aten.flip.default): argument 'dims' is not known before the program runs")
    let missing = Program.node("unsqueeze", ["self": .tensor("x")], gives: "y")
    #expect(refusal(ofNode: missing)?.hasSuffix("argument 'dim' is missing") == true)
    func blocks(_ sizes: [Int]) -> String {
      Program.node(
        "torch.ops.torchao.dequantize_affine.default",
        ["input": .tensor("x"), "block_size": .ints(sizes), "scale": .tensor("x"), "zero_point": .tensor("x")],
        gives: "y")
    }
    #expect(
      refusal(ofNode: blocks([1, 1, 3]))?.hasSuffix("blocks of [1, 1, 3] do not divide a tensor with 2 axes") == true)
    #expect(refusal(ofNode: blocks([1, 2]))?.hasSuffix("blocks of 2 do not divide axis 1, of 3 extent") == true)
    #expect(refusal(ofNode: blocks([0, 3]))?.contains("do not divide a tensor") == true)
    #expect(refusal(ofNode: blocks([-1, 3]))?.contains("do not divide a tensor") == true)
    let mapping = Program.node(
      "torch.ops.torchao.choose_qparams_affine.default",
      [
        "input": .tensor("x"), "mapping_type": .string("SOME"), "block_size": .ints([2, 3]), "quant_min": .int(0),
        "quant_max": .int(255),
      ], gives: "y", "z")
    #expect(refusal(ofNode: mapping)?.contains("does not say of what type output 1 is") == true)
    let groups = Program.node(
      "torch.ops.quantized_decomposed.quantize_per_channel_group.default",
      ["input": .tensor("x"), "scales": .tensor("x"), "zero_points": .tensor("x"), "group_size": .int(0)], gives: "y")
    #expect(refusal(ofNode: groups)?.hasSuffix("an extent is divided by 0") == true)
    let dropping = Program.node(
      "dropout", ["input": .tensor("x"), "p": .float("0.5"), "train": .other(#"{"as_bool":true}"#)], gives: "y")
    #expect(refusal(ofNode: dropping)?.contains("module.eval()") == true)
  }

  @Test func `values must be given once and before they are read`() {
    var program = Program()
    let relu = Program.node("relu", ["self": .tensor("x")], gives: "y")
    program.nodes = [relu, relu]
    #expect(ApusTorchTests.refusal(Archive(program: program.text).bytes)?.contains("given to two values") == true)
    program.nodes = []
    #expect(ApusTorchTests.refusal(Archive(program: program.text).bytes) == "output 0: 'y' is given by nothing")
    program.inputs = ["x", "x"]
    #expect(ApusTorchTests.refusal(Archive(program: program.text).bytes)?.contains("two inputs have the name") == true)
  }

  /// What may be a view or a copy must not be written over and read under another name.
  @Test func `a change that others may see asks for a decomposed program`() throws {
    var program = Program()
    let change = Program.node("relu_", ["self": .tensor("v")], gives: "r")
    program.shapes = ["v": [6], "r": [6], "w": [6]]
    let reads = Program.node("neg", ["self": .tensor("x")], gives: "y")
    program.nodes = [Program.node("flatten", ["self": .tensor("x")], gives: "v"), change, reads]
    let flat = ApusTorchTests.refusal(Archive(program: program.text).bytes)
    #expect(flat?.contains("may share its memory with 'x'") == true && flat?.contains("run_decompositions") == true)
    program.nodes = [
      Program.node("view", ["self": .tensor("x"), "size": .ints([6])], gives: "v"),
      Program.node("reshape", ["self": .tensor("x"), "shape": .ints([6])], gives: "w"), change,
      Program.node("neg", ["self": .tensor("w")], gives: "y"),
    ]
    let said = ApusTorchTests.refusal(Archive(program: program.text).bytes)
    #expect(said?.contains("may share its memory with 'w'") == true)
    // Parts that are written over, and parts of memory.
    program.shapes = ["v": [2, 1], "w": [2, 2], "r": [2, 1]]
    program.nodes = [
      Program.node("hsplit", ["self": .tensor("x"), "indices": .ints([1])], gives: "v", "w"), change, reads,
    ]
    let parts = ApusTorchTests.refusal(Archive(program: program.text).bytes)
    #expect(parts?.contains("may share its memory with 'x'") == true, "\(parts ?? "read")")
    program.shapes = ["y": [2]]
    program.nodes = [
      Program.node(
        "as_strided", ["self": .tensor("x"), "size": .ints([2]), "stride": .ints([3]), "storage_offset": .int(4)],
        gives: "y")
    ]
    let beside = ApusTorchTests.refusal(Archive(program: program.text).bytes)
    #expect(beside?.contains("lies beside its argument") == true, "\(beside ?? "read")")
    program.shapes = [:]
    // The changed value itself may be read under its old name.
    program.nodes = [
      Program.node("neg", ["self": .tensor("x")], gives: "v"),
      Program.node("relu_", ["self": .tensor("v")], gives: "r"),
      Program.node("abs", ["self": .tensor("v")], gives: "y"),
    ]
    program.shapes = ["v": [2, 3], "r": [2, 3]]
    let session = try InferenceSession(readModel(Archive(program: program.text).bytes))
    let y = try session.run(["x": GraphValue(Tensor<Float>([-1, 2, 3, -4, 0, 0], shape: [2, 3]))])["y"]
    let expected = GraphValue(try Tensor<Float>([1, 0, 0, 4, 0, 0], shape: [2, 3]))
    #expect(try y?.difference(from: expected, within: Tolerance(relative: 0, absolute: 0)) == nil && y != nil)
  }

  /// Buffers that lie in one memory are two constants here.
  @Test func `a buffer that another one is a part of is not written over`() {
    var program = Program()
    program.parameters = [("b_w", "w"), ("b_v", "v")]
    program.shapes = ["b_v": [3], "r": [3]]
    program.nodes = [
      Program.node("relu_", ["self": .tensor("b_v")], gives: "r"),
      Program.node("neg", ["self": .tensor("b_w")], gives: "y"),
    ]
    func config(_ path: String) -> String {
      #"{"config":{"w":{"path_name":"weight_0","tensor_meta":\#(Program.meta([2, 3]))},"#
        + #""v":{"path_name":"\#(path)","tensor_meta":\#(Program.meta([3]))}}}"#
    }
    let weights: [(name: String, shape: [Int], strides: [Int], numbers: [Float])] = [
      ("w", [2, 3], [3, 1], [1, 2, 3, 4, 5, 6]), ("v", [3], [1], [1, 2, 3]),
    ]
    func said(_ path: String) -> String? {
      ApusTorchTests.refusal(
        Archive(
          program: program.text, weights: weights,
          entries: ["data/weights/model_weights_config.json": Array(config(path).utf8)]
        ).bytes)
    }
    #expect(said("weight_1") == nil)
    #expect(said("weight_0")?.contains("shares its memory with 'w'") == true)
    // Nothing reads the other one.
    program.nodes[1] = Program.node("neg", ["self": .tensor("x")], gives: "y")
    #expect(said("weight_0") == nil)
  }

  @Test func `weights that lie beyond their entry are refused`() {
    func said(_ shape: [Int], _ strides: [Int], name: String = "w") -> String? {
      var program = Program()
      program.parameters = [("p_w", name)]
      program.nodes = [Program.node("neg", ["self": .tensor("p_w")], gives: "y")]
      program.shapes = ["p_w": shape]
      return ApusTorchTests.refusal(
        Archive(program: program.text, weights: [("w", shape, strides, [1, 2, 3])]).bytes)
    }
    #expect(said([3], [1]) == nil)
    #expect(said([4], [1])?.contains("entry 'data/weights/weight_0': 'w': it needs 4 elements") == true)
    #expect(said([2], [3])?.contains("it needs 4 elements") == true)
    #expect(said([2], [-1])?.contains("make no sense") == true)
    #expect(said([2, 1 << 39], [Int.max, 1 << 30])?.contains("lead beyond any memory") == true)
    #expect(said([3], [1], name: "v")?.contains("the archive has no tensor 'v'") == true)
  }

  @Test func `nesting is limited`() {
    let deep = String(repeating: #"{"as_graph":{"name":"g","graph":{"outputs":["#, count: 200)
    let node = Program.node("relu", ["self": .other(deep)], gives: "y")
    #expect(refusal(ofNode: node)?.contains("more than") == true)
    #expect(
      refusal(ofNode: Program.node("relu", ["self": .other(String(repeating: "[", count: 100_000))], gives: "y")) != nil
    )
  }

  /// Sizes that no memory has are errors and no traps, whatever takes them.
  private static let beyondMemory: [(name: String, arguments: [(String, Program.Argument)])] = [
    ("unfold", [("dimension", .int(0)), ("size", .int(1)), ("step", .int(1))]),
    ("diag_embed", [("offset", .int(1 << 40))]), ("diagonal", [("offset", .int(-(1 << 62)))]),
    ("as_strided", [("size", .ints([1 << 40, 1 << 40])), ("stride", .ints([1, 1]))]),
    ("constant_pad_nd", [("pad", .ints([Int.max, Int.max]))]), ("repeat", [("repeats", .ints([Int.max, Int.max]))]),
    ("adaptive_avg_pool2d", [("output_size", .ints([1 << 50, 1 << 50]))]),
    ("adaptive_max_pool2d", [("output_size", .ints([1 << 50, 1 << 50]))]),
    ("full_like", [("fill_value", .int(Int.min))]), ("pixel_shuffle", [("upscale_factor", .int(2))]),
    ("linspace", [("start", .int(0)), ("end", .int(1)), ("steps", .int(1 << 40))]),
    ("tril_indices", [("row", .int(1 << 40)), ("col", .int(1 << 40))]),
    ("im2col", [("kernel_size", .ints([4096, 4096])), ("padding", .ints([1 << 20, 1 << 20]))]),
    ("upsample_nearest2d", [("output_size", .ints([1 << 40, 1 << 40]))]),
    ("avg_pool2d", [("kernel_size", .ints([9, 9])), ("ceil_mode", .int(1)), ("divisor_override", .int(2))]),
    ("pixel_unshuffle", [("downscale_factor", .int(Int.max))]), ("chunk", [("chunks", .int(Int.max))]),
    ("max_unpool2d", [("indices", .tensor("x")), ("output_size", .ints([1 << 50, 1 << 50]))]),
    ("upsample_nearest1d", [("scales", .float("1e300"))]),
  ]

  @Test(arguments: beyondMemory.indices)
  func `sizes beyond memory are errors`(index: Int) {
    let (name, arguments) = Self.beyondMemory[index]
    for shape in [[2, 3], [1 << 39, 1 << 39], [1, 1, 3, 1 << 40], [0, 2, 0]] {
      var program = Program()
      program.shapes = ["x": shape, "y": shape]
      let list = arguments.map { #"{"name":"\#($0.0)","arg":\#($0.1.json)}"# }
      program.nodes = [
        Program.node(name, ["self": .tensor("x")], gives: "y").replacingOccurrences(
          of: #""kind":1}]"#, with: #""kind":1},"# + list.joined(separator: ",") + "]")
      ]
      // It may be read; whether it can be run is another matter.
      let said = ApusTorchTests.refusal(Archive(program: program.text).bytes)
      #expect(said?.hasPrefix("another error") != true, "\(name) \(shape): \(said ?? "")")
    }
  }
}
