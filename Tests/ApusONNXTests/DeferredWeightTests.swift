import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph

/// Large weights that a model stores in fewer bits: a session that makes them on their way into layers gives the bits that a
/// run node by node gives.
@Suite struct DeferredWeightTests {
  private func bytes(_ count: Int) throws -> Tensor<UInt8> {
    var generator = SplitMix64(seed: 3)
    return try Tensor(randomIntegers(count, in: 0...255, using: &generator))
  }

  private func half(_ shape: [Int], seed: UInt64) throws -> GraphValue {
    guard case .tensor(let tensor) = try GraphValue.noise(shape, seed: seed) else { throw OperatorError("no tensor") }
    return .tensor(.bfloat16(try tensor.converted()))
  }

  private func check(_ graph: SmallGraph, _ inputs: [String: GraphValue], deferred: [String]) throws {
    let model = try graph.model(outputs: ["y"])
    let session = try InferenceSession(model)
    var options = InferenceSession.Options()
    options.optimizes = false
    let plain = try InferenceSession(model, options: options)
    for _ in 0..<2 {
      let (found, expected) = try (session.run(inputs)["y"], plain.run(inputs)["y"])
      #expect(try found?.tensor(of: Float.self)?.elements == expected?.tensor(of: Float.self)?.elements)
      #expect(found?.shape == expected?.shape)
    }
    for name in deferred {
      let constant = session.graph.value(named: name).flatMap { session.graph.constants[$0] }
      #expect(constant?.tensor(of: Float.self)?.deferredSource != nil, "\(name)")
    }
  }

  @Test func sixteenBits() throws {
    var graph = SmallGraph()
    graph.input("ids", [.size(5)], .int64)
    try graph.constant("table", half([600, 96], seed: 1))
    try graph.constant("matrix", half([200, 96], seed: 2))
    try graph.constant("bias", .noise([200], seed: 3))
    for name in ["table", "matrix"] { graph.node("Cast", [name], [name + ".wide"], ["to": .int(1)]) }
    graph.node("Gather", ["table.wide", "ids"], ["rows"])
    graph.node("Transpose", ["matrix.wide"], ["turned"], ["perm": .ints([1, 0])])
    graph.node("MatMul", ["rows", "turned"], ["product"])
    graph.node("Add", ["product", "bias"], ["y"])
    try check(graph, ["ids": .whole([3, 599, 0, -1, 7])], deferred: ["table.wide", "matrix.wide"])
  }

  /// Codes of a matrix of a type, `[rows, columns]`, and zero points of it.
  private func codes(_ type: ElementType, _ shape: [Int], seed: UInt64) throws -> GraphValue {
    var generator = SplitMix64(seed: seed)
    let count = shape.reduce(1, *)
    switch type {
    case .int8:
      return GraphValue(try Tensor<Int8>(randomIntegers(count, in: -128...127, using: &generator), shape: shape))
    case .uint8:
      return GraphValue(try Tensor<UInt8>(randomIntegers(count, in: 0...255, using: &generator), shape: shape))
    default:
      let codes: [UInt8] = randomIntegers(count, in: 0...15, using: &generator)
      return .coded(CodedTensor(elementType: type, codes: try Tensor(codes, shape: shape)))
    }
  }

  @Test(arguments: [ElementType.int8, .uint8, .int4, .uint4], [true, false])
  func quantizedMatrices(type: ElementType, hasZeroPoints: Bool) throws {
    // Scales of blocks along the inputs and along the outputs, of inputs, of outputs, and one for all.
    let forms: [(scale: [Int], axis: Int64, blockSize: Int64)] = [
      ([5, 130], 0, 32), ([3, 130], 0, 64), ([150, 9], 1, 16), ([150, 6], 1, 24), ([150], 0, 0), ([130], 1, 0),
      ([], 1, 0),
    ]
    for form in forms {
      for isTransposed in [false, true] {
        var graph = SmallGraph()
        graph.input("x", [.size(3), .size(isTransposed ? 130 : 150)], .float)
        try graph.constant("codes", codes(type, [150, 130], seed: 1))
        try graph.constant("scale", .noise(form.scale, seed: 2))
        var inputs = ["codes", "scale"]
        if hasZeroPoints {
          try graph.constant("zero", codes(type, form.scale, seed: 3))
          inputs.append("zero")
        }
        graph.node(
          "DequantizeLinear", inputs, ["weight"], ["axis": .int(form.axis), "block_size": .int(form.blockSize)])
        if isTransposed, form.axis == 0 {
          graph.node("Transpose", ["weight"], ["turned"])
          graph.node("MatMul", ["x", "turned"], ["product"])
        } else {
          graph.node("Gemm", ["x", "weight"], ["product"], ["transB": .int(isTransposed ? 1 : 0)])
        }
        graph.node("Relu", ["product"], ["y"])
        try check(graph, ["x": .noise([3, isTransposed ? 130 : 150], seed: 4)], deferred: ["weight"])
      }
    }
  }

  /// Whatever reads such a matrix, whole or in part, finds the numbers that the node gives.
  @Test func quantizedMatricesAreReadInPart() throws {
    for (scale, axis, blockSize) in [([5, 130], 0, 32), ([150, 9], 1, 16), ([150], 0, 0), ([130], 1, 0), ([], 1, 0)] {
      var graph = SmallGraph()
      graph.input("ids", [.size(4)], .int64)
      try graph.constant("codes", codes(.int4, [150, 130], seed: 1))
      try graph.constant("scale", .noise(scale, seed: 2))
      try graph.constant("zero", codes(.int4, scale, seed: 3))
      graph.node(
        "DequantizeLinear", ["codes", "scale", "zero"], ["weight"],
        ["axis": .int(Int64(axis)), "block_size": .int(Int64(blockSize))])
      graph.node("Gather", ["weight", "ids"], ["rows"])
      graph.node("Tanh", ["weight"], ["bent"])
      graph.node("Gather", ["bent", "ids"], ["others"])
      graph.node("Add", ["rows", "others"], ["y"])
      try check(graph, ["ids": .whole([149, 0, -2, 31])], deferred: [])
    }
  }

