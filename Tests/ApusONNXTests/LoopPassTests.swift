import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Loops as TensorFlow writes them: states that never change, counters, and a condition that asks those.
@Suite struct LoopPassTests {
  /// h = h · weight + x, while count < `bound` and turn < `most`.
  private struct Loop {
    var bound: Int32 = 5
    var most: Float = 7
    /// What stands first in the Loop's inputs.
    var turns: Int64?
    /// The count's step is a number that is only known when the model runs.
    var stepIsGiven = false
    var givesCount = false

    func model() throws -> ONNXModel {
      let types = [
        "i": GraphValueType.tensor(.int64, []), "c": .tensor(.bool, []), "count": .tensor(.int32, []), "h": nil,
        "w": .tensor(.float, nil), "step": .tensor(.int32, []),
      ]
      let nodes = [
        NodeProto("Identity", ["w"], ["again"]), NodeProto("Identity", ["again"], ["nextW"]),
        NodeProto("Identity", ["step"], ["nextStep"]), NodeProto("Add", ["count", "step"], ["nextCount"]),
        NodeProto("MatMul", ["h", "w"], ["product"]), NodeProto("Add", ["product", "x"], ["sum"]),
        NodeProto("Identity", ["sum"], ["nextH"]), NodeProto("Less", ["nextCount", "bound"], ["isLess"]),
        NodeProto("Cast", ["i"], ["turn"], ["to": .int(1)]), NodeProto("Less", ["turn", "most"], ["isEarly"]),
        NodeProto("And", ["isLess", "isEarly"], ["goesOn"]),
      ]
      let body = GraphProto(
        name: "body", nodes: nodes,
        initializers: [
          try TensorProto(name: "bound", value: GraphValue(Tensor([bound], shape: []))),
          try TensorProto(name: "most", value: GraphValue(Tensor([most], shape: []))),
        ],
        inputs: ["i", "c", "count", "h", "w", "step"].map { ValueInfoProto(name: $0, type: types[$0] ?? nil) },
        outputs: ["goesOn", "nextCount", "nextH", "nextW", "nextStep", "sum"].map { ValueInfoProto(name: $0) })
      var graph = SmallGraph()
      graph.input("x", [.size(1), .size(3)])
      if stepIsGiven {
        graph.input("step", [], .int32)
      } else {
        try graph.constant("step", GraphValue(Tensor<Int32>([1], shape: [])))
      }
      try graph.constant("begin", GraphValue(Tensor<Int32>([0], shape: [])))
      try graph.constant("true", GraphValue(Tensor([true], shape: [])))
      let weight = (0..<9).map { index in Float(index * 5 % 7 - 2) / 8 }
      try graph.constant("weight", GraphValue(Tensor(weight, shape: [3, 3])))
      if let turns { try graph.constant("turns", GraphValue(Tensor([turns], shape: []))) }
      graph.node(
        "Loop", [turns == nil ? "" : "turns", "true", "begin", "x", "weight", "step"],
        ["count", "h", "w", "lastStep", "all"], ["body": .graph(body)])
      graph.node("Neg", ["w"], ["v"])
      return try graph.model(outputs: ["h", "all", "v"] + (givesCount ? ["count"] : []))
    }
  }

  private static let loops: [(Loop, turns: Int?, states: [String])] = [
    (Loop(), 5, ["h"]),
    (Loop(bound: 50), 8, ["h"]),
    (Loop(turns: 3), 3, ["h"]),
    (Loop(turns: 9, givesCount: true), 5, ["count", "h"]),
    (Loop(stepIsGiven: true), nil, ["count", "h"]),
    (Loop(bound: 2000, most: 2000), nil, ["count", "h"]),
  ]

  @Test(arguments: loops.indices) func noBitChanges(index: Int) throws {
    let loop = Self.loops[index].0
    var inputs = ["x": GraphValue(try Tensor<Float>([0.5, -1, 2], shape: [1, 3]))]
    if loop.stepIsGiven { inputs["step"] = GraphValue(try Tensor<Int32>([2], shape: [])) }
    let model = try loop.model()
    let expected = try InferenceSession(model, options: .init(optimizes: false)).run(inputs)
    let actual = try InferenceSession(model).run(inputs)
    #expect(Set(actual.keys) == Set(expected.keys))
    for (name, value) in expected { #expect(try #require(actual[name]).hasSameBits(as: value), "\(name)") }
    #expect(try valuesShownOtherwise(model, inputs) == [])
  }

  @Test(arguments: loops.indices) func turnsAreCountedAndStatesGo(index: Int) throws {
    let (loop, turns, states) = Self.loops[index]
    let graph = try loop.model().graph.optimized(.exact)
    let node = try #require(graph.nodes.first { $0.operatorName.type == "Loop" })
    let body = try #require(node.subgraphs["body"])
    #expect(body.inputs.dropFirst(2).map { body.values[$0].name } == states)
    #expect(node.inputs.count == 2 + states.count && body.outputs.count == 2 + states.count)
    if let turns {
      let known = try #require(node.input(0).flatMap { graph.constants[$0] }?.tensor(of: Int64.self))
      #expect(try known.scalar == Int64(turns))
      #expect(node.input(1) == nil && !body.hasNode("Less", "And", "Cast"))
    } else {
      #expect(node.input(1) != nil && body.hasNode("And"))
    }
    // Of a state and of what is gathered of it there is one value.
    #expect(!body.hasNode("Identity"))
  }
}
