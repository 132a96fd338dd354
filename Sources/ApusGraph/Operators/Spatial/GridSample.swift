import Apus

extension Operators {
  /// Samples of maps where a grid says.
  ///
  /// Inputs x `[batch, channels, d₁, …, dᵣ]` and grid `[batch, o₁, …, oᵣ, r]`, whose numbers are positions from -1 to 1
  /// along the last axis of x first. Output `[batch, channels, o₁, …, oᵣ]`.
  static func GridSample(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try GridSettings(node)
    // The grid may be of another type than what is sampled.
    return floating(
      likeInput: 1, GridSampleOperator<Float>(settings: settings), GridSampleOperator<Double>(settings: settings))
  }
}

private struct GridSampleOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: GridSettings

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.tensor(0)
    return [try GridSampling(settings, x.shape, arguments.floating(1, as: Scalar.self)).sample(x)]
  }
}

private struct GridSettings: Sendable {
  enum Mode: Sendable {
    case nearest, linear, cubic
  }

  /// What lies outside of a map.
  enum Padding: String, Sendable {
    case zeros, border, reflection
  }

  let mode: Mode
  let padding: Padding
  let alignsCorners: Bool

  init(_ node: NodeDescription) throws {
    let name = try node.string("mode", default: "linear")
    switch name {
    case "nearest": mode = .nearest
    case "linear", "bilinear": mode = .linear
    case "cubic", "bicubic": mode = .cubic
    default: throw OperatorError("mode '\(name)' is not nearest, linear or cubic")
    }
    let padding = try node.string("padding_mode", default: "zeros")
    guard let padding = Padding(rawValue: padding) else {
      throw OperatorError("padding_mode '\(padding)' is not zeros, border or reflection")
    }
    self.padding = padding
    alignsCorners = try node.flag("align_corners")
  }

  /// Where a number of the grid points to along an axis of `size` positions, computed as the grid is.
  @inline(__always)
  func position<Scalar: FloatingPointScalar>(_ number: Scalar, _ size: Int) -> Double {
    let length = Scalar(size)
    let fromStart = number + 1
    let x: Scalar = alignsCorners ? fromStart / 2 * (length - 1) : (fromStart * length - 1) / 2
    return Double(mode == .nearest ? x.rounded(.toNearestOrEven) : x)
  }

  /// A position outside brought inside, as the padding says.
  @inline(__always)
  func bounded(_ x: Double, _ size: Int) -> Double {
    let (low, high) = ends(size)
    if x >= low, x <= high { return x }
    switch padding {
    case .zeros: return x
    // The four samples of a cubic are brought inside one by one.
    case .border: return mode == .cubic ? x : x > 0 ? min(x, Double(size - 1)) : 0
    case .reflection: return reflected(x, low, high)
    }
  }

  /// The sample at a place that may lie outside; nil for zero.
  @inline(__always)
  func place(_ index: Double, _ size: Int) -> Int? {
    if index >= 0, index < Double(size) { return Int(index) }
    switch padding {
    case .zeros: return nil
    case .border: return index > 0 ? size - 1 : 0
    case .reflection:
      let (low, high) = ends(size)
      return min(max(Int(reflected(index, low, high)), 0), size - 1)
    }
  }

  /// Where maps end: at their outer samples, or half a step beyond.
  @inline(__always)
  private func ends(_ size: Int) -> (Double, Double) {
    alignsCorners ? (0, Double(size - 1)) : (-0.5, Double(size) - 0.5)
  }

  /// A position mirrored at both ends until it lies between them.
  @inline(__always)
  private func reflected(_ x: Double, _ low: Double, _ high: Double) -> Double {
    let length = high - low
    guard length > 0, x.isFinite else { return max(low, 0) }
    var rest = (x - low).truncatingRemainder(dividingBy: 2 * length)
    if rest < 0 { rest += 2 * length }
    return rest <= length ? low + rest : high - (rest - length)
  }
}

/// The samples of one grid in maps of one shape.
private struct GridSampling<Grid: FloatingPointScalar>: FloatingFunction {
  private let settings: GridSettings
  private let grid: Tensor<Grid>
  /// The input's shape, the extents of its maps, and the output's.
  private let shape: [Int]
  private let sizes: [Int]
  private let outputs: [Int]
  private let corners: Multilinear
  private let strides: [Int]

  init(_ settings: GridSettings, _ shape: [Int], _ grid: Tensor<Grid>) throws {
    let rank = shape.count - 2
    guard rank >= 1, rank <= 6, grid.rank == rank + 2, grid.shape[0] == shape[0], grid.shape.last == rank else {
      throw OperatorError(
        "a grid of shape \(grid.shape) does not fit an input of shape \(shape): [batch, …, axes of a map] is needed")
    }
    self.settings = settings
    self.grid = try grid.rowMajor
    self.shape = shape
    sizes = Array(shape[2...])
    outputs = Array(grid.shape[1..<(rank + 1)])
    corners = try Multilinear(sizes)
    strides = Shape.strides(sizes)
  }

  func sample(_ x: AnyTensor) throws -> GraphValue {
    let result = Array(shape[..<2]) + outputs
    if try Shape.elementCount(result, operation: "GridSample") > 0, sizes.contains(0) {
      throw OperatorError("maps of shape \(sizes) have no samples")
    }
    if x.dataType.isFloatingPoint { return try Operators.evaluate(self, x) }
    if settings.mode == .nearest { return try NearestSamples(sampling: self).run(.tensor(x)) }
    let numbers = try self(x.converted(to: Double.self))
    guard let value = try x.dataType.visitWholeNumber(Narrowing(numbers: numbers)) else {
      throw OperatorError("elements of type \(ElementType(x.dataType)) cannot be interpolated")
    }
    return value
  }

