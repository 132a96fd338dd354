import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What operators that move data refuse, with an error and nothing worse.
@Suite struct StructureRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let inputs: [GraphValue?]
    var opset = 21
    var outputs = 1
    var attributes: [String: AttributeValue] = [:]

    init(
      _ type: String, _ inputs: [GraphValue?], opset: Int = 21, outputs: Int = 1,
      _ attributes: [String: AttributeValue] = [:]
    ) {
      (testDescription, self.inputs, self.opset, self.outputs, self.attributes) = (
        type, inputs, opset, outputs, attributes
      )
    }

    func run() throws -> [GraphValue?] {
      let isLearned = Operators.byName[OperatorName(type: testDescription)] == nil
      return try runNode(
        testDescription, domain: isLearned ? "ai.onnx.ml" : "", inputs, opset: opset, outputs: outputs,
        attributes)
    }
  }

  static let x = counting(2, 3, 4)
  static let huge = Int64(1) << 62
  static let least = Int64.min

  static let misfits: [Case] = [
    Case("Reshape", [x, list(5, -1)]), Case("Reshape", [x, list(-1, -1)]), Case("Reshape", [x, list(-2, 12)]),
    Case("Reshape", [x, list(0, 0, 0, 0)]), Case("Reshape", [x, list(huge, huge)]), Case("Reshape", [x, nil]),
    Case("Reshape", [x, list(0, 24)], ["allowzero": .int(1)]),
    Case("Flatten", [x], ["axis": .int(4)]), Case("Flatten", [x], ["axis": .int(least)]),
    Case("Squeeze", [x, list(1)]), Case("Squeeze", [x, list(3)]), Case("Squeeze", [x, list(least)]),
    Case("Unsqueeze", [x, list(0, 0)]), Case("Unsqueeze", [x, list(5)]), Case("Unsqueeze", [x]),
    Case("Transpose", [x], ["perm": .ints([0, 1])]), Case("Transpose", [x], ["perm": .ints([0, 1, 1])]),
    Case("Transpose", [x], ["perm": .ints([0, 1, Int64.max])]),
    Case("Concat", [], ["axis": .int(0)]), Case("Concat", [x, counting(2, 3, 5)], ["axis": .int(0)]),
    Case("Concat", [x, x], ["axis": .int(least)]), Case("Concat", [x, list(1)], ["axis": .int(0)]), Case("Concat", [x]),
    Case("Concat", [x, texts("a")], ["axis": .int(0)]),
    Case("Split", [x, list(1, 2)], outputs: 2), Case("Split", [x, list(-1, 3)], outputs: 2),
    Case("Split", [x, list(2)], outputs: 2), Case("Split", [x], outputs: 3, ["num_outputs": .int(2)]),
    Case("Split", [x, list(Int64.max, Int64.max)], outputs: 2),
    Case("Slice", [x, list(0), list(1, 2)]), Case("Slice", [x, list(0), list(1), list(3)]),
    Case("Slice", [x, list(0), list(1), list(0), list(0)]), Case("Slice", [x, list(0, 0), list(1, 1), list(1, -2)]),
    Case("Pad", [x, list(0, 0)]), Case("Pad", [x, list(-3, 0, 0, 0, 0, 0)]),
    Case("Pad", [x, list(0, 0), nil, list(3)]),
    Case("Pad", [counting(0, 2), list(1, 0, 0, 0)], ["mode": .string(Array("edge".utf8))]),
    Case("Pad", [x, list(0, 0, 0, 0, 0, 1)], ["mode": .string(Array("mirror".utf8))]),
    Case("CenterCropPad", [x, list(-1, 2, 3)]), Case("CenterCropPad", [x, list(1)]),
    Case("Expand", [x, list(2, 3, 5)]), Case("Expand", [x, list(-1, 3, 4)]), Case("Tile", [x, list(1, 2)]),
    Case("Tile", [x, list(1, 2, -1)]),
    Case("Gather", [x, list(2)]), Case("Gather", [x, list(-3)]), Case("Gather", [x, counting(1)]),
    Case("Gather", [x, list(0)], ["axis": .int(3)]), Case("GatherElements", [x, list(0)]),
    Case("GatherElements", [x, integers([5], shape: [1, 1, 1])]), Case("GatherND", [x, list(0, 0, 0, 0)]),
    Case("GatherND", [x, list(0, 3)]), Case("GatherND", [x, list(0)], ["batch_dims": .int(1)]),
    Case("GatherND", [x, list(0)], ["batch_dims": .int(least)]), Case("GatherND", [x, integers([0], shape: [])]),
    Case("ScatterElements", [x, integers([2], shape: [1, 1, 1]), counting(1, 1, 1)]),
    Case("ScatterElements", [x, integers([0], shape: [1, 1, 1]), counting(1)]),
    Case("ScatterElements", [x, integers([0, 0, 0], shape: [1, 1, 3]), counting(1, 1, 3)], ["axis": .int(7)]),
    Case("ScatterElements", [x, list(0), counting(1)]),
    Case("ScatterND", [x, list(2), counting(3, 4)]), Case("ScatterND", [x, list(0), counting(3, 3)]),
    Case("ScatterND", [x, list(0), integers([Int64](repeating: 0, count: 12), shape: [3, 4])]),
    Case("ScatterND", [x, list(0), counting(3, 4)], ["reduction": .string(Array("mean".utf8))]),
    Case("OneHot", [list(0), list(3), list(1)]), Case("OneHot", [list(0), list(-3), list(1, 2)]),
    Case("OneHot", [list(0), list(3), list(1, 2)], ["axis": .int(4)]),
    Case("Compress", [x, list(1)]), Case("TopK", [x, list(5)], outputs: 2), Case("TopK", [x, list(-1)], outputs: 2),
    Case("TopK", [x, list(1, 2)], outputs: 2), Case("TopK", [x, list(1)], ["axis": .int(3)]),
    Case("Unique", [x], ["axis": .int(3)]),
    Case("Constant", []), Case("Constant", [], ["value_string": .string([0xFF])]),
    Case("ConstantOfShape", [list(-1)]), Case("Range", [list(0), list(1), list(0)]), Case("Range", [list(0), list(1)]),
    Case("ReverseSequence", [x, list(1, 2)]), Case("ReverseSequence", [x, list(1, 2, 3)]),
    Case("ReverseSequence", [x, list(1)], ["time_axis": .int(2)]),
    Case("SequenceAt", [x, list(0)]), Case("SequenceConstruct", [x, list(1)]),
    Case("SequenceErase", [.sequence([], element: .tensor(.float, nil))]),
    Case("SequenceInsert", [.sequence([x], element: .tensor(.float, nil)), list(1)]),
    Case("SequenceInsert", [.sequence([x], element: .tensor(.float, nil)), x, list(2)]),
    Case("SequenceAt", [.sequence([x], element: .tensor(.float, nil)), list(-2)]),
    Case("ConcatFromSequence", [.sequence([], element: .tensor(.float, nil))], ["axis": .int(0)]),
    Case("SplitToSequence", [x, integers([0], shape: [])]), Case("SplitToSequence", [x, list(1, 2)]),
    Case("Optional", [nil]), Case("OptionalGetElement", [.optional(nil, element: .tensor(.float, nil))]),
    Case("StringConcat", [texts("a", "b"), texts("a", "b", "c")]), Case("StringConcat", [x, x]),
    Case("StringSplit", [x], outputs: 2), Case("StringNormalizer", [x]),
    Case("RegexFullMatch", [texts("a")]), Case("TfIdfVectorizer", [x]),
    Case("LabelEncoder", [x], ["keys_int64s": .ints([1]), "values_int64s": .ints([1, 2])]),
    Case("TreeEnsemble", [counting(1, 2)], ["tree_roots": .ints([0])]),
    Case("LinearRegressor", [counting(1, 2)], ["coefficients": .floats([1, 2, 3])]),
    Case("SVMRegressor", [counting(1, 2)], ["n_supports": .int(huge), "support_vectors": .floats([1])]),
    Case(
      "SVMClassifier", [counting(1, 2)], ["vectors_per_class": .ints([Int64.max, 1]), "coefficients": .floats([1])]),
    Case("OneHotEncoder", [list(3)], ["cats_int64s": .ints([1]), "zeros": .int(0)]),
    Case("ZipMap", [counting(2, 3)], ["classlabels_int64s": .ints([1, 2])]),
    Case("ZipMap", [texts("a")], ["classlabels_int64s": .ints([1])]), Case("ZipMap", [counting(1, 1)]),
  ]

  /// Settings of com.microsoft's Tokenizer, beside `pad_value` and one of them that is right.
  static let tokenizers: [[String: AttributeValue]] = [
    [:], ["tokenexp": text("")], ["tokenexp": text("(")], ["tokenexp": text("a"), "mincharnum": .int(0)],
    ["tokenexp": text("."), "mincharnum": .int(2)], ["separators": .strings([[]]), "mincharnum": .int(2)],
    ["separators": .strings([Array("[".utf8)])], ["tokenexp": text("a"), "mark": .int(2)],
  ]

  private static func text(_ text: String) -> AttributeValue { .string(Array(text.utf8)) }

  @Test(arguments: tokenizers)
  func tokenizersThatCannotBe(settings: [String: AttributeValue]) throws {
    let common: [String: AttributeValue] = ["pad_value": Self.text(""), "mincharnum": .int(1)]
    func run(_ input: GraphValue, _ attributes: [String: AttributeValue]) throws {
      _ = try runNode("Tokenizer", domain: "com.microsoft", [input], opset: 1, attributes)
    }
    #expect(throws: (any Error).self) { try run(texts("a"), common.merging(settings) { $1 }) }
    let right = common.merging(["tokenexp": Self.text("a")]) { $1 }
    try run(texts("a"), right)
    #expect(throws: (any Error).self) { try run(counting(1), right) }
    #expect(throws: (any Error).self) { try run(texts("a").reshaped([1, 1, 1]), right) }
  }

  @Test(arguments: misfits)
  func whatDoesNotFitIsRefused(misfit: Case) {
    #expect(throws: (any Error).self) { try misfit.run() }
  }

  /// Sizes that no machine has, refused before any memory is asked for.
  static let giants: [Case] = [
    Case("Expand", [counting(1), list(huge)]), Case("Expand", [counting(1, 1), list(huge, huge)]),
    Case("Tile", [x, list(1, 1, huge)]), Case("Tile", [x, list(1 << 20, 1 << 20, 1 << 20)]),
    Case("ConstantOfShape", [list(huge)]), Case("ConstantOfShape", [list(1 << 40, 1 << 40)]),
    Case("Range", [list(0), list(Int64.max), list(1)]), Case("Range", [list(least), list(Int64.max), list(1)]),
    Case("Range", [list(Int64.max), list(least), list(-1)]),
    Case("Pad", [x, list(0, 0, 0, 0, 0, huge)]), Case("Pad", [x, list(huge, huge, huge, huge, huge, huge)]),
    Case("Pad", [x, list(0, 0, 0, 0, 0, 1 << 47)], ["mode": .string(Array("wrap".utf8))]),
    Case("Pad", [x, list(0, 0, 0, 0, 0, Int64.max)], ["mode": .string(Array("edge".utf8))]),
    Case("CenterCropPad", [x, list(2, 3, huge)]), Case("OneHot", [list(0), list(huge), list(0, 1)]),
    Case("OneHot", [list(0, 1), list(Int64.max), list(0, 1)]),
    Case(
      "TfIdfVectorizer", [list(1)],
      [
        "mode": .string(Array("TF".utf8)), "min_gram_length": .int(1), "max_gram_length": .int(1),
        "max_skip_count": .int(Int64.max), "ngram_counts": .ints([0]), "ngram_indexes": .ints([Int64.max - 1]),
        "pool_int64s": .ints([1]),
      ]),
    Case(
      "TreeEnsembleRegressor", [counting(1, 2)],
      [
        "n_targets": .int(huge), "nodes_treeids": .ints([0]), "nodes_nodeids": .ints([0]),
        "nodes_modes": .strings([Array("LEAF".utf8)]), "nodes_featureids": .ints([0]), "nodes_values": .floats([0]),
        "nodes_truenodeids": .ints([0]), "nodes_falsenodeids": .ints([0]),
      ]),
  ]

  @Test(arguments: giants)
  func absurdSizesAreRefused(giant: Case) {
    #expect(throws: (any Error).self) { try giant.run() }
  }

  /// Tensors without elements may have extents of any size, which no loop may run through.
  @Test func emptyTensorsOfHugeExtentsAreQuick() throws {
    let extents = [Int(Self.huge), 0]
    let empty = GraphValue(try Tensor<Float>(uninitialized: extents))
    #expect(try runNode("Transpose", [empty])[0]?.shape == [0, Int(Self.huge)])
    #expect(try runNode("Gather", [empty, list()], ["axis": .int(1)])[0]?.shape == extents)
    #expect(try runNode("Slice", [empty, list(-1), list(Self.least), list(0), list(-1)])[0]?.shape == extents)
    #expect(try runNode("Concat", [empty, empty], ["axis": .int(1)])[0]?.shape == extents)
    #expect(try runNode("TopK", [empty, list(0)], outputs: 2)[0]?.shape == extents)
    #expect(try runNode("NonZero", [empty])[0]?.shape == [2, 0])
    #expect(try runNode("GatherElements", [empty, integers([], shape: [3, 0])])[0]?.shape == [3, 0])
    #expect(throws: (any Error).self) { try runNode("Unique", [empty], ["axis": .int(0)]) }
    #expect(throws: (any Error).self) { try runNode("SplitToSequence", [empty]) }
    #expect(throws: (any Error).self) {
      try runNode("Normalizer", domain: "ai.onnx.ml", [empty], opset: 1)
    }
  }

  @Test func sequencesOfSequencesAreRefused() {
    let sequence = GraphValue.sequence([Self.x], element: .tensor(.float, nil))
    #expect(throws: OperatorError.self) { try runNode("SequenceConstruct", [sequence]) }
    #expect(throws: OperatorError.self) { try runNode("SequenceInsert", [sequence, sequence]) }
    #expect(throws: OperatorError.self) {
      try runNode("SequenceInsert", [.sequence([], element: .tensor(nil, nil)), sequence])
    }
  }

  @Test func treesThatGoRoundInACircleAreRefused() {
    let node: [String: AttributeValue] = [
      "n_targets": .int(1), "nodes_treeids": .ints([0, 0, 0]), "nodes_nodeids": .ints([0, 1, 2]),
      "nodes_modes": .strings(["BRANCH_LEQ", "BRANCH_LEQ", "BRANCH_LEQ"].map { Array($0.utf8) }),
      "nodes_featureids": .ints([0, 0, 0]), "nodes_values": .floats([9, 9, 9]),
      "nodes_truenodeids": .ints([1, 2, 1]), "nodes_falsenodeids": .ints([1, 2, 1]),
    ]
    #expect(throws: OperatorError.self) {
      try runNode("TreeEnsembleRegressor", domain: "ai.onnx.ml", [counting(1, 1)], opset: 3, node)
    }
  }

  @Test func modesThatAreNoNumbersAreRefused() throws {
    let modes = try GraphValue(Tensor<Float>([.nan]))
    #expect(throws: OperatorError.self) {
      try runNode(
        "TreeEnsemble", domain: "ai.onnx.ml", [counting(1, 2)], opset: 5,
        ["nodes_modes": .tensor(modes), "nodes_featureids": .ints([0])])
    }
  }
}
