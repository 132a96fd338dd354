import Apus
import ApusGraph
import ApusONNX
import Testing

@Suite struct SessionInterfaceTests {
  private func session() throws -> InferenceSession {
    var graph = SmallGraph()
    graph.input("x", [.symbol("batch"), .size(2)])
    try graph.constant("one", GraphValue(Tensor<Float>([1, 1], shape: [2])))
    graph.node("Add", ["x", "one"], ["y"])
    graph.node("Cast", ["y"], ["whole"], ["to": .int(7)])
    return try InferenceSession(graph.model(outputs: ["y", "whole"]))
  }

  @Test func inputsAndOutputsAreListed() throws {
    let session = try session()
    #expect(session.inputs.map(\.name) == ["x"])
    #expect(session.inputs[0].elementType == .float)
    #expect(session.inputs[0].shape == [nil, 2])
    #expect(!session.inputs[0].hasDefault)
    #expect(session.outputs.map(\.name) == ["y", "whole"])
  }

  @Test func outputsGiveTensorsOfTheirTypeOnly() throws {
    let outputs = try session().run(["x": GraphValue(Tensor<Float>([1, 2], shape: [1, 2]))])
    #expect(try outputs["y"]?.tensor(of: Float.self)?.elements == [2, 3])
    #expect(outputs["y"]?.tensor(of: Double.self) == nil)
    #expect(try outputs["whole"]?.tensor(of: Int64.self)?.elements == [2, 3])
    #expect(outputs["z"]?.tensor(of: Float.self) == nil)
  }

  @Test func anAwaitedRunGivesTheSame() async throws {
    let session = try session()
    let x = try GraphValue(Tensor<Float>([1, 2, 3, 4], shape: [2, 2]))
    let outputs = try await session.run(["x": x])
    #expect(try outputs["y"]?.tensor(of: Float.self)?.elements == [2, 3, 4, 5])
    let inner = try await session.run(["x": x], fetching: ["y"])
    #expect(inner.keys.sorted() == ["y"])
  }

  @Test func aCancelledRunEndsInAnError() async throws {
    let session = try session()
    let task = Task {
      // The waiting task is cancelled; only then does the run begin.
      while !Task.isCancelled { await Task.yield() }
      return try await session.run(["x": GraphValue(Tensor<Float>([1, 2], shape: [1, 2]))])
    }
    task.cancel()
    await #expect {
      _ = try await task.value
    } throws: { error in
      if case .cancelled? = error as? GraphError { true } else { false }
    }
  }

  /// What depends on a default alone is folded, and weights are laid out in advance: both for as long as it is one.
  @Test(arguments: [true, false])
  func defaultsOfInputsCanBeReplaced(optimizes: Bool) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2)])
    graph.input("w", [.size(2), .size(2)])
    try graph.constant("w", GraphValue(Tensor<Float>([1, 0, 0, 1], shape: [2, 2])))
    graph.node("MatMul", ["x", "w"], ["product"])
    graph.node("Neg", ["w"], ["negative"])
    graph.node("ReduceSum", ["negative"], ["sum"])
    graph.node("Add", ["product", "sum"], ["y"])
    var options = InferenceSession.Options()
    options.optimizes = optimizes
    let session = try InferenceSession(graph.model(outputs: ["y"]), options: options)
    let x = GraphValue(try Tensor<Float>([3, 4], shape: [1, 2]))
    let w = GraphValue(try Tensor<Float>([0, 2, 1, 0], shape: [2, 2]))
    func y(_ inputs: [String: GraphValue], _ names: [String]? = nil) throws -> [Float]? {
      try session.run(inputs, fetching: names)["y"]?.tensor(of: Float.self)?.elements
    }
    #expect(try y(["x": x]) == [1, 2])
    #expect(try y(["x": x, "w": w]) == [1, 3])
    #expect(try y(["x": x, "w": w], ["y"]) == [1, 3])
    #expect(try y(["x": x]) == [1, 2])
  }

  /// An input's default is a value of the type that the input declares; extents that it leaves open may be any.
  @Test(arguments: [(GraphDimension.size(2), false), (.size(3), true), (.symbol("n"), true)])
  func defaultsAreOfTheDeclaredType(rows: GraphDimension, isSound: Bool) throws {
    var graph = SmallGraph()
    graph.input("w", [rows, .size(2)])
    try graph.constant("w", GraphValue(Tensor<Float>(zeros: [3, 2])))
    graph.node("Shape", ["w"], ["y"])
    if isSound {
      let session = try InferenceSession(graph.model(outputs: ["y"]))
      #expect(try session.run([:])["y"]?.tensor(of: Int64.self)?.elements == [3, 2])
    } else {
      #expect {
        try InferenceSession(graph.model(outputs: ["y"]))
      } throws: { error in
        "\(error)".contains("initialiser 'w': it is FLOAT[3, 2]")
      }
    }
  }

  /// What a sequence or an optional holds is of the type that the input declares, and of the one that it says itself.
  @Test func elementsAreOfTheDeclaredType() throws {
    let (float, numbers) = (GraphValueType.tensor(.float, nil), GraphValue(try Tensor<Float>([1, 2])))
    let (open, others) = (GraphValueType.tensor(nil, nil), GraphValue(try Tensor<Int64>([1])))
    func result(_ type: GraphValueType, _ node: String, _ value: GraphValue) throws -> GraphValue? {
      var graph = SmallGraph()
      graph.input("x", type)
      graph.node(node, ["x"], ["y"])
      return try InferenceSession(graph.model(outputs: ["y"])).run(["x": value])["y"]
    }
    func count(_ value: GraphValue, _ type: GraphValueType = .sequence(.tensor(.float, nil))) throws -> [Int64]? {
      try result(type, "SequenceLength", value)?.tensor(of: Int64.self)?.elements
    }
    #expect(try count(.sequence([numbers, numbers], element: float)) == [2])
    #expect(try count(.sequence([numbers], element: open)) == [1])
    #expect(try count(.sequence([], element: float)) == [0])
    for (values, element) in [([others], float), ([numbers, others], float), ([others], open)] {
      #expect(throws: GraphError.self) { try count(.sequence(values, element: element)) }
    }
    #expect(throws: GraphError.self) { try count(.sequence([others], element: float), .sequence(open)) }
    func isThere(_ value: GraphValue) throws -> [Bool]? {
      try result(.optional(float), "OptionalHasElement", value)?.tensor(of: Bool.self)?.elements
    }
    #expect(try isThere(.optional(nil, element: float)) == [false])
    #expect(try isThere(.optional(numbers, element: float)) == [true])
    #expect(try isThere(numbers) == [true])
    for value in [GraphValue.optional(others, element: float), .optional(others, element: open), others] {
      #expect(throws: GraphError.self) { try isThere(value) }
    }
  }
}
