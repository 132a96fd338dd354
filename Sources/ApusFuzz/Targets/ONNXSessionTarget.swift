import Apus
import ApusGraph
import ApusONNX

/// ONNX models prepared and run, on inputs that they bring along: every pass, and every operator on operands that it
/// does not expect. Rewritten for speed, a model must compute the bits that its nodes compute one by one.
struct ONNXSessionTarget: ProtobufFuzzTarget, RunningFuzzTarget {
  let name = "onnx-session"
  let summary = "ONNX models of one operator or several, rewritten and run"
  let dictionary = [
    "axis", "axes", "perm", "to", "group", "pads", "strides", "kernel_shape", "dilations", "mode", "auto_pad",
    "SAME_UPPER", "keepdims", "epsilon", "num_heads", "hidden_size", "direction", "blocksize", "num_outputs",
    "\u{8}\u{1}", "\u{8}\u{7}", "\u{10}\u{1}", "\u{10}\u{7}", "\u{10}\u{D}", "\u{18}\u{2}", "\u{40}\u{1}",
  ]

  /// Operators, the operands in ``operands`` that each gets, by their letters (`-` leaves one out), and attributes. What is
  /// not of the standard's domain has its own before a stroke.
  private static let nodes = [
    "Abs m", "Add mv", "And bb", "ArgMax m", "Attention qqq", "AveragePool x", "BatchNormalization xvvvv",
    "BitShift uu", "Cast m", "CenterCropPad mi", "Clip mss", "Compress mC", "Concat mm", "Conv xw", "Conv XW",
    "Conv XP", "Conv XD group=16",
    "ConvInteger nn",
    "ConvTranspose xw", "CumSum mz", "DFT c", "DepthToSpace x", "DequantizeLinear us", "Det m",
    "DynamicQuantizeLinear m",
    "Einsum mm", "Equal mm", "Expand mi", "EyeLike m", "Flatten x", "Gather md", "GatherElements mj", "GatherND mj",
    "Gemm mmv", "GridSample xy", "GroupNormalization xvv", "Hardmax m", "InstanceNormalization xvv", "IsInf m", "LRN x",
    "LSTM qae",
    "LayerNormalization mv", "LogSoftmax m", "LpNormalization m", "LpPool x", "MatMul mm", "MatMulInteger uu", "Max mv",
    "MaxPool x", "MaxRoiPool xt", "MaxUnpool xl", "Mean mv", "Mod mm", "Multinomial m", "NegativeLogLikelihoodLoss md",
    "NonMaxSuppression BSK", "NonZero m", "OneHot dzv", "PRelu mv", "Pad mp", "Pow mv", "QLinearConv nsUnsUsU",
    "QLinearMatMul usUusUsU", "QuantizeLinear msU", "RNN qaa", "RandomUniformLike m", "Range sss", "ReduceL2 md",
    "ReduceLogSumExp m", "ReduceMean md", "Relu m", "Reshape mi", "Resize x--F", "ReverseSequence mE", "RoiAlign xrK",
    "ScatterElements mjm", "ScatterND mjv", "SequenceConstruct mm", "Shape m", "Sigmoid m", "Slice mdi", "Softmax m",
    "SoftmaxCrossEntropyLoss md", "SpaceToDepth x", "Split mE", "SplitToSequence mE", "Squeeze x", "Sum mm",
    "TfIdfVectorizer i", "Tile mi", "TopK mK", "Transpose m", "Trilu m", "Unique m", "Unsqueeze md", "Where bmm",
    "Acos m", "Acosh m", "Asin m", "Asinh m", "Atan m", "Atanh m", "Ceil m", "Cos m", "Cosh m", "Erf m", "Floor m",
    "Identity m", "IsNaN m", "Log m", "Neg m", "Reciprocal m", "Round m", "Shrink m", "Sign m", "Sin m", "Sinh m",
    "Size m",
    "Sqrt m", "Tan m", "Not b", "BitwiseNot u", "BitCast m to=6", "Dropout m", "Bernoulli m", "RandomNormalLike m",
    "CastLike mu", "Div mv", "Greater mv", "GreaterOrEqual mm", "Less mv", "LessOrEqual mm", "Min mv", "Sub mv",
    "Or bb", "Xor bb", "BitwiseAnd uu", "BitwiseOr uu", "BitwiseXor uu", "CumProd mz",
    "ArgMin m", "ReduceL1 md", "ReduceLogSum md", "ReduceMax md", "ReduceMin md", "ReduceProd md", "ReduceSum md",
    "ReduceSumSquare md", "GlobalAveragePool x", "GlobalLpPool x", "GlobalMaxPool x", "MeanVarianceNormalization x",
    "RMSNormalization mv", "RotaryEmbedding qcc num_heads=2", "LinearAttention qqq q_num_heads=2 kv_num_heads=2",
    "CausalConvWithState qk", "TensorScatter qq", "GRU qfh hidden_size=2", "DeformConv xGx", "Col2Im oii",
    "AffineGrid AF", "ConstantOfShape i", "RandomNormal -", "RandomUniform -", "BlackmanWindow z", "HammingWindow z",
    "HannWindow z", "MelWeightMatrix IIIs)", "STFT ozv", "Scatter mjm", "Optional m", "OptionalHasElement m",
    "SequenceEmpty -", "StringConcat TT", "StringNormalizer T", "StringSplit T", "RegexFullMatch T",
    "ai.onnx.preview/FlexAttention xxx", "SimplifiedLayerNormalization mv",
    "com.microsoft/Attention cMV num_heads=1", "com.microsoft/BiasGelu mv", "com.microsoft/FastGelu mv",
    "com.microsoft/DynamicQuantizeMatMul musU", "com.microsoft/EmbedLayerNormalization J-mm-vv",
    "com.microsoft/FusedConv xw", "com.microsoft/FusedGemm mm", "com.microsoft/FusedMatMul mm",
    "com.microsoft/GatherBlockQuantized Ydg block_size=16", "com.microsoft/Gelu m", "com.microsoft/QuickGelu m",
    "com.microsoft/GroupQueryAttention qqq--LO num_heads=2 kv_num_heads=2",
    "com.microsoft/MatMulIntegerToFloat uussUU", "com.microsoft/MatMulNBits HZv K=16 N=2 block_size=16",
    "com.microsoft/MatMulNBits HZvN K=16 N=2 block_size=16", "com.microsoft/MultiHeadAttention qqq num_heads=2",
    "com.microsoft/QAttention QRVss-UU num_heads=1", "com.microsoft/QGemm usUusU-sU",
    "com.microsoft/QLinearAdd usUusUsU",
    "com.microsoft/QLinearAveragePool nsUsU", "com.microsoft/QLinearConcat sUusUusU axis=0",
    "com.microsoft/QLinearConv nsUnsUsU", "com.microsoft/QLinearGlobalAveragePool nsUsU",
    "com.microsoft/QLinearLeakyRelu usUsU", "com.microsoft/QLinearMul usUusUsU",
    "com.microsoft/QLinearReduceMean usUsU",
    "com.microsoft/QLinearSigmoid usUsU", "com.microsoft/QLinearSoftmax usUsU opset=13",
    "com.microsoft/QLinearWhere busUusUsU", "com.microsoft/QuantizeLinear msU", "com.microsoft/DequantizeLinear usU",
    "com.microsoft/RotaryEmbedding qK((", "com.microsoft/SkipLayerNormalization mmvv",
    "com.microsoft/SkipSimplifiedLayerNormalization mmv", "com.microsoft/SimplifiedLayerNormalization mv",
    "com.microsoft/Tokenizer T mark=1", "ai.onnx.ml/ZipMap m",
    "com.microsoft/CDist mm", "com.microsoft/CausalConvWithState qk", "com.microsoft/ExpandDims mz",
    "com.microsoft/DynamicQuantizeLSTM o``-----!?!? hidden_size=1", "com.microsoft/GatedAdd mmg",
    "com.microsoft/GatedRMSNorm mvm", "com.microsoft/GatherND mj", "com.microsoft/GridSample xy",
    "com.microsoft/GroupQueryAttention qqq~~LO num_heads=2 kv_num_heads=2 local_window_size=2 sliding_window_cache=1",
    "com.microsoft/Inverse m", "com.microsoft/LinearAttention occ q_num_heads=1 kv_num_heads=2",
    "com.microsoft/LinearAttentionGate mvv", "com.microsoft/MRotaryEmbedding c%gg num_heads=1 rotary_embedding_dim=2",
    "com.microsoft/MatMulBnb4 mN) K=2 N=2 block_size=16 quant_type=1", "com.microsoft/MoE mm#-# k=1",
    "com.microsoft/NhwcMaxPool n", "com.microsoft/Pad mp", "com.microsoft/QEmbedLayerNormalization J-uu-^^-ss-ssUU-UU",
    "com.microsoft/QMoE mm$m-$m k=1", "com.microsoft/Range sss", "com.microsoft/ScaledSiLU m",
    "com.microsoft/TransposeMatMul mm", "com.microsoft/Trilu m", "com.microsoft/Unique v",
    "com.microsoft/GroupNorm xvv groups=1 activation=1 channels_last=0", "com.microsoft/NhwcConv xx",
    "com.microsoft/SkipGroupNorm xvvx groups=1 activation=0 channels_last=0", "com.microsoft/BiasSplitGelu mv",
    "com.microsoft/BiasAdd mvm", "com.microsoft/GemmFastGelu mmv",
    "Affine m", "Crop x", "ImageScaler x", "ParametricSoftplus m", "Scale m", "ScaledTanh m",
  ]

