import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Inputs, outputs and attributes that the standard does not have are refused: what they mean, nobody can know.
@Suite struct StandardSignatureTests {
  private func session(
    _ type: String, inputs: Int = 1, outputs: Int = 1, _ attributes: [String: AttributeProto.Content] = [:]
  ) throws -> InferenceSession {
    var graph = SmallGraph()
    let names = (0..<inputs).map { "x\($0)" }
    for name in names { graph.input(name, [.size(2)]) }
    let results = (0..<outputs).map { "y\($0)" }
    graph.node(type, names, results, attributes)
    return try InferenceSession(graph.model(outputs: results))
  }

  @Test func inputsTooManyAreRefused() throws {
    #expect(throws: Never.self) { try session("Add", inputs: 2) }
    #expect(throws: Never.self) { try session("Max", inputs: 9) }
    let error = #expect(throws: GraphError.self) { try session("Add", inputs: 3) }
    #expect(error?.description.contains("it has 3 inputs; the operator has at most 2") == true)
  }

  @Test func outputsTooManyAreRefused() throws {
    let error = #expect(throws: GraphError.self) { try session("Relu", outputs: 2) }
    #expect(error?.description.contains("it has 2 outputs; the operator has at most 1") == true)
  }

  @Test func attributesOfNoVersionAreRefused() throws {
    #expect(throws: Never.self) { try session("Elu", ["alpha": .float(2)]) }
    let error = #expect(throws: GraphError.self) { try session("Elu", ["aplha": .float(2)]) }
    #expect(error?.description.contains("the operator has no attribute 'aplha'") == true)
  }

