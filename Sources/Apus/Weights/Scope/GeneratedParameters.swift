import FoundationEssentials

extension Tensor<Float> {
  /// Bell-shaped numbers that every language can make alike, so that files of them need not be kept.
  ///
  /// Element `i` depends on `name` and `i` alone: a counter hashed by SplitMix64, whose seed is the FNV-1a hash (64 bits) of the
  /// name's UTF-8. `Weights/reference/parity.py` makes the same bits.
  ///
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``; ``TensorError`` for a shape that cannot be.
  package init(generated name: String, shape: [Int], mean: Double = 0, deviation: Double = 1) throws {
    var seed: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let kernels = Execution.current.kernels.data
    let count = try Shape.elementCount(shape)
    self = try Tensor.filled(shape) { destination in
      nonisolated(unsafe) let y = destination
      parallelRanges(count) { [seed] start, count in
        kernels.generate(seed: seed, first: start, count: count, mean: mean, deviation: deviation, y + start)
      }
    }
  }

  /// A picture of random blocks under fine noise: `0.5 + 0.2 · z(block) + 0.05 · z(pixel)`, with the numbers of
  /// ``init(generated:shape:mean:deviation:)`` under the names `NAME.blocks` and `NAME.noise`.
  ///
  /// - Parameters:
  ///   - shape: `[batch, channels, height, width]`.
  ///   - cell: the side of a block in pixels; it divides height and width.
  package init(generatedImage name: String, shape: [Int], cell: Int) throws {
    guard shape.count == 4, cell > 0, shape[2].isMultiple(of: cell), shape[3].isMultiple(of: cell) else {
      throw TensorError.argument(
        operation: "generatedImage",
        reason: "shape \(shape) is no [batch, channels, height, width] in blocks of \(cell)")
    }
    let coarse = [shape[0], shape[1], shape[2] / cell, shape[3] / cell]
    let blocks = try Tensor(generated: "\(name).blocks", shape: coarse, mean: 0.5, deviation: 0.2)
    let noise = try Tensor(generated: "\(name).noise", shape: shape, deviation: 0.05)
    self = try interpolate(blocks, size: Array(shape[2...])) + noise
  }
}

/// A parameter that is made rather than stored; see ``Tensor/init(generated:shape:mean:deviation:)``.
package struct GeneratedParameter: Hashable, Sendable {
  /// The extent of each axis.
  package var shape: [Int]
  /// The mean of the normal distribution.
  package var mean: Double
  /// The standard deviation of the normal distribution.
  package var deviation: Double

  /// The numbers follow from these and from the name under which the parameter is asked for.
  package init(shape: [Int], mean: Double, deviation: Double) {
    self.shape = shape
    self.mean = mean
    self.deviation = deviation
  }
}

extension GeneratedParameter {
  /// Reads `[["NAME", [2, 3], 0.0, 0.1], …]`: name, shape, mean and deviation of each parameter.
  /// - Throws: `DecodingError`; ``TensorError`` for a shape that cannot be.
  static func list(json: String) throws -> [String: GeneratedParameter] {
    struct Entry: Decodable {
      var name: String
      var parameter: GeneratedParameter

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        name = try values.decode(String.self)
        parameter = try GeneratedParameter(
          shape: values.decode([Int].self), mean: values.decode(Double.self), deviation: values.decode(Double.self))
      }
    }
    let entries = try JSONDecoder().decode([Entry].self, from: Data(json.utf8))
    for entry in entries { _ = try Shape.elementCount(entry.parameter.shape) }
    return Dictionary(entries.map { ($0.name, $0.parameter) }, uniquingKeysWith: { first, _ in first })
  }
}