  private static let operands: [(letter: Character, value: @Sendable () throws -> GraphValue)] = [
    ("x", { try floats(1, 2, 6, 8) }), ("w", { try floats(2, 2, 3, 3) }), ("q", { try floats(1, 4, 8) }),
    ("m", { try floats(2, 2) }), ("v", { try floats(2) }), ("c", { try floats(1, 4, 2) }),
    ("a", { try floats(1, 8, 8) }), ("e", { try floats(1, 8, 2) }), ("y", { try floats(1, 2, 2, 2) }),
    ("X", { try floats(1, 16, 2, 17) }), ("W", { try floats(16, 16, 2, 2) }), ("P", { try floats(1, 16, 2, 2) }),
    ("D", { try floats(16, 1, 2, 2) }), ("t", { try floats(1, 5) }), ("r", { try floats(1, 4) }),
    ("B", { try floats(1, 2, 4) }),
    ("S", { try floats(1, 1, 2) }),
    ("s", { GraphValue(try Tensor<Float>([0.5], shape: [])) }),
    ("z", { GraphValue(try Tensor<Int64>([1], shape: [])) }),
    ("I", { GraphValue(try Tensor<Int64>([8], shape: [])) }), ("K", { GraphValue(try Tensor<Int64>([0])) }),
    ("i", { GraphValue(try Tensor<Int64>([2, 2])) }),
    ("d", { GraphValue(try Tensor<Int64>([0, 1])) }), ("E", { GraphValue(try Tensor<Int64>([1, 1])) }),
    ("F", { GraphValue(try Tensor<Int64>([1, 2, 3, 4])) }), ("p", { GraphValue(try Tensor<Int64>([1, 0, 1, 0])) }),
    ("j", { GraphValue(try Tensor<Int64>([0, 1, 1, 0], shape: [2, 2])) }),
    ("l", { GraphValue(try Tensor<Int64>((0..<96).map { Int64($0) }, shape: [1, 2, 6, 8])) }),
    ("b", { GraphValue(try Tensor<Bool>([true, false, true, true], shape: [2, 2])) }),
    ("C", { GraphValue(try Tensor<Bool>([true, false])) }), ("U", { GraphValue(try Tensor<UInt8>([7], shape: [])) }),
    ("u", { GraphValue(try Tensor<UInt8>([3, 1, 4, 1], shape: [2, 2])) }),
    ("n", { GraphValue(try Tensor<UInt8>([3, 1, 4, 1, 5, 9, 2, 6, 5], shape: [1, 1, 3, 3])) }),
    ("k", { try floats(4, 1, 2) }), ("f", { try floats(1, 6, 8) }), ("h", { try floats(1, 6, 2) }),
    ("G", { try floats(2, 2, 1, 1) }), ("o", { try floats(1, 4, 1) }), ("A", { try floats(1, 2, 3) }),
    ("M", { try floats(2, 6) }), ("V", { try floats(6) }), ("g", { try floats(2, 1) }), ("H", { try floats(1, 16) }),
    ("(", { try floats(4, 2) }), (")", { GraphValue(try Tensor<Float>([4], shape: [])) }),
    ("T", { .strings(try StringTensor(["ab", "c d"], shape: [2])) }),
    ("J", { GraphValue(try Tensor<Int32>([0, 1], shape: [1, 2])) }), ("L", { GraphValue(try Tensor<Int32>([3])) }),
    ("O", { GraphValue(try Tensor<Int32>([4], shape: [])) }), ("Y", { try bytes(2, 8) }), ("Z", { try bytes(2, 1, 8) }),
    ("#", { try floats(2, 2, 2) }), ("$", { try bytes(2, 2, 1) }), ("^", { try bytes(2) }),
    ("`", { try bytes(1, 1, 4) }),
    ("!", { try floats(1) }), ("?", { try bytes(1) }),
    ("%", { GraphValue(try Tensor<Int64>(zeros: [3, 1, 4])) }), ("~", { try floats(1, 2, 3, 4) }),
    ("N", { try bytes(2, 1) }), ("Q", { try bytes(1, 4, 2) }), ("R", { try bytes(2, 6) }),
  ]

