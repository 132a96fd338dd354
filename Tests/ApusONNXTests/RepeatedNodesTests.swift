import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Nodes that compute what another has computed, of an `x` of 2 × 3.
@Suite struct RepeatedNodesTests {
  typealias Case = RewritingCase

  static let cases = [
    Case("two chains from one value", ["CumSum", "Softmax", "Add"]) {
      try $0.constant("axis", GraphValue(Tensor<Int64>([1], shape: [])))
      try $0.constant("the same axis", GraphValue(Tensor<Int64>([1], shape: [])))
      $0.node("CumSum", ["x", "axis"], ["a"])
      $0.node("Softmax", ["a"], ["b"])
      $0.node("CumSum", ["x", "the same axis"], ["c"])
      $0.node("Softmax", ["c"], ["d"])
      $0.node("Add", ["b", "d"], ["y"])
    },
    Case("through what others make part of themselves", ["Transpose", "Softmax", "Add"]) {
      $0.node("Transpose", ["x"], ["a"])
      $0.node("Softmax", ["a"], ["b"])
      $0.node("Transpose", ["x"], ["c"])
      $0.node("Softmax", ["c"], ["d"])
      $0.node("Add", ["b", "d"], ["y"])
    },
    Case("what others make part of themselves", ["Transpose", "Transpose", "Softmax", "Exp", "Mul"]) {
      $0.node("Transpose", ["x"], ["a"])
      $0.node("Softmax", ["a"], ["b"])
      $0.node("Transpose", ["x"], ["c"])
      $0.node("Exp", ["c"], ["d"])
      $0.node("Mul", ["b", "d"], ["y"])
    },
    Case("other attributes, inputs and orders of inputs", ["Softmax", "Softmax", "CumSum", "Sub", "Sub", "Sum"]) {
      try $0.constant("axis", GraphValue(Tensor<Int64>([1], shape: [])))
      $0.node("Softmax", ["x"], ["a"], ["axis": .int(0)])
      $0.node("Softmax", ["x"], ["b"], ["axis": .int(1)])
      $0.node("CumSum", ["x", "axis"], ["c"])
      $0.node("Sub", ["a", "c"], ["d"])
      $0.node("Sub", ["c", "a"], ["e"])
      $0.node("Sum", ["b", "d", "e"], ["y"])
    },
    Case("constants of other bits or another type", ["CumSum", "Mod", "Mod", "Mod", "Sum"]) {
      try $0.constant("axis", GraphValue(Tensor<Int64>([1], shape: [])))
      try $0.constant("three", GraphValue(Tensor<Float>([3], shape: [])))
      try $0.constant("a list of three", GraphValue(Tensor<Float>([3], shape: [1])))
      try $0.constant("four", GraphValue(Tensor<Float>([4], shape: [])))
      $0.node("CumSum", ["x", "axis"], ["s"])
      $0.node("Mod", ["s", "three"], ["a"], ["fmod": .int(1)])
      $0.node("Mod", ["s", "a list of three"], ["b"], ["fmod": .int(1)])
      $0.node("Mod", ["s", "four"], ["c"], ["fmod": .int(1)])
      $0.node("Sum", ["a", "b", "c"], ["y"])
    },
    Case("outputs that one node gives and another does not", ["TopK", "TopK", "Cast", "Add", "Add"]) {
      try $0.constant("two", GraphValue(Tensor<Int64>([2])))
      $0.node("TopK", ["x", "two"], ["a"])
      $0.node("TopK", ["x", "two"], ["b", "places"])
      $0.node("Cast", ["places"], ["numbers"], ["to": .int(1)])
      $0.node("Add", ["a", "b"], ["sum"])
      $0.node("Add", ["sum", "numbers"], ["y"])
    },
  ]

  private func model(_ nodes: (inout SmallGraph) throws -> Void, outputs: [String] = ["y"]) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(2), .size(3)])
    try nodes(&graph)
    return try graph.model(outputs: outputs)
  }

  private let x = [Float(0.5), -2, 1.25, 7, -0.75, 3]

  @Test(arguments: cases)
  func onlyWhatIsTheSameGoes(test: Case) throws {
    let model = try model(test.nodes)
    let x = GraphValue(try Tensor(x, shape: [2, 3]))
    #expect(model.graph.withoutRepeatedNodes().nodes.map(\.operatorName.type).sorted() == test.left.sorted())
    let expected = try InferenceSession(model, options: .init(optimizes: false)).run(["x": x])["y"]
    #expect(try #require(InferenceSession(model).run(["x": x])["y"]).hasSameBits(as: #require(expected)))
    #expect(try valuesShownOtherwise(model, ["x": x]) == [])
  }

  @Test func whatTheGraphGivesAwayKeepsItsNode() throws {
    let model = try model(
      {
        $0.node("Softmax", ["x"], ["a"])
        $0.node("Softmax", ["x"], ["b"])
        $0.node("Softmax", ["x"], ["c"])
        $0.node("Neg", ["c"], ["y"])
      }, outputs: ["a", "b", "y"])
    #expect(model.graph.withoutRepeatedNodes().nodes.map(\.name) == ["a", "b", "c", "y"])
    let x = GraphValue(try Tensor(x, shape: [2, 3]))
    #expect(try InferenceSession(model).run(["x": x]).keys.sorted() == ["a", "b", "y"])
  }

  @Test func randomNumbersStayTwoDraws() throws {
    let model = try model {
      $0.node("RandomNormalLike", ["x"], ["a"])
      $0.node("RandomNormalLike", ["x"], ["b"])
      $0.node("Sub", ["a", "b"], ["y"])
    }
    #expect(model.graph.withoutRepeatedNodes().nodes.count == 3)
  }

  /// What a body reads from around it is read where it still is.
  @Test func bodiesReadWhatIsLeft() throws {
    var body = SmallGraph()
    body.node("Add", ["b", "c"], ["sum"])
    var proto = body.proto
    proto.outputs = [ValueInfoProto(name: "sum")]
    let branch = proto
    let model = try model {
      try $0.constant("yes", GraphValue(Tensor<Bool>([true], shape: [])))
      try $0.constant("axis", GraphValue(Tensor<Int64>([0], shape: [])))
      $0.node("CumSum", ["x", "axis"], ["a"])
      $0.node("CumSum", ["x", "axis"], ["b"])
      $0.node("Exp", ["a"], ["e"])
      $0.node("Exp", ["b"], ["c"])
      $0.node("ReduceMax", ["e"], ["top"], ["keepdims": .int(0)])
      $0.node("Less", ["top", "top"], ["never"])
      $0.node("If", ["never"], ["y"], ["then_branch": .graph(branch), "else_branch": .graph(branch)])
    }
    let nodes = model.graph.withoutRepeatedNodes().nodes
    #expect(nodes.count { $0.operatorName.type == "CumSum" } == 1)
    let x = GraphValue(try Tensor(x, shape: [2, 3]))
    let expected = try InferenceSession(model, options: .init(optimizes: false)).run(["x": x])["y"]
    #expect(try #require(InferenceSession(model).run(["x": x])["y"]).hasSameBits(as: #require(expected)))
  }
}
