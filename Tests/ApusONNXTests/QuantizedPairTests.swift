import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What becomes of nodes between DequantizeLinear and QuantizeLinear, of bytes `x` of 1 × 2 × 6 × 7, and that it is the same
/// however it is run.
@Suite struct QuantizedPairTests {
  typealias Case = RewritingCase

  private static func levels(_ name: String, _ scale: Float, _ point: UInt8, _ graph: inout SmallGraph) throws {
    try graph.constant("\(name).scale", GraphValue(Tensor<Float>([scale], shape: [])))
    try graph.constant("\(name).point", GraphValue(Tensor<UInt8>([point], shape: [])))
  }

  private static func dequantize(_ x: String, _ levels: String, _ y: String, _ graph: inout SmallGraph) {
    graph.node("DequantizeLinear", [x, "\(levels).scale", "\(levels).point"], [y])
  }

  private static func quantize(_ x: String, _ levels: String, _ y: String, _ graph: inout SmallGraph) {
    graph.node("QuantizeLinear", [x, "\(levels).scale", "\(levels).point"], [y])
  }

  /// A kernel of 3 outputs, dequantised along `axis`.
  private static func weight(_ graph: inout SmallGraph, axis: Int64 = 0) throws {
    let count = axis == 0 ? 3 : 2
    try graph.constant(
      "bytes", GraphValue(Tensor((0..<54).map { Int8($0 * 37 % 255 - 127) }, shape: [3, 2, 3, 3])))
    try graph.constant("scales", GraphValue(Tensor((0..<count).map { 0.003 + Float($0) / 512 })))
    try graph.constant("points", GraphValue(Tensor([Int8](repeating: 0, count: count))))
    graph.node("DequantizeLinear", ["bytes", "scales", "points"], ["weight"], ["axis": .int(axis)])
  }

  /// A matrix `[5, terms]`, dequantised along an axis, and the same `[terms, 5]`.
  private static func turnedMatrix(_ graph: inout SmallGraph, terms: Int = 7, axis: Int64 = 0) throws {
    let count = axis == 0 ? 5 : terms
    try graph.constant(
      "bytes", GraphValue(Tensor((0..<(5 * terms)).map { Int8($0 * 37 % 255 - 127) }, shape: [5, terms])))
    try graph.constant("scales", GraphValue(Tensor((0..<count).map { 0.003 + Float($0) / 512 })))
    graph.node("DequantizeLinear", ["bytes", "scales"], ["matrix"], ["axis": .int(axis)])
    graph.node("Transpose", ["matrix"], ["turned"])
  }

