import Apus

// Regions of maps brought to one size.

extension Operators {
  static let regionPoolings: [OperatorDefinition] = [
    OperatorDefinition("MaxRoiPool", .plain(.maxRoiPool), MaxRoiPool),
    OperatorDefinition("RoiAlign", .plain(.roiAlign), RoiAlign),
  ]

  /// The greatest elements of the parts of regions whose edges are rounded to whole positions.
  ///
  /// Inputs x `[batch, channels, height, width]` and regions `[count, 5]`: sample, x₁, y₁, x₂, y₂. Output `[count,
  /// channels, pooled height, pooled width]`; zero for a part without positions.
  static func MaxRoiPool(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try MaxRegionPooling<Float>(node), try MaxRegionPooling<Double>(node))
  }
}

private struct MaxRegionPooling<Scalar: FloatingPointScalar>: FloatingOperator {
  let pooled: [Int]
  let scale: Double

  init(_ node: NodeDescription) throws {
    pooled = try node.ints("pooled_shape", default: [])
    guard pooled.count == 2, pooled.allSatisfy({ 1...WindowAttributes.limit ~= $0 }) else {
      throw OperatorError("pooled_shape \(pooled) is not a height and a width")
    }
    scale = Double(try node.float("spatial_scale", default: 1))
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self).rowMajor
    let regions = try arguments.floating(1, as: Scalar.self)
    guard x.rank == 4, regions.rank == 2, regions.shape[1] == 5 else {
      throw OperatorError(
        "an input of shape \(x.shape) and regions of shape \(regions.shape) are not [batch, channels, height, width] and "
          + "[count, 5]")
    }
    let (channels, height, width) = (x.shape[1], x.shape[2], x.shape[3])
    let numbers = try regions.elements.map { Double($0) }
    let result = [regions.shape[0], channels] + pooled
    _ = try Shape.elementCount(result, operation: "MaxRoiPool")
    for region in 0..<regions.shape[0] {
      guard let sample = Int(exactly: numbers[region * 5]), 0..<x.shape[0] ~= sample else {
        throw OperatorError("region \(region) is of sample \(numbers[region * 5]), of \(x.shape[0])")
      }
    }
    /// A region's edge in whole positions, which no map is longer than.
    @Sendable func edge(_ number: Double) -> Int {
      let scaled = (number * scale).rounded()
      return scaled.isNaN ? 0 : Int(min(max(scaled, -1e12), 1e12))
    }
    let maxima = try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor<Scalar>.filled(result) { destination in
        nonisolated(unsafe) let y = destination
        let area = pooled[0] * pooled[1]
        parallelRows(regions.shape[0] * channels, width: max(area, height * width)) { first, count in
          for row in first..<(first + count) {
            let region = row / channels * 5
            let map = source + (Int(numbers[region]) * channels + row % channels) * height * width
            let rows = PooledAxis(edge(numbers[region + 2]), edge(numbers[region + 4]), pooled[0], height)
            let columns = PooledAxis(edge(numbers[region + 1]), edge(numbers[region + 3]), pooled[1], width)
            for output in 0..<area {
              let (r, c) = (rows[output / pooled[1]], columns[output % pooled[1]])
              var greatest: Scalar = r.isEmpty || c.isEmpty ? 0 : -.infinity
              for i in r {
                for j in c where map[i * width + j] > greatest { greatest = map[i * width + j] }
              }
              y[row * area + output] = greatest
            }
          }
        }
      }
    }
    return [try GraphValue(rounding: maxima, to: type)]
  }
}

/// The part of a map that each pooled position covers along an axis.
private struct PooledAxis {
  let start: Int
  let step: Double
  let size: Int

  init(_ first: Int, _ last: Int, _ parts: Int, _ size: Int) {
    start = first
    step = Double(max(last - first + 1, 1)) / Double(parts)
    self.size = size
  }

  subscript(part: Int) -> Range<Int> {
    let first = start + Int((Double(part) * step).rounded(.down))
    let end = start + Int((Double(part + 1) * step).rounded(.up))
    let low = min(max(first, 0), size)
    return low..<max(low, min(max(end, 0), size))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let maxRoiPool = ShapeRule.rule { facts in
    try regions(facts, size: facts.node.ints("pooled_shape", default: []))
  }

  static let roiAlign = ShapeRule.rule { facts in
    try regions(facts, size: [facts.node.int("output_height", default: 1), facts.node.int("output_width", default: 1)])
  }

  /// A map of `size` for each region.
  private static func regions(_ facts: ShapeFacts, size: [Int]) throws -> [InferredType?] {
    let (x, regions) = try (facts.input(0), facts.shape(1))
    guard x.shape.count == 4, regions.count == 2, size.count == 2 else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, [regions[0], x.shape[1]] + size)]
  }
}
