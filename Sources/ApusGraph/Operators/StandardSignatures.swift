import Apus

/// The inputs and outputs of an operator of the standard, and the names of its attributes, from a version on.
struct StandardSignature: Sendable {
  enum Parameter: Character {
    case single = "s"
    case optional = "o"
    /// Any number of values, and one value at least; only the last parameter is such.
    case variadic = "v"
    case someVariadic = "V"

    var isVariadic: Bool { self == .variadic || self == .someVariadic }
    var isRequired: Bool { self == .single || self == .someVariadic }
  }

  /// The version of the operator set that brought it.
  let since: Int
  let inputs: [Parameter]
  let outputs: [Parameter]
  let attributes: Set<String>

  /// The signatures of one of the standard's own operators, the oldest first; none for another.
  ///
  /// Only the lines of that operator are read: a model has few, and to read the table would take as long as all else that
  /// a small model needs to be opened.
  static func all(of name: String) -> [StandardSignature] {
    guard !name.utf8.contains(UInt8(ascii: " ")) else { return [] }
    let start = Array(name.utf8) + [UInt8(ascii: " ")]
    return lines.filter { $0.starts(with: start) }.map { line in
      let words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
      return StandardSignature(
        since: Int(words[1]) ?? 1, inputs: words[2].compactMap(Parameter.init),
        outputs: words[3].compactMap(Parameter.init), attributes: Set(words[4...]))
    }
  }

  private static let lines = table.utf8.split(separator: UInt8(ascii: "\n"))

  /// The newest version of the operator set that ``table`` is of.
  static let newestVersion = 28

  /// What is wrong with a node; nil where nothing is.
  func complaint(about node: Node) -> String? {
    if let excess = Self.excess(node.inputs, inputs) {
      return "it has \(excess) inputs; the operator has at most \(inputs.count)"
    }
    if let excess = Self.excess(node.outputs, outputs) {
      return "it has \(excess) outputs; the operator has at most \(outputs.count)"
    }
    let unknown = node.attributes.keys.filter { !attributes.contains($0) }
    if let name = (unknown + node.subgraphs.keys.filter { !attributes.contains($0) }).min() {
      return "the operator has no attribute '\(name)'"
    }
    return inputs.indices.first { inputs[$0].isRequired && node.input($0) == nil }.map { "input \($0) is missing" }
  }

  /// How many values there are where there are too many. Those that are omitted at the end count for nothing.
  private static func excess(_ values: [Graph.ValueID?], _ parameters: [Parameter]) -> Int? {
    let count = (values.lastIndex { $0 != nil } ?? -1) + 1
    return count > parameters.count && parameters.last?.isVariadic != true ? count : nil
  }