  private static func bytes(_ shape: Int...) throws -> GraphValue {
    GraphValue(try Tensor((0..<shape.reduce(1, *)).map { UInt8(truncatingIfNeeded: $0 &* 37) }, shape: shape))
  }

  private static func floats(_ shape: Int...) throws -> GraphValue {
    GraphValue(try Tensor<Float>(range: shape.reduce(1, *)).reshaped(shape))
  }

  func seeds() throws -> [[UInt8]] {
    try Self.nodes.map { try Self.model([$0]).encode() } + [
      try Self.model(["Conv xw", "Relu 0", "MaxPool 1", "Sigmoid 2", "Mul 23", "Concat 42", "Transpose 5"]).encode(),
      try Self.model(["Conv XW", "Relu 0", "Conv 1D group=16", "AveragePool 2", "Conv 3P", "Sigmoid 4"]).encode(),
      try Self.model(["MatMul mm", "Add 0m", "Relu 1", "LayerNormalization 2v", "Shape 3", "Reshape 34"]).encode(),
      try Self.model(["DynamicQuantizeLinear m", "MatMulInteger 0u", "Cast 1", "Mul 2s", "Exp 3", "Tanh 4"]).encode(),
      try Self.model(["SequenceConstruct mm", "SequenceInsert 0m", "SequenceErase 1z", "SequenceAt 2z"]).encode(),
      try Self.model(["SequenceConstruct mm", "ConcatFromSequence 0 axis=0", "Optional 1", "OptionalGetElement 2"])
        .encode(),
      try Self.model(["SplitToSequence mE", "SequenceLength 0", "Range K1z"]).encode(),
      try Self.branches().encode(),
    ]
  }