  /// Core ML's blocks, which have scales along both axes.
  @Test(arguments: [[150, 4], [50, 1], [3, 2], [1, 1]])
  func blocksOfBothAxes(scale: [Int]) throws {
    for hasOffset in [true, false] {
      var graph = Graph(name: "blocks")
      let x = graph.addValue(named: "x", type: .tensor(.float, [.size(2), .size(128)]))
      let (codes, scales, offset, y) = (
        graph.addValue(named: "codes"), graph.addValue(named: "scales"), graph.addValue(named: "offset"),
        graph.addValue(named: "y")
      )
      let (matrix, turned) = (graph.addValue(named: "matrix"), graph.addValue(named: "turned"))
      (graph.inputs, graph.outputs) = ([x], [y])
      graph.constants = [
        codes: try self.codes(.int8, [150, 128], seed: 1), scales: try .noise(scale, seed: 2),
        offset: try self.codes(.int8, scale, seed: 3),
      ]
      graph.nodes = [
        Node(
          name: "matrix", operatorName: OperatorName(domain: "apus", type: "BlockDequantize"), opset: 1,
          inputs: [codes, scales] + (hasOffset ? [offset] : []), outputs: [matrix]),
        Node(
          name: "turned", operatorName: OperatorName(type: "Transpose"), opset: 13, inputs: [matrix], outputs: [turned],
          attributes: ["perm": .ints([1, 0])]),
        Node(
          name: "y", operatorName: OperatorName(type: "MatMul"), opset: 13, inputs: [x, turned], outputs: [y]),
      ]
      let input = try GraphValue.noise([2, 128], seed: 6)
      func run(_ graph: Graph) throws -> [Float]? {
        try Plan(graph).run([input], context: RunContext()).first?.tensor(of: Float.self)?.elements
      }
      let optimized = try graph.optimized(.exact)
      #expect(optimized.constants[matrix]?.tensor(of: Float.self)?.deferredSource != nil)
      #expect(optimized.nodes.map(\.operatorName.type) == ["Linear"])
      #expect(try run(optimized) == run(graph))
    }
  }

  @Test(arguments: [4, 8, 6], [1, 2])
  func tables(bits: Int, groups: Int) throws {
    var graph = Graph(name: "tables")
    let x = graph.addValue(named: "x", type: .tensor(.float, [.size(2), .size(150)]))
    let (packed, table) = (graph.addValue(named: "packed"), graph.addValue(named: "table"))
    let (codes, matrix, y) = (
      graph.addValue(named: "codes"), graph.addValue(named: "matrix"), graph.addValue(named: "y")
    )
    (graph.inputs, graph.outputs) = ([x], [y])
    graph.constants = [
      packed: GraphValue(try bytes(150 * 120 * bits / 8)), table: try .noise([groups, 1, 1 << bits, 1], seed: 5),
    ]
    graph.nodes = [
      Node(
        name: "codes", operatorName: OperatorName(domain: "apus", type: "Unpack"), opset: 1, inputs: [packed],
        outputs: [codes], attributes: ["bits": .int(Int64(bits)), "shape": .ints([150, 120])]),
      Node(
        name: "matrix", operatorName: OperatorName(domain: "apus", type: "LookUp"), opset: 1, inputs: [codes, table],
        outputs: [matrix]),
      Node(
        name: "y", operatorName: OperatorName(type: "MatMul"), opset: 13, inputs: [x, matrix], outputs: [y]),
    ]
    let input = try GraphValue.noise([2, 150], seed: 6)
    func run(_ graph: Graph) throws -> [Float]? {
      try Plan(graph).run([input], context: RunContext()).first?.tensor(of: Float.self)?.elements
    }
    let optimized = try graph.optimized(.exact)
    #expect(optimized.constants[matrix]?.tensor(of: Float.self)?.deferredSource != nil)
    #expect(optimized.nodes.map(\.operatorName.type) == ["MatMul"])
    #expect(try run(optimized) == run(graph))
  }

  /// What a table lacks is still an error, and names the element.
  @Test func codesBeyondATableAreRefused() throws {
    var graph = Graph(name: "short")
    let (codes, table, y) = (
      graph.addValue(named: "codes"), graph.addValue(named: "table"), graph.addValue(named: "y")
    )
    graph.outputs = [y]
    var elements = [UInt8](repeating: 1, count: 20_000)
    elements[12_345] = 3
    graph.constants = [
      codes: GraphValue(try Tensor(elements)), table: GraphValue(try Tensor<Float>([1, 2, 3], shape: [1, 3, 1])),
    ]
    let z = graph.addValue(named: "z")
    graph.outputs = [z]
    graph.nodes = [
      Node(
        name: "look", operatorName: OperatorName(domain: "apus", type: "LookUp"), opset: 1, inputs: [codes, table],
        outputs: [y]),
      Node(name: "z", operatorName: OperatorName(type: "Neg"), opset: 13, inputs: [y], outputs: [z]),
    ]
    let error = #expect(throws: GraphError.self) {
      try Plan(graph.optimized(.exact)).run([], context: RunContext())
    }
    #expect(error?.description.contains("index 3 at element 12345 is outside a table of 3 entries") == true)
  }
}