  // Tests/Fixtures/generate/onnx_signatures.py writes the lines between the quotes: name, version,
  // inputs, outputs, attributes.
  private static let table = """
    Abs 1 s s consumed_inputs
    Abs 6 s s
    Acos 7 s s
    Acosh 9 s s
    Add 1 ss s axis broadcast consumed_inputs
    Add 6 ss s axis broadcast
    Add 7 ss s
    AffineGrid 20 ss s align_corners
    And 1 ss s axis broadcast
    And 7 ss s
    ArgMax 1 s s axis keepdims
    ArgMax 12 s s axis keepdims select_last_index
    ArgMin 1 s s axis keepdims
    ArgMin 12 s s axis keepdims select_last_index
    Asin 7 s s
    Asinh 9 s s
    Atan 7 s s
    Atanh 9 s s
    Attention 23 sssooo sooo is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision
    Attention 24 sssoooo sooo is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision
    Attention 25 sssoooo sooo is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size scale softcap softmax_precision
    AveragePool 1 s s auto_pad kernel_shape pads strides
    AveragePool 7 s s auto_pad count_include_pad kernel_shape pads strides
    AveragePool 10 s s auto_pad ceil_mode count_include_pad kernel_shape pads strides
    AveragePool 19 s s auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides
    BatchNormalization 1 sssss soooo consumed_inputs epsilon is_test momentum spatial
    BatchNormalization 6 sssss soooo epsilon is_test momentum spatial
    BatchNormalization 7 sssss soooo epsilon momentum spatial
    BatchNormalization 9 sssss soooo epsilon momentum
    BatchNormalization 14 sssss soo epsilon momentum training_mode
    Bernoulli 15 s s dtype seed
    BitCast 26 s s to
    BitShift 11 ss s direction
    BitwiseAnd 18 ss s
    BitwiseNot 18 s s
    BitwiseOr 18 ss s
    BitwiseXor 18 ss s
    BlackmanWindow 17 s s output_datatype periodic
    Cast 1 s s to
    Cast 19 s s saturate to
    Cast 24 s s round_mode saturate to
    CastLike 15 ss s
    CastLike 19 ss s saturate
    CastLike 24 ss s round_mode saturate
    CausalConvWithState 27 ssoo ss activation
    Ceil 1 s s consumed_inputs
    Ceil 6 s s
    Celu 12 s s alpha
    CenterCropPad 18 ss s axes
    Clip 1 s s consumed_inputs max min
    Clip 6 s s max min
    Clip 11 soo s
    Col2Im 18 sss s dilations pads strides
    Compress 9 ss s axis
    Concat 1 V s axis
    ConcatFromSequence 11 s s axis new_axis
    Constant 1 - s value
    Constant 11 - s sparse_value value
    Constant 12 - s sparse_value value value_float value_floats value_int value_ints value_string value_strings
    ConstantOfShape 9 s s value
    Conv 1 sso s auto_pad dilations group kernel_shape pads strides
    ConvInteger 10 ssoo s auto_pad dilations group kernel_shape pads strides
    ConvTranspose 1 sso s auto_pad dilations group kernel_shape output_padding output_shape pads strides
    Cos 7 s s
    Cosh 9 s s
    CumProd 26 ss s exclusive reverse
    CumSum 11 ss s exclusive reverse
    DFT 17 so s axis inverse onesided
    DFT 20 soo s inverse onesided
    DeformConv 19 sssoo s dilations group kernel_shape offset_group pads strides
    DepthToSpace 1 s s blocksize
    DepthToSpace 11 s s blocksize mode
    DequantizeLinear 10 sso s
    DequantizeLinear 13 sso s axis
    DequantizeLinear 21 sso s axis block_size
    DequantizeLinear 23 sso s axis block_size output_dtype
    Det 11 s s
    Div 1 ss s axis broadcast consumed_inputs
    Div 6 ss s axis broadcast
    Div 7 ss s
    Dropout 1 s so consumed_inputs is_test ratio
    Dropout 6 s so is_test ratio
    Dropout 7 s so ratio
    Dropout 12 soo so seed
    DynamicQuantizeLinear 11 s sss
    Einsum 12 V s equation
    Elu 1 s s alpha consumed_inputs
    Elu 6 s s alpha
    Equal 1 ss s axis broadcast
    Equal 7 ss s
    Erf 9 s s
    Exp 1 s s consumed_inputs
    Exp 6 s s
    Expand 8 ss s
    EyeLike 9 s s dtype k
    Flatten 1 s s axis
    Floor 1 s s consumed_inputs
    Floor 6 s s
    GRU 1 sssooo os activation_alpha activation_beta activations clip direction hidden_size output_sequence
    GRU 3 sssooo oo activation_alpha activation_beta activations clip direction hidden_size linear_before_reset output_sequence
    GRU 7 sssooo oo activation_alpha activation_beta activations clip direction hidden_size linear_before_reset
    GRU 14 sssooo oo activation_alpha activation_beta activations clip direction hidden_size layout linear_before_reset
    Gather 1 ss s axis
    GatherElements 11 ss s axis
    GatherND 11 ss s
    GatherND 12 ss s batch_dims
    Gelu 20 s s approximate
    Gemm 1 sss s alpha beta broadcast transA transB
    Gemm 7 sss s alpha beta transA transB
    Gemm 11 sso s alpha beta transA transB
    GlobalAveragePool 1 s s
    GlobalLpPool 1 s s p
    GlobalMaxPool 1 s s
    Greater 1 ss s axis broadcast
    Greater 7 ss s
    GreaterOrEqual 12 ss s
    GridSample 16 ss s align_corners mode padding_mode
    GroupNormalization 18 sss s epsilon num_groups
    GroupNormalization 21 sss s epsilon num_groups stash_type
    HammingWindow 17 s s output_datatype periodic
    HannWindow 17 s s output_datatype periodic
    HardSigmoid 1 s s alpha beta consumed_inputs
    HardSigmoid 6 s s alpha beta
    HardSwish 14 s s
    Hardmax 1 s s axis
    Identity 1 s s
    If 1 s v else_branch then_branch
    ImageDecoder 20 s s pixel_format
    InstanceNormalization 1 sss s consumed_inputs epsilon
    InstanceNormalization 6 sss s epsilon
    IsInf 10 s s detect_negative detect_positive
    IsNaN 9 s s
    LRN 1 s s alpha beta bias size
    LSTM 1 sssooooo ooo activation_alpha activation_beta activations clip direction hidden_size input_forget output_sequence
    LSTM 7 sssooooo ooo activation_alpha activation_beta activations clip direction hidden_size input_forget
    LSTM 14 sssooooo ooo activation_alpha activation_beta activations clip direction hidden_size input_forget layout
    LayerNormalization 17 sso soo axis epsilon stash_type
    LeakyRelu 1 s s alpha consumed_inputs
    LeakyRelu 6 s s alpha
    Less 1 ss s axis broadcast
    Less 7 ss s
    LessOrEqual 12 ss s
    LinearAttention 27 sssooo ss chunk_size kv_num_heads q_num_heads scale update_rule
    Log 1 s s consumed_inputs
    Log 6 s s
    LogSoftmax 1 s s axis
    Loop 1 ooV v body
    Loop 11 oov v body
    LpNormalization 1 s s axis p
    LpPool 1 s s auto_pad kernel_shape p pads strides
    LpPool 18 s s auto_pad ceil_mode dilations kernel_shape p pads strides
    MatMul 1 ss s
    MatMulInteger 10 ssoo s
    Max 1 V s consumed_inputs
    Max 6 V s
    MaxPool 1 s s auto_pad kernel_shape pads strides
    MaxPool 8 s so auto_pad kernel_shape pads storage_order strides
    MaxPool 10 s so auto_pad ceil_mode dilations kernel_shape pads storage_order strides
    MaxRoiPool 1 ss s pooled_shape spatial_scale
    MaxUnpool 9 sso s kernel_shape pads strides
    Mean 1 V s consumed_inputs
    Mean 6 V s
    MeanVarianceNormalization 9 s s axes
    MelWeightMatrix 17 sssss s output_datatype
    Min 1 V s consumed_inputs
    Min 6 V s
    Mish 18 s s
    Mod 10 ss s fmod
    Mul 1 ss s axis broadcast consumed_inputs
    Mul 6 ss s axis broadcast
    Mul 7 ss s
    Multinomial 7 s s dtype sample_size seed
    Neg 1 s s consumed_inputs
    Neg 6 s s
    NegativeLogLikelihoodLoss 12 sso s ignore_index reduction
    NonMaxSuppression 10 ssooo s center_point_box
    NonZero 9 s s
    Not 1 s s
    OneHot 9 sss s axis
    Optional 15 o s type
    OptionalGetElement 15 s s
    OptionalHasElement 15 s s
    OptionalHasElement 18 o s
    Or 1 ss s axis broadcast
    Or 7 ss s
    PRelu 1 ss s consumed_inputs
    PRelu 6 ss s
    Pad 1 s s mode paddings value
    Pad 2 s s mode pads value
    Pad 11 sso s mode
    Pad 18 ssoo s mode
    Pow 1 ss s axis broadcast
    Pow 7 ss s
    QLinearConv 10 sssssssso s auto_pad dilations group kernel_shape pads strides
    QLinearMatMul 10 ssssssss s
    QuantizeLinear 10 sso s
    QuantizeLinear 13 sso s axis
    QuantizeLinear 19 sso s axis saturate
    QuantizeLinear 21 sso s axis block_size output_dtype saturate
    QuantizeLinear 23 sso s axis block_size output_dtype precision saturate
    RMSNormalization 23 ss s axis epsilon stash_type
    RNN 1 sssooo oo activation_alpha activation_beta activations clip direction hidden_size output_sequence
    RNN 7 sssooo oo activation_alpha activation_beta activations clip direction hidden_size
    RNN 14 sssooo oo activation_alpha activation_beta activations clip direction hidden_size layout
    RandomNormal 1 - s dtype mean scale seed shape
    RandomNormalLike 1 s s dtype mean scale seed
    RandomUniform 1 - s dtype high low seed shape
    RandomUniformLike 1 s s dtype high low seed
    Range 11 sss s
    Range 27 sss s stash_type
    Reciprocal 1 s s consumed_inputs
    Reciprocal 6 s s
    ReduceL1 1 s s axes keepdims
    ReduceL1 18 so s keepdims noop_with_empty_axes
    ReduceL2 1 s s axes keepdims
    ReduceL2 18 so s keepdims noop_with_empty_axes
    ReduceLogSum 1 s s axes keepdims
    ReduceLogSum 18 so s keepdims noop_with_empty_axes
    ReduceLogSumExp 1 s s axes keepdims
    ReduceLogSumExp 18 so s keepdims noop_with_empty_axes
    ReduceMax 1 s s axes keepdims
    ReduceMax 18 so s keepdims noop_with_empty_axes
    ReduceMean 1 s s axes keepdims
    ReduceMean 18 so s keepdims noop_with_empty_axes
    ReduceMin 1 s s axes keepdims
    ReduceMin 18 so s keepdims noop_with_empty_axes
    ReduceProd 1 s s axes keepdims
    ReduceProd 18 so s keepdims noop_with_empty_axes
    ReduceSum 1 s s axes keepdims
    ReduceSum 13 so s keepdims noop_with_empty_axes
    ReduceSumSquare 1 s s axes keepdims
    ReduceSumSquare 18 so s keepdims noop_with_empty_axes
    RegexFullMatch 20 s s pattern
    Relu 1 s s consumed_inputs
    Relu 6 s s
    Reshape 1 s s consumed_inputs shape
    Reshape 5 ss s
    Reshape 14 ss s allowzero
    Resize 10 ss s mode
    Resize 11 ssso s coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode nearest_mode
    Resize 13 sooo s coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode nearest_mode
    Resize 18 sooo s antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value keep_aspect_ratio_policy mode nearest_mode
    ReverseSequence 10 ss s batch_axis time_axis
    RoiAlign 10 sss s mode output_height output_width sampling_ratio spatial_scale
    RoiAlign 16 sss s coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale
    RotaryEmbedding 23 ssso s interleaved num_heads rotary_embedding_dim
    Round 11 s s
    STFT 17 ssoo s onesided
    Scan 8 oV v body directions num_scan_inputs
    Scan 9 V v body num_scan_inputs scan_input_axes scan_input_directions scan_output_axes scan_output_directions
    Scatter 9 sss s axis
    ScatterElements 11 sss s axis
    ScatterElements 16 sss s axis reduction
    ScatterND 11 sss s
    ScatterND 16 sss s reduction
    Selu 1 s s alpha consumed_inputs gamma
    Selu 6 s s alpha gamma
    SequenceAt 11 ss s
    SequenceConstruct 11 V s
    SequenceEmpty 11 - s dtype
    SequenceErase 11 so s
    SequenceInsert 11 sso s
    SequenceLength 11 s s
    SequenceMap 17 sv v body
    Shape 1 s s
    Shape 15 s s end start
    Shrink 9 s s bias lambd
    Sigmoid 1 s s consumed_inputs
    Sigmoid 6 s s
    Sign 9 s s
    Sin 7 s s
    Sinh 9 s s
    Size 1 s s
    Slice 1 s s axes ends starts
    Slice 10 sssoo s
    Softmax 1 s s axis
    SoftmaxCrossEntropyLoss 12 sso so ignore_index reduction
    Softplus 1 s s
    Softsign 1 s s
    SpaceToDepth 1 s s blocksize
    SpaceToDepth 28 s s blocksize mode
    Split 1 so v axis split
    Split 2 s v axis split
    Split 13 so v axis
    Split 18 so v axis num_outputs
    SplitToSequence 11 so s axis keepdims
    Sqrt 1 s s consumed_inputs
    Sqrt 6 s s
    Squeeze 1 s s axes
    Squeeze 13 so s
    StringConcat 20 ss s
    StringNormalizer 10 s s case_change_action is_case_sensitive locale stopwords
    StringSplit 20 s ss delimiter maxsplit
    Sub 1 ss s axis broadcast consumed_inputs
    Sub 6 ss s axis broadcast
    Sub 7 ss s
    Sum 1 V s consumed_inputs
    Sum 6 V s
    SwiGLU 28 ss s alpha
    Swish 24 s s alpha
    Tan 7 s s
    Tanh 1 s s consumed_inputs
    Tanh 6 s s
    TensorScatter 24 sso s axis mode
    TfIdfVectorizer 9 s s max_gram_length max_skip_count min_gram_length mode ngram_counts ngram_indexes pool_int64s pool_strings weights
    ThresholdedRelu 10 s s alpha
    Tile 1 sss s
    Tile 6 ss s
    TopK 1 s ss axis k
    TopK 10 ss ss axis
    TopK 11 ss ss axis largest sorted
    Transpose 1 s s perm
    Trilu 14 so s upper
    Unique 11 s sooo axis sorted
    Unsqueeze 1 s s axes
    Unsqueeze 13 ss s
    Upsample 1 s s height_scale mode width_scale
    Upsample 7 s s mode scales
    Upsample 9 ss s mode
    Where 9 sss s
    Xor 1 ss s axis broadcast
    Xor 7 ss s
    """
}

extension Graph {
  /// Refuses nodes that have more than their operators: what an input or an attribute means that the standard does not
  /// have, nobody can know, and to leave it out might give another result.
  /// - Throws: ``GraphError/node(_:)``.
  func checkSignatures() throws {
    var known: [String: [StandardSignature]] = [:]
    try checkSignatures(&known)
  }

  /// - Parameter known: the signatures of the operators that were met.
  private func checkSignatures(_ known: inout [String: [StandardSignature]]) throws {
    for (index, node) in nodes.enumerated() {
      if index.isMultiple(of: 64) { try TimeLimit.check() }
      if node.operatorName.domain.isEmpty, node.opset <= StandardSignature.newestVersion {
        let type = node.operatorName.type
        let signatures = known[type] ?? StandardSignature.all(of: type)
        known[type] = signatures
        // A version before the operator's first is a slip of the file's: it is taken as the first.
        let signature = signatures.last { $0.since <= node.opset } ?? signatures.first
        if let complaint = signature?.complaint(about: node) {
          try naming(node) { throw OperatorError(complaint) }
        }
      }
      for subgraph in node.subgraphs.values { try subgraph.checkSignatures(&known) }
    }
  }
}
