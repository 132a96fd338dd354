import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

@Suite struct ShapeRuleTests {
  @Test func everyOperatorHasARuleOrAReason() {
    for (name, definition) in Operators.byName {
      guard case .unknown(let reason) = definition.facts.shapes else { continue }
      #expect(reason.split(separator: " ").count > 2, "\(name): \(reason)")
    }
  }

  /// Operators with a rule that infers nothing for any fixture nor for a node made by hand, and why.
  private static let uninferred: [String: String] = [:]

  /// A rule that always throws would go unnoticed: each infers something for a fixture, where
  /// ``ShapeInferenceTests`` sees that it is right, or for one of ``RuledNode/all``.
  @Test func everyRuleInfersSomething() throws {
    var covered = Set(RuledNode.all.map(\.name))
    for fixture in FixtureCase.all {
      let test = try fixture.test.get()
      let model = try test.model()
      for options in ShapeInferenceTests.options {
        let session = try InferenceSession(model, options: options)
        for inputs in try test.dataSets(of: model.graph) {
          let inferred = session.inferredTypes(inputs: inputs)
          for node in session.graph.nodes where node.outputs.contains(where: { $0.flatMap { inferred[$0] } != nil }) {
            covered.insert(node.operatorName)
          }
        }
      }
    }
    let ruled = Operators.byName.filter { if case .unknown = $0.value.facts.shapes { false } else { true } }
    #expect(Set(ruled.keys).subtracting(covered).map(\.description).sorted() == Self.uninferred.keys.sorted())
  }

  /// What a rule infers for a node's outputs, when all inputs are known, is what they are; and it infers all.
  @Test(arguments: RuledNode.all)
  func rulesInferWhatNodesGive(node: RuledNode) throws {
    for computesInFloat64 in [false, true] {
      let results = try node.run(computesInFloat64: computesInFloat64)
      let types = try node.inferred(computesInFloat64: computesInFloat64)
      for (result, type) in zip(results, types) {
        guard let result else { continue }
        let type = try #require(type)
        #expect(type.shape == result.shape)
        if node.tellsElementTypes { #expect(type.elementType == result.elementType) }
      }
    }
  }

  /// Shapes and numbers come from files, and from callers: whatever they are, a rule gives types, or throws what it
  /// lacks or finds wrong.
  @Test func rulesEndOnAbsurdShapes() {
    var random = SplitMix64(seed: 7)
    let lists: [[Int64]] = [[0], [-1], [.max, .min], [2, 2, 2, 2], [.max, 1, 1, .max, .max], [-1, 0, 0, 3]]
    for (name, definition) in Operators.byName {
      guard case .rule(let rule) = definition.facts.shapes else { continue }
      for _ in 0..<400 {
        let count = Int.random(in: 1...9, using: &random)
        var attributes: [String: AttributeValue] = [:]
        for name in Self.numbers where Bool.random(using: &random) {
          attributes[name] = .int([-1, 0, 1, 2, 4, .max, .min].randomElement(using: &random) ?? 0)
        }
        for name in Self.lists where Int.random(in: 0..<4, using: &random) == 0 {
          attributes[name] = .ints(lists.randomElement(using: &random) ?? [])
        }
        let node = Node(
          name: "node", operatorName: name, opset: [1, 6, 9, 12, 17, 23].randomElement(using: &random) ?? 1,
          inputs: (0..<count).map { Int.random(in: 0..<8, using: &random) == 0 ? nil : $0 }, outputs: [20, 21, 22, 23],
          attributes: attributes)
        var constants: [Int: GraphValue] = [:]
        for index in 0..<count where Int.random(in: 0..<3, using: &random) == 0 {
          constants[index] = (try? Tensor(lists.randomElement(using: &random) ?? [])).map { GraphValue($0) }
        }
        let inputs = (0..<count).map { index -> InferredType? in
          guard node.inputs[index] != nil else { return nil }
          if let value = constants[index], let shape = value.shape { return InferredType(value.elementType, shape) }
          let shape = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            [0, 1, 2, 3, 1 << 40, .max].randomElement(using: &random) ?? 0
          }
          return InferredType([.float, .uint8, .double, .string, nil].randomElement(using: &random) ?? nil, shape)
        }
        let facts = ShapeFacts(node: NodeDescription(node: node, constants: constants), inputs: inputs)
        do {
          _ = try rule(facts)
        } catch is ShapeFacts.Unknown {
        } catch {
          #expect(error is any ApusError, "\(name)")
        }
      }
    }
  }

