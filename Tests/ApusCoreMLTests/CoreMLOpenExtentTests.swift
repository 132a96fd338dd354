import Apus
import ApusGraph
import Testing

@testable import ApusCoreML

/// Networks whose inputs have extents that a run says.
@Suite struct CoreMLOpenExtentTests {
  /// A maximum of 2 × 2, and the maps twice as large again.
  private static let halvedAndDoubled =
    field(
      1, layer("pool", ["x"], ["small"], 120, field(10, 2) + field(10, 2) + field(20, 2) + field(20, 2) + field(30, []))
    )
    + field(1, layer("up", ["small"], ["y"], 210, field(1, 2) + field(1, 2)))

  private static func run(
    _ layers: [UInt8], allowed: [UInt8], default shape: [UInt64] = [1, 8, 8], on x: [Int]
  ) throws -> Tensor<Float> {
    let bytes = model(
      500, layers + field(5, 1), inputs: [array("x", shape, allowed: allowed)], output: array("y", shape))
    let session = try InferenceSession(readModel(bytes))
    let y = try session.run(["x": GraphValue(try Tensor<Float>(range: x.reduce(1, *)).reshaped(x))])["y"]
    return try #require(y?.tensor(of: Float.self))
  }

  /// Each place holds the largest of its four, the last of them: numbers grow along the map. What is odd loses its end.
  @Test(arguments: [[1, 8, 8], [1, 9, 9], [1, 16, 16], [1, 12, 10], [1, 9, 30]])
  func extentsFollowTheInput(_ x: [Int]) throws {
    let y = try Self.run(Self.halvedAndDoubled, allowed: ranges([1...1, 8...64, 8...64]), on: x)
    let (height, width) = (x[1] / 2 * 2, x[2] / 2 * 2)
    #expect(y.shape == [1, height, width])
    let wanted = (0..<height).flatMap { row in
      (0..<width).map { Float((row / 2 * 2 + 1) * x[2] + $0 / 2 * 2 + 1) }
    }
    #expect(try y.elements == wanted)
  }

  @Test(arguments: [[1, 8, 8], [1, 8, 12], [1, 12, 12]])
  func everyShapeOfAListIsFollowed(_ x: [Int]) throws {
    let doubled = field(1, layer("up", ["x"], ["y"], 210, field(1, 2) + field(1, 2)))
    let y = try Self.run(doubled, allowed: enumerated([[1, 8, 8], [1, 8, 12], [1, 12, 12]]), on: x)
    #expect(y.shape == [1, 2 * x[1], 2 * x[2]])
    let wanted = (0..<(2 * x[1])).flatMap { row in (0..<(2 * x[2])).map { Float(row / 2 * x[2] + $0 / 2) } }
    #expect(try y.elements == wanted)
  }

  /// Maps beside what becomes of them when they are halved and doubled, as in a U-Net.
  @Test(arguments: [32, 64, 96, 256])
  func whatIsHalvedFitsWhatWasNot(_ side: Int) throws {
    let layers =
      field(
        1,
        layer("pool", ["x"], ["small"], 120, field(10, 2) + field(10, 2) + field(20, 2) + field(20, 2) + field(30, [])))
      + field(1, layer("up", ["small"], ["large"], 210, field(1, 2) + field(1, 2)))
      + field(1, layer("both", ["x", "large"], ["y"], 320))
    let y = try Self.run(
      layers, allowed: ranges([1...1, 32...256, 32...256]), default: [1, 64, 64], on: [1, side, side])
    #expect(y.shape == [2, side, side])
  }

  /// What does not depend on an open extent stays certain.
  @Test func extentsThatAreDeclaredAreCertain() throws {
    let emitter = Emitter(name: "test")
    let x = emitter.graph.addValue(named: "x", type: .tensor(.float, [.size(1), .size(3), .unknown, .unknown]))
    let feature = try feature(array("x", [1, 3, 8, 8], allowed: ranges([1...1, 3...3, 8...64, 8...64])))
    let (usual, others) = feature.possibleShapes
    #expect(usual == [1, 3, 8, 8] && others.allSatisfy { $0[1] == 3 && $0[2] != 8 && $0[3] != 8 })
    emitter.graph.inputs = [x]
    emitter.follow([.init(id: x, elementType: .float, shape: usual, otherShapes: others)])
    let pooled = try emitter.node(
      "MaxPool", [x], ["kernel_shape": .ints([2, 2]), "strides": .ints([2, 2])])
    #expect(try emitter.shape(pooled) == [1, 3, nil, nil])
    #expect(try emitter.shape(emitter.node("GlobalMaxPool", [pooled])) == [1, 3, 1, 1])
  }

  @Test func rangesWithoutAnEndAreFollowed() throws {
    let feature = try feature(
      array("x", [1, 1], allowed: field(31, field(1, field(1, 1) + field(2, 1)) + field(1, field(2, UInt64.max)))))
    #expect(!feature.possibleShapes.others.isEmpty)
    #expect(feature.possibleShapes.others.allSatisfy { $0[1] != 1 })
  }

  private func feature(_ bytes: [UInt8]) throws -> CoreMLFeature {
    try readModel(model(900, [], inputs: [bytes], output: array("y", [1]))).inputs[0]
  }
}