  static let cases = [
    Case("a convolution, quantised again", ["ConvInteger"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.05, 0, &$0)
      try weight(&$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Conv", ["numbers", "weight"], ["sums"])
      $0.node("Relu", ["sums"], ["positive"])
      quantize("positive", "b", "y", &$0)
    },
    Case("a convolution beside Constant nodes", ["ConvInteger", "Reshape"]) {
      try levels("a", 0.02, 120, &$0)
      try weight(&$0)
      $0.node("Constant", [], ["unread"], ["value_float": .float(3)])
      $0.node("Constant", [], ["shape"], ["value_ints": .ints([1, -1])])
      dequantize("x", "a", "numbers", &$0)
      $0.node("Conv", ["numbers", "weight"], ["sums"])
      $0.node("Reshape", ["sums", "shape"], ["y"])
    },
    Case("a product of matrices that are computed", ["Transpose", "MatMulInteger"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.05, 9, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Transpose", ["numbers"], ["turned"], ["perm": .ints([0, 1, 3, 2])])
      quantize("turned", "a", "bytes", &$0)
      dequantize("bytes", "a", "others", &$0)
      $0.node("MatMul", ["numbers", "others"], ["product"])
      quantize("product", "b", "y", &$0)
    },
    Case("a matrix that is turned between", ["MatMulInteger"]) {
      try levels("a", 0.02, 120, &$0)
      try turnedMatrix(&$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("MatMul", ["numbers", "turned"], ["y"])
    },
    Case("a matrix that is turned between, of Gemm", ["Flatten", "MatMulInteger"]) {
      try levels("a", 0.02, 120, &$0)
      try turnedMatrix(&$0, terms: 84)
      $0.node("Flatten", ["x"], ["flat"])
      dequantize("flat", "a", "numbers", &$0)
      $0.node("Gemm", ["numbers", "turned"], ["y"])
    },
    Case("a matrix whose scales are along its terms", ["DequantizeLinear", "MatMul"]) {
      try levels("a", 0.02, 120, &$0)
      try turnedMatrix(&$0, axis: 1)
      dequantize("x", "a", "numbers", &$0)
      $0.node("MatMul", ["numbers", "turned"], ["y"])
    },
    Case("scales along the inputs are left alone", ["DequantizeLinear", "Conv"]) {
      try levels("a", 0.02, 120, &$0)
      try weight(&$0, axis: 1)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Conv", ["numbers", "weight"], ["y"])
    },
    Case("numbers that are read elsewhere too", ["DequantizeLinear", "ConvInteger", "ReduceMean", "Add"]) {
      try levels("a", 0.02, 120, &$0)
      try weight(&$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Conv", ["numbers", "weight"], ["sums"])
      $0.node("ReduceMean", ["numbers"], ["mean"])
      $0.node("Add", ["sums", "mean"], ["y"])
    },
    Case("a pool and a reshape of the same levels", ["MaxPool", "Flatten"]) {
      try levels("a", 0.02, 120, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("MaxPool", ["numbers"], ["pooled"], ["kernel_shape": .ints([2, 2])])
      quantize("pooled", "a", "bytes", &$0)
      dequantize("bytes", "a", "again", &$0)
      $0.node("Flatten", ["again"], ["flat"])
      quantize("flat", "a", "y", &$0)
    },
    Case("inputs of the same levels, and others behind them", ["Elementwise", "Concat", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.03, 17, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Relu", ["numbers"], ["positive"])
      quantize("positive", "a", "others", &$0)
      dequantize("others", "a", "again", &$0)
      $0.node("Concat", ["numbers", "again"], ["both"], ["axis": .int(1)])
      quantize("both", "b", "y", &$0)
    },
    Case("inputs of several levels", ["Elementwise", "Concat"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.03, 17, &$0)
      dequantize("x", "a", "numbers", &$0)
      dequantize("x", "b", "others", &$0)
      $0.node("Concat", ["numbers", "others", "numbers"], ["both"], ["axis": .int(3)])
      quantize("both", "b", "y", &$0)
    },
    Case("a pool between other levels", ["MaxPool", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.03, 120, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("MaxPool", ["numbers"], ["pooled"], ["kernel_shape": .ints([2, 2])])
      quantize("pooled", "b", "y", &$0)
    },
    Case("a pool that another node reads", ["DequantizeLinear", "MaxPool", "ReduceMax", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("MaxPool", ["numbers"], ["pooled"], ["kernel_shape": .ints([2, 2])])
      quantize("pooled", "a", "bytes", &$0)
      $0.node("ReduceMax", ["pooled"], ["greatest"])
      dequantize("bytes", "a", "again", &$0)
      $0.node("Add", ["again", "greatest"], ["y"])
    },
    Case("functions of single elements", ["Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.011, 100, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Sigmoid", ["numbers"], ["gate"])
      $0.node("Mul", ["numbers", "gate"], ["product"])
      quantize("product", "b", "y", &$0)
    },
    Case("a gate that is quantised itself", ["Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 1.0 / 255, 0, &$0)
      try levels("c", 0.015, 18, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Sigmoid", ["numbers"], ["gate"])
      quantize("gate", "b", "bytes", &$0)
      dequantize("bytes", "b", "again", &$0)
      $0.node("Mul", ["numbers", "again"], ["product"])
      quantize("product", "c", "y", &$0)
    },
    Case("bytes that are read as other levels than they were made", ["Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.03, 17, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Relu", ["numbers"], ["positive"])
      quantize("positive", "b", "bytes", &$0)
      dequantize("bytes", "a", "again", &$0)
      $0.node("Neg", ["again"], ["y"])
    },
    Case("numbers that are quantised before anything else", ["DequantizeLinear", "Softmax", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.001, 130, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Softmax", ["numbers"], ["shares"])
      quantize("shares", "b", "bytes", &$0)
      dequantize("bytes", "b", "again", &$0)
      $0.node("Tanh", ["again"], ["y"])
    },
    Case("bytes beside what is stretched over them", ["Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try $0.constant("bias", GraphValue(Tensor<Float>([0.25, -1], shape: [2, 1, 1])))
      dequantize("x", "a", "numbers", &$0)
      $0.node("Add", ["numbers", "bias"], ["sums"])
      $0.node("Tanh", ["sums"], ["y"])
    },
    Case("bytes that are stretched themselves", ["DequantizeLinear", "ReduceMean", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("ReduceMean", ["numbers"], ["mean"])
      quantize("mean", "a", "bytes", &$0)
      dequantize("bytes", "a", "number", &$0)
      $0.node("Mul", ["number", "numbers"], ["product"])
      quantize("product", "a", "y", &$0)
    },
    Case("a gate that is made of fewer bytes", ["DequantizeLinear", "GlobalAveragePool", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 1.0 / 255, 0, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("GlobalAveragePool", ["numbers"], ["means"])
      quantize("means", "a", "mean bytes", &$0)
      dequantize("mean bytes", "a", "means again", &$0)
      $0.node("Sigmoid", ["means again"], ["gates"])
      quantize("gates", "b", "gate bytes", &$0)
      dequantize("gate bytes", "b", "gates again", &$0)
      $0.node("Mul", ["numbers", "gates again"], ["product"])
      quantize("product", "a", "y", &$0)
    },
    Case("bytes of fewer axes", ["Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try $0.constant(
        "others", GraphValue(Tensor((0..<84).map { UInt8(truncatingIfNeeded: $0 * 31) }, shape: [2, 6, 7])))
      dequantize("x", "a", "numbers", &$0)
      dequantize("others", "a", "bias", &$0)
      $0.node("Add", ["numbers", "bias"], ["sums"])
      quantize("sums", "a", "y", &$0)
    },
    Case(
      "numbers that a function of single elements and another node read",
      ["Elementwise", "DequantizeLinear", "ReduceMax", "Elementwise"]
    ) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.011, 100, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Tanh", ["numbers"], ["turned"])
      quantize("turned", "b", "bytes", &$0)
      dequantize("bytes", "b", "again", &$0)
      $0.node("ReduceMax", ["again"], ["greatest"])
      $0.node("Sub", ["again", "greatest"], ["differences"])
      quantize("differences", "b", "y", &$0)
    },
    Case("zeros around bytes", ["Pad"]) {
      try levels("a", 0.02, 120, &$0)
      try $0.constant("pads", GraphValue(Tensor<Int64>([0, 0, 1, -1, 0, 0, 2, 3])))
      dequantize("x", "a", "numbers", &$0)
      $0.node("Pad", ["numbers", "pads"], ["padded"])
      quantize("padded", "a", "y", &$0)
    },
    Case("zeros around bytes of other levels", ["Pad", "Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.03, 17, &$0)
      try $0.constant("pads", GraphValue(Tensor<Int64>([0, 0, 1, 1, 0, 0, 1, 1])))
      try $0.constant("zero", GraphValue(Tensor<Float>([0], shape: [])))
      dequantize("x", "a", "numbers", &$0)
      $0.node("Pad", ["numbers", "pads", "zero"], ["padded"])
      quantize("padded", "b", "y", &$0)
    },
    Case("ones around bytes", ["DequantizeLinear", "Pad", "QuantizeLinear"]) {
      try levels("a", 0.02, 120, &$0)
      try $0.constant("pads", GraphValue(Tensor<Int64>([0, 0, 1, 1, 0, 0, 1, 1])))
      try $0.constant("one", GraphValue(Tensor<Float>([1], shape: [])))
      dequantize("x", "a", "numbers", &$0)
      $0.node("Pad", ["numbers", "pads", "one"], ["padded"])
      quantize("padded", "a", "y", &$0)
    },
    Case("zeros that a convolution adds itself", ["ConvInteger"]) {
      try levels("a", 0.02, 120, &$0)
      try weight(&$0)
      try $0.constant("pads", GraphValue(Tensor<Int64>([0, 0, 0, 1, 0, 0, 1, 2])))
      dequantize("x", "a", "numbers", &$0)
      $0.node("Pad", ["numbers", "pads"], ["padded"])
      quantize("padded", "a", "more bytes", &$0)
      dequantize("more bytes", "a", "again", &$0)
      $0.node("Conv", ["again", "weight"], ["y"])
    },
    Case("other levels, and nothing between", ["Elementwise"]) {
      try levels("a", 0.02, 120, &$0)
      try levels("b", 0.019, 7, &$0)
      dequantize("x", "a", "numbers", &$0)
      quantize("numbers", "b", "y", &$0)
    },
    Case("a scale by which no byte stays itself", ["DequantizeLinear", "Elementwise"]) {
      try levels("a", Float(bitPattern: 7), 120, &$0)
      dequantize("x", "a", "numbers", &$0)
      $0.node("Neg", ["numbers"], ["turned"])
      $0.node("Abs", ["turned"], ["y"])
    },
  ]

  /// 70,000 products of 255 and 255 are more than 32 bits hold, and are wrapped around where a graph asks for it itself.
  @Test(arguments: [[70_000], [1, 70_000]], [[2, 70_000, 1], [70_000, 1]])
  func sumsOfManyTermsAreExact(left: [Int], right: [Int]) throws {
    let a = GraphValue(try Tensor<UInt8>(repeating: 255, shape: left))
    let b = GraphValue(try Tensor<UInt8>(repeating: 255, shape: right))
    let point = GraphValue(try Tensor<UInt8>([0], shape: []))
    let inputs = [a, b, point, point, GraphValue(try Tensor<Float>([0.5], shape: []))]
    func product(_ attributes: [String: AttributeValue], constants: Set<Int>) throws -> [Float] {
      let y = try runNode("MatMulInteger", domain: "apus", inputs, constants: constants, opset: 1, attributes)
      guard case .tensor(.float32(let numbers))?? = y.first else { return [] }
      return try numbers.elements
    }
    let count = right.count == 3 ? 2 : 1
    let wrapped = Float(Int32(truncatingIfNeeded: 255 * 255 * 70_000)) * 0.5
    for constants in [Set<Int>(), [1, 3]] {
      let exact = try product(["exact": .int(1)], constants: constants)
      #expect(exact == [Float](repeating: 255 * 255 * 35_000, count: count))
      #expect(try product([:], constants: constants) == [Float](repeating: wrapped, count: count))
    }
  }

  private func model(_ c: Case, outputs: [String] = ["y"]) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [1, 2, 6, 7].map { .size($0) }, .uint8)
    try c.nodes(&graph)
    return try graph.model(outputs: outputs)
  }

  private let x = Result {
    GraphValue(try Tensor((0..<84).map { UInt8(truncatingIfNeeded: $0 * 53) }, shape: [1, 2, 6, 7]))
  }

  @Test(arguments: cases)
  func operatorsAreLeft(_ c: Case) throws {
    let session = try InferenceSession(model(c))
    #expect(session.graph.nodes.map(\.operatorName.type) == c.left)
  }

  /// However it is run, and whatever else is asked for: not a bit changes.
  @Test(arguments: cases)
  func bitsDoNotDependOnRewriting(_ c: Case) throws {
    let model = try model(c)
    let inputs = ["x": try x.get()]
    func y(optimizes: Bool) throws -> GraphValue {
      try #require(InferenceSession(model, options: .init(optimizes: optimizes)).run(inputs)["y"])
    }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let (found, expected) = (try y(optimizes: true), try y(optimizes: false))
        #expect(try found.hasSameBits(as: expected), "\(variant)")
      }
    }
    let plain = try y(optimizes: false)
    let session = try InferenceSession(model)
    for name in model.graph.nodes.flatMap({ $0.outputs.compactMap { $0 } }).map({ model.graph.values[$0].name }) {
      let found = try #require(session.run(inputs, fetching: ["y", name])["y"])
      #expect(try found.hasSameBits(as: plain), "\(name)")
    }
  }
}