  private static let numbers = [
    "axis", "num_heads", "q_num_heads", "kv_num_heads", "N", "K", "bits", "block_size", "gather_axis", "sample_size",
    "n_targets", "targets", "channels_last", "blocksize", "num_outputs", "k", "group", "batch_dims", "start", "end",
    "hidden_size", "keepdims", "onesided", "inverse", "transA", "transB", "transposed", "ceil_mode", "broadcast",
    "align_corners", "output_height", "output_width", "stack", "exact", "layout",
  ]
  private static let lists = [
    "kernel_shape", "strides", "pads", "dilations", "axes", "shape", "split", "perm", "qkv_hidden_sizes",
    "inputdimensions", "ngram_indexes", "output_padding", "output_shape", "pooled_shape", "cats_int64s", "repeats",
    "border", "scale", "transposed", "starts", "ends", "classlabels_ints", "classlabels_int64s", "vectors_per_class",
  ]
}

/// A node made by hand, for rules that no fixture has a node for.
struct RuledNode: Sendable, CustomTestStringConvertible {
  let name: OperatorName
  let opset: Int
  let inputs: [GraphValue?]
  let attributes: [String: AttributeValue]
  let tellsElementTypes: Bool

  var testDescription: String { "\(name)-\(opset) \(attributes.keys.sorted())" }

  init(
    _ type: String, domain: String = "", opset: Int = 21, _ inputs: [GraphValue?],
    _ attributes: [String: AttributeValue] = [:], tellsElementTypes: Bool = true
  ) {
    name = OperatorName(domain: domain, type: type)
    self.opset = opset
    self.inputs = inputs
    self.attributes = attributes
    self.tellsElementTypes = tellsElementTypes
  }

  private func node(computesInFloat64: Bool) -> Node {
    var node = Node(
      name: "node", operatorName: name, opset: opset, inputs: inputs.indices.map { inputs[$0] == nil ? nil : $0 },
      outputs: (0..<3).map { inputs.count + $0 }, attributes: attributes)
    node.computesInFloat64 = computesInFloat64
    return node
  }

  /// What goes in, where everything is computed in float64.
  private func operands(computesInFloat64: Bool) throws -> [GraphValue?] {
    try inputs.map { computesInFloat64 ? try $0?.widened() : $0 }
  }

  func run(computesInFloat64: Bool) throws -> [GraphValue?] {
    let definition = try #require(Operators.byName[name])
    let operands = try operands(computesInFloat64: computesInFloat64)
    let constants = Dictionary(
      uniqueKeysWithValues: operands.enumerated().compactMap { index, value in value.map { (index, $0) } })
    let absorbed = NodeDescription.Absorbed()
    let description = NodeDescription(
      node: node(computesInFloat64: computesInFloat64), constants: constants, absorbed: absorbed)
    let operation = try definition.prepare(description)
    var arguments = Arguments(
      operands.enumerated().map { absorbed.indices.contains($0) ? nil : $1 }, context: RunContext())
    return try operation(&arguments)
  }

  func inferred(computesInFloat64: Bool) throws -> [InferredType?] {
    let node = node(computesInFloat64: computesInFloat64)
    var graph = Graph(name: "graph")
    for (index, value) in try operands(computesInFloat64: computesInFloat64).enumerated() {
      let id = graph.addValue(named: "\(index)")
      if let value { graph.constants[id] = value }
    }
    for output in node.outputs { _ = graph.addValue(named: "\(output ?? 0)") }
    graph.nodes = [node]
    let types = graph.inferredTypes()
    return node.outputs.map { $0.flatMap { types[$0] } }
  }

  static let all: [RuledNode] = {
    do { return try elementwise() + structure() + spatial() + quantized() + learned() + dialect() + fused() } catch {
      return [RuledNode("\(error)", [])]
    }
  }()

