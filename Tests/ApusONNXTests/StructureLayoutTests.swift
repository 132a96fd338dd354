import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Channel-blocked maps stay so where whole blocks move, and come out right where they do not.
@Suite struct StructureLayoutTests {
  private func map(_ channels: Int, batch: Int = 2) throws -> Tensor<Float> {
    let count = batch * channels * 6
    return try Tensor((0..<count).map(Float.init), shape: [batch, channels, 2, 3]).channelBlocked
  }

  private func floats(_ value: GraphValue?) throws -> Tensor<Float> {
    guard case .tensor(.float32(let tensor))? = value else { throw OperatorError("there is no FLOAT") }
    return tensor
  }

  @Test func wholeBlocksStayBlocked() throws {
    let (x, y) = (try map(32), try map(16))
    let joined = try floats(runNode("Concat", [GraphValue(x), GraphValue(y)], ["axis": .int(1)])[0])
    #expect(joined.layout == .channelBlocked)
    let parts = try runNode("Split", [GraphValue(joined), list(32, 16)], outputs: 2, ["axis": .int(1)])
    #expect(try floats(parts[0]).layout == .channelBlocked)
    #expect(try floats(parts[0]).elements == x.elements)
    #expect(try floats(parts[1]).elements == y.elements)
    let slice = try floats(runNode("Slice", [GraphValue(joined), list(16), list(32), list(1)])[0])
    #expect(slice.layout == .channelBlocked)
    #expect(try slice.elements == x.rowMajor.sliced(axis: 1, from: 16).elements)
  }

  @Test func everythingElseComesOutInOrder() throws {
    let x = try map(20)
    let plain = try x.rowMajor
    for (type, inputs, attributes) in [
      ("Transpose", [], ["perm": AttributeValue.ints([0, 2, 3, 1])]), ("Slice", [list(3), list(19), list(1)], [:]),
      ("Slice", [list(-1, 0), list(-9, 2), list(1, 0), list(-2, 1)], [:]), ("Reshape", [list(2, -1)], [:]),
      ("Pad", [list(0, 0, 1, 1, 0, 0, 1, 1)], [:]), ("Gather", [list(5, 1)], ["axis": .int(1)]),
      ("Tile", [list(1, 2, 1, 1)], [:]), ("Expand", [list(3, 1, 1, 1, 1)], [:]), ("Unsqueeze", [list(0)], [:]),
      ("TopK", [list(2)], ["axis": .int(1)]), ("NonZero", [], [:]), ("Unique", [], [:]),
    ] as [(String, [GraphValue], [String: AttributeValue])] {
      let actual = try runNode(type, [GraphValue(x)] + inputs, attributes)[0]
      let expected = try runNode(type, [GraphValue(plain)] + inputs, attributes)[0]
      guard case .tensor(let a)? = actual, case .tensor(let b)? = expected else { throw OperatorError("no tensors") }
      #expect(try Comparison(actual: a, expected: b, tolerance: Tolerance(relative: 0, absolute: 0)).isEqual, "\(type)")
    }
  }

  /// Values that are FLOAT whatever goes in are DOUBLE where all is computed so.
  @Test func constantsAndScoresAreWidenedInFloat64() throws {
    let graph = GraphProto(
      nodes: [
        NodeProto("Constant", [], ["a"], ["value_float": .float(0.5)]), NodeProto("Add", ["x", "a"], ["b"]),
        NodeProto("Shape", ["x"], ["s"]), NodeProto("ConstantOfShape", ["s"], ["c"]),
        NodeProto("Add", ["b", "c"], ["d"]),
        NodeProto("ReduceMean", ["d"], ["m"]), NodeProto("Concat", ["m", "a1"], ["y"], ["axis": .int(0)]),
        NodeProto("Constant", [], ["a1"], ["value_floats": .floats([0.25])]),
      ],
      inputs: [ValueInfoProto(name: "x", type: .tensor(.float, [.size(3)]))], outputs: [ValueInfoProto(name: "y")])
    for optimizes in [true, false] {
      var options = InferenceSession.Options()
      options.computesInFloat64 = true
      options.optimizes = optimizes
      let x = GraphValue(try Tensor<Float>([1, 2, 3]))
      // The mean keeps its axis: a list of one.
      let result = try session(graph, opset: 17, options: options).run(["x": x])["y"]
      guard case .tensor(let y)? = result else { throw OperatorError("there is no result") }
      #expect(try y.tensor(of: Double.self)?.elements == [2.5, 0.25])
    }
  }

  @Test func reshapingMovesNothing() throws {
    let x = try Tensor<Float>(repeating: 1, shape: [4, 6])
    let result = try floats(runNode("Reshape", [GraphValue(x), list(3, 8)])[0])
    #expect(
      try x.withUnsafeBufferPointer { $0.baseAddress } == result.withUnsafeBufferPointer { $0.baseAddress })
  }
}
