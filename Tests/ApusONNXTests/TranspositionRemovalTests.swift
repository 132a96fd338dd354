import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// A map `x` of 2 × 4 × 3 × 5, transposed to channels last, through some nodes that work so, and back.
@Suite struct TranspositionRemovalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The transpositions that are left with `exact`, and with `fast`; those that move nothing count, too.
    let left: (exact: Int, fast: Int)
    /// Adds nodes that read "in" and give "out".
    let nodes: @Sendable (inout SmallGraph) throws -> Void

    init(
      _ name: String, left: (exact: Int, fast: Int) = (0, 0),
      _ nodes: @escaping @Sendable (inout SmallGraph) throws -> Void
    ) {
      testDescription = name
      self.left = left
      self.nodes = nodes
    }
  }

  static let channels = [-0.5, 0, 0.25, 3].map { Float($0) }

  static let cases = [
    Case("a function of single elements") { $0.node("Sigmoid", ["in"], ["out"]) },
    Case("a bias a channel") {
      try $0.constant("bias", GraphValue(Tensor(channels)))
      $0.node("Add", ["in", "bias"], ["out"])
    },
    Case("a constant for a column") {
      try $0.constant("column", GraphValue(Tensor<Float>([1, 2, 3, 4, 5], shape: [5, 1])))
      $0.node("Mul", ["column", "in"], ["out"])
    },
    Case("a number") {
      try $0.constant("two", GraphValue(Tensor<Float>([2], shape: [1, 1])))
      $0.node("Div", ["two", "in"], ["out"])
    },
    Case("a PReLU in pieces") {
      try $0.constant("slope", GraphValue(Tensor(channels, shape: [1, 1, 4])))
      $0.node("Relu", ["in"], ["above"])
      $0.node("Neg", ["in"], ["negated"])
      $0.node("Relu", ["negated"], ["below"])
      $0.node("Mul", ["below", "slope"], ["scaled"])
      $0.node("Add", ["above", "scaled"], ["out"])
    },
    Case("a PReLU") {
      try $0.constant("slope", GraphValue(Tensor(channels, shape: [1, 1, 4])))
      $0.node("PRelu", ["in", "slope"], ["out"])
    },
    Case("two branches that are added") {
      $0.node("Tanh", ["in"], ["a"])
      $0.node("Exp", ["in"], ["b"])
      $0.node("Add", ["a", "b"], ["out"])
    },
    Case("a choice") {
      try $0.constant("zero", GraphValue(Tensor<Float>([0], shape: [])))
      $0.node("Less", ["in", "zero"], ["isNegative"])
      $0.node("Where", ["isNegative", "zero", "in"], ["out"])
    },
    Case("joined along the channels") {
      $0.node("Neg", ["in"], ["a"])
      $0.node("Concat", ["a", "in"], ["out"], ["axis": .int(-1)])
    },
    Case("split along a row, and one half dropped") {
      try $0.constant("sizes", GraphValue(Tensor<Int64>([2, 3])))
      $0.node("Split", ["in", "sizes"], ["a", "b"], ["axis": .int(2)])
      $0.node("Concat", ["b", "a"], ["out"], ["axis": .int(2)])
    },
    Case("padded") {
      try $0.constant("amounts", GraphValue(Tensor<Int64>([0, 1, 0, 0, 0, 0, 2, 3])))
      $0.node("Pad", ["in", "amounts"], ["out"])
    },
    Case("padded along named axes") {
      try $0.constant("amounts", GraphValue(Tensor<Int64>([1, 2, 0, 1])))
      try $0.constant("axes", GraphValue(Tensor<Int64>([-1, 1])))
      $0.node("Pad", ["in", "amounts", "", "axes"], ["out"], ["mode": .string(Array("edge".utf8))])
    },
    Case("cut") {
      try $0.constant("starts", GraphValue(Tensor<Int64>([0, 1])))
      try $0.constant("ends", GraphValue(Tensor<Int64>([2, 3])))
      $0.node("Slice", ["in", "starts", "ends"], ["out"])
    },
    Case("the greatest of a row") {
      try $0.constant("axes", GraphValue(Tensor<Int64>([-2])))
      $0.node("ReduceMax", ["in", "axes"], ["out"])
    },
    Case("the sum of a map: in another order with fast only", left: (2, 0)) {
      try $0.constant("axes", GraphValue(Tensor<Int64>([1, 2])))
      $0.node("ReduceSum", ["in", "axes"], ["out"])
    },
    // One of the two goes with the Slice.
    Case("a gate a channel, computed and not known", left: (1, 1)) {
      try $0.constant("axes", GraphValue(Tensor<Int64>([1, 2])))
      try $0.constant("first", GraphValue(Tensor<Int64>([0])))
      try $0.constant("second", GraphValue(Tensor<Int64>([1])))
      $0.node("Slice", ["in", "first", "second"], ["sample"])
      $0.node("CumSum", ["sample", "second"], ["sums"])
      $0.node("ReduceMax", ["sums", "axes"], ["gate"])
      $0.node("Mul", ["in", "gate"], ["out"])
    },
    Case("levels of 8 bits, a scale a channel") {
      try $0.constant("scale", GraphValue(Tensor<Float>([0.1, 0.2, 0.3, 0.4])))
      try $0.constant("zero", GraphValue(Tensor<UInt8>([1, 2, 3, 128])))
      $0.node("QuantizeLinear", ["in", "scale", "zero"], ["levels"], ["axis": .int(3)])
      $0.node("DequantizeLinear", ["levels", "scale", "zero"], ["out"], ["axis": .int(-1)])
    },
    Case("what goes by the order of axes stays between two", left: (2, 2)) {
      $0.node("CumSum", ["in", "axis"], ["out"])
    },
  ]

  private func model(_ test: Case) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(2), .size(4), .size(3), .size(5)])
    try graph.constant("axis", GraphValue(Tensor<Int64>([2], shape: [])))
    graph.node("Transpose", ["x"], ["in"], ["perm": .ints([0, 2, 3, 1])])
    try test.nodes(&graph)
    graph.node("Transpose", ["out"], ["y"], ["perm": .ints([0, 3, 1, 2])])
    return try graph.model(outputs: ["y"])
  }

  private func x() throws -> GraphValue {
    let numbers = (0..<120).map { index in Float(index * 37 % 61 - 30) / 15 }
    return GraphValue(try Tensor(numbers, shape: [2, 4, 3, 5]))
  }

  @Test(arguments: cases)
  func noBitChanges(test: Case) throws {
    let model = try model(test)
    var plain = InferenceSession.Options()
    plain.optimizes = false
    let expected = try InferenceSession(model, options: plain).run(["x": x()])["y"]
    let actual = try InferenceSession(model).run(["x": x()])["y"]
    #expect(try #require(actual).hasSameBits(as: #require(expected)))
  }

  @Test(arguments: cases)
  func noMoreAreLeftThanMustBe(test: Case) throws {
    let graph = try model(test).graph
    func left(_ precision: Execution.Precision) throws -> Int {
      try graph.optimized(precision).nodes.count { $0.operatorName.type == "Transpose" }
    }
    #expect(try left(.exact) == test.left.exact)
    #expect(try left(.fast) == test.left.fast)
  }

  @Test(arguments: cases)
  func whatIsShownIsWhatItWas(test: Case) throws {
    #expect(try valuesShownOtherwise(model(test), ["x": x()]) == [])
  }

  /// A value that is asked for comes with its axes as the model has them.
  @Test func valuesInBetweenAreWhatTheyWere() throws {
    let model = try model(Self.cases[1])
    let session = try InferenceSession(model)
    var plain = InferenceSession.Options()
    plain.optimizes = false
    let names = ["in", "out", "y"]
    let expected = try InferenceSession(model, options: plain).run(["x": x()], fetching: names)
    let actual = try session.run(["x": x()], fetching: names)
    for name in names { #expect(try #require(actual[name]).hasSameBits(as: #require(expected[name])), "\(name)") }
  }

  /// Where a tensor is read in both orders, nothing is won, and nothing changed.
  @Test func aGraphThatWouldMoveMoreStaysAsItIs() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2), .size(3)])
    graph.node("Transpose", ["x"], ["t"], ["perm": .ints([1, 0])])
    graph.node("Relu", ["t"], ["a"])
    graph.node("Exp", ["t"], ["b"])
    let plain = try graph.model(outputs: ["a", "b"]).graph
    let optimized = try plain.withoutOpposedTranspositions(.exact, isWhole: true)
    #expect(optimized.nodes.map(\.name) == plain.nodes.map(\.name))
  }

  /// Whether the axes as they are are all axes is for the node to say where the rank is not known before.
  @Test func axesAreCountedThoughNothingMoves() throws {
    var graph = SmallGraph()
    graph.input("x", [.symbol("n")])
    graph.node("Transpose", ["x"], ["t"], ["perm": .ints([0, 1])])
    graph.node("Relu", ["t"], ["y"])
    let model = try graph.model(outputs: ["y"])
    let x = GraphValue(try Tensor<Float>([1, 2, 3]))
    for optimizes in [true, false] {
      let session = try InferenceSession(model, options: .init(optimizes: optimizes))
      #expect(throws: GraphError.self, "optimizes: \(optimizes)") { try session.run(["x": x]) }
    }
  }
}
