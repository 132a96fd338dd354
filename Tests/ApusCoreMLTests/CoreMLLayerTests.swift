import Apus
import ApusGraph
import Foundation
import Testing

@testable import ApusCoreML

/// Layers of neural networks, against what the comments of the format's `NeuralNetwork.proto` say of them.
@Suite struct CoreMLLayerTests {
  /// What a network of one layer is; with five axes, or with those that its input has.
  private static func network(
    _ kind: UInt64, _ parameters: [UInt8], from shape: [UInt64], to result: [UInt64], hasFiveAxes: Bool = false
  ) throws -> CoreMLModel {
    let network = field(1, layer("layer", ["x"], ["y"], kind, parameters)) + (hasFiveAxes ? [] : field(5, 1))
    return try readModel(model(500, network, inputs: [array("x", shape)], output: array("y", result)))
  }

  private static func run(_ model: CoreMLModel, _ x: [Float], _ shape: [Int]) throws -> [Float] {
    let y = try InferenceSession(model).run(["x": GraphValue(try Tensor(x, shape: shape))])["y"]
    return try #require(y?.tensor(of: Float.self)).elements
  }

  private static func weights(_ number: UInt64, _ values: Float...) -> [UInt8] {
    field(number, values.flatMap { field(1, float: $0) })
  }

  private static func isClose(_ found: [Float], _ wanted: [Float]) -> Bool {
    found.count == wanted.count && zip(found, wanted).allSatisfy { abs($0 - $1) <= 1e-5 * max(1, abs($1)) }
  }

  // MARK: Shapes

  /// `x.transpose(1, 2, 0).reshape(H, W, C).transpose(2, 0, 1)` of NumPy, for two channels of 2 × 3.
  @Test(
    arguments: [
      ([3, 2, 2], [0, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 11]), ([12, 1, 1], [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]),
      ([1, 3, 4], [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]), ([6, 1, 2], [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]),
    ] as [([UInt64], [Float])])
  func reshapingWithChannelsLastGivesChannelsFirst(_ shape: [UInt64], _ wanted: [Float]) throws {
    let parameters = shape.flatMap { field(1, $0) } + field(2, 1)
    let network = try Self.network(300, parameters, from: [2, 2, 3], to: shape, hasFiveAxes: true)
    #expect(try Self.run(network, (0..<12).map(Float.init), [2, 2, 3]) == wanted)
  }

  @Test func axesStayWhereNoOrderIsGiven() throws {
    let network = try Self.network(310, [], from: [1, 2, 3], to: [1, 2, 3], hasFiveAxes: true)
    #expect(try Self.run(network, [1, 2, 3, 4, 5, 6], [1, 2, 3]) == [1, 2, 3, 4, 5, 6])
  }

  // MARK: Normalisations

