import Apus
import ApusGraph
import ApusTorch

/// The reader of torch.export's archives, and a run of what it makes of them on zeros.
///
/// An input is an object of JSON with what the archive's entries of JSON hold; one of weights goes with them. Archives as
/// such are read by the target `npz`.
struct TorchProgramTarget: JSONFuzzTarget, RunningFuzzTarget {
  let name = "torch-program"
  let summary = "programs of torch.export: nodes, arguments, types, weights, read and run"
  let dictionary = [
    "as_tensor", "as_tensors", "as_int", "as_ints", "as_sym_ints", "as_name", "as_float", "as_none", "as_expr",
    "torch.ops.aten.view.default", "torch.ops.aten.index.Tensor", "torch.ops.aten.slice.Tensor", "_operator.mul",
    "torch.ops.quantized_decomposed.quantize_per_token.default", "torch.ops.torchao.choose_qparams_affine.default",
    "9223372036854775807", "-9223372036854775808", "-1", "0", "Infinity",
  ]

  func seeds() -> [[UInt8]] {
    [
      Self.input(
        [
          ("linear", #"{"name":"weight","arg":{"as_tensor":{"name":"w"}}}"#, [nil, 2]), ("relu_", "", [nil, 2]),
          ("view", #"{"name":"size","arg":{"as_sym_ints":[{"as_name":"n"},{"as_int":-1}]}}"#, [nil, 2]),
        ], isOpen: true),
      Self.input([
        ("cat", #"{"name":"tensors","arg":{"as_tensors":[{"name":"x"},{"name":"w"}]}}"#, [4, 2]),
        ("slice", #"{"name":"start","arg":{"as_int":1}},{"name":"end","arg":{"as_int":3}}"#, [2, 2]),
        (
          "index", #"{"name":"indices","arg":{"as_optional_tensors":[{"as_none":true},{"as_tensor":{"name":"i"}}]}}"#,
          [2, 2]
        ),
      ]),
      Self.input([
        ("diagonal", #"{"name":"offset","arg":{"as_int":0}}"#, [2]), ("diag_embed", "", [2, 2]),
        (
          "as_strided", #"{"name":"size","arg":{"as_ints":[2,2]}},{"name":"stride","arg":{"as_ints":[2,1]}}"#, [2, 2]
        ),
      ]),
      Self.input([
        ("sum", #"{"name":"dim","arg":{"as_ints":[1]}},{"name":"keepdim","arg":{"as_bool":true}}"#, [2, 1]),
        ("expand", #"{"name":"size","arg":{"as_ints":[-1,2]}}"#, [2, 2]),
        (
          "constant_pad_nd", #"{"name":"pad","arg":{"as_ints":[1,0]}},{"name":"value","arg":{"as_float":0.1}}"#, [2, 3]
        ),
      ]),
      Self.input(
        [
          (
            "_fft_r2c", #"{"name":"dim","arg":{"as_ints":[1]}},{"name":"normalization","arg":{"as_int":1}}"#, [2, 2]
          ),
          ("transpose", #"{"name":"dim0","arg":{"as_int":0}},{"name":"dim1","arg":{"as_int":-1}}"#, [2, 2]),
          ("mul", #"{"name":"other","arg":{"as_tensor":{"name":"t0"}}}"#, [2, 2]), ("abs", "", [2, 2]),
        ], complex: 3),
      Self.input([
        (
          "fake_quantize_per_tensor_affine",
          #"{"name":"scale","arg":{"as_float":0.1}},{"name":"zero_point","arg":{"as_int":3}},"#
            + #"{"name":"quant_min","arg":{"as_int":0}},{"name":"quant_max","arg":{"as_int":127}}"#, [2, 2]
        ),
        (
          "torchao.dequantize_affine.default",
          #"{"name":"block_size","arg":{"as_ints":[1,1]}},{"name":"scale","arg":{"as_tensor":{"name":"w"}}},"#
            + #"{"name":"zero_point","arg":{"as_none":true}},{"name":"quant_min","arg":{"as_int":-8}}"#, [2, 2]
        ),
        (
          "quantized_decomposed.fake_quant_per_channel.default",
          #"{"name":"scales","arg":{"as_tensor":{"name":"i"}}},{"name":"zero_points","arg":{"as_tensor":{"name":"i"}}},"#
            + #"{"name":"axis","arg":{"as_int":1}},{"name":"quant_max","arg":{"as_int":127}}"#, [2, 2]
        ),
      ]),
      Self.input([
        (
          "higher_order.while_loop",
          Self.graph("any", [2, 2], gives: [], dtype: 12) + "," + Self.graph("relu", [2, 2], gives: [2, 2]), [2, 2]
        ), ("higher_order.map_impl", Self.graph("cos", [2], gives: [2]), [2, 2]), ("sum", "", []),
        (
          "higher_order.cond",
          #"{"name":"","arg":{"as_tensor":{"name":"t2"}}},"# + Self.graph("sin", [], gives: []) + ","
            + Self.graph("neg", [], gives: []), []
        ),
      ]),
    ]
  }

  /// A graph of one node as an argument.
  private static func graph(_ name: String, _ shape: [Int?], gives result: [Int?], dtype: Int = 7) -> String {
    #"{"name":"","arg":{"as_graph":{"name":"g","graph":{"inputs":[{"as_tensor":{"name":"a"}}],"outputs":"#
      + #"[{"as_tensor":{"name":"b"}}],"nodes":[{"target":"torch.ops.aten.\#(name).default","inputs":[{"name":"self","#
      + #""arg":{"as_tensor":{"name":"a"}}}],"outputs":[{"as_tensor":{"name":"b"}}],"metadata":{},"name":"b"}],"#
      + #""tensor_values":{"a":\#(meta(shape)),"b":\#(meta(result, dtype: dtype))}}}}}"#
  }

  private static let open = #"{"as_expr":{"expr_str":"Symbol('s0')","hint":{"as_int":2}}}"#

  private static func size(_ value: Int?) -> String { value.map { #"{"as_int":\#($0)}"# } ?? open }

  private static func meta(_ shape: [Int?], dtype: Int = 7) -> String {
    let strides = shape.indices.map { $0 == shape.count - 1 ? 1 : 2 }
    return #"{"dtype":\#(dtype),"sizes":[\#(shape.map(size).joined(separator: ","))],"#
      + #""strides":[\#(strides.map(size).joined(separator: ","))],"storage_offset":\#(size(0)),"layout":7}"#
  }

  /// The nodes, of ATen unless their names say otherwise, each with what the one before gives as its first argument, or
  /// after the graphs that it is called with, and the shape of what it gives; the first so many are complex.
  private static func input(
    _ nodes: [(name: String, arguments: String, shape: [Int?])], isOpen: Bool = false, complex: Int = 0
  ) -> [UInt8] {
    var (last, calls) = ("x", [String]())
    var tensors = [#""x":\#(meta([isOpen ? nil : 2, 2]))"#, #""i":\#(meta([2], dtype: 5))"#, #""w":\#(meta([2, 2]))"#]
    for (index, node) in nodes.enumerated() {
      let output = index == nodes.count - 1 ? "y" : "t\(index)"
      let first = #"{"name":"self","arg":{"as_tensor":{"name":"\#(last)"}}}"#
      let target = node.name.contains(".") ? node.name : "aten.\(node.name).default"
      let arguments = [first, node.arguments].filter { !$0.isEmpty }
      let inputs = node.name.hasPrefix("higher_order.") ? arguments.reversed() : arguments
      calls.append(
        #"{"target":"torch.ops.\#(target)","inputs":[\#(inputs.joined(separator: ","))],"#
          + #""outputs":[{"as_tensor":{"name":"\#(output)"}}],"metadata":{},"name":"\#(output)"}"#)
      tensors.append(#""\#(output)":\#(meta(node.shape, dtype: index < complex ? 10 : 7))"#)
      last = output
    }
    let sizes =
      #"{"target":"torch.ops.aten.sym_size.int","inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}}},"#
      + #"{"name":"dim","arg":{"as_int":0}}],"outputs":[{"as_sym_int":{"as_name":"n"}}],"metadata":{},"name":"n"}"#
    let program =
      #"{"graph_module":{"graph":{"nodes":[\#(([sizes] + calls).joined(separator: ","))],"#
      + #""tensor_values":{\#(tensors.joined(separator: ","))},"#
      + #""sym_int_values":{"n":\#(open)}},"signature":{"input_specs":[{"user_input":{"arg":{"as_tensor":{"name":"x"}}}},"#
      + #"{"user_input":{"arg":{"as_tensor":{"name":"i"}}}},"#
      + #"{"parameter":{"arg":{"name":"w"},"parameter_name":"w"}}],"output_specs":[{"user_output":{"arg":{"as_tensor":"#
      + #"{"name":"y"}}}}]}},"schema_version":{"major":8,"minor":20}}"#
    let weights = #"{"config":{"w":{"path_name":"weight_0","use_pickle":false,"tensor_meta":\#(meta([2, 2]))}}}"#
    return Array(
      #"{"models/model.json":\#(program),"data/weights/model_weights_config.json":\#(weights)}"#.utf8)
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 4 << 20, allowing: TorchError.self, GraphError.self, TensorError.self, FileError.self,
      FileFormatError.self, JSONError.self
    ) {
      var entries: [(name: String, contents: [UInt8])] = [
        ("m/byteorder", Array("little".utf8)), ("m/data/weights/weight_0", [UInt8](repeating: 0, count: 16)),
        ("m/data/constants/model_constants_config.json", Array(#"{"config":{}}"#.utf8)),
      ]
      var reader = JSONReader(input)
      try reader.object { reader, key in
        let start = reader.offset
        try reader.skip()
        entries.append(("m/" + key, Array(input[start..<reader.offset])))
      }
      let archive = NPZTarget.archive(entries)
      try Self.run(archive.withUnsafeBytes { try TorchModel(bytes: $0, name: "input") })
    }
  }

  private static func run(_ model: TorchModel) throws {
    var options = InferenceSession.Options()
    options.limits.iterations = 100
    let session = try InferenceSession(model, options: options)
    var inputs: [String: GraphValue] = [:]
    for port in session.inputs {
      let zeros = try Tensor<Float>(zeros: (port.shape ?? [1]).map { $0 ?? 2 })
      inputs[port.name] =
        try port.elementType == .int64 ? GraphValue(zeros.converted(to: Int64.self)) : GraphValue(zeros)
    }
    _ = try session.run(inputs)
  }
}