  /// Nodes of which each may read what those before it give, by number. Operands are inputs with defaults, so nothing
  /// is computed ahead.
  static func model(_ lines: [String]) throws -> ModelProto {
    var graph = GraphProto(name: "g")
    var used: Set<Character> = []
    var domains: Set<String> = []
    for (index, line) in lines.enumerated() {
      let parts = line.split(separator: " ")
      guard parts.count > 1 else { continue }
      let (operatorName, letters) = (String(parts[0]), parts[1])
      let name = operatorName.split(separator: "/")
      let domain = name.count == 2 ? String(name[0]) : ""
      if !domain.isEmpty { domains.insert(domain) }
      used.formUnion(letters)
      let further = parts[2...].compactMap { part in
        let sides = part.split(separator: "=")
        return Int64(sides.last ?? "").map { AttributeProto(name: String(sides[0]), value: .int($0)) }
      }
      graph.nodes.append(
        NodeProto(
          name: "n\(index)", opType: String(name[name.count - 1]), domain: domain,
          inputs: letters == "-" ? [] : letters.map { $0 == "-" ? "" : String($0) }, outputs: ["\(index)"],
          attributes: (attributes[operatorName] ?? []) + further))
    }
    for (letter, value) in operands where used.contains(letter) {
      let value = try value()
      graph.initializers.append(try TensorProto(name: String(letter), value: value))
      graph.inputs.append(ValueInfoProto(name: String(letter), type: value.type))
    }
    graph.outputs = [ValueInfoProto(name: "\(lines.count - 1)")]
    let imports = domains.sorted().map { OperatorSetID(domain: $0, version: 1) }
    return ModelProto(opsetImports: [OperatorSetID(version: 21)] + imports, graph: graph)
  }