  /// x / √(Σx² + ε), and x / √(mean x² + ε) where the mean is 0: an ε that is not given is 1e-6.
  @Test(arguments: [[], field(1, float: 0)])
  func lengthsHaveAnEpsilon(_ parameters: [UInt8]) throws {
    let network = try Self.network(170, parameters, from: [1, 1, 2], to: [1, 1, 2])
    #expect(
      Self.isClose(
        try Self.run(network, [6e-4, -8e-4], [1, 1, 2]),
        [0.6 / 2.0.squareRoot(), -0.8 / 2.0.squareRoot()].map { Float($0) }))
    #expect(try Self.run(network, [0, 0], [1, 1, 2]) == [0, 0])
  }

  @Test(arguments: [[], field(3, float: 0)])
  func deviationsHaveAnEpsilon(_ parameters: [UInt8]) throws {
    let network = try Self.network(165, field(1, 1) + field(2, 1) + parameters, from: [1, 1, 2], to: [1, 1, 2])
    let half = Float(0.5.squareRoot())
    #expect(Self.isClose(try Self.run(network, [1e-3, -1e-3], [1, 1, 2]), [half, -half]))
    #expect(try Self.run(network, [3, 3], [1, 1, 2]) == [0, 0])
  }

  // MARK: Recurrent layers

  /// y = f(clip(x + r · y)), with clip at ±50.
  private static func simple(_ function: [UInt8], r: Float, steps: UInt64) throws -> CoreMLModel {
    let parameters =
      field(1, 1) + field(2, 1) + field(10, function) + field(15, 1) + weights(30, 1) + weights(31, r)
    return try network(400, parameters, from: [steps, 1, 1], to: [steps, 1, 1])
  }

  /// coremltools writes no numbers: those that the format allows are 1.7159 and 2/3.
  @Test func scaledTangentsNeedNoNumbers() throws {
    let network = try Self.simple(field(31, []), r: 0, steps: 3)
    let wanted = [0.5, -2, 100].map { Float(1.7159 * tanh(2.0 / 3 * $0)) }
    #expect(Self.isClose(try Self.run(network, [0.5, -2, 100], [3, 1, 1]), wanted))
  }

  /// 60, -70 + 50, 10 - 20 of a line; 60 and 10 + 50, and what is below 0, of a rectifier.
  @Test(
    arguments: [(5, [60, -70, 10], [50, -20, -10]), (10, [60, 10, -200], [50, 50, 0])] as [(UInt64, [Float], [Float])])
  func sumsAreBounded(_ function: UInt64, _ x: [Float], _ wanted: [Float]) throws {
    #expect(try Self.run(Self.simple(field(function, []), r: 1, steps: 3), x, [3, 1, 1]) == wanted)
  }

  /// Where a function ends long before the bound, nothing is cut.
  @Test(arguments: [(30, false), (31, false), (40, false), (41, false), (5, true), (10, true)] as [(UInt64, Bool)])
  func onlyWhatDoesNotSaturateIsBounded(_ function: UInt64, isBounded: Bool) throws {
    let network = try Self.simple(field(function, []), r: 1, steps: 1)
    let node = try #require(network.graph.nodes.first { $0.operatorName.type == "RNN" })
    #expect(node.attributes.keys.contains("clip") == isBounded)
  }

  /// A tangent so flat that it is no end at the bound: tanh(0.5), and not tanh(1).
  @Test func flatFunctionsAreBounded() throws {
    let network = try Self.simple(field(31, field(1, float: 1) + field(2, float: 0.01)), r: 0, steps: 2)
    #expect(Self.isClose(try Self.run(network, [100, -20], [2, 1, 1]), [tanh(0.5), tanh(-0.2)].map { Float($0) }))
  }

  /// Gates of 1/2, and a line for what goes in: y = clip(x) / 2 + y / 2.
  @Test func gatedUnitsAreBounded() throws {
    let parameters =
      field(1, 1) + field(2, 1) + field(10, field(40, [])) + field(10, field(5, [])) + field(15, 1)
      + Self.weights(30, 0) + Self.weights(31, 0) + Self.weights(32, 1)
      + Self.weights(50, 0) + Self.weights(51, 0) + Self.weights(52, 0)
    let network = try Self.network(410, parameters, from: [2, 1, 1], to: [2, 1, 1])
    #expect(try Self.run(network, [60, -70], [2, 1, 1]) == [25, -12.5])
  }

  /// Gates of 1/2, and lines: c = c / 2 + clip(x) / 2, y = c / 2.
  @Test func memoriesAreBounded() throws {
    let functions = [40, 5, 5].flatMap { field(10, field($0, [])) }
    let matrices = [1, 2, 4, 20, 21, 22, 23].flatMap { Self.weights($0, 0) } + Self.weights(3, 1)
    let parameters = field(1, 1) + field(2, 1) + functions + field(15, field(10, 1)) + field(20, matrices)
    let network = try Self.network(420, parameters, from: [2, 1, 1], to: [2, 1, 1])
    #expect(try Self.run(network, [60, -70], [2, 1, 1]) == [12.5, -6.25])
  }
}