  private static func elementwise() throws -> [RuledNode] {
    let (x, y) = (try GraphValue.noise([2, 3]), try GraphValue.noise([4]))
    let truth = GraphValue(try Tensor([true, false, true]))
    let training = "ai.onnx.preview.training"
    let (rate, steps) = (try GraphValue.noise([]), integers([3], shape: []))
    let momentum: [String: AttributeValue] = [
      "norm_coefficient": .float(0), "alpha": .float(0.5), "beta": .float(0.5),
    ]
    let like = ["RandomNormalLike", "RandomUniformLike"].flatMap { type in
      [RuledNode(type, [list(1, 2)], ["dtype": .int(1)]), RuledNode(type, [x])]
    }
    return [
      RuledNode("BitwiseOr", [list(1, 2), list(3)]), RuledNode("Mean", [x, try .noise([3])]),
      RuledNode("CastLike", [x, list(1)]), RuledNode("SwiGLU", opset: 27, [x, x]),
      RuledNode("Not", [truth]), RuledNode("Or", [truth, truth]), RuledNode("Xor", [truth, truth]),
      RuledNode("Momentum", domain: training, opset: 1, [rate, steps, x, x, x], momentum),
      RuledNode("Adagrad", domain: training, opset: 1, [rate, steps, x, y, x, y, x, y]),
      RuledNode("Adam", domain: training, opset: 1, [rate, steps, x, x, x, x]),
      RuledNode("RandomNormal", [], ["shape": .ints([2, 3])]), RuledNode("RandomUniform", [], ["shape": .ints([0])]),
      RuledNode("Bernoulli", [x]), RuledNode("Multinomial", [x], ["sample_size": .int(4)]),
      RuledNode("STFT", [try .noise([1, 16, 1]), integers([4], shape: []), nil, integers([8], shape: [])]),
      RuledNode("STFT", [try .noise([1, 16, 2]), integers([3], shape: []), try .noise([5])], ["onesided": .int(0)]),
      RuledNode("DFT", opset: 20, [try .noise([1, 5, 2])], ["inverse": .int(1), "onesided": .int(1)]),
      RuledNode("DFT", opset: 17, [try .noise([1, 5, 1]), integers([7], shape: [])], ["onesided": .int(1)]),
      RuledNode(
        "MelWeightMatrix",
        [
          integers([4], shape: []), integers([16], shape: []), integers([8000], shape: []),
          GraphValue(try Tensor<Float>([0], shape: [])), GraphValue(try Tensor<Float>([4000], shape: [])),
        ]),
    ] + like + ["Ceil", "Floor", "Reciprocal", "Neg"].map { RuledNode($0, [x]) }
      + ["HammingWindow", "HannWindow", "BlackmanWindow"].map { RuledNode($0, [integers([5], shape: [])]) }
  }

  private static func structure() throws -> [RuledNode] {
    let x = try GraphValue.noise([2, 3])
    return [
      RuledNode("CenterCropPad", [x, list(4, 2)]), RuledNode("OneHot", [list(0, 2), list(3), list(0, 1)]),
      RuledNode("OptionalHasElement", opset: 18, [nil]), RuledNode("OptionalGetElement", opset: 18, [x]),
      RuledNode("StringNormalizer", opset: 10, [texts("a", "B")]),
      RuledNode("StringNormalizer", opset: 10, [.strings(try StringTensor([], shape: [0]))]),
    ]
  }

