import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Scores under the names of their classes: rows in the graph, dictionaries by their form.
@Suite struct ZipMapTests {
  private let type = GraphValueType.sequence(.map(.string, .tensor(.float, [])))

  private func model(labels: AttributeProto.Content? = .strings(["no", "yes"].map { Array($0.utf8) })) throws
    -> ONNXModel
  {
    let node = NodeProto(
      name: "zip", opType: "ZipMap", domain: "ai.onnx.ml", inputs: ["x"], outputs: ["shares"],
      attributes: labels.map { [AttributeProto(name: "classlabels_strings", value: $0)] } ?? [])
    return try ONNXModel(
      ModelProto(
        opsetImports: [OperatorSetID(version: 21), OperatorSetID(domain: "ai.onnx.ml", version: 1)],
        graph: GraphProto(
          name: "classifier", nodes: [node],
          inputs: [ValueInfoProto(name: "x", type: .tensor(.float, [.unknown, .unknown]))],
          outputs: [ValueInfoProto(name: "shares", type: type)])))
  }

  @Test func rowsOfNumbersUnderTheirKeys() throws {
    let session = try InferenceSession(model())
    let x = try Tensor<Float>([0.25, 0.75, 1, 0], shape: [2, 2])
    let shares = try #require(try session.run(["x": GraphValue(x)])["shares"])
    guard case .tensor(.float32(let rows)) = shares else { return #expect(Bool(false), "\(shares.type)") }
    #expect(rows.shape == [2, 2])
    #expect(try rows.elements == x.elements)
    guard case .dictionary(.strings(let keys))? = session.model.form(of: "shares") else {
      return #expect(Bool(false), "no dictionary")
    }
    #expect(keys.elements == ["no", "yes"])
    #expect(session.model.form(of: "x") == nil)
  }

  /// In another order, with one that is missing, and as several rows.
  @Test func dictionariesOfAnotherOrder() throws {
    let form = ValueForm.dictionary(keys: texts("a", "b", "c"))
    let values = GraphValue(try Tensor<Float>([1, 2, 3, 4], shape: [2, 2]))
    guard case .tensor(.float64(let rows)) = try form.dictionary(keys: texts("c", "a"), values: values) else {
      return #expect(Bool(false))
    }
    #expect(rows.shape == [2, 3])
    #expect(try rows.elements == [2, 0, 1, 4, 0, 3])
    #expect(throws: OperatorError.self) { try form.dictionary(keys: texts("c"), values: values) }
    #expect(throws: OperatorError.self) { try form.dictionary(keys: texts("c", "d"), values: values) }
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let session = try InferenceSession(model())
    let wide = GraphValue(try Tensor<Float>(repeating: 0, shape: [1, 3]))
    #expect(throws: GraphError.self) { try session.run(["x": wide]) }
    let without = try model(labels: nil)
    #expect(without.form(of: "shares") == nil)
    #expect(throws: GraphError.self) { try InferenceSession(without) }
  }

  /// The declared type is said as the file has it, and written so.
  @Test func mapsAreReadAndWritten() throws {
    let bytes = try model().proto.encode()
    let read = try #require(
      try bytes.withUnsafeBytes { try ModelProto.read(bytes: $0, name: "model") }.graph.outputs.first?.type)
    #expect(read == type)
    #expect("\(read)" == "sequence(map(STRING, FLOAT[]))")
  }
}