  /// An omitted input at the end is no input.
  @Test func omittedInputsAtTheEndCountForNothing() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2)])
    graph.node("Relu", ["x", "", ""], ["y"])
    #expect(throws: Never.self) { try InferenceSession(graph.model(outputs: ["y"])) }
  }

  @Test func everyOperatorOfTheStandardHasASignature() {
    let missing = Operators.byName.keys.filter { $0.domain.isEmpty && StandardSignature.all(of: $0.type).isEmpty }
    // ONNX Runtime's exports write it without a domain; the others are no longer the standard's.
    let others = ["SimplifiedLayerNormalization"] + Operators.experimental.map(\.name.type)
    #expect(Set(missing.map(\.type)) == Set(others))
  }

  @Test func whatAVersionDoesNotHaveIsRefused() throws {
    // Axes are an attribute up to version 12 and an input since.
    let error = #expect(throws: GraphError.self) { try session("Squeeze", ["axes": .ints([0])]) }
    #expect(error?.description.contains("the operator has no attribute 'axes'") == true)
  }

  @Test func requiredInputsThatAreOmittedAreRefused() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2)])
    graph.node("Where", ["x", "", "x"], ["y"])
    let error = #expect(throws: GraphError.self) { try InferenceSession(graph.model(outputs: ["y"])) }
    #expect(error?.description.contains("input 1 is missing") == true)
    #expect(throws: GraphError.self) { try session("SequenceConstruct", inputs: 0) }
  }

  /// With auto_pad there are as many windows with ceil_mode as without.
  @Test(arguments: ["MaxPool", "AveragePool", "LpPool"])
  func windowsOfAutoPadAreNotRoundedUp(type: String) throws {
    let x = try GraphValue.noise([1, 1, 3, 2])
    for pad in ["VALID", "SAME_UPPER", "SAME_LOWER"] {
      let shapes = try [0, 1].map { mode in
        try runNode(
          type, [x],
          [
            "kernel_shape": .ints([2, 2]), "strides": .ints([3, 3]), "auto_pad": .string(Array(pad.utf8)),
            "ceil_mode": .int(mode),
          ])[0]?.shape
      }
      #expect(shapes == [[1, 1, 1, 1], [1, 1, 1, 1]])
    }
  }

  @Test func anAxisThatAnEmptyTensorLacksIsRefused() throws {
    let empty = try GraphValue.noise([1, 2, 0])
    #expect(throws: (any Error).self) { try runNode("Hardmax", [empty], ["axis": .int(5)]) }
    #expect(try runNode("Hardmax", [empty], ["axis": .int(-3)])[0]?.shape == [1, 2, 0])
  }

  @Test func aNegativeNumberOfRotatedFeaturesIsRefused() throws {
    let (x, table) = (try GraphValue.noise([1, 1, 2, 4]), try GraphValue.noise([1, 2, 2]))
    #expect(throws: OperatorError.self) {
      try runNode("RotaryEmbedding", [x, table, table], opset: 24, ["rotary_embedding_dim": .int(-4)])
    }
  }

  /// A bias that is no number of the kind is not as good as none, also where it is known in advance.
  @Test(arguments: ["RNN", "GRU", "LSTM"])
  func aConstantBiasOfIntegersIsRefused(type: String) throws {
    let gates = ["RNN": 1, "GRU": 3, "LSTM": 4][type] ?? 0
    let inputs = [
      try GraphValue.noise([2, 1, 3]), try .noise([1, gates * 2, 3]), try .noise([1, gates * 2, 2]), try .whole([7]),
    ]
    for constants in [[], [1, 2, 3]] as [Set<Int>] {
      #expect(throws: OperatorError.self) {
        try runNode(type, inputs, constants: constants, ["hidden_size": .int(2)])
      }
    }
  }

  @Test func aConstantZeroPointOfStringsIsRefused() throws {
    let a = GraphValue(try Tensor<Int8>([1, 2, 3, 4], shape: [2, 2]))
    let text = GraphValue.strings(try StringTensor(["1e3"], shape: []))
    for constants in [[], [1, 3]] as [Set<Int>] {
      #expect(throws: OperatorError.self) { try runNode("MatMulInteger", [a, a, nil, text], constants: constants) }
    }
  }

  /// Before version 18 the parts are equal.
  @Test func unequalPartsAreRefusedBeforeVersion18() throws {
    let x = try GraphValue.noise([5])
    #expect(throws: OperatorError.self) { try runNode("Split", [x], opset: 13, outputs: 2) }
    let parts = try runNode("Split", [x], opset: 18, outputs: 2, ["num_outputs": .int(2)])
    #expect(parts.map { $0?.shape } == [[3], [2]])
  }

  /// x where x > α: NaN is not.
  @Test func thresholdedReluGivesZeroForNaN() throws {
    let x = GraphValue(try Tensor<Float>([.nan, 2, 0.5, -.infinity, .infinity]))
    let wide = GraphValue(try Tensor<Double>([.nan, 2, 0.5, -.infinity, .infinity]))
    let y = try #require(try runNode("ThresholdedRelu", [x])[0]?.tensor(of: Float.self))
    #expect(try y.elements == [0, 2, 0, 0, .infinity])
    let z = try #require(try runNode("ThresholdedRelu", [wide])[0]?.tensor(of: Double.self))
    #expect(try z.elements == [0, 2, 0, 0, .infinity])
  }

  /// In a version that has no such operator, and in one that is newer than all signatures: nothing says then how many
  /// inputs and outputs there must be, and none of the passes may count on any.
  @Test(arguments: [1, StandardSignature.newestVersion + 1])
  func nodesThatLackEverythingArePassedOverOrRefused(version: Int) throws {
    for name in Operators.byName.keys where name.domain.isEmpty {
      for (inputs, outputs) in [([], ["y"]), (["x"], ["y"]), (["x"], ["", "y"]), (["", "x"], ["y"])] {
        var graph = SmallGraph()
        graph.input("x", [.size(2)])
        graph.node("Identity", ["x"], ["z"])
        graph.node(name.type, inputs, outputs)
        _ = try? InferenceSession(graph.model(outputs: ["y", "z"], version: version))
      }
    }
  }

  @Test func aVersionBeforeTheOperatorsFirstIsTakenAsTheFirst() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2)])
    graph.node("DequantizeLinear", [], ["y"])
    let error = #expect(throws: GraphError.self) { try InferenceSession(graph.model(outputs: ["y"], version: 1)) }
    #expect(error?.description.contains("input 0 is missing") == true)
  }
}
