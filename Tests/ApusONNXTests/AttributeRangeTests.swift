import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Integers that stand for Booleans: whatever is neither 0 nor 1 is refused, as the standard does not say what it means.
@Suite struct AttributeRangeTests {
  struct Flag: Sendable, CustomTestStringConvertible {
    let type: String
    let name: String
    let inputs: [[Int]]
    var attributes: [String: AttributeValue] = [:]
    var opset = 21

    var testDescription: String { "\(type) \(name)" }
  }

  private static let window: [String: AttributeValue] = ["kernel_shape": .ints([2, 2])]

  static let flags = [
    Flag(type: "ReduceSum", name: "keepdims", inputs: [[2, 3]]),
    Flag(type: "ReduceSum", name: "noop_with_empty_axes", inputs: [[2, 3]]),
    Flag(type: "ReduceMean", name: "keepdims", inputs: [[2, 3]]),
    Flag(type: "ArgMax", name: "keepdims", inputs: [[2, 3]]),
    Flag(type: "ArgMax", name: "select_last_index", inputs: [[2, 3]]),
    Flag(type: "MaxPool", name: "ceil_mode", inputs: [[1, 1, 4, 4]], attributes: window),
    Flag(type: "MaxPool", name: "storage_order", inputs: [[1, 1, 4, 4]], attributes: window),
    Flag(type: "AveragePool", name: "ceil_mode", inputs: [[1, 1, 4, 4]], attributes: window),
    Flag(type: "AveragePool", name: "count_include_pad", inputs: [[1, 1, 4, 4]], attributes: window),
    Flag(type: "Gemm", name: "transA", inputs: [[2, 2], [2, 2]]),
    Flag(type: "Gemm", name: "transB", inputs: [[2, 2], [2, 2]]),
    Flag(type: "CumSum", name: "exclusive", inputs: [[3]]),
    Flag(type: "CumSum", name: "reverse", inputs: [[3]]),
    Flag(type: "Unique", name: "sorted", inputs: [[3]]),
    Flag(type: "TopK", name: "largest", inputs: [[3]]),
    Flag(type: "Trilu", name: "upper", inputs: [[3, 3]]),
    Flag(type: "Mod", name: "fmod", inputs: [[3], [3]]),
    Flag(type: "IsInf", name: "detect_positive", inputs: [[3]]),
    Flag(type: "Reshape", name: "allowzero", inputs: [[3]]),
    Flag(type: "Resize", name: "antialias", inputs: [[1, 1, 4, 4]]),
    Flag(type: "Resize", name: "exclude_outside", inputs: [[1, 1, 4, 4]]),
    Flag(type: "BatchNormalization", name: "training_mode", inputs: [[1, 2], [2], [2], [2], [2]]),
    Flag(type: "Add", name: "broadcast", inputs: [[3], [3]], opset: 6),
  ]

  @Test(arguments: flags)
  func whatIsNeitherZeroNorOneIsRefused(_ flag: Flag) throws {
    let inputs = try flag.inputs.map { try floats($0) }
    for number in [2, -1, Int64.max] {
      let error = #expect(throws: OperatorError.self) {
        try runNode(flag.type, inputs, opset: flag.opset, flag.attributes.merging([flag.name: .int(number)]) { $1 })
      }
      #expect(error?.description.contains("'\(flag.name)' is \(number)") == true)
    }
  }

  @Test func zeroAndOneAreTaken() throws {
    let x = try floats([2, 3])
    #expect(try runNode("ReduceSum", [x], ["keepdims": .int(0)])[0]?.shape == [])
    #expect(try runNode("ReduceSum", [x], ["keepdims": .int(1)])[0]?.shape == [1, 1])
  }

  @Test(arguments: ["SAME", "same_upper", "2", "NOTSET "])
  func paddingThatNobodyKnowsIsRefused(name: String) throws {
    #expect(throws: OperatorError.self) {
      try runNode(
        "MaxPool", [floats([1, 1, 4, 4])], Self.window.merging(["auto_pad": .string(Array(name.utf8))]) { $1 })
    }
  }

  /// The standard has a part for each output.
  @Test(arguments: [1, 3, 0, -1])
  func splitHasAsManyPartsAsOutputs(count: Int64) throws {
    #expect(throws: OperatorError.self) {
      try runNode("Split", [counting(6)], outputs: 2, ["num_outputs": .int(count)])
    }
    #expect(try runNode("Split", [counting(6)], outputs: 2, ["num_outputs": .int(2)]).map { $0?.shape } == [[3], [3]])
  }

  @Test(arguments: [2, -1])
  func directionsOfScansAreForwardOrReverse(direction: Int64) throws {
    let body = GraphProto(
      name: "body", nodes: [NodeProto("Identity", ["e"], ["f"])], inputs: [ValueInfoProto(name: "e")],
      outputs: [ValueInfoProto(name: "f")])
    for name in ["scan_input_directions", "scan_output_directions"] {
      let graph = GraphProto(
        nodes: [
          NodeProto(
            "Scan", ["x"], ["y"], ["body": .graph(body), "num_scan_inputs": .int(1), name: .ints([direction])])
        ], inputs: [ValueInfoProto(name: "x")], outputs: [ValueInfoProto(name: "y")])
      #expect(throws: GraphError.self) { try session(graph) }
    }
  }
}
