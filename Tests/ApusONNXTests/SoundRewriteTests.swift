import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Graphs that look like what passes rewrite, and are not: with broadcasts, readers, types or old versions that a rewrite
/// would have to do without.
@Suite struct SoundRewriteTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let version: Int
    let inputs: [String: [Int]]
    let type: ElementType
    let outputs: [String]
    /// Adds nodes that read the inputs and give the outputs.
    let nodes: @Sendable (inout SmallGraph) throws -> Void

    init(
      _ name: String, version: Int = 17, _ inputs: [String: [Int]], _ type: ElementType = .float,
      outputs: [String] = ["y"], _ nodes: @escaping @Sendable (inout SmallGraph) throws -> Void
    ) {
      (testDescription, self.version, self.inputs, self.type) = (name, version, inputs, type)
      (self.outputs, self.nodes) = (outputs, nodes)
    }

    func model() throws -> ONNXModel {
      var graph = SmallGraph()
      for (name, shape) in inputs.sorted(by: { $0.key < $1.key }) {
        graph.input(name, shape.map { .size($0) }, type)
      }
      try nodes(&graph)
      return try graph.model(outputs: outputs, version: version)
    }

    /// Numbers of both signs.
    func values() throws -> [String: GraphValue] {
      try inputs.mapValues { shape in
        let numbers = (0..<shape.reduce(1, *)).map { index in Double(index * 37 % 61 - 30) / 16 }
        guard type != .double else { return GraphValue(try Tensor(numbers, shape: shape)) }
        return GraphValue(try Tensor(numbers.map(Float.init), shape: shape))
      }
    }
  }

  private static func constant(_ name: String, _ numbers: [Float], _ shape: [Int], _ graph: inout SmallGraph) throws {
    try graph.constant(name, GraphValue(Tensor(numbers, shape: shape)))
  }

  private static func pattern(_ shape: [Int], times factor: Float = 0.125) throws -> GraphValue {
    let numbers = (0..<shape.reduce(1, *)).map { index in Float(index * 29 % 43 - 21) * factor }
    return GraphValue(try Tensor(numbers, shape: shape))
  }

  /// The nine nodes of a layer normalisation of x.
  private static func layerNorm(
    _ graph: inout SmallGraph, features: [Int] = [4], epsilon: [Int] = [], axis: Int? = nil
  ) throws {
    try constant("epsilon", [1e-5], epsilon, &graph)
    try constant("two", [2], [], &graph)
    try graph.constant("gamma", pattern(features))
    try graph.constant("beta", pattern(features, times: 0.5))
    let old: [String: AttributeProto.Content] = axis.map { ["broadcast": .int(1), "axis": .int(Int64($0))] } ?? [:]
    let single: [String: AttributeProto.Content] = axis == nil ? [:] : ["broadcast": .int(1)]
    graph.node("ReduceMean", ["x"], ["mean"], ["axes": .ints([-1])])
    graph.node("Sub", ["x", "mean"], ["d"], single)
    graph.node("Pow", ["d", "two"], ["square"], single)
    graph.node("ReduceMean", ["square"], ["variance"], ["axes": .ints([-1])])
    graph.node("Add", ["variance", "epsilon"], ["sum"], single)
    graph.node("Sqrt", ["sum"], ["root"])
    graph.node("Div", ["d", "root"], ["quotient"], single)
    graph.node("Mul", ["quotient", "gamma"], ["product"], old)
    graph.node("Add", ["product", "beta"], ["y"], old)
  }

  /// softmax(q · transposed k · number + mask) · v.
  private static func attention(
    _ graph: inout SmallGraph, rank: Int, axis: Int = -1, number: GraphValue? = nil, hasMask: Bool = false
  ) throws {
    let order = Array(0..<Int64(rank - 2)) + [Int64(rank) - 1, Int64(rank) - 2]
    graph.node("Transpose", ["k"], ["turned"], ["perm": .ints(order)])
    graph.node("MatMul", ["q", "turned"], ["product"])
    var scores = "product"
    if let number {
      try graph.constant("number", number)
      graph.node("Mul", [scores, "number"], ["scaled"])
      scores = "scaled"
    }
    if hasMask {
      graph.node("Add", [scores, "mask"], ["masked"])
      scores = "masked"
    }
    graph.node("Softmax", [scores], ["weights"], ["axis": .int(Int64(axis))])
    graph.node("MatMul", ["weights", "v"], ["y"])
  }

  /// A convolution's map turned to and fro around a function, and pooled.
  private static func pooling(_ type: String, _ attributes: [String: AttributeProto.Content] = [:]) -> Case {
    Case("\(type) of a map turned to and fro", ["x": [1, 3, 9, 7]]) {
      try $0.constant("weight", pattern([16, 3, 3, 3]))
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Transpose", ["sum"], ["turned"], ["perm": .ints([0, 2, 3, 1])])
      $0.node("Sigmoid", ["turned"], ["gate"])
      $0.node("Transpose", ["gate"], ["back"], ["perm": .ints([0, 3, 1, 2])])
      $0.node(type, ["back"], ["y"], attributes)
    }
  }

  private static let maps = ["q": [2, 3, 4], "k": [2, 5, 4], "v": [2, 5, 6]]

  private static let cases: [Case] = [
    Case("a bias along rows, before version 7", version: 6, ["x": [3, 3]]) {
      try $0.constant("weight", pattern([3, 3]))
      try constant("bias", [1, 10, 100], [3], &$0)
      $0.node("MatMul", ["x", "weight"], ["product"])
      $0.node("Add", ["product", "bias"], ["y"], ["broadcast": .int(1), "axis": .int(0)])
    },
    Case("zeros around the map of an infinite weight", ["x": [1, 2, 4, 4]]) {
      var weight = [Float](repeating: 0.5, count: 36)
      (weight[4], weight[20]) = (.infinity, .nan)
      try constant("weight", weight, [2, 2, 3, 3], &$0)
      try $0.constant("pads", GraphValue(Tensor<Int64>([0, 0, 1, 1, 0, 0, 1, 2])))
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Conv", ["padded", "weight"], ["y"])
    },
    Case("a scale that would leave less of a weight's digits", ["x": [1, 1, 3, 3]]) {
      try constant("weight", [1.23e-30], [1, 1, 1, 1], &$0)
      try constant("scale", [0x1p-31], [], &$0)
      try constant("large", [1e30], [], &$0)
      $0.node("Mul", ["x", "large"], ["wide"])
      $0.node("Conv", ["wide", "weight"], ["sum"])
      $0.node("Mul", ["sum", "scale"], ["y"])
    },
    Case("a scale that would make a weight infinite", ["x": [1, 1, 3, 3]]) {
      try constant("weight", [1.23e30], [1, 1, 1, 1], &$0)
      try constant("scale", [0x1p31], [], &$0)
      try constant("small", [1e-30], [], &$0)
      $0.node("Mul", ["x", "small"], ["narrow"])
      $0.node("Conv", ["narrow", "weight"], ["sum"])
      $0.node("Mul", ["sum", "scale"], ["y"])
    },
    pooling("GlobalAveragePool"), pooling("AveragePool", ["kernel_shape": .ints([3, 3])]),
    pooling("AveragePool", ["kernel_shape": .ints([2, 3]), "pads": .ints([0, 1, 1, 1]), "strides": .ints([2, 1])]),
    pooling("AveragePool", ["kernel_shape": .ints([5, 3]), "strides": .ints([1, 2]), "ceil_mode": .int(1)]),
    pooling("LpPool", ["kernel_shape": .ints([2, 2])]),
    Case("a ramp that begins at -0", ["x": [2, 6]]) {
      for (name, value) in [("three", 3), ("low", -0.0), ("six", 6)] as [(String, Float)] {
        try constant(name, [value], [], &$0)
      }
      try constant("minus", [-9], [], &$0)
      $0.node("Add", ["x", "minus"], ["below"])
      $0.node("Add", ["below", "three"], ["shifted"])
      $0.node("Clip", ["shifted", "low", "six"], ["ramp"])
      $0.node("Div", ["ramp", "six"], ["y"])
    },
    Case("a softmax, and -0 where all is -∞", ["x": [2, 3]]) {
      try constant("mask", [0, -.infinity], [2, 1], &$0)
      try constant("infinity", [-.infinity], [], &$0)
      try constant("zero", [-0.0], [], &$0)
      $0.node("Add", ["x", "mask"], ["masked"])
      $0.node("Softmax", ["masked"], ["soft"], ["axis": .int(1)])
      $0.node("ReduceMax", ["masked"], ["most"], ["axes": .ints([1])])
      $0.node("Equal", ["most", "infinity"], ["isMasked"])
      $0.node("Where", ["isMasked", "zero", "soft"], ["y"])
    },
    Case("the least of numbers and a zero with more axes", ["x": [12]]) {
      try constant("zero", [0], [1, 1], &$0)
      try constant("slope", [0.25], [], &$0)
      $0.node("Relu", ["x"], ["above"])
      $0.node("Min", ["x", "zero"], ["below"])
      $0.node("Mul", ["below", "slope"], ["sloped"])
      $0.node("Add", ["above", "sloped"], ["y"])
    },
    Case("a layer normalisation whose mean is wanted", ["x": [3, 4]], outputs: ["y", "mean"]) { try layerNorm(&$0) },
    Case("a layer normalisation whose variance is wanted", ["x": [3, 4]], outputs: ["y", "variance"]) {
      try layerNorm(&$0)
    },
    Case("a layer normalisation whose deviation is read", ["x": [3, 4]], outputs: ["y", "z"]) {
      try layerNorm(&$0)
      $0.node("Neg", ["root"], ["z"])
    },
    Case("a layer normalisation of one feature that becomes four", ["x": [3, 1]]) { try layerNorm(&$0) },
    Case("a layer normalisation with an ε of more axes", ["x": [4]]) { try layerNorm(&$0, epsilon: [1, 1]) },
    Case("a layer normalisation with factors of rows, before version 7", version: 6, ["x": [4, 4]]) {
      try layerNorm(&$0, axis: 0)
    },
    Case(
      "a softmax along the last axis but one", ["q": [1, 2, 2, 3, 4], "k": [1, 2, 2, 5, 4], "v": [1, 2, 2, 5, 6]]
    ) {
      try attention(&$0, rank: 5, axis: 3)
    },
    Case("a softmax along the last axis by its number", maps) { try attention(&$0, rank: 3, axis: 2) },
    Case("a mask that makes a batch", maps.merging(["mask": [3, 1, 3, 5]]) { $1 }) {
      try attention(&$0, rank: 3, hasMask: true)
    },
    Case("a mask that makes queries", ["q": [2, 1, 4], "k": [2, 5, 4], "v": [2, 5, 6], "mask": [3, 5]]) {
      try attention(&$0, rank: 3, hasMask: true)
    },
    Case("a query of one axis", ["q": [4], "k": [2, 5, 4], "v": [2, 5, 6]]) { try attention(&$0, rank: 3) },
    Case("a factor with more axes than the scores", maps) {
      try attention(&$0, rank: 3, number: GraphValue(Tensor<Float>([0.5], shape: [1, 1, 1, 1])))
    },
    Case("a factor that FLOAT rounds", maps, .double) {
      try attention(&$0, rank: 3, number: GraphValue(Tensor([1 / 3.0.squareRoot()], shape: [])))
    },
  ]

  @Test(arguments: cases)
  func exactIsBitForBitThePlainGraph(_ test: Case) throws {
    let (model, inputs) = (try test.model(), try test.values())
    let plain = try InferenceSession(model, options: .init(optimizes: false)).run(inputs)
    let exact = try InferenceSession(model).run(inputs)
    for name in test.outputs {
      let (a, b) = (try #require(exact[name]), try #require(plain[name]))
      #expect(a.shape == b.shape)
      #expect(try a.hasSameBits(as: b), "\(name)")
    }
  }

  /// Sums in another order are some units of the last place away; what is not finite stays so.
  @Test(arguments: cases)
  func fastComputesTheSame(_ test: Case) throws {
    let (model, inputs) = (try test.model(), try test.values())
    let plain = try InferenceSession(model, options: .init(optimizes: false)).run(inputs)
    let fast = try InferenceSession(model, options: .init(precision: .fast)).run(inputs)
    let tolerance = test.type == .double ? 1e-13 : 1e-5
    for name in test.outputs {
      guard case .tensor(let a)? = fast[name], case .tensor(let b)? = plain[name] else {
        Issue.record("no \(name)")
        continue
      }
      #expect(a.shape == b.shape)
      for (x, y) in zip(try a.converted(to: Double.self).elements, try b.converted(to: Double.self).elements) {
        #expect(x == y || x.isNaN && y.isNaN || abs(x - y) <= tolerance * max(abs(x), abs(y), 1), "\(name)")
      }
    }
  }

  /// A state that is larger than the body of its loop declares.
  @Test(arguments: [
    ("a column that becomes a matrix", [1, 1] as [Int]), ("a row that becomes a matrix", [1, 3] as [Int]),
  ])
  func aStateMayOutgrowWhatItsLoopDeclares(_ name: String, _ declared: [Int]) throws {
    let body = GraphProto(
      name: "body",
      nodes: [
        NodeProto("Transpose", ["k"], ["turned"], ["perm": .ints([1, 0])]), NodeProto("Add", ["turned", "s"], ["sum"]),
        NodeProto("Transpose", ["sum"], ["next"], ["perm": .ints([1, 0])]), NodeProto("Identity", ["c"], ["on"]),
      ],
      inputs: [
        ValueInfoProto(name: "i", type: .tensor(.int64, [])), ValueInfoProto(name: "c", type: .tensor(.bool, [])),
        ValueInfoProto(name: "s", type: .tensor(.float, declared.map { .size($0) })),
      ],
      outputs: ["on", "next"].map { ValueInfoProto(name: $0) })
    var graph = SmallGraph()
    graph.input("k", [.size(3), .size(3)])
    try graph.constant("turns", GraphValue(Tensor<Int64>([2], shape: [])))
    try graph.constant("true", GraphValue(Tensor([true], shape: [])))
    try graph.constant("state", Self.pattern(declared))
    graph.node("Loop", ["turns", "true", "state"], ["y"], ["body": .graph(body)])
    let model = try graph.model(outputs: ["y"], version: 17)
    let inputs = ["k": try Self.pattern([3, 3])]
    let plain = try InferenceSession(model, options: .init(optimizes: false)).run(inputs)["y"]
    let exact = try InferenceSession(model).run(inputs)["y"]
    #expect(try #require(exact).hasSameBits(as: #require(plain)), "\(name)")
  }
}
