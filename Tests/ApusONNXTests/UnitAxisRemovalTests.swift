import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Pictures `x` of one row, 2 × 4 × 1 × 9, without their rows through some nodes, and with them again.
@Suite struct UnitAxisRemovalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The nodes that put axes in or take them out and are left.
    let left: Int
    /// Adds nodes that read "in" and give "out".
    let nodes: @Sendable (inout SmallGraph) throws -> Void

    init(_ name: String, left: Int = 0, _ nodes: @escaping @Sendable (inout SmallGraph) throws -> Void) {
      testDescription = name
      self.left = left
      self.nodes = nodes
    }
  }

  static let cases = [
    Case("a function of single elements") { $0.node("Sigmoid", ["in"], ["out"]) },
    Case("a bias a channel") {
      try $0.constant("bias", GraphValue(Tensor<Float>([1, -2, 3, 0.5], shape: [1, 4, 1])))
      $0.node("Add", ["bias", "in"], ["out"])
    },
    Case("a constant for a column") {
      try $0.constant("column", GraphValue(Tensor((0..<9).map { Float($0) })))
      $0.node("Mul", ["in", "column"], ["out"])
    },
    Case("bounds") {
      try $0.constant("low", GraphValue(Tensor<Float>([-0.5], shape: [])))
      $0.node("Clip", ["in", "low"], ["out"])
    },
    Case("two branches that are added") {
      $0.node("Tanh", ["in"], ["a"])
      $0.node("Exp", ["in"], ["b"])
      $0.node("Add", ["a", "b"], ["out"])
    },
    Case("padded in front") {
      try $0.constant("amounts", GraphValue(Tensor<Int64>([0, 1, 4, 0, 0, -1])))
      try $0.constant("seven", GraphValue(Tensor<Float>([7], shape: [])))
      $0.node("Pad", ["in", "amounts", "seven"], ["out"])
    },
    Case("padded by the nearest") {
      try $0.constant("amounts", GraphValue(Tensor<Int64>([0, 0, 2, 0, 0, 3])))
      $0.node("Pad", ["in", "amounts"], ["out"], ["mode": .string(Array("edge".utf8))])
    },
    Case("a gate beside it that has no rows either", left: 2) {
      $0.node("Softmax", ["in"], ["gate"])
      $0.node("Mul", ["in", "gate"], ["out"])
    },
    Case("what goes by the order of axes stays between two", left: 2) { $0.node("CumSum", ["in", "last"], ["out"]) },
  ]

  /// - Parameter reshapes: whether the axis comes and goes by Reshape, behind a convolution.
  private func model(_ test: Case, reshapes: Bool) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(2), .size(4), .size(1), .size(9)])
    try graph.constant("last", GraphValue(Tensor<Int64>([2], shape: [])))
    try graph.constant("axis", GraphValue(Tensor<Int64>([2])))
    try graph.constant("flat", GraphValue(Tensor<Int64>([2, 4, -1])))
    try graph.constant("wide", GraphValue(Tensor<Int64>([0, 0, 1, -1])))
    try graph.constant("weight", GraphValue(Tensor<Float>([0.5, -1, 2, 0.25], shape: [4, 1, 1, 1])))
    if reshapes {
      graph.node("Conv", ["x", "weight"], ["maps"], ["group": .int(4)])
      graph.node("Reshape", ["maps", "flat"], ["in"])
    } else {
      graph.node("Squeeze", ["x", "axis"], ["in"])
    }
    try test.nodes(&graph)
    graph.node(reshapes ? "Reshape" : "Unsqueeze", ["out", reshapes ? "wide" : "axis"], ["rows"])
    graph.node("Neg", ["rows"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  @Test(arguments: cases, [false, true])
  func noBitChanges(test: Case, reshapes: Bool) throws {
    let model = try model(test, reshapes: reshapes)
    let numbers = (0..<72).map { index in Float(index * 37 % 61 - 30) / 15 }
    let x = GraphValue(try Tensor(numbers, shape: [2, 4, 1, 9]))
    let expected = try InferenceSession(model, options: .init(optimizes: false)).run(["x": x])["y"]
    let actual = try InferenceSession(model).run(["x": x])["y"]
    #expect(try #require(actual).hasSameBits(as: #require(expected)))
    #expect(try valuesShownOtherwise(model, ["x": x]) == [])
  }

  @Test(arguments: cases, [false, true])
  func noMoreAreLeftThanMustBe(test: Case, reshapes: Bool) throws {
    let nodes = try model(test, reshapes: reshapes).graph.optimized(.exact).nodes
    #expect(nodes.count { ["Squeeze", "Unsqueeze", "Reshape"].contains($0.operatorName.type) } == test.left)
  }

  /// Where a value is read without the axis, nothing is won, and nothing changed.
  @Test func aGraphThatWouldGainNothingStaysAsItIs() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2), .size(1), .size(3)])
    try graph.constant("axis", GraphValue(Tensor<Int64>([1])))
    try graph.constant("other", GraphValue(Tensor<Int64>([0])))
    graph.node("Squeeze", ["x", "axis"], ["in"])
    graph.node("Relu", ["in"], ["a"])
    graph.node("Unsqueeze", ["a", "other"], ["b"])
    let plain = try graph.model(outputs: ["a", "b"]).graph
    #expect(try plain.withoutOpposedUnitAxes(isWhole: true).nodes.map(\.name) == plain.nodes.map(\.name))
  }
}
