import Apus

/// The attributes of Resize.
struct ResizeSettings: Sendable {
  enum Mode: String, Sendable {
    case nearest, linear, cubic
  }

  /// How a place in the output becomes a position in the input.
  enum Transformation: String, Sendable {
    case halfPixel = "half_pixel"
    case halfPixelSymmetric = "half_pixel_symmetric"
    case pytorchHalfPixel = "pytorch_half_pixel"
    case alignCorners = "align_corners"
    case asymmetric
    case tensorFlowHalfPixel = "tf_half_pixel_for_nn"
    case cropAndResize = "tf_crop_and_resize"
  }

  enum NearestMode: String, Sendable {
    case roundPreferFloor = "round_prefer_floor"
    case roundPreferCeil = "round_prefer_ceil"
    case floor, ceil
  }

  /// What becomes of the ratio of the sides when sizes are given.
  enum AspectPolicy: String, Sendable {
    case stretch
    case notLarger = "not_larger"
    case notSmaller = "not_smaller"
  }

  let mode: Mode
  let transformation: Transformation
  let nearestMode: NearestMode
  let policy: AspectPolicy
  let cubicCoefficient: Double
  let excludesOutside: Bool
  let extrapolationValue: Float
  let antialiases: Bool
  private let selectedAxes: [Int]?
  private let isVersion10: Bool

  init(_ node: NodeDescription, isUpsample: Bool = false) throws {
    func choice<Choice: RawRepresentable>(_ name: String, _ text: String) throws -> Choice
    where Choice.RawValue == String {
      guard let choice = Choice(rawValue: text) else {
        throw OperatorError("\(name) '\(text)' is not one of its values")
      }
      return choice
    }
    let name = try node.string("mode", default: "nearest")
    mode = try choice("mode", isUpsample && name == "bilinear" ? "linear" : name)
    // Before version 11 positions are those of the output divided by the scale.
    let isOld = isUpsample || node.opset < 11
    isVersion10 = isOld && !isUpsample
    transformation =
      isOld
      ? .asymmetric
      : try choice(
        "coordinate_transformation_mode", node.string("coordinate_transformation_mode", default: "half_pixel"))
    nearestMode =
      isOld ? .floor : try choice("nearest_mode", node.string("nearest_mode", default: "round_prefer_floor"))
    policy = try choice(
      "keep_aspect_ratio_policy", node.string("keep_aspect_ratio_policy", default: "stretch"))
    cubicCoefficient = Double(try node.float("cubic_coeff_a", default: -0.75))
    excludesOutside = try node.flag("exclude_outside")
    extrapolationValue = try node.float("extrapolation_value", default: 0)
    antialiases = try node.flag("antialias")
    selectedAxes = node.opset >= 18 ? try node.optionalInts("axes") : nil
  }
}

/// How one axis is resized.
struct ResizeAxis: Hashable, Sendable {
  var input: Int
  var output: Int
  /// How many output positions there are for each of the input's; not always the ratio of the extents.
  var scale: Double
  /// Whether that is the ratio of the extents, as it is where sizes are given.
  var isRatio = true
  /// The part of the input that is taken; its ends are 0 and 1.
  var start = 0.0
  var end = 1.0

  var isIdentity: Bool { input == output && scale == 1 && start == 0 && end == 1 }
}

extension ResizeSettings {
  /// How each axis of `shape` is resized.
  ///
  /// - Throws: ``OperatorError`` when both or none of scales and sizes are given, and for numbers that make no sense.
  func axes(of shape: [Int], roi: [Float]?, scales: [Float]?, sizes: [Int]?) throws -> [ResizeAxis] {
    let selected = try selectedAxes.map { try Axes.resolve($0, rank: shape.count) } ?? Array(shape.indices)
    var axes = shape.map { ResizeAxis(input: $0, output: $0, scale: 1) }
    for size in shape where size > WindowAttributes.limit {
      throw OperatorError("an axis of \(size) positions cannot be resized")
    }
    if transformation == .cropAndResize {
      guard let roi, roi.count == 2 * selected.count else {
        throw OperatorError("roi has \(roi?.count ?? 0) numbers; \(2 * selected.count) are needed")
      }
      for (index, axis) in selected.enumerated() {
        axes[axis].start = Double(roi[index])
        axes[axis].end = Double(roi[selected.count + index])
      }
    }
    let sizes = sizes?.isEmpty == true && !selected.isEmpty ? nil : sizes
    switch (scales, sizes) {
    case (let scales?, nil):
      guard scales.count == selected.count else {
        throw OperatorError("there are \(scales.count) scales for \(selected.count) axes")
      }
      for (axis, scale) in zip(selected, scales) {
        guard scale > 0, scale.isFinite else { throw OperatorError("scale \(scale) is not positive") }
        axes[axis].scale = Double(scale)
        axes[axis].isRatio = false
        let part = transformation == .cropAndResize ? Float(axes[axis].end - axes[axis].start) : 1
        let extent = (Float(shape[axis]) * part * scale).rounded(.down)
        guard let output = Int(exactly: extent), 0...WindowAttributes.limit ~= output else {
          throw OperatorError("\(shape[axis]) positions cannot be scaled by \(scale)")
        }
        axes[axis].output = output
      }
    case (nil, let sizes?):
      guard sizes.count == selected.count else {
        throw OperatorError("there are \(sizes.count) sizes for \(selected.count) axes")
      }
      for size in sizes where size < 0 || size > WindowAttributes.limit {
        throw OperatorError("size \(size) is outside 0...\(WindowAttributes.limit)")
      }
      for (axis, size) in zip(selected, sizes) {
        axes[axis].output = size
        axes[axis].scale = shape[axis] == 0 ? 1 : Double(size) / Double(shape[axis])
      }
      keepAspect(&axes, selected)
    case (nil, nil): throw OperatorError("neither scales nor sizes are given")
    case (.some, .some): throw OperatorError("both scales and sizes are given")
    }
    return axes
  }

