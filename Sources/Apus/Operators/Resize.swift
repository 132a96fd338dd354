import ApusKernelInterface

/// How ``interpolate(_:size:mode:)`` finds the value at a position between samples.
public enum InterpolationMode: Sendable, Hashable {
  /// The sample at `⌊i · scale⌋`, with `scale` the input's size over the output's, or one over the scale that is given.
  ///
  /// As in PyTorch, the sizes alone count for an axis of a map that stays as long as it is or becomes exactly twice as
  /// long, whatever scale is given, where the result has at most 128 rows and columns together.
  case nearest
  /// The weighted mean of two neighbours along each axis: PyTorch's `linear` and `bilinear`.
  ///
  /// With `alignCorners` the first and last samples of both grids coincide: position `i` is at
  /// `i · (input - 1) / (output - 1)`. Otherwise the outer edges do: it is at `(i + ½) · input / output - ½`, and
  /// nothing is read beyond the first and last sample.
  case linear(alignCorners: Bool = false)

  /// ``linear(alignCorners:)`` by the name it has for maps.
  public static func bilinear(alignCorners: Bool = false) -> InterpolationMode { .linear(alignCorners: alignCorners) }
}

/// How PyTorch finds the nearest samples on a CPU.
package enum NearestRule {
  /// The most rows and columns together of a result that the kernel for small maps makes.
  package static let smallMapLimit = 128

  /// Whether a result of these sizes comes from the kernel for small maps, for which an axis that stays as long as it is
  /// or becomes twice as long goes by its sizes, whatever scale is given. Those for larger maps, and for times and
  /// volumes, go by the scale.
  package static func isSmallMap(_ sizes: [Int]) -> Bool {
    sizes.count == 2 && sizes.allSatisfy { $0 <= smallMapLimit } && sizes[0] + sizes[1] <= smallMapLimit
  }
}

/// `[batch, channels, time]` or `[batch, channels, height, width]` at another resolution: PyTorch's `interpolate`. A
/// channel-blocked map stays so.
///
/// - Parameter size: the output's time, or height and width.
/// - Throws: ``TensorError`` for another rank, a number of sizes that does not fit it, and sizes that are not positive.
public func interpolate<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, size: [Int], mode: InterpolationMode = .nearest
) throws -> Tensor<Scalar> {
  try Resampling(input, sizes: size, scales: nil, mode: mode).run(input)
}

/// The same with `scale` times as many samples along each axis, rounded down. As in PyTorch, positions are computed
/// with the given scale and not with the ratio of the sizes.
public func interpolate<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, scale: [Double], mode: InterpolationMode = .nearest
) throws -> Tensor<Scalar> {
  let positions = Array(input.shape.dropFirst(2))
  guard scale.count == positions.count else {
    throw TensorError.argument(
      operation: "interpolate", reason: "\(scale.count) scales were given for a tensor of shape \(input.shape)")
  }
  let sizes = try zip(positions, scale).map { size, scale in
    let scaled = (Double(size) * scale).rounded(.down)
    guard scale > 0, let result = Int(exactly: scaled) else {
      throw TensorError.argument(operation: "interpolate", reason: "\(size) samples cannot be scaled by \(scale)")
    }
    return result
  }
  return try Resampling(input, sizes: sizes, scales: scale, mode: mode).run(input)
}

/// Where a position between samples lies, for ``resample(_:rows:columns:)``.
package typealias ResamplingTap = LinearTap

/// `[batch, channels, height, width]` sampled at other rows and columns: `y[r, c] = x[rows[r], columns[c]]`. A
/// channel-blocked map stays so.
/// - Throws: ``TensorError`` for another rank, and rows and columns that the map does not have.
package func resample<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, rows: [Int], columns: [Int]
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "resample")
  guard rows.allSatisfy((0..<map.height).contains), columns.allSatisfy((0..<map.width).contains) else {
    throw TensorError.argument(operation: "resample", reason: "a position is outside the map, \(input.shape)")
  }
  return try Resampling(input, .nearest(rows: rows, columns: columns), rows.count, columns.count).run(input)
}

/// The same with the weighted mean of two neighbours along each axis, in double precision.
package func resample<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, rows: [ResamplingTap], columns: [ResamplingTap]
) throws -> Tensor<Scalar> {
  let map = try input.mapSize(rank: 4, operation: "resample")
  func fit(_ taps: [ResamplingTap], _ size: Int) -> Bool {
    taps.allSatisfy { 0..<size ~= $0.first && 0..<size ~= $0.second }
  }
  guard fit(rows, map.height), fit(columns, map.width) else {
    throw TensorError.argument(operation: "resample", reason: "a position is outside the map, \(input.shape)")
  }
  return try Resampling(input, .linear(rows: rows, columns: columns), rows.count, columns.count).run(input)
}

/// Where the samples of one output come from.
private struct Resampling<Scalar: FloatingPointScalar>: Sendable {
  enum Taps: Sendable {
    case nearest(rows: [Int], columns: [Int])
    case linear(rows: [LinearTap], columns: [LinearTap])
  }

  private let shape: [Int]
  private let taps: Taps

  init(_ input: Tensor<Scalar>, _ taps: Taps, _ height: Int, _ width: Int) {
    shape = Array(input.shape[..<2]) + [height, width]
    self.taps = taps
  }