  private static func spatial() throws -> [RuledNode] {
    let pooled = integers([5, 7, 13, 15], shape: [1, 1, 2, 2])
    let windows: [String: AttributeValue] = ["kernel_shape": .ints([2, 2]), "strides": .ints([2, 2])]
    return [
      RuledNode("AffineGrid", [try .noise([1, 2, 3]), list(1, 1, 4, 5)]),
      RuledNode("AffineGrid", [try .noise([2, 3, 4]), list(2, 1, 3, 4, 5)]),
      RuledNode("CausalConvWithState", opset: 27, [try .noise([1, 2, 5]), try .noise([2, 1, 3])]),
      RuledNode("Col2Im", [try .noise([2, 8, 9]), list(4, 4), list(2, 2)]),
      RuledNode("MaxUnpool", [try .noise([1, 1, 2, 2]), pooled], windows),
      RuledNode("MaxUnpool", [try .noise([1, 1, 2, 2]), pooled, list(1, 1, 5, 6)], windows),
      RuledNode(
        "FlexAttention", domain: "ai.onnx.preview", opset: 1,
        [try .noise([1, 2, 3, 4]), try .noise([1, 2, 5, 4]), try .noise([1, 2, 5, 6])]),
      RuledNode(
        "MultiHeadAttention", domain: "com.microsoft", opset: 1,
        [try .noise([1, 3, 8]), try .noise([1, 2, 5, 4]), try .noise([1, 2, 5, 6]), try .noise([28])],
        ["num_heads": .int(2)]),
    ]
  }

  private static func quantized() throws -> [RuledNode] {
    let microsoft = "com.microsoft"
    let bytes = GraphValue(try Tensor<UInt8>(zeros: [1, 4, 4, 2]))
    let (scale, point) = (GraphValue(try Tensor<Float>([0.5], shape: [])), GraphValue(try Tensor<Int8>([1], shape: [])))
    let zero = GraphValue(try Tensor<UInt8>([1], shape: []))
    let last: [String: AttributeValue] = ["channels_last": .int(1), "kernel_shape": .ints([3, 3])]
    // What is quantised is of the type of its zero point.
    let inputs = [bytes, scale, zero, scale, point]
    let (maps, row) = (try GraphValue.noise([1, 3, 3, 4]), try GraphValue.noise([4]))
    let groups: [String: AttributeValue] = ["groups": .int(2), "activation": .int(1)]
    return [
      RuledNode("GroupNorm", domain: microsoft, opset: 1, [maps, row, row], groups),
      RuledNode("SkipGroupNorm", domain: microsoft, opset: 1, [maps, row, row, try .noise([1, 4])], groups),
      RuledNode("NhwcConv", domain: microsoft, opset: 1, [maps, try .noise([5, 2, 3, 4])]),
      RuledNode("BiasSplitGelu", domain: microsoft, opset: 1, [maps, row]),
      RuledNode("BiasAdd", domain: microsoft, opset: 1, [maps, row, maps]),
      RuledNode("GemmFastGelu", domain: microsoft, opset: 1, [maps, try .noise([4, 5])]),
      RuledNode("DequantizeLinear", domain: microsoft, opset: 1, [bytes, scale, zero]),
      RuledNode("QLinearReduceMean", domain: microsoft, opset: 1, inputs, ["axes": .ints([-1]), "keepdims": .int(0)]),
      RuledNode("QLinearSigmoid", domain: microsoft, opset: 1, inputs),
      RuledNode("QLinearMul", domain: microsoft, opset: 1, [bytes, scale, zero, bytes, scale, zero, scale, point]),
      RuledNode("QLinearGlobalAveragePool", domain: microsoft, opset: 1, inputs, ["channels_last": .int(1)]),
      RuledNode("QLinearAveragePool", domain: microsoft, opset: 1, inputs, last),
      RuledNode(
        "QLinearConv", domain: microsoft, opset: 1,
        [bytes, scale, zero, GraphValue(try Tensor<UInt8>(zeros: [5, 2, 3, 3])), scale, zero, scale, point], last),
      RuledNode(
        "GatherBlockQuantized", domain: microsoft, opset: 1,
        [GraphValue(try Tensor<UInt8>(zeros: [6, 8])), integers([1, 5], shape: [1, 2]), try .noise([6, 1])],
        ["block_size": .int(16)]),
      RuledNode(
        "SimplifiedLayerNormalization", domain: microsoft, opset: 1, [try .noise([2, 3]), try .noise([3])]),
      RuledNode(
        "QGemm", domain: microsoft, opset: 1,
        [
          GraphValue(try Tensor<UInt8>(zeros: [4, 2])), scale, zero, GraphValue(try Tensor<UInt8>(zeros: [3, 4])),
          scale, zero,
        ], ["transA": .int(1), "transB": .int(1)]),
    ]
  }