  /// Attributes without which an operator is refused, or says less about what could be wrong.
  private static let attributes: [String: [AttributeProto]] = {
    func ints(_ name: String, _ values: Int64...) -> AttributeProto { AttributeProto(name: name, value: .ints(values)) }
    func int(_ name: String, _ value: Int64) -> AttributeProto { AttributeProto(name: name, value: .int(value)) }
    func text(_ name: String, _ value: String) -> AttributeProto {
      AttributeProto(name: name, value: .string(Array(value.utf8)))
    }
    return [
      "Attention": [int("q_num_heads", 2), int("kv_num_heads", 2)], "AveragePool": [ints("kernel_shape", 2, 2)],
      "BitShift": [text("direction", "LEFT")], "Cast": [int("to", 10)], "Concat": [int("axis", 0)],
      "Conv": [ints("dilations", 1, 1), ints("pads", 1, 1, 1, 1), ints("strides", 1, 1)],
      "DepthToSpace": [int("blocksize", 1)], "Einsum": [text("equation", "ij,jk->ik")],
      "GroupNormalization": [int("num_groups", 1)], "LRN": [int("size", 3)], "LSTM": [int("hidden_size", 2)],
      "LinearAttention": [text("update_rule", "linear")], "LpPool": [ints("kernel_shape", 2, 2)],
      "MaxPool": [ints("kernel_shape", 3, 3), ints("pads", 1, 1, 1, 1)],
      "MaxRoiPool": [ints("pooled_shape", 2, 2)], "MaxUnpool": [ints("kernel_shape", 2, 2)],
      "RNN": [int("hidden_size", 8)], "RandomNormal": [ints("shape", 2, 2)], "RandomUniform": [ints("shape", 2, 2)],
      "RegexFullMatch": [text("pattern", "[a-c]+")], "SpaceToDepth": [int("blocksize", 2)],
      "Crop": [ints("border", 1, 1, 1, 1)],
      "ImageScaler": [AttributeProto(name: "bias", value: .floats([1, 2]))],
      "com.microsoft/LinearAttention": [text("update_rule", "linear")],
      "com.microsoft/MRotaryEmbedding": [ints("mrope_section", 1, 0, 0)],
      "com.microsoft/NhwcMaxPool": [ints("kernel_shape", 1, 2)],
      "com.microsoft/QLinearAveragePool": [ints("kernel_shape", 2, 2)],
      "com.microsoft/QLinearReduceMean": [ints("axes", 0)],
      "com.microsoft/Tokenizer": [text("pad_value", "#"), int("mincharnum", 1), text("tokenexp", "[a-c]+?|\\b.")],
      "ai.onnx.ml/ZipMap": [ints("classlabels_int64s", 1, 2)],
      "TfIdfVectorizer": [
        text("mode", "TF"), int("min_gram_length", 1), int("max_gram_length", 1), int("max_skip_count", 0),
        ints("ngram_counts", 0), ints("ngram_indexes", 0, 1), ints("pool_int64s", 2, 3),
      ],
    ]
  }()

