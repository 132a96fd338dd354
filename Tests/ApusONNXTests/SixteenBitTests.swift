import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Graphs of FLOAT16 and BFLOAT16, whose maps stay channel-blocked between nodes and whose neighbours become one pass.
@Suite struct SixteenBitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: ElementType
    let channels: Int
    var testDescription: String { "\(type) of \(channels) channels" }
  }

  static let cases = [ElementType.float16, .bfloat16].flatMap { type in
    [5, 16, 19, 32].map { Case(type: type, channels: $0) }
  }

  /// Numbers of both signs, as `type` has them.
  private static func numbers(_ shape: [Int], _ seed: Int, _ type: ElementType) throws -> GraphValue {
    let count = shape.reduce(1, *)
    let values = (0..<count).map { Float(($0 * 7919 + seed * 104_729) % 2003) / 1001 - 1 }
    return try GraphValue(rounding: Tensor(values, shape: shape), to: type)
  }

  /// Convolutions with what people write behind them, and all kinds of nodes that take their maps.
  private func graph(_ c: Case) throws -> SmallGraph {
    var graph = SmallGraph()
    graph.input("x", [2, 3, 11, 13].map { .size($0) }, c.type)
    func constant(_ name: String, _ shape: [Int], _ seed: Int) throws {
      try graph.constant(name, Self.numbers(shape, seed, c.type))
    }
    try constant("w1", [c.channels, 3, 3, 3], 1)
    try constant("b1", [c.channels], 2)
    try constant("w2", [c.channels, 1, 3, 3], 3)
    try constant("w3", [c.channels, c.channels, 1, 1], 4)
    try constant("scale", [c.channels, 1, 1], 5)
    try constant("half", [], 6)
    let pads = ["pads": AttributeProto.Content.ints([1, 1, 1, 1])]
    graph.node("Conv", ["x", "w1", "b1"], ["a"], pads)
    graph.node("Sigmoid", ["a"], ["gate"])
    graph.node("Mul", ["a", "gate"], ["b"])
    graph.node("Conv", ["b", "w2"], ["c"], pads.merging(["group": .int(Int64(c.channels))]) { $1 })
    graph.node("Relu", ["c"], ["d"])
    graph.node("Conv", ["d", "w3"], ["e"])
    graph.node("Add", ["e", "b"], ["f"])
    graph.node("Mul", ["f", "scale"], ["g"])
    graph.node("Sub", ["g", "half"], ["h"])
    graph.node("Tanh", ["h"], ["i"])
    graph.node("MaxPool", ["i"], ["j"], ["kernel_shape": .ints([3, 3]), "pads": .ints([1, 1, 1, 1])])
    graph.node("Concat", ["j", "f"], ["k"], ["axis": .int(1)])
    graph.node("Transpose", ["k"], ["l"], ["perm": .ints([0, 2, 3, 1])])
    graph.node("GlobalAveragePool", ["k"], ["m"])
    graph.node("Neg", ["l"], ["y"])
    return graph
  }

  private let outputs = ["y", "m", "h"]

  @Test(arguments: cases)
  func bitsDoNotDependOnRewriting(_ c: Case) throws {
    let model = try graph(c).model(outputs: outputs)
    let inputs = ["x": try Self.numbers([2, 3, 11, 13], 7, c.type)]
    for variant in floatingPointVariants {
      try Execution.with(variant: variant) {
        let found = try InferenceSession(model).run(inputs)
        let plain = try InferenceSession(model, options: .init(optimizes: false)).run(inputs)
        for name in outputs {
          #expect(try #require(found[name]).hasSameBits(as: #require(plain[name])), "\(variant), \(name)")
        }
      }
    }
  }

  /// A node alone gives its numbers row-major, and is given them so: no map is blocked there.
  @Test(arguments: cases)
  func bitsAreThoseOfNodesAlone(_ c: Case) throws {
    let graph = try graph(c)
    var values = ["x": try Self.numbers([2, 3, 11, 13], 7, c.type)]
    let whole = try InferenceSession(graph.model(outputs: outputs), options: .init(optimizes: false)).run(values)
    let constants = try graph.model(outputs: outputs).graph
    for node in graph.proto.nodes {
      var single = SmallGraph()
      for name in node.inputs {
        if let value = values[name] {
          single.input(name, try #require(value.shape).map { .size($0) }, c.type)
        } else {
          let id = try #require(constants.values.firstIndex { $0.name == name })
          try single.constant(name, #require(constants.constants[id]))
        }
      }
      let attributes = Dictionary(uniqueKeysWithValues: node.attributes.map { ($0.name, $0.value) })
      single.node(node.opType, node.inputs, node.outputs, attributes)
      let inputs = values.filter { node.inputs.contains($0.key) }
      values.merge(try InferenceSession(single.model(outputs: node.outputs)).run(inputs)) { $1 }
    }
    for name in outputs {
      #expect(try #require(whole[name]).hasSameBits(as: #require(values[name])), "\(name)")
    }
  }
}
