import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What becomes of nodes that write out a function, and that it gives the same.
@Suite struct FusionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The operators that are left, in order, with `exact` and with `fast`.
    let left: (exact: [String], fast: [String])
    /// Adds nodes that read "x" and give "y".
    let nodes: @Sendable (inout SmallGraph) throws -> Void

    init(
      _ name: String, _ exact: [String], fast: [String]? = nil,
      _ nodes: @escaping @Sendable (inout SmallGraph) throws -> Void
    ) {
      testDescription = name
      left = (exact, fast ?? exact)
      self.nodes = nodes
    }
  }

  private static func weight(_ graph: inout SmallGraph) throws {
    let numbers = (0..<216).map { index in Float(index * 29 % 43 - 21) / 8 }
    try graph.constant("weight", GraphValue(Tensor(numbers, shape: [12, 2, 3, 3])))
  }

  private static func numbers(_ shape: [Int], _ scale: Float = 0.25) throws -> GraphValue {
    let numbers = (0..<shape.reduce(1, *)).map { index in Float(index * 7 % 11 - 5) * scale }
    return GraphValue(try Tensor(numbers, shape: shape))
  }

  private static func number(_ name: String, _ value: Float, _ graph: inout SmallGraph) throws {
    try graph.constant(name, GraphValue(Tensor<Float>([value], shape: [])))
  }

  /// The numbers that hard activations in pieces are made with.
  private static func hardNumbers(_ graph: inout SmallGraph) throws {
    for (name, value) in [("three", 3), ("zero", 0), ("six", 6)] as [(String, Float)] {
      try number(name, value, &graph)
    }
  }

  private static let statistics = ["scale", "shift", "mean", "variance"]

  private static func statistics(_ channels: Int, _ graph: inout SmallGraph) throws {
    for (name, scale) in zip(statistics, [0.3, 0.7, 0.2] as [Float]) {
      try graph.constant(name, numbers([channels], scale))
    }
    try graph.constant("variance", GraphValue(Tensor((0..<channels).map { Float($0 % 5) + 0.1 }, shape: [channels])))
  }

  /// Adds -∞ to some rows of x.
  private static func masked(_ graph: inout SmallGraph) throws {
    let rows: [Float] = [0, -.infinity, 0, 0, -.infinity, 0]
    try graph.constant("mask", GraphValue(Tensor(rows, shape: [6, 1])))
    try number("infinity", -.infinity, &graph)
    graph.node("Add", ["x", "mask"], ["masked"])
  }

  /// A softmax as core ATen has it.
  private static func allMasked(axis: Int, _ graph: inout SmallGraph) throws {
    try graph.constant("axis", GraphValue(Tensor<Int64>([Int64(axis)])))
    try number("zero", 0, &graph)
    try graph.constant("none", GraphValue(Tensor<Int32>([0], shape: [])))
    graph.node("Softmax", ["masked"], ["soft"], ["axis": .int(Int64(axis))])
    graph.node("Equal", ["masked", "infinity"], ["isInfinite"])
    graph.node("Not", ["isInfinite"], ["isLeft"])
    graph.node("Cast", ["isLeft"], ["one"], ["to": .int(Int64(ElementType.int32.rawValue))])
    graph.node("ReduceSum", ["one", "axis"], ["count"])
    graph.node("Greater", ["count", "none"], ["any"])
    graph.node("Not", ["any"], ["isMasked"])
    graph.node("Where", ["isMasked", "zero", "soft"], ["y"])
  }

  private static func pads(_ amounts: [Int64], _ graph: inout SmallGraph) throws {
    try graph.constant("pads", GraphValue(Tensor<Int64>(amounts)))
  }

  /// The mean of ones of this shape, which are made of a single one, beside 80,000 bytes of weights.
  private static func expanding(_ shape: [Int64], _ graph: inout SmallGraph) throws {
    try graph.constant("weight", numbers([200, 100]))
    try graph.constant("shape", GraphValue(Tensor<Int64>(shape)))
    try number("one", 1, &graph)
    graph.node("ReduceMean", ["weight"], ["mean"])
    graph.node("Add", ["x", "mean"], ["moved"])
    graph.node("Expand", ["one", "shape"], ["wide"])
    graph.node("ReduceMean", ["wide"], ["scale"])
    graph.node("Mul", ["moved", "scale"], ["y"])
  }

  static let cases = [
    Case("max(x, 0) - slope · max(-x, 0)", ["Elementwise"], fast: ["PRelu"]) {
      try $0.constant("slope", numbers([2, 1, 1]))
      $0.node("Relu", ["x"], ["above"])
      $0.node("Neg", ["x"], ["turned"])
      $0.node("Relu", ["turned"], ["below"])
      $0.node("Mul", ["slope", "below"], ["scaled"])
      $0.node("Sub", ["above", "scaled"], ["y"])
    },
    Case("slope · min(x, 0) + max(x, 0)", ["Min", "Elementwise"], fast: ["PRelu"]) {
      try $0.constant("slope", numbers([2, 1, 1]))
      try $0.constant("zero", GraphValue(Tensor<Float>([0], shape: [])))
      $0.node("Min", ["x", "zero"], ["below"])
      $0.node("Relu", ["x"], ["above"])
      $0.node("Mul", ["below", "slope"], ["scaled"])
      $0.node("Add", ["scaled", "above"], ["y"])
    },
    Case("an infinite slope is left alone", ["Elementwise"], fast: ["Elementwise"]) {
      try $0.constant("slope", GraphValue(Tensor<Float>([.infinity], shape: [])))
      $0.node("Relu", ["x"], ["above"])
      $0.node("Neg", ["x"], ["turned"])
      $0.node("Relu", ["turned"], ["below"])
      $0.node("Mul", ["slope", "below"], ["scaled"])
      $0.node("Sub", ["above", "scaled"], ["y"])
    },
    Case("max(x · slope, x)", ["LeakyRelu"]) {
      try $0.constant("slope", GraphValue(Tensor<Float>([0.1], shape: [])))
      $0.node("Mul", ["x", "slope"], ["scaled"])
      $0.node("Max", ["scaled", "x"], ["y"])
    },
    Case("max(x · 2, x) is no LeakyRelu", ["Mul", "Max"]) {
      try $0.constant("slope", GraphValue(Tensor<Float>([2], shape: [])))
      $0.node("Mul", ["x", "slope"], ["scaled"])
      $0.node("Max", ["scaled", "x"], ["y"])
    },
    Case("HardSwish after a convolution", ["Conv"]) {
      try weight(&$0)
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("HardSwish", ["sum"], ["y"])
    },
    Case("HardSwish in pieces", ["HardSwish"]) {
      try hardNumbers(&$0)
      $0.node("Add", ["x", "three"], ["raised"])
      $0.node("Clip", ["raised", "zero", "six"], ["cut"])
      $0.node("Mul", ["x", "cut"], ["product"])
      $0.node("Div", ["product", "six"], ["y"])
    },
    Case("HardSwish in pieces after a convolution, cut twice", ["Conv"]) {
      try weight(&$0)
      try hardNumbers(&$0)
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Add", ["three", "sum"], ["raised"])
      $0.node("Clip", ["raised", "zero"], ["above"])
      $0.node("Clip", ["above", "", "six"], ["cut"])
      $0.node("Mul", ["cut", "sum"], ["product"])
      $0.node("Div", ["product", "six"], ["y"])
    },
    Case("a hard sigmoid in pieces", ["HardSigmoid"]) {
      try hardNumbers(&$0)
      $0.node("Add", ["x", "three"], ["raised"])
      $0.node("Clip", ["raised", "zero", "six"], ["cut"])
      $0.node("Div", ["cut", "six"], ["y"])
    },
    Case("cut at another number, it is none", ["Elementwise"]) {
      try hardNumbers(&$0)
      try number("five", 5, &$0)
      $0.node("Add", ["x", "three"], ["raised"])
      $0.node("Clip", ["raised", "zero", "five"], ["cut"])
      $0.node("Div", ["cut", "six"], ["y"])
    },
    Case("divided by what is cut, it is none", ["Elementwise"]) {
      try hardNumbers(&$0)
      $0.node("Add", ["x", "three"], ["raised"])
      $0.node("Clip", ["raised", "zero", "six"], ["cut"])
      $0.node("Div", ["six", "cut"], ["y"])
    },
    Case("a batch normalisation and a function after a convolution", ["Conv"]) {
      try weight(&$0)
      try statistics(12, &$0)
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("BatchNormalization", ["sum"] + statistics, ["normal"], ["epsilon": .float(0.25)])
      $0.node("Sigmoid", ["normal"], ["gate"])
      $0.node("Mul", ["normal", "gate"], ["y"])
    },
    Case("a batch normalisation after a convolution with a bias of its own", ["Conv"]) {
      try weight(&$0)
      try statistics(12, &$0)
      try $0.constant("bias", numbers([12]))
      $0.node("Conv", ["x", "weight", "bias"], ["sum"])
      $0.node("BatchNormalization", ["sum"] + statistics, ["y"])
    },
    Case("a batch normalisation of what others read too", ["Conv", "BatchNormalization", "Elementwise"]) {
      try weight(&$0)
      try statistics(12, &$0)
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("BatchNormalization", ["sum"] + statistics, ["normal"])
      $0.node("Neg", ["sum"], ["turned"])
      $0.node("Mul", ["normal", "turned"], ["y"])
    },
    Case("a batch normalisation by what it is given", ["BatchNormalization"]) {
      try statistics(2, &$0)
      $0.node("BatchNormalization", ["x"] + statistics, ["y"], ["training_mode": .int(1)])
    },
    Case("and that of a convolution", ["Conv", "BatchNormalization"]) {
      try weight(&$0)
      try statistics(12, &$0)
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("BatchNormalization", ["sum"] + statistics, ["y"], ["training_mode": .int(1)])
    },
    Case("a bias of its own after a convolution", ["Conv", "Add"], fast: ["Conv"]) {
      try weight(&$0)
      try $0.constant("bias", numbers([12, 1, 1]))
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Add", ["bias", "sum"], ["y"])
    },
    Case("scale, shift and function after a convolution", ["Conv", "Elementwise"], fast: ["Conv"]) {
      try weight(&$0)
      try $0.constant("scale", numbers([1, 12, 1, 1], 0.3))
      try $0.constant("shift", numbers([12, 1, 1]))
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Mul", ["sum", "scale"], ["scaled"])
      $0.node("Sub", ["scaled", "shift"], ["shifted"])
      $0.node("Relu", ["shifted"], ["y"])
    },
    Case("a power of two after a convolution", ["Conv"]) {
      try weight(&$0)
      try $0.constant("eight", GraphValue(Tensor<Float>([8], shape: [])))
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Div", ["sum", "eight"], ["y"])
    },
    Case("GELU, halved last", ["Gelu"]) {
      try number("root", 1.414_213_5, &$0)
      try number("one", 1, &$0)
      try number("half", 0.5, &$0)
      $0.node("Div", ["x", "root"], ["scaled"])
      $0.node("Erf", ["scaled"], ["erf"])
      $0.node("Add", ["erf", "one"], ["sum"])
      $0.node("Mul", ["x", "sum"], ["product"])
      $0.node("Mul", ["product", "half"], ["y"])
    },
    Case("GELU, halved first", ["Gelu"]) {
      try number("root", 0.707_106_77, &$0)
      try number("one", 1, &$0)
      try number("half", 0.5, &$0)
      $0.node("Mul", ["root", "x"], ["scaled"])
      $0.node("Erf", ["scaled"], ["erf"])
      $0.node("Add", ["one", "erf"], ["sum"])
      $0.node("Mul", ["x", "half"], ["halved"])
      $0.node("Mul", ["halved", "sum"], ["y"])
    },
    Case("GELU, its distribution halved, after a convolution", ["Conv"]) {
      try weight(&$0)
      try number("root", 0.707_106_77, &$0)
      try number("one", 1, &$0)
      try number("half", 0.5, &$0)
      $0.node("Conv", ["x", "weight"], ["v"])
      $0.node("Mul", ["v", "root"], ["scaled"])
      $0.node("Erf", ["scaled"], ["erf"])
      $0.node("Add", ["erf", "one"], ["sum"])
      $0.node("Mul", ["half", "sum"], ["distribution"])
      $0.node("Mul", ["distribution", "v"], ["y"])
    },
    Case("erf of another width keeps its width", ["Gelu"]) {
      try number("root", 0.5, &$0)
      try number("one", 1, &$0)
      try number("half", 0.5, &$0)
      $0.node("Mul", ["x", "root"], ["scaled"])
      $0.node("Erf", ["scaled"], ["erf"])
      $0.node("Add", ["erf", "one"], ["sum"])
      $0.node("Mul", ["x", "sum"], ["product"])
      $0.node("Mul", ["product", "half"], ["y"])
    },
    Case("twice the sum is no GELU", ["Elementwise"]) {
      try number("root", 0.707_106_77, &$0)
      try number("one", 1, &$0)
      try number("two", 2, &$0)
      $0.node("Mul", ["x", "root"], ["scaled"])
      $0.node("Erf", ["scaled"], ["erf"])
      $0.node("Add", ["erf", "one"], ["sum"])
      $0.node("Mul", ["x", "sum"], ["product"])
      $0.node("Mul", ["product", "two"], ["y"])
    },
    Case("rows that are not numbers after a softmax", ["Softmax", "NanToNum"]) {
      try number("zero", 0, &$0)
      $0.node("Softmax", ["x"], ["shares"])
      $0.node("IsNaN", ["shares"], ["none"])
      $0.node("Where", ["none", "zero", "shares"], ["y"])
    },
    Case("zeros around a convolution's map", ["Conv"]) {
      try weight(&$0)
      try pads([0, 0, 1, 2, 0, 0, 1, 0], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Conv", ["padded", "weight"], ["y"], ["pads": .ints([0, 1, 2, 0])])
    },
    Case("zeros around a depthwise convolution's map", ["Conv"]) {
      try $0.constant("weight", numbers([2, 1, 3, 3]))
      try pads([0, 0, 0, 0, 0, 0, 1, 1], &$0)
      try number("zero", 0, &$0)
      $0.node("Pad", ["x", "pads", "zero"], ["padded"])
      $0.node(
        "Conv", ["padded", "weight"], ["y"],
        ["group": .int(2), "strides": .ints([2, 2]), "auto_pad": .string(Array("VALID".utf8))])
    },
    Case("zeros around a map whose rows become columns", ["Transpose", "Conv"]) {
      try weight(&$0)
      try pads([0, 0, 1, 2, 0, 0, 0, 3], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Transpose", ["padded"], ["turned"], ["perm": .ints([0, 1, 3, 2])])
      $0.node("Conv", ["turned", "weight"], ["y"], ["pads": .ints([0, 1, 0, 0])])
    },
    Case("zeros around a map that becomes a volume", ["Unsqueeze", "Conv"]) {
      try $0.constant("weight", numbers([3, 2, 1, 3, 3]))
      try $0.constant("axis", GraphValue(Tensor<Int64>([-3])))
      try pads([0, 0, 1, 0, 0, 0, 0, 2], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Unsqueeze", ["padded", "axis"], ["deep"])
      $0.node("Conv", ["deep", "weight"], ["y"])
    },
    Case("zeros around the axis that becomes the channels", ["Pad", "Transpose", "Conv"]) {
      try $0.constant("weight", numbers([3, 8, 1, 2]))
      try pads([0, 0, 1, 0, 0, 0, 1, 0], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Transpose", ["padded"], ["turned"], ["perm": .ints([0, 2, 1, 3])])
      $0.node("Conv", ["turned", "weight"], ["y"])
    },
    Case("an infinite depthwise weight sees the zeros", ["Pad", "Conv"]) {
      var weight = [Float](repeating: 0.5, count: 18)
      weight[4] = .infinity
      try $0.constant("weight", GraphValue(Tensor(weight, shape: [2, 1, 3, 3])))
      try pads([0, 0, 1, 1, 0, 0, 1, 1], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Conv", ["padded", "weight"], ["y"], ["group": .int(2)])
    },
    Case("ones around a convolution's map", ["Pad", "Conv"]) {
      try weight(&$0)
      try pads([0, 0, 1, 1, 0, 0, 1, 1], &$0)
      try number("one", 1, &$0)
      $0.node("Pad", ["x", "pads", "one"], ["padded"])
      $0.node("Conv", ["padded", "weight"], ["y"])
    },
    Case("a mirrored border", ["Pad", "Conv"]) {
      try weight(&$0)
      try pads([0, 0, 1, 1, 0, 0, 1, 1], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"], ["mode": .string(Array("reflect".utf8))])
      $0.node("Conv", ["padded", "weight"], ["y"])
    },
    Case("a map that is cut", ["Pad", "Conv"]) {
      try weight(&$0)
      try pads([0, 0, 0, -1, 0, 0, 1, 1], &$0)
      $0.node("Pad", ["x", "pads"], ["padded"])
      $0.node("Conv", ["padded", "weight"], ["y"])
    },
    Case("numbers a column are no scale of channels", ["Conv", "Mul"]) {
      try weight(&$0)
      try $0.constant("scale", numbers([5]))
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Mul", ["sum", "scale"], ["y"])
    },
    Case("a function behind another shape", ["Conv", "Reshape"]) {
      try weight(&$0)
      try $0.constant("shape", GraphValue(Tensor<Int64>([12, 20])))
      $0.node("Conv", ["x", "weight"], ["sum"])
      $0.node("Reshape", ["sum", "shape"], ["flat"])
      $0.node("Sigmoid", ["flat"], ["gate"])
      $0.node("Mul", ["flat", "gate"], ["y"])
    },
    Case("a softmax, and zeros where the greatest is -∞", ["Add", "Softmax"]) {
      try masked(&$0)
      try $0.constant("axis", GraphValue(Tensor<Int64>([3])))
      try number("zero", 0, &$0)
      $0.node("Softmax", ["masked"], ["soft"], ["axis": .int(3)])
      $0.node("ReduceMax", ["masked", "axis"], ["most"])
      $0.node("Equal", ["most", "infinity"], ["isMasked"])
      $0.node("Where", ["isMasked", "zero", "soft"], ["y"])
    },
    Case("a softmax along rows, and zeros where all is -∞", ["Add", "Softmax"]) {
      try masked(&$0)
      try allMasked(axis: 2, &$0)
    },
    Case("a softmax along columns, and zeros where all is -∞", ["Add", "Softmax"]) {
      try masked(&$0)
      try allMasked(axis: 3, &$0)
    },
    Case("a softmax beside what is found along another axis", ["Add", "Softmax", "ReduceMax", "Equal", "Where"]) {
      try masked(&$0)
      try $0.constant("axis", GraphValue(Tensor<Int64>([2])))
      try number("zero", 0, &$0)
      $0.node("Softmax", ["masked"], ["soft"], ["axis": .int(3)])
      $0.node("ReduceMax", ["masked", "axis"], ["most"])
      $0.node("Equal", ["most", "infinity"], ["isMasked"])
      $0.node("Where", ["isMasked", "zero", "soft"], ["y"])
    },
    Case("as much as the weights take is computed once", ["Elementwise"]) { try expanding([200, 100], &$0) },
    Case("and so is what is small again after more than that", ["Elementwise"]) { try expanding([300, 100], &$0) },
    Case("but nothing that stays large", ["ReduceMean", "Expand", "Mul", "ReduceMax"]) {
      try $0.constant("shape", GraphValue(Tensor<Int64>([300, 100])))
      try number("one", 1, &$0)
      $0.node("ReduceMean", ["x"], ["mean"])
      $0.node("Expand", ["one", "shape"], ["wide"])
      $0.node("Mul", ["mean", "wide"], ["scaled"])
      $0.node("ReduceMax", ["scaled"], ["y"])
    },
  ]

  private func model(_ test: Case) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(2), .size(6), .size(7)])
    try test.nodes(&graph)
    return try graph.model(outputs: ["y"])
  }

  /// Numbers of both signs, both zeros, infinities and NaN.
  private func x(isFinite: Bool) throws -> GraphValue {
    var numbers = (0..<84).map { index in Float(index * 37 % 61 - 27) / 9 }
    numbers[5] = 0
    numbers[6] = -0.0
    if !isFinite { numbers.replaceSubrange(7..<10, with: [.infinity, -.infinity, .nan]) }
    return GraphValue(try Tensor(numbers, shape: [1, 2, 6, 7]))
  }

  private func results(_ test: Case, _ precision: Execution.Precision, isFinite: Bool) throws -> (
    GraphValue, GraphValue
  ) {
    let model = try model(test)
    var options = InferenceSession.Options()
    options.precision = precision
    let actual = try InferenceSession(model, options: options).run(["x": x(isFinite: isFinite)])["y"]
    options.optimizes = false
    let expected = try InferenceSession(model, options: options).run(["x": x(isFinite: isFinite)])["y"]
    return (try #require(actual), try #require(expected))
  }

  @Test(arguments: cases)
  func exactlyTheSame(test: Case) throws {
    let (actual, expected) = try results(test, .exact, isFinite: true)
    #expect(try actual.hasSameBits(as: expected))
    let (a, b) = try results(test, .exact, isFinite: false)
    let (c, d) = (try #require(a.tensor(of: Float.self)).elements, try #require(b.tensor(of: Float.self)).elements)
    #expect(zip(c, d).allSatisfy { $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN })
  }

  @Test(arguments: cases)
  func whatIsShownIsWhatItWas(test: Case) throws {
    #expect(try valuesShownOtherwise(model(test), ["x": x(isFinite: true)]) == [])
  }

  /// Sums of eighteen products, some of them scaled once more: a few roundings of the largest.
  @Test(arguments: cases)
  func nearlyTheSameWhereSpeedCounts(test: Case) throws {
    let (actual, expected) = try results(test, .fast, isFinite: true)
    let (a, b) = (try #require(actual.tensor(of: Float.self)), try #require(expected.tensor(of: Float.self)))
    let largest = try b.elements.lazy.map(abs).filter(\.isFinite).max() ?? 0
    #expect(
      try a.shape == b.shape
        && zip(a.elements, b.elements).allSatisfy { $0 == $1 || abs($0 - $1) <= 4e-6 * largest || $0.isNaN && $1.isNaN }
    )
  }

  @Test func whatNobodyReadsIsNotAskedFor() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3), .size(7)])
    try graph.constant("scale", Self.numbers([7]))
    graph.node("LayerNormalization", ["x", "scale"], ["y", "mean", "deviation"])
    func left(_ outputs: [String]) throws -> [Bool] {
      try graph.model(outputs: outputs).graph.optimized(.exact).nodes[0].outputs.map { $0 != nil }
    }
    #expect(try left(["y"]) == [true, false, false])
    #expect(try left(["y", "deviation"]) == [true, false, true])
  }

  /// Before opset 11 bounds that are left out are the limits of FLOAT.
  @Test func aRampOfTwoCutsWithAttributesIsAHardSigmoid() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(3)])
    try Self.hardNumbers(&graph)
    graph.node("Add", ["x", "three"], ["raised"])
    graph.node("Clip", ["raised"], ["above"], ["min": .float(0)])
    graph.node("Clip", ["above"], ["cut"], ["max": .float(6)])
    graph.node("Div", ["cut", "six"], ["y"])
    let optimized = try graph.model(outputs: ["y"], version: 10).graph.optimized(.exact)
    #expect(optimized.nodes.map(\.operatorName.type) == ["HardSigmoid"])
  }

  @Test(arguments: cases)
  func theseAreLeft(test: Case) throws {
    let graph = try model(test).graph
    func left(_ precision: Execution.Precision) throws -> [String] {
      try graph.optimized(precision).nodes.map(\.operatorName.type)
    }
    #expect(try left(.exact) == test.left.exact)
    #expect(try left(.fast) == test.left.fast)
  }
}