  private struct Narrowing: WholeNumberVisitor {
    let numbers: Tensor<Double>

    func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
      GraphValue(try numbers.converted(to: type))
    }
  }

  /// Moves elements of any type.
  private struct NearestSamples: Rearrangement {
    let sampling: GridSampling

    func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try sampling.picked(x)
    }
  }

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    if settings.mode == .nearest { return try picked(x) }
    let channels = shape[1]
    let count = try Shape.elementCount(outputs)
    let maps = try SampledMaps(x, channels: channels, samples: count * mostSamples)
    return try collected { samples, sample, length, y in
      maps.sum(samples, of: sample, channels: 0..<channels, factors: nil, count: length, to: y, step: count)
    }
  }

  /// Elements as they are, each output one of them.
  private func picked<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let x = try x.rowMajor
    let channels = shape[1]
    let (plane, count) = (try Shape.elementCount(sizes), try Shape.elementCount(outputs))
    return try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try collected { samples, sample, length, y in
        for channel in 0..<channels {
          samples.picks(source + (sample * channels + channel) * plane, count: length, to: y + channel * count)
        }
      }
    }
  }

  /// The most samples that an output is made of.
  private var mostSamples: Int { settings.mode == .cubic ? 1 << (2 * sizes.count) : corners.cornerCount }

  /// Calls `body` for `count` outputs at `y`, in the first channel of a sample, with what they are made of.
  @inline(__always)
  private func collected<Scalar: TensorScalar>(
    _ body:
      @Sendable (
        _ samples: SampleRun, _ sample: Int, _ count: Int, _ y: UnsafeMutablePointer<Scalar>
      ) -> Void
  ) throws -> Tensor<Scalar> {
    let (batch, channels) = (shape[0], shape[1])
    let count = try Shape.elementCount(outputs)
    let rank = sizes.count
    let most = mostSamples
    return try withExtendedLifetime(grid) {
      nonisolated(unsafe) let numbers = grid.pointer
      return try Tensor.filled([batch, channels] + outputs) { destination in
        nonisolated(unsafe) let y = destination
        guard channels > 0 else { return }
        parallelRows(batch * count, width: channels * most) { first, rows in
          SampleRun.withRoom(most: most, rank: rank) { samples in
            var row = first
            while row < first + rows {
              let (sample, output) = row.quotientAndRemainder(dividingBy: count)
              let length = min(samples.capacity, first + rows - row, count - output)
              for index in 0..<length {
                // The grid counts axes from the last.
                let point = numbers + (row + index) * rank
                for axis in 0..<rank {
                  samples.position[axis] = settings.bounded(
                    settings.position(point[rank - 1 - axis], sizes[axis]), sizes[axis])
                }
                samples.set(index) { find(samples.position, $0, $1) }
              }
              body(samples, sample, length, y + sample * channels * count + output)
              row += length
            }
          }
        }
      }
    }
  }

  /// Writes the samples around `position` and their weights.
  /// - Returns: how many there are; zeros outside are not counted.
  @inline(__always)
  private func find(
    _ position: UnsafeMutablePointer<Double>, _ places: UnsafeMutablePointer<Int>,
    _ weights: UnsafeMutablePointer<Double>
  ) -> Int {
    switch settings.mode {
    case .nearest:
      var place = 0
      for axis in sizes.indices {
        guard let index = settings.place(position[axis], sizes[axis]) else { return 0 }
        place += index * strides[axis]
      }
      places[0] = place
      return 1
    case .linear:
      // Inside once more: between the outer samples and the ends a map is constant.
      if settings.padding != .zeros {
        for axis in sizes.indices { position[axis] = min(max(position[axis], 0), Double(sizes[axis] - 1)) }
      }
      return corners.corners(position, places, weights)
    case .cubic:
      var count = 1
      places[0] = 0
      weights[0] = 1
      for axis in sizes.indices {
        let x = position[axis]
        let low = x.rounded(.down)
        let old = count
        // The first of the four is written last, over what the others were made of.
        for tap in [3, 2, 1, 0] {
          let index = low - 1 + Double(tap)
          let place = settings.place(index, sizes[axis])
          let weight = place == nil ? 0 : Self.cubic((index - x).magnitude)
          let offset = tap * old
          for i in 0..<old {
            places[offset + i] = places[i] + (place ?? 0) * strides[axis]
            weights[offset + i] = weights[i] * weight
          }
        }
        count = 4 * old
      }
      return count
    }
  }

  /// Keys' filter with a = -3/4.
  @inline(__always)
  private static func cubic(_ x: Double) -> Double {
    let a = -0.75
    if x <= 1 {
      let inner = (a + 2) * x - (a + 3)
      return inner * x * x + 1
    }
    let outer = (a * x - 5 * a) * x + 8 * a
    return x < 2 ? outer * x - 4 * a : 0
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let gridSample = ShapeRule.rule { facts in
    let (x, grid) = try (facts.input(0), facts.shape(1))
    guard x.shape.count >= 3, grid.count == x.shape.count else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, Array(x.shape.prefix(2)) + grid[1..<(grid.count - 1)])]
  }
}