  private func keepAspect(_ axes: inout [ResizeAxis], _ selected: [Int]) {
    let scales = selected.map { axes[$0].scale }
    guard policy != .stretch, let scale = policy == .notLarger ? scales.min() : scales.max() else { return }
    for axis in selected {
      axes[axis].scale = scale
      axes[axis].isRatio = false
      axes[axis].output = Int(min(Double(axes[axis].input) * scale + 0.5, Double(WindowAttributes.limit)))
    }
  }
}

// MARK: - Positions

extension ResizeSettings {
  /// Where output `index` lies in the input; between samples as a rule, and outside perhaps.
  func position(_ index: Int, _ axis: ResizeAxis) -> Double {
    let x = Double(index)
    let input = Double(axis.input)
    // The length that scale asks for, which may have a fraction.
    let length = axis.isRatio ? Double(axis.output) : axis.scale * input
    switch transformation {
    case .halfPixel: return scaledBack(x + 0.5, axis) - 0.5
    case .halfPixelSymmetric:
      let adjustment = Double(axis.output) / length
      return input / 2 * (1 - adjustment) + scaledBack(x + 0.5, axis) - 0.5
    case .pytorchHalfPixel: return axis.output > 1 ? scaledBack(x + 0.5, axis) - 0.5 : 0
    case .alignCorners: return length == 1 ? 0 : x * (input - 1) / (length - 1)
    case .asymmetric: return scaledBack(x, axis)
    case .tensorFlowHalfPixel: return scaledBack(x + 0.5, axis)
    case .cropAndResize:
      let last = input - 1
      return axis.output > 1
        ? axis.start * last + x * (axis.end - axis.start) * last / Double(axis.output - 1)
        : 0.5 * (axis.start + axis.end) * last
    }
  }

  /// A place in the output over the scale.
  ///
  /// What is whole stays whole, for a place just before it has another nearest sample: by extents 9 · 14 / 18 is 7, and
  /// 9 / (18 / 14) a little less; a scale of a third is 0.33333334, and 3 over that is 9 in the precision that scales are
  /// written in, and a little less in any other.
  private func scaledBack(_ x: Double, _ axis: ResizeAxis) -> Double {
    if axis.isRatio { return axis.output == axis.input ? x : x * Double(axis.input) / Double(axis.output) }
    return mode == .nearest ? Double(Float(x) / Float(axis.scale)) : x / axis.scale
  }

  /// Whether output `index` lies outside the input, where cropping asks for the extrapolation value.
  func isOutside(_ index: Int, _ axis: ResizeAxis) -> Bool {
    let position = position(index, axis)
    return !(position >= 0 && position <= Double(axis.input - 1))
  }
}

// MARK: - Samples

/// What each output of an axis is made of.
enum AxisSampling: Sendable {
  case nearest([Int])
  case linear([ResamplingTap])
  case weighted(WeightedTaps)
}

extension ResizeSettings {
  /// The samples of an axis that stays as it is, in the form that this mode combines with others.
  func identity(_ size: Int) -> AxisSampling {
    mode == .nearest
      ? .nearest(Array(0..<size)) : .linear((0..<size).map { ResamplingTap(first: $0, second: $0, weight: 0) })
  }

