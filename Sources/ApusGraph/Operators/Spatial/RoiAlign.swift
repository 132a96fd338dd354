import Apus

extension Operators {
  /// Means or maxima of samples at regular steps within the parts of regions, interpolated between positions.
  ///
  /// Inputs x `[batch, channels, height, width]`, regions `[count, 4]` (x₁, y₁, x₂, y₂), the sample of each region
  /// `[count]`. Output `[count, channels, output height, output width]`. Since version 16 regions are moved by half a
  /// position unless `coordinate_transformation_mode` is `output_half_pixel`.
  static func RoiAlign(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try RegionSettings(node)
    return floating(RegionAlignment<Float>(settings: settings), RegionAlignment<Double>(settings: settings))
  }
}

private struct RegionAlignment<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: RegionSettings

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self).rowMajor
    let regions = try arguments.floating(1, as: Scalar.self)
    let samples = try arguments.integers(2)
    guard x.rank == 4, regions.rank == 2, regions.shape[1] == 4, samples.count == regions.shape[0] else {
      throw OperatorError(
        "an input of shape \(x.shape), regions of shape \(regions.shape) and \(samples.count) sample numbers are not "
          + "[batch, channels, height, width], [count, 4] and count")
    }
    for (region, sample) in samples.enumerated() where !(0..<x.shape[0]).contains(sample) {
      throw OperatorError("region \(region) is of sample \(sample), of \(x.shape[0])")
    }
    let (channels, height, width) = (x.shape[1], x.shape[2], x.shape[3])
    let area = settings.height * settings.width
    let result = [samples.count, channels, settings.height, settings.width]
    _ = try Shape.elementCount(result, operation: "RoiAlign")
    guard height > 0, width > 0 || samples.isEmpty else {
      throw OperatorError("maps of shape \([height, width]) have no samples")
    }
    let numbers = try regions.elements.map { Double($0) }
    let aligned = try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor<Scalar>.filled(result) { destination in
        nonisolated(unsafe) let y = destination
        for region in samples.indices {
          try arguments.context.checkCancellation()
          let points = try SamplePoints(Array(numbers[region * 4..<region * 4 + 4]), settings, height, width)
          let firstMap = samples[region] * channels
          parallelRows(channels, width: area * points.perBin * 4) { first, count in
            for channel in first..<(first + count) {
              let map = source + (firstMap + channel) * height * width
              let out = y + (region * channels + channel) * area
              for bin in 0..<area { out[bin] = Scalar(points.reduce(bin, map, takesMaximum: settings.takesMaximum)) }
            }
          }
        }
      }
    }
    return [try GraphValue(rounding: aligned, to: type)]
  }
}

private struct RegionSettings: Sendable {
  let height: Int
  let width: Int
  let samplingRatio: Int
  let scale: Double
  let takesMaximum: Bool
  /// What regions are moved by; without, those smaller than a position are made as large as one.
  let offset: Double

  init(_ node: NodeDescription) throws {
    height = try node.int("output_height", default: 1)
    width = try node.int("output_width", default: 1)
    samplingRatio = try node.int("sampling_ratio", default: 0)
    guard 1...(1 << 20) ~= height, 1...(1 << 20) ~= width, 0...(1 << 10) ~= samplingRatio else {
      throw OperatorError("an output of \(height) × \(width) with sampling_ratio \(samplingRatio) is out of range")
    }
    scale = Double(try node.float("spatial_scale", default: 1))
    let mode = try node.string("mode", default: "avg")
    guard mode == "avg" || mode == "max" else { throw OperatorError("mode '\(mode)' is neither avg nor max") }
    takesMaximum = mode == "max"
    let name = "coordinate_transformation_mode"
    let transformation = node.opset < 16 ? "output_half_pixel" : try node.string(name, default: "half_pixel")
    guard transformation == "half_pixel" || transformation == "output_half_pixel" else {
      throw OperatorError("\(name) '\(transformation)' is neither half_pixel nor output_half_pixel")
    }
    offset = transformation == "half_pixel" ? 0.5 : 0
  }
}

/// The points of one region, four weighted positions each, in the order of the bins.
private struct SamplePoints: Sendable {
  let perBin: Int
  private var places: [Int] = []
  private var weights: [Double] = []

  init(_ region: [Double], _ settings: RegionSettings, _ height: Int, _ width: Int) throws {
    let edges = region.map { $0 * settings.scale - settings.offset }
    var (regionWidth, regionHeight) = (edges[2] - edges[0], edges[3] - edges[1])
    guard regionWidth.isFinite, regionHeight.isFinite else { throw OperatorError("region \(region) is not finite") }
    if settings.offset == 0 { (regionWidth, regionHeight) = (max(regionWidth, 1), max(regionHeight, 1)) }
    let (binHeight, binWidth) = (regionHeight / Double(settings.height), regionWidth / Double(settings.width))
    func steps(_ bin: Double) -> Double {
      settings.samplingRatio > 0 ? Double(settings.samplingRatio) : bin.rounded(.up)
    }
    let (rows, columns) = (max(0, steps(binHeight)), max(0, steps(binWidth)))
    let total = rows * columns * Double(settings.height * settings.width)
    guard total <= 67_108_864 else { throw OperatorError("region \(region) asks for \(total) samples, too many") }
    perBin = Int(rows * columns)
    places.reserveCapacity(Int(total) * 4)
    weights.reserveCapacity(Int(total) * 4)
    for row in 0..<settings.height {
      for column in 0..<settings.width {
        for i in 0..<Int(rows) {
          let y = edges[1] + Double(row) * binHeight + (Double(i) + 0.5) * binHeight / rows
          for j in 0..<Int(columns) {
            let x = edges[0] + Double(column) * binWidth + (Double(j) + 0.5) * binWidth / columns
            append(y, x, height, width)
          }
        }
      }
    }
  }

  private mutating func append(_ y: Double, _ x: Double, _ height: Int, _ width: Int) {
    guard y >= -1, y <= Double(height), x >= -1, x <= Double(width) else {
      places += [0, 0, 0, 0]
      weights += [0, 0, 0, 0]
      return
    }
    func cell(_ position: Double, _ size: Int) -> (low: Int, high: Int, weight: Double) {
      let inside = max(position, 0)
      let low = Int(inside)
      return low >= size - 1 ? (size - 1, size - 1, 0) : (low, low + 1, inside - Double(low))
    }
    let (row, column) = (cell(y, height), cell(x, width))
    places += [
      row.low * width + column.low, row.low * width + column.high, row.high * width + column.low,
      row.high * width + column.high,
    ]
    weights += [
      (1 - row.weight) * (1 - column.weight), (1 - row.weight) * column.weight, row.weight * (1 - column.weight),
      row.weight * column.weight,
    ]
  }

  /// The mean of a bin's points; or the greatest of their weighted positions, as the standard's reference has it.
  @inline(__always)
  func reduce<Scalar: FloatingPointScalar>(_ bin: Int, _ map: UnsafePointer<Scalar>, takesMaximum: Bool) -> Double {
    let range = bin * perBin * 4..<(bin + 1) * perBin * 4
    guard takesMaximum else {
      var sum = 0.0
      for index in range { sum += weights[index] * Double(map[places[index]]) }
      return sum / Double(max(perBin, 1))
    }
    var greatest = range.isEmpty ? 0 : -Double.infinity
    for index in range { greatest = max(greatest, weights[index] * Double(map[places[index]])) }
    return greatest
  }
}
