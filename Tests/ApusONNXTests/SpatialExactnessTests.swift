import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What is known when a node is prepared, how many threads there are, and who applies an activation change no bit.
@Suite struct SpatialExactnessTests {
  struct Product: Sendable, CustomTestStringConvertible {
    let type: String
    let shapes: [[Int]]
    var attributes: [String: AttributeValue] = [:]

    var testDescription: String { "\(type) \(shapes)" }

    func run(constants: Set<Int>, activation: Activation = .identity, isDouble: Bool = false) throws -> GraphValue {
      let inputs = try shapes.enumerated().map { index, shape in
        try isDouble
          ? GraphValue.noise(shape, seed: UInt64(index), as: Double.self) : GraphValue.noise(shape, seed: UInt64(index))
      }
      return try #require(
        try runNode(type, inputs, constants: constants, activation: activation, attributes)[0])
    }
  }

  static let products = [
    Product(type: "Conv", shapes: [[2, 20, 9, 8], [24, 20, 3, 3], [24]], attributes: ["pads": .ints([1, 1, 1, 1])]),
    Product(
      type: "Conv", shapes: [[1, 3, 9, 8], [5, 3, 3, 2]],
      attributes: ["auto_pad": .string(Array("SAME_LOWER".utf8)), "strides": .ints([2, 3])]),
    Product(type: "Conv", shapes: [[1, 24, 7], [24, 1, 3], [24]], attributes: ["group": .int(24)]),
    Product(type: "Conv", shapes: [[1, 4, 5, 6, 4], [6, 4, 3, 2, 2], [6]]),
    Product(
      type: "ConvTranspose", shapes: [[1, 6, 5, 4], [6, 3, 3, 3], [3]], attributes: ["strides": .ints([2, 2])]),
    Product(type: "MatMul", shapes: [[1, 700], [700, 90]]),
    Product(type: "MatMul", shapes: [[70, 300], [300, 50]]),
    Product(type: "MatMul", shapes: [[2, 9, 300], [1, 300, 33]]),
    Product(type: "MatMul", shapes: [[2, 9, 30], [2, 30, 33]]),
    Product(type: "MatMul", shapes: [[2, 3, 300], [2, 300, 48]]),
    Product(type: "MatMul", shapes: [[1, 5, 1500], [1, 1500, 64]]),
    Product(type: "MatMul", shapes: [[300], [300, 20]]),
    Product(type: "MatMul", shapes: [[4, 300], [300]]),
    Product(type: "Gemm", shapes: [[3, 300], [300, 40], [40]]),
    Product(type: "Gemm", shapes: [[1, 300], [40, 300], [1, 40]], attributes: ["transB": .int(1)]),
    Product(
      type: "Gemm", shapes: [[5, 20], [20, 8], [5, 1]], attributes: ["alpha": .float(0.3), "beta": .float(0.7)]),
    // More than the variances that are no such.
    Product(
      type: "BatchNormalization", shapes: [[2, 20, 9, 8]] + Array(repeating: [20], count: 4),
      attributes: ["epsilon": .float(9)]),
    Product(
      type: "BatchNormalization", shapes: [[6, 15]] + Array(repeating: [15], count: 4),
      attributes: ["epsilon": .float(9)]),
  ]

  @Test(arguments: products)
  func weightsThatAreKnownChangeNoBit(product: Product) throws {
    for isDouble in [false, true] {
      let expected = try product.run(constants: [], isDouble: isDouble)
      for constants: Set<Int> in [[1], [2], [1, 2]] {
        #expect(try product.run(constants: constants, isDouble: isDouble).hasSameBits(as: expected))
      }
    }
  }

  @Test(arguments: products)
  func theNumberOfThreadsChangesNoBit(product: Product) throws {
    let expected = try Execution.with(threads: 1) { try product.run(constants: [1]) }
    for threads in [2, 5] {
      #expect(try Execution.with(threads: threads) { try product.run(constants: []) }.hasSameBits(as: expected))
    }
  }

  @Test(
    arguments: products.filter { Operators.byName[OperatorName(type: $0.type)]?.facts.fusion.appliesActivation == true }
  )
  func activationsAreAsExactAsAfterwards(product: Product) throws {
    for function in [Activation.relu, .sigmoid, .hardTanh(minimum: -0.5, maximum: 2)] {
      guard case .tensor(.float32(let plain)) = try product.run(constants: [1]) else {
        throw OperatorError("the result is not FLOAT")
      }
      let expected = GraphValue(try activation(plain, function))
      #expect(try product.run(constants: [1, 2], activation: function).hasSameBits(as: expected))
    }
  }

  /// A graph that applies an activation by itself rounds to sixteen bits before.
  @Test func resultsOfSixteenBitsAreRoundedBeforeAnActivation() throws {
    let inputs = try [[3, 40], [40, 7]].enumerated().map { index, shape -> GraphValue in
      guard case .tensor(let any) = try GraphValue.noise(shape, seed: UInt64(index)) else {
        throw OperatorError("noise is not a tensor")
      }
      return GraphValue(try any.converted(to: BFloat16.self))
    }
    let sums = try runNode("MatMul", inputs, constants: [1])[0]
    let expected = try runNode("Sigmoid", [sums])[0]
    let fused = try runNode("MatMul", inputs, constants: [1], activation: .sigmoid)[0]
    #expect(try #require(fused).hasSameBits(as: #require(expected)))
  }

  @Test func manySmallProductsAreTheSameOnAnyNumberOfThreads() throws {
    let a = try GraphValue.noise([300, 6, 20]), b = try GraphValue.noise([300, 20, 5], seed: 2)
    let expected = try Execution.with(threads: 1) { try #require(try runNode("MatMul", [a, b])[0]) }
    let actual = try Execution.with(threads: 4) { try #require(try runNode("MatMul", [a, b])[0]) }
    #expect(try actual.hasSameBits(as: expected))
    // The last product by itself.
    guard case .tensor(.float32(let left)) = a, case .tensor(.float32(let right)) = b,
      case .tensor(.float32(let all)) = actual
    else { throw OperatorError("a tensor is not FLOAT") }
    let single = try matmul(left.selected(axis: 0, index: 299), right.selected(axis: 0, index: 299))
    #expect(try all.selected(axis: 0, index: 299).elements == single.elements)
  }
}
