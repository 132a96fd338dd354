import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Nodes with the same weights are prepared once, those that differ in anything else each by itself.
@Suite struct SharedPreparationTests {
  private let nodes = [
    NodeProto("Gemm", ["x", "w"], ["a"], ["alpha": .float(0.5)]),
    NodeProto("Gemm", ["a", "w"], ["b"], ["alpha": .float(0.5)]),
    NodeProto("Gemm", ["b", "w"], ["c"], ["alpha": .float(0.25)]),
    NodeProto("Gemm", ["c", "v"], ["d"], ["alpha": .float(0.5)]),
    NodeProto("Gemm", ["d", "w"], ["e"], ["alpha": .float(0.5), "transB": .int(1)]),
    NodeProto("Gemm", ["e", "w"], ["y"], ["alpha": .float(0.5)]),
  ]

  private func session(_ nodes: [NodeProto]) throws -> InferenceSession {
    let weight = GraphValue(try Tensor((0..<1024).map { Float($0 % 7) - 3 }, shape: [32, 32]))
    var options = InferenceSession.Options()
    options.optimizes = false
    return try ApusONNXTests.session(
      GraphProto(
        nodes: nodes,
        initializers: [try TensorProto(name: "w", value: weight), try TensorProto(name: "v", value: weight)],
        inputs: [ValueInfoProto(name: nodes[0].inputs[0])],
        outputs: [ValueInfoProto(name: nodes[nodes.count - 1].outputs[0])]),
      options: options)
  }

  @Test func whatDiffersInNothingButItsInputIsPreparedOnce() throws {
    let graph = try session(nodes).graph
    var preparations = SharedPreparations(graph)
    var made: [Int] = []
    for (index, node) in graph.nodes.enumerated() {
      let step = try preparations.step(node) {
        made.append(index)
        return try Plan.step(node, in: graph, depth: 0)
      }
      #expect(step.node.name == node.name)
      // The weight is absorbed, whoever was prepared.
      #expect(step.inputs.map { $0 == nil } == [false, true])
    }
    // The second is like the first; the last one is, but a result.
    #expect(made == [0, 2, 3, 4, 5])
  }

  @Test func resultsAreThoseOfNodesByThemselves() throws {
    let x = GraphValue(try Tensor((0..<64).map { Float($0) / 64 }, shape: [2, 32]))
    let together = try session(nodes).run(["x": x])["y"]
    let apart = try nodes.reduce(x) { value, node in
      try #require(try session([node]).run([node.inputs[0]: value])[node.outputs[0]])
    }
    #expect(try floats(together).elements == floats(apart).elements)
  }

  private func floats(_ value: GraphValue?) throws -> Tensor<Float> {
    guard case .tensor(.float32(let tensor))? = value else { throw OperatorError("no tensor of floats") }
    return tensor
  }
}
