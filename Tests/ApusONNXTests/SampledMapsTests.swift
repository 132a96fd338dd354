import Apus
import Testing

@testable import ApusGraph

/// Sixteen channels sampled at a time have the bits of each by itself.
@Suite struct SampledMapsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: String
    let shapes: [[Int]]
    var attributes: [String: AttributeValue] = [:]

    var testDescription: String { "\(type) \(shapes) \(attributes.keys.sorted())" }
  }

  private static func text(_ text: String) -> AttributeValue { .string(Array(text.utf8)) }

  static let grids = ["linear", "cubic"].flatMap { mode in
    ["zeros", "border", "reflection"].flatMap { padding in
      [[2, 20, 9, 7], [1, 32, 12]].map { shape in
        Case(
          type: "GridSample", shapes: [shape, [shape[0]] + (shape.count == 4 ? [11, 13, 2] : [70, 1])],
          attributes: ["mode": text(mode), "padding_mode": text(padding)])
      }
    }
  }

  private func isTheSame(
    _ c: Case, _ x: GraphValue, _ others: [GraphValue?], alone: ([GraphValue?], Int) throws -> [GraphValue?]
  ) throws {
    let maps = try #require(x.tensor(of: Float.self))
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let together = try #require(
          runNode(c.type, [x] + others, opset: 22, c.attributes)[0]?.tensor(of: Float.self))
        for channel in 0..<maps.shape[1] {
          let one = try GraphValue(maps.sliced(axis: 1, from: channel, to: channel + 1))
          let expected = try #require(
            runNode(c.type, [one] + alone(others, channel), opset: 22, c.attributes)[0])
          let own = try GraphValue(together.sliced(axis: 1, from: channel, to: channel + 1))
          #expect(try own.hasSameBits(as: expected), "channel \(channel), \(variant)")
        }
      }
    }
  }

  @Test(arguments: grids) func gridsAreTheSameForAllChannels(c: Case) throws {
    var maps = try #require(GraphValue.noise(c.shapes[0], seed: 1).tensor(of: Float.self))
    // What lies outside has no weight, whatever it is.
    try maps.withUnsafeMutableBufferPointer { $0[0] = .infinity }
    let noise = try #require(GraphValue.noise(c.shapes[1], seed: 2).tensor(of: Float.self))
    try isTheSame(c, GraphValue(maps), [GraphValue(noise * 1.3)]) { others, _ in others }
  }

  /// The weight takes each channel to an output of its own.
  @Test(arguments: [1, 2], [false, true]) func deformedWindowsAreTheSame(groups: Int, isMasked: Bool) throws {
    let channels = 32
    let c = Case(
      type: "DeformConv", shapes: [],
      attributes: ["group": .int(Int64(channels)), "offset_group": .int(Int64(groups)), "pads": .ints([1, 1, 1, 1])])
    let maps = try #require(GraphValue.noise([2, channels, 8, 9], seed: 1).tensor(of: Float.self))
    let weight = try Tensor<Float>(repeating: 1, shape: [channels, 1, 3, 3])
    let moves = try #require(GraphValue.noise([2, groups * 18, 8, 9], seed: 3).tensor(of: Float.self))
    let mask = try #require(GraphValue.noise([2, groups * 9, 8, 9], seed: 4).tensor(of: Float.self))
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let inputs = [maps, weight, moves].map { GraphValue($0) }
        let together = try #require(
          runNode(c.type, inputs + [nil, isMasked ? GraphValue(mask) : nil], opset: 22, c.attributes)[0]?
            .tensor(of: Float.self))
        for channel in 0..<channels {
          let group = channel * groups / channels
          let masks = try isMasked ? GraphValue(mask.sliced(axis: 1, from: group * 9, to: group * 9 + 9)) : nil
          let expected = try #require(
            runNode(
              c.type,
              [
                GraphValue(maps.sliced(axis: 1, from: channel, to: channel + 1)),
                GraphValue(weight.sliced(axis: 0, from: 0, to: 1)),
                GraphValue(moves.sliced(axis: 1, from: group * 18, to: group * 18 + 18)), nil, masks,
              ], opset: 22, ["pads": .ints([1, 1, 1, 1])])[0])
          let own = try GraphValue(together.sliced(axis: 1, from: channel, to: channel + 1))
          #expect(try own.hasSameBits(as: expected), "channel \(channel), \(variant)")
        }
      }
    }
  }
}