  /// If, Loop and Scan with bodies that read values from around them.
  private static func branches() throws -> ModelProto {
    func body(_ name: String, inputs: [String], nodes: [NodeProto], outputs: [String]) -> GraphProto {
      GraphProto(
        name: name, nodes: nodes, inputs: inputs.map { ValueInfoProto(name: $0) },
        outputs: outputs.map { ValueInfoProto(name: $0) })
    }
    func branch(_ type: String) -> GraphProto {
      body(type, inputs: [], nodes: [NodeProto(opType: type, inputs: ["m"], outputs: [type])], outputs: [type])
    }
    let turn = body(
      "turn", inputs: ["number", "going", "sum"],
      nodes: [
        NodeProto(opType: "Identity", inputs: ["going"], outputs: ["on"]),
        NodeProto(opType: "Add", inputs: ["sum", "chosen"], outputs: ["next"]),
        NodeProto(opType: "Relu", inputs: ["next"], outputs: ["each"]),
      ], outputs: ["on", "next", "each"])
    let row = body(
      "row", inputs: ["state", "line"],
      nodes: [
        NodeProto(opType: "Add", inputs: ["state", "line"], outputs: ["after"]),
        NodeProto(opType: "Mul", inputs: ["after", "line"], outputs: ["given"]),
      ], outputs: ["after", "given"])
    let graph = GraphProto(
      name: "g",
      nodes: [
        NodeProto(
          opType: "If", inputs: ["yes"], outputs: ["chosen"],
          attributes: [
            AttributeProto(name: "then_branch", value: .graph(branch("Neg"))),
            AttributeProto(name: "else_branch", value: .graph(branch("Abs"))),
          ]),
        NodeProto(
          opType: "Loop", inputs: ["turns", "yes", "m"], outputs: ["total", "all"],
          attributes: [AttributeProto(name: "body", value: .graph(turn))]),
        NodeProto(
          opType: "Scan", inputs: ["line", "total"], outputs: ["last", "lines"],
          attributes: [
            AttributeProto(name: "body", value: .graph(row)), AttributeProto(name: "num_scan_inputs", value: .int(1)),
          ]),
      ],
      initializers: [
        try TensorProto(name: "yes", value: GraphValue(Tensor<Bool>([true], shape: []))),
        try TensorProto(name: "turns", value: GraphValue(Tensor<Int64>([3], shape: []))),
        try TensorProto(name: "m", value: GraphValue(Tensor<Float>(range: 16).reshaped([4, 4]))),
        try TensorProto(name: "line", value: GraphValue(Tensor<Float>(range: 4))),
      ],
      outputs: ["last", "lines", "all"].map { ValueInfoProto(name: $0) })
    return ModelProto(opsetImports: [OperatorSetID(version: 21)], graph: graph)
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let limit = Execution.memoryLimit
    return try outcome(
      memory: 4 << 20, allowing: ONNXFileError.self, FileError.self, FileFormatError.self, GraphError.self
    ) {
      let model = try ONNXModel(ModelProto.read(bytes: input, name: "input"))
      var options = InferenceSession.Options()
      options.limits.iterations = 100
      let fused = try InferenceSession(model, options: options)
      options.optimizes = false
      options.plansMemory = false
      let plain = try InferenceSession(model, options: options)
      let inputs = try Self.inputs(of: model.graph)
      let (actual, expected) = try (fused.run(inputs), plain.run(inputs))
      Execution.memoryLimit = limit
      for (name, value) in expected where try actual[name].map({ try Self.agrees($0, value) }) != true {
        throw FuzzFinding(message: "output '\(name)' is another when the graph is rewritten")
      }
    }
  }

  /// What `made` gives for inputs without a default, and zeros for others; extents that are left open are 2.
  static func inputs(
    of graph: Graph, made: (GraphValueType, _ shape: [Int], _ name: String) throws -> GraphValue? = { _, _, _ in nil }
  ) throws -> [String: GraphValue] {
    var inputs: [String: GraphValue] = [:]
    for id in graph.requiredInputs {
      let (name, type) = (graph.values[id].name, graph.values[id].type)
      guard case .tensor(_, let dimensions)? = type, let type else { continue }
      let shape = (dimensions ?? []).map { dimension -> Int in
        if case .size(let size) = dimension { size } else { 2 }
      }
      do {
        inputs[name] = try made(type, shape, name) ?? GraphValue(zeros: type, shape: shape)
      } catch {
        throw GraphError.input(name: name, reason: "\(error)")
      }
    }
    return inputs
  }

  /// Whether two values are of one type and hold the same numbers; all NaNs are one.
  static func agrees(_ a: GraphValue, _ b: GraphValue) throws -> Bool {
    guard a.type == b.type else { return false }
    guard case .tensor(let left) = a, case .tensor(let right) = b else { return true }
    // Nearly always; and what a conversion takes counts among the tensors whose memory is limited here.
    if try a.hasSameBytes(as: b) { return true }
    guard left.dataType.isFloatingPoint else { return false }
    if case .float32(let x) = left, case .float32(let y) = right { return try sameNumbers(x, y) }
    return try sameNumbers(left.converted(to: Double.self), right.converted(to: Double.self))
  }

  private static func sameNumbers<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ y: Tensor<Scalar>
  ) throws -> Bool {
    zip(try x.elements, try y.elements).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
  }
}
