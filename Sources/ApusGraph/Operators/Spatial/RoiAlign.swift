import Apus
import ApusKernelInterface

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
    let kernels = Scalar.kernels
    let aligned = try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor<Scalar>.filled(result) { destination in
        nonisolated(unsafe) let y = destination
        for region in samples.indices {
          try arguments.context.checkCancellation()
          let points = try SamplePoints(Array(numbers[region * 4..<region * 4 + 4]), settings, height, width)
          let firstMap = samples[region] * channels
          parallelRows(channels, width: points.count) { first, count in
            withUnsafeTemporaryAllocation(of: Double.self, capacity: area) { room in
              guard let room = room.baseAddress else { return }
              for channel in first..<(first + count) {
                points.reduce(
                  source + (firstMap + channel) * height * width, to: y + (region * channels + channel) * area,
                  takesMaximum: settings.takesMaximum, room, kernels)
              }
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

/// The points of one region, four weighted positions each, for each bin.
///
/// Points that lie outside the map in all bins count as zeros and are not kept: a region may be far larger than its map.
private struct SamplePoints: Sendable {
  private let perBin: Int
  private let bins: Int
  /// `[kept points of a bin, 4, bins]`
  private var places: [Int] = []
  private var weights: [Double] = []

  /// All positions of all points.
  var count: Int { places.count }

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
    bins = settings.height * settings.width
    // Without a point on one axis, how many there would be on the other is not bounded.
    guard perBin > 0 else { return }
    let rowCells = Self.cells(Int(rows), from: edges[1], binHeight, bins: settings.height, over: height)
    let columnCells = Self.cells(Int(columns), from: edges[0], binWidth, bins: settings.width, over: width)
    for rowCells in rowCells {
      for columnCells in columnCells {
        for (takesLower, takesRight) in [(false, false), (false, true), (true, false), (true, true)] {
          for row in rowCells {
            let (start, share) = row.end(takesLower)
            for column in columnCells {
              let end = column.end(takesRight)
              places.append(start * width + end.place)
              weights.append(share * end.share)
            }
          }
        }
      }
    }
  }

  /// Along an axis of `size` positions, where the points of each step lie, of every bin; no steps that are outside in all.
  private static func cells(
    _ steps: Int, from start: Double, _ step: Double, bins: Int, over size: Int
  ) -> [[Cell]] {
    var candidates = Array(0..<min(steps, 1 << 10))
    if steps > candidates.count {
      // Of many steps only those are looked at that may be inside.
      let spacing = step / Double(steps)
      let near = (0..<bins).flatMap { bin in
        let reach = [-1, Double(size)].map { position in
          Int(min(max((position - start - Double(bin) * step) / spacing, 0), Double(steps)))
        }
        return max(0, reach[0] - 2)..<min(steps, reach[1] + 2)
      }
      candidates = Set(near).sorted()
    }
    var cells: [[Cell]] = []
    for index in candidates {
      let inStep = (Double(index) + 0.5) * step / Double(steps)
      let positions = (0..<bins).map { start + Double($0) * step + inStep }
      if positions.contains(where: { Cell.isInside($0, size) }) { cells.append(positions.map { Cell($0, size) }) }
    }
    return cells
  }

  /// The two positions along an axis that a point lies between; far outside neither has a share.
  private struct Cell {
    private var low = 0
    private var high = 0
    private var lowShare = 0.0
    private var highShare = 0.0

    init(_ position: Double, _ size: Int) {
      guard Self.isInside(position, size) else { return }
      let inside = max(position, 0)
      low = min(Int(inside), size - 1)
      high = min(low + 1, size - 1)
      highShare = high == low ? 0 : inside - Double(low)
      lowShare = 1 - highShare
    }

    static func isInside(_ position: Double, _ size: Int) -> Bool { position >= -1 && position <= Double(size) }

    func end(_ isHigh: Bool) -> (place: Int, share: Double) { isHigh ? (high, highShare) : (low, lowShare) }
  }

  /// For each bin the mean of its points; or the greatest of their weighted positions, as the standard's reference has
  /// it. `room` is for a number for each bin.
  func reduce<Scalar: FloatingPointScalar>(
    _ map: UnsafePointer<Scalar>, to y: UnsafeMutablePointer<Scalar>, takesMaximum: Bool,
    _ room: UnsafeMutablePointer<Double>, _ kernels: any FloatingKernels<Scalar>.Type
  ) {
    places.withUnsafeBufferPointer { places in
      weights.withUnsafeBufferPointer { weights in
        guard let firstPlace = places.baseAddress, let firstWeight = weights.baseAddress, perBin > 0 else {
          return y.initialize(repeating: 0, count: bins)
        }
        if takesMaximum {
          room.initialize(repeating: places.count < perBin * 4 * bins ? 0 : -.infinity, count: bins)
          for index in places.indices {
            room[index % bins] = max(room[index % bins], weights[index] * Double(map[places[index]]))
          }
        } else {
          kernels.sampleSums(
            map, places: firstPlace, weights: firstWeight, terms: places.count / bins, step: bins, count: bins, room)
          for bin in 0..<bins { room[bin] /= Double(perBin) }
        }
        for bin in 0..<bins { y[bin] = Scalar(room[bin]) }
      }
    }
  }
}