  init(_ input: Tensor<Scalar>, sizes: [Int], scales: [Double]?, mode: InterpolationMode) throws {
    guard input.rank == 3 || input.rank == 4, sizes.count == input.rank - 2 else {
      throw TensorError.shape(
        operation: "interpolate",
        reason: "sizes \(sizes) do not fit an input of shape \(input.shape); expected [batch, channels, time] and one, "
          + "or [batch, channels, height, width] and two")
    }
    let limit = 1 << 31
    for size in sizes + input.shape[2...] where size < 1 || size > limit {
      throw TensorError.argument(
        operation: "interpolate", reason: "\(input.shape) to \(sizes): sizes must be in 1...\(limit)")
    }
    shape = Array(input.shape[..<2]) + sizes
    // Before positions are written down, for a size may be anything.
    try Shape.checkMemory([sizes.reduce(0, +)], of: LinearTap.self, operation: "interpolate")

    // Time is the width of a map of height 1.
    let inputs = (input.rank == 3 ? [1] : []) + input.shape[2...]
    let outputs = (input.rank == 3 ? [1] : []) + sizes
    let ratios = scales.map { (input.rank == 3 ? [1] : []) + $0 }
    func axis<Tap>(_ index: Int, _ make: (Int, Int, Double?) -> [Tap]) -> [Tap] {
      make(inputs[index], outputs[index], ratios?[index])
    }
    switch mode {
    case .nearest:
      let make = NearestRule.isSmallMap(sizes) ? Self.nearestOfSmallMap : Self.nearest
      taps = .nearest(rows: axis(0, make), columns: axis(1, make))
    case .linear(let alignCorners):
      let make = { Self.linear($0, $1, $2, alignCorners: alignCorners) }
      taps = .linear(rows: axis(0, make), columns: axis(1, make))
    }
  }

  /// In the precision of `Scalar` and then in float32, as in PyTorch: where a position falls on a sample exactly, rounding
  /// decides which.
  private static func nearest(_ input: Int, _ output: Int, _ scale: Double?) -> [Int] {
    nearest(input, output, scale, as: Scalar.self)
  }

  /// In float32 whatever `Scalar` is, as in PyTorch.
  private static func nearestOfSmallMap(_ input: Int, _ output: Int, _ scale: Double?) -> [Int] {
    nearest(input, output, output == input || output == 2 * input ? nil : scale, as: Float.self)
  }

  private static func nearest<Real: FloatingPointScalar>(
    _ input: Int, _ output: Int, _ scale: Double?, as type: Real.Type
  ) -> [Int] {
    if scale == nil, input == output { return Array(0..<input) }
    let step = scale.map { Real(1 / $0) } ?? Real(input) / Real(output)
    return (0..<output).map { min(Int(Float(Real($0) * step).rounded(.down)), input - 1) }
  }

  private static func linear(_ input: Int, _ output: Int, _ scale: Double?, alignCorners: Bool) -> [LinearTap] {
    if input == output { return (0..<input).map { LinearTap(first: $0, second: $0, weight: 0) } }
    let step =
      alignCorners
      ? (output > 1 ? Double(input - 1) / Double(output - 1) : 0)
      : (scale.map { 1 / $0 } ?? Double(input) / Double(output))
    return (0..<output).map { index in
      let position = alignCorners ? Double(index) * step : max(0, (Double(index) + 0.5) * step - 0.5)
      let first = min(Int(position.rounded(.down)), input - 1)
      return LinearTap(
        first: first, second: min(first + 1, input - 1), weight: min(max(position - Double(first), 0), 1))
    }
  }

  func run(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard try Shape.elementCount(shape) > 0 else { return try Tensor(zeros: shape) }
    let isBlocked = input.layout == .channelBlocked
    let vector = isBlocked ? TensorLayout.block : 1
    let maps = shape[0] * ((shape[1] + vector - 1) / vector)
    let inputWidth = input.shape[input.rank - 1]
    let inputStep = input.shape[2...].reduce(1, *) * vector
    let outputWidth = shape[shape.count - 1]
    let height = shape.count == 3 ? 1 : shape[2]
    let outputStep = height * outputWidth * vector
    let rowsPerTask = max(1, min(height, 32_768 / (outputWidth * vector)))
    let rowTasks = (height + rowsPerTask - 1) / rowsPerTask
    let mapsPerTask = max(1, min(maps, 32_768 / outputStep))
    let mapTasks = (maps + mapsPerTask - 1) / mapsPerTask
    let kernels = Scalar.kernels
    let x = Unchecked(input.pointer)
    let taps = taps

    return try Tensor.filled(shape, layout: input.layout) { destination in
      let y = Unchecked(destination)
      withExtendedLifetime(input.storage) {
        parallel(mapTasks * rowTasks) { task in
          let firstMap = task / rowTasks * mapsPerTask
          let firstRow = task % rowTasks * rowsPerTask
          let lines = firstRow..<min(firstRow + rowsPerTask, height)
          for map in firstMap..<min(firstMap + mapsPerTask, maps) {
            let source = x.value + map * inputStep
            let out = y.value + map * outputStep + firstRow * outputWidth * vector
            switch taps {
            case .nearest(let rows, let columns):
              rows.withUnsafeBufferPointer { rows in
                columns.withUnsafeBufferPointer { columns in
                  kernels.resizeNearest(
                    source, out, width: inputWidth, rows: UnsafeBufferPointer(rebasing: rows[lines]), columns: columns,
                    isBlocked: isBlocked)
                }
              }
            case .linear(let rows, let columns):
              rows.withUnsafeBufferPointer { rows in
                columns.withUnsafeBufferPointer { columns in
                  kernels.resizeLinear(
                    source, out, width: inputWidth, rows: UnsafeBufferPointer(rebasing: rows[lines]), columns: columns,
                    isBlocked: isBlocked)
                }
              }
            }
          }
        }
      }
    }
  }
}