  private static func learned() throws -> [RuledNode] {
    let x = try GraphValue.noise([3, 2])
    let doubles = { (numbers: [Double]) in AttributeValue.tensor(GraphValue(try Tensor(numbers))) }
    let stump: [String: AttributeValue] = [
      "nodes_featureids": .ints([0]), "nodes_modes": .tensor(GraphValue(try Tensor<UInt8>([0]))),
      "nodes_splits": try doubles([0.5]), "nodes_truenodeids": .ints([0]), "nodes_trueleafs": .ints([1]),
      "nodes_falsenodeids": .ints([1]), "nodes_falseleafs": .ints([1]), "leaf_targetids": .ints([0, 1]),
      "leaf_weights": try doubles([1, 2]), "tree_roots": .ints([0]), "n_targets": .int(2),
    ]
    // A type that the standard does not allow becomes one that it does.
    let small = GraphValue(try Tensor<Int8>([1, 2]))
    return [
      RuledNode("TreeEnsemble", domain: "ai.onnx.ml", opset: 5, [x], stump),
      RuledNode("Binarizer", domain: "ai.onnx.ml", opset: 1, [small], tellsElementTypes: false),
    ]
  }

  private static func dialect() throws -> [RuledNode] {
    let bytes = { (shape: [Int]) in GraphValue(try Tensor<UInt8>(repeating: 1, shape: shape)) }
    return [
      RuledNode("Unpack", domain: "apus", opset: 1, [try bytes([2])], ["bits": .int(3), "shape": .ints([5])]),
      RuledNode("LookUp", domain: "apus", opset: 1, [try bytes([4, 6]), try .noise([2, 1, 3, 1])]),
      RuledNode("Densify", domain: "apus", opset: 1, [try .noise([6]), try bytes([2, 3])]),
      RuledNode("BlockDequantize", domain: "apus", opset: 1, [try bytes([4, 6]), try .noise([2, 3])]),
      RuledNode(
        "CropResize", domain: "apus", opset: 1, [try .noise([1, 2, 5, 6]), try .noise([3, 4])],
        ["height": .int(4), "width": .int(3)]),
      RuledNode(
        "BoxSuppression", domain: "apus", opset: 1, [try .noise([2, 7, 4]), try .noise([2, 7, 3])],
        ["max_boxes": .int(5)]),
    ]
  }

  private static func fused() throws -> [RuledNode] {
    let (x, weight) = (
      GraphValue(try Tensor<UInt8>(zeros: [1, 1, 4, 4])), GraphValue(try Tensor<UInt8>(zeros: [2, 1, 3, 3]))
    )
    return [
      RuledNode(
        "LSTM", domain: "apus", opset: 1,
        [try .noise([3, 2, 4]), try .noise([1, 20, 4]), try .noise([1, 20, 5])],
        ["hidden_size": .int(5), "cell_clip": .float(0.1)]),
      RuledNode("Gelu", domain: "apus", opset: 1, [try .noise([2, 3, 1])], ["divisor": .float(1.5)]),
      RuledNode(
        "Rearrange", domain: "apus", opset: 1, [try .noise([2, 3])],
        [
          "source": .ints([2, 3]), "view": .ints([3, 1]), "strides": .ints([1, 9]), "offset": .int(3),
          "shape": .ints([3]),
        ]),
      RuledNode(
        "Conv", domain: "apus", opset: 22,
        [try .noise([2, 3, 6, 5]), try .noise([4, 3, 3, 2]), nil] + (try (0..<4).map { _ in try .noise([4]) }),
        ["epsilon": .float(9)]),
      RuledNode("HardSigmoid", domain: "apus", opset: 1, [try .noise([2, 3])]),
      RuledNode("Softmax", domain: "apus", opset: 1, [try .noise([2, 3])]),
      RuledNode("NanToNum", domain: "apus", opset: 1, [try .noise([4])], ["nan": .float(2)]),
      RuledNode("Linear", domain: "apus", opset: 1, [try .noise([2, 3]), try .noise([4]), try .noise([3, 4])]),
      RuledNode(
        "ConvInteger", domain: "apus", opset: 1, [x, weight, nil, nil, GraphValue(try Tensor<Float>([0.5], shape: []))]),
    ]
  }
}
