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
    let missing = Operators.byName.keys.filter { $0.domain.isEmpty && StandardSignature.byName[$0.type] == nil }
    // ONNX Runtime's exports write it without a domain.
    #expect(missing.map(\.type) == ["SimplifiedLayerNormalization"])
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
}
