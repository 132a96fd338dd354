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
}
