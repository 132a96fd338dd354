import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Models against others that differ from them by rounding alone, and by more.
@Suite struct ComparedRoundingTests {
  private func comparison(
    _ model: ONNXModel, _ reference: ONNXModel, _ x: Tensor<Float>
  ) throws -> ModelComparisonReport {
    var comparison = try ModelComparison(model, against: reference)
    try comparison.run(["x": GraphValue(x)])
    return comparison.report
  }

  /// Two layers in FLOAT16 between casts, as converters make of a model that keeps its inputs and outputs, or in FLOAT.
  private func perceptron(_ type: ElementType, bias: Float = 0) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(3), .size(32)])
    let weight = try Tensor((0..<1024).map { Float(($0 * 37) % 101 - 50) / 300 }, shape: [32, 32])
    for name in ["w1", "w2"] {
      let value = AnyTensor(weight)
      try graph.constant(name, .tensor(type == .float ? value : value.converted(to: .float16)))
    }
    try graph.constant("b", GraphValue(Tensor(repeating: bias, shape: [32])))
    func cast(_ x: String, _ y: String, _ type: ElementType) {
      graph.node("Cast", [x], [y], ["to": .int(Int64(type.rawValue))])
    }
    cast("x", "narrow", type)
    graph.node("MatMul", ["narrow", "w1"], ["first"])
    graph.node("Relu", ["first"], ["active"])
    graph.node("MatMul", ["active", "w2"], ["second"])
    cast("second", "wide", .float)
    graph.node("Add", ["wide", "b"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  @Test func `numbers of sixteen bits are as coarse behind a cast`() throws {
    let x = try Tensor((0..<96).map { Float(($0 * 29) % 67) / 67 - 0.5 }, shape: [3, 32])
    let half = try perceptron(.float16)
    #expect(try comparison(half, perceptron(.float), x).isEqual)
    #expect(try comparison(half, half, x).isEqual)
    let wrong = try comparison(perceptron(.float16, bias: 0.1), perceptron(.float), x)
    #expect(wrong.samples.first?.parity.nodes.first { $0.status == .wrong }?.name == "y")
  }

  /// A product of FLOAT that is cast to DOUBLE, and a bias that is added there.
  private func widened(bias: Double = 0) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(3), .size(32)])
    try graph.constant("w", GraphValue(Tensor((0..<256).map { Float(($0 * 37) % 101 - 50) / 30 }, shape: [32, 8])))
    try graph.constant("b", GraphValue(Tensor(repeating: bias, shape: [8])))
    graph.node("MatMul", ["x", "w"], ["narrow"])
    graph.node("Cast", ["narrow"], ["wide"], ["to": .int(Int64(ElementType.double.rawValue))])
    graph.node("Add", ["wide", "b"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  /// Numbers of FLOAT have 2⁻²⁴ of themselves as rounding in DOUBLE too; a thousandth of them is more.
  @Test func `numbers of FLOAT are as coarse behind a cast to DOUBLE`() throws {
    let x = try Tensor((0..<96).map { Float(($0 * 29) % 67) / 67 - 0.5 }, shape: [3, 32])
    #expect(try comparison(widened(), widened(), x).isEqual)
    let wrong = try comparison(widened(bias: 1e-3), widened(), x)
    #expect(wrong.samples.first?.parity.nodes.first { $0.status == .wrong }?.name == "y")
  }

  /// 3.4e38 of what goes in, twice, and a mask made of that or what is no number of it.
  private func overflowing(by factor: Float, then end: (inout SmallGraph) -> Void) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(4)])
    try graph.constant("most", GraphValue(Tensor<Float>([-3.4e38], shape: [1])))
    try graph.constant("factor", GraphValue(Tensor([factor], shape: [1])))
    graph.node("Mul", ["x", "most"], ["mask"])
    graph.node("Mul", ["mask", "factor"], ["wide"])
    end(&graph)
    return try graph.model(outputs: ["y"])
  }

  /// −6.8e38 is −∞ in FLOAT, and what it masks is 0 either way.
  @Test func `what FLOAT cannot hold is infinite in the reference too`() throws {
    let x = try Tensor<Float>([1, 0, 0.25, 0.9], shape: [1, 4])
    func model(_ factor: Float) throws -> ONNXModel {
      try overflowing(by: factor) {
        $0.node("Add", ["wide", "x"], ["scores"])
        $0.node("Softmax", ["scores"], ["y"])
      }
    }
    let report = try comparison(model(2), model(2), x)
    #expect(report.isEqual)
    #expect(report.samples.first?.parity.checkedCount == 4)
    // −340 is held by both, and no mask.
    #expect(try !comparison(model(2), model(1e-36), x).isEqual)
  }

  /// ∞ − ∞ is NaN, where DOUBLE has 0: the output is no number, and no node is to blame.
  @Test func `what comes of an infinity is no error of the node`() throws {
    let x = try Tensor<Float>([1, 0, 0.25, 0.9], shape: [1, 4])
    let model = try overflowing(by: 2) { $0.node("Sub", ["wide", "wide"], ["y"]) }
    #expect(try comparison(model, model, x).samples.first?.parity.verdict == .accumulated(first: 2))
  }

  /// Weights of FLOAT16 in FLOAT are off by 2⁻¹¹ of themselves at most: of a value near `size`, by more than any number that
  /// suits values near 1.
  @Test(arguments: [Float(1), 1000])
  func `share of the scale suits values of any size`(size: Float) throws {
    let x = try Tensor((0..<96).map { size * (Float(($0 * 29) % 67) / 67 - 0.5) }, shape: [3, 32])
    let weight = try Tensor((0..<1024).map { Float(($0 * 37) % 101 - 50) / 300 }, shape: [32, 32])
    func model(_ weight: Tensor<Float>) throws -> ONNXModel {
      var graph = SmallGraph()
      graph.input("x", [.size(3), .size(32)])
      try graph.constant("w", GraphValue(weight))
      graph.node("MatMul", ["x", "w"], ["y"])
      graph.node("ArgMax", ["y"], ["label"], ["axis": .int(1)])
      return try graph.model(outputs: ["y", "label"])
    }
    func isEqual(_ own: Tensor<Float>, _ tolerance: ParityTolerance) throws -> Bool {
      var comparison = try ModelComparison(model(own), against: model(weight), options: .init(tolerance: tolerance))
      try comparison.run(["x": GraphValue(x)])
      return comparison.report.isEqual
    }
    let rounded = try AnyTensor(weight).converted(to: .float16).converted(to: Float.self)
    #expect(try !isEqual(rounded, .init()))
    #expect(try isEqual(rounded, .init(scaled: 2e-3)))
    #expect(try !isEqual(rounded, .init(scaled: 1e-6)))
    var elements = try weight.elements
    elements[0] += 0.5
    #expect(try !isEqual(Tensor(elements, shape: [32, 32]), .init(scaled: 2e-3)))
  }

  /// A class that is another by one is another, however large its number is.
  @Test func `integers have no share of a scale`() throws {
    let tolerance = ParityTolerance(scaled: 0.1)
    let labels = GraphValue(try Tensor<Int64>([999, 0]))
    #expect(try tolerance.isolated(labels, computedIn: .int64, terms: 1) == .exact)
    #expect(try tolerance.cumulative(labels, computedIn: .int64, levels: .none) == .exact)
    let numbers = GraphValue(try Tensor<Float>([-50, 1]))
    #expect(try tolerance.isolated(numbers, computedIn: .float, terms: 1).absolute == 5)
    #expect(try tolerance.cumulative(numbers, computedIn: .float, levels: .none).absolute == 5)
  }

  /// Rows of a table by numbers that are divided, or multiplied, and cut to whole ones; of so few that they are no pair.
  private func buckets(_ name: String, _ number: Float) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    try graph.constant("number", GraphValue(Tensor([number])))
    try graph.constant("table", GraphValue(Tensor((0..<32).map { Float(($0 * 37) % 101 - 50) / 30 }, shape: [8, 4])))
    graph.node(name, ["x", "number"], [name])
    graph.node("Cast", [name], ["bucket"], ["to": .int(Int64(ElementType.int64.rawValue))])
    graph.node("Gather", ["table", "bucket"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  /// Three by three is 1, and times a third that was rounded down 0.99999994. Halves of even numbers are rounded nowhere.
  @Test func `a bucket is decided by rounding where numbers are rounded`() throws {
    let third = Float(1) / 3
    let x = try Tensor<Float>([1, 3, 5])
    #expect(try comparison(buckets("Div", 3), buckets("Mul", third.nextDown), x).isEqual)
    #expect(try comparison(buckets("Mul", third.nextDown), buckets("Div", 3), x).isEqual)
    let other = try comparison(buckets("Div", 3), buckets("Mul", third + 0.1), x)
    #expect(other.samples.first?.parity.nodes.first { $0.status == .wrong }?.name == "y")
    let even = try comparison(buckets("Div", 2), buckets("Mul", Float(0.5).nextDown), Tensor<Float>([2, 4, 6]))
    #expect(!even.isEqual)
  }

  /// Angles of positions, up to 4095 radians: FLOAT has them to 2e-4.
  private func positions(step: Float = 1) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(64), .size(1)])
    try graph.constant("step", GraphValue(Tensor([step * 63.7], shape: [1])))
    graph.node("Mul", ["x", "step"], ["angle"])
    graph.node("Cos", ["angle"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  @Test func `what rounded angles come to is no fault of the cosine`() throws {
    let x = try Tensor((0..<64).map { Float($0) + 0.3 }, shape: [64, 1])
    #expect(try comparison(positions(), positions(), x).isEqual)
    #expect(try !comparison(positions(step: 1.0001), positions(), x).isEqual)
  }
}