  /// What the outputs along `axis` are made of. The input is not empty.
  func sampling(_ axis: ResizeAxis) throws -> AxisSampling {
    if axis.isIdentity { return identity(axis.input) }
    // Before samples are written down, for there may be any number of them.
    try Shape.checkMemory([axis.output], of: ResamplingTap.self, operation: "Resize")
    let last = axis.input - 1
    switch mode {
    case .nearest:
      // In version 10, where nothing says which of two is nearer, what is made smaller skips what it has passed.
      let rounding = isVersion10 && axis.scale < 1 ? .ceil : nearestMode
      return .nearest((0..<axis.output).map { nearest(position($0, axis), rounding, last: last) })
    case .linear where !excludesOutside && !(antialiases && axis.scale < 1):
      return .linear(
        (0..<axis.output).map { index in
          let x = clamped(position(index, axis), margin: 2, axis)
          let low = x.rounded(.down)
          let first = Int(low)
          return ResamplingTap(
            first: min(max(first, 0), last), second: min(max(first + 1, 0), last), weight: x - low)
        })
    default: return .weighted(try weighted(axis))
    }
  }

  private func nearest(_ position: Double, _ rounding: NearestMode, last: Int) -> Int {
    let whole =
      switch rounding {
      case .roundPreferFloor: (position - 0.5).rounded(.up)
      case .roundPreferCeil: (position + 0.5).rounded(.down)
      case .floor: position.rounded(.down)
      case .ceil: position.rounded(.up)
      }
    // Also for what is not a number.
    return whole > 0 ? (whole < Double(last) ? Int(whole) : last) : 0
  }

  /// A position not so far outside that an integer could not hold it.
  private func clamped(_ position: Double, margin: Double, _ axis: ResizeAxis) -> Double {
    position.isNaN ? 0 : min(max(position, -margin), Double(axis.input) + margin)
  }

  private func weighted(_ axis: ResizeAxis) throws -> WeightedTaps {
    // A filter is stretched to cover what is skipped.
    let stretch = antialiases ? min(axis.scale, 1) : 1
    let reach = (mode == .linear ? 1 : 2) / stretch
    let taps = 2 * reach + 2
    try Shape.checkMemory([axis.output, Int(min(taps, 1e12))], of: Double.self, operation: "Resize")
    var result = WeightedTaps()
    for index in 0..<axis.output {
      let x = clamped(position(index, axis), margin: reach + 2, axis)
      let first = Int((x - reach).rounded(.down)) + 1
      let end = Int((x + reach).rounded(.up))
      var weights = (first..<max(end, first + 1)).map { filter((Double($0) - x) * stretch) }
      if stretch < 1 { weights.divide(by: weights.reduce(0, +)) }
      result.append(weights, first: first, size: axis.input, excludesOutside: excludesOutside)
    }
    return result
  }

  /// The weight of a sample so far from the position.
  private func filter(_ distance: Double) -> Double {
    let x = distance.magnitude
    if mode == .linear { return max(0, 1 - x) }
    let a = cubicCoefficient
    if x <= 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0
  }
}

extension [Double] {
  /// Every number over `divisor`; as they are where that is zero.
  fileprivate mutating func divide(by divisor: Double) {
    guard divisor != 0 else { return }
    for index in indices { self[index] /= divisor }
  }
}

/// Weighted sums of neighbours along an axis.
struct WeightedTaps: Sendable {
  private var firsts: [Int] = []
  /// Where the weights of each output begin; one more at the end.
  private var starts = [0]
  private var weights: [Double] = []

  /// Adds an output made of samples from `first` on. Those outside an axis of `size` positions count for the one at the
  /// edge, or not at all.
  fileprivate mutating func append(_ values: [Double], first: Int, size: Int, excludesOutside: Bool) {
    let from = Swift.min(Swift.max(first, 0), size - 1)
    let through = Swift.min(Swift.max(first + values.count - 1, 0), size - 1)
    var inside = [Double](repeating: 0, count: through - from + 1)
    for (offset, value) in values.enumerated() {
      let place = first + offset
      if excludesOutside, place < 0 || place >= size { continue }
      inside[Swift.min(Swift.max(place, from), through) - from] += value
    }
    if excludesOutside { inside.divide(by: inside.reduce(0, +)) }
    firsts.append(from)
    weights += inside
    starts.append(weights.count)
  }

  /// `[outer, size, inner]` to `[outer, outputs, inner]`, summed in double precision.
  func callAsFunction<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let x = try x.rowMajor
    let (outer, size, inner) = (x.shape[0], x.shape[1], x.shape[2])
    let outputs = firsts.count
    let (firsts, starts, weights) = (firsts, starts, weights)
    return try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor.filled([outer, outputs, inner]) { destination in
        nonisolated(unsafe) let y = destination
        parallelRows(outer * outputs, width: inner * 4) { first, count in
          weights.withUnsafeBufferPointer { weights in
            for row in first..<(first + count) {
              let output = row % outputs
              let from = source + (row / outputs * size + firsts[output]) * inner
              let range = starts[output]..<starts[output + 1]
              for i in 0..<inner {
                var sum = 0.0
                var place = i
                for tap in range {
                  sum += weights[tap] * Double(from[place])
                  place += inner
                }
                y[row * inner + i] = Scalar(sum)
              }
            }
          }
        }
      }
    }
  }
}
