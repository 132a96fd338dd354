import Apus

// Sliding products of a weight and an input, `y[n, o, p] = bias[o] + Σ weight[o, c, k] · x[n, c, p·stride + k·dilation
// - pad]`.

extension Operators {
  static let convolutions: [OperatorDefinition] = [
    OperatorDefinition(
      "Conv",
      .product(
        .convolution, work: .convolution(weights: 1), accuracy: .sumOfProducts(.filter(weights: 1)),
        layout: .makesBlocked, fusion: .appliesActivation),
      Conv),
    OperatorDefinition(
      "ConvTranspose",
      .product(
        .transposedConvolution, work: .transposedConvolution, accuracy: .sumOfProducts(.transposedFilter),
        layout: .makesBlocked),
      ConvTranspose),
    OperatorDefinition(
      "CausalConvWithState",
      .product(.causalConvolution, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1))),
      CausalConvWithState),
    OperatorDefinition(
      "CausalConvWithState", domain: "com.microsoft",
      .product(.causalConvolution, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1))),
      MicrosoftCausalConvWithState),
    OperatorDefinition(
      "DeformConv",
      .product(.deformableConvolution, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1))),
      DeformConv),
    OperatorDefinition("Col2Im", .reduction(.col2Im, terms: .elementsPerOutput), Col2Im),
  ]

  /// Inputs x `[batch, channels, …]`, weight `[outputs, channels / group, …]` and, when wanted, bias `[outputs]`.
  static func Conv(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try ConvolutionOperator<Float>(node), try ConvolutionOperator<Double>(node))
  }

  /// The same, and the parameters of a batch normalisation of its result: factors, shifts, means and variances, `[outputs]`
  /// each.
  static func NormalizedConv(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      try ConvolutionOperator<Float>(node, parametersFrom: 3), try ConvolutionOperator<Double>(node, parametersFrom: 3))
  }
}

/// Conv in one working type, and the batch normalisation that a pass has moved into it. A weight that is known is laid out
/// when the node is prepared.
private struct ConvolutionOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  private let windows: WindowAttributes
  private let groups: Int
  private let activation: Activation
  private let layout: TensorLayout
  /// The inputs that a batch normalisation is made of, and what keeps its root away from zero; nil for none.
  private let normalization: (parameters: Range<Int>, epsilon: Double)?
  private let prepared: PreparedConvolution<Scalar>?

  /// - Parameter first: the first parameter of a batch normalisation; nil for none.
  init(_ node: NodeDescription, parametersFrom first: Int? = nil) throws {
    windows = try WindowAttributes(node)
    groups = try node.int("group", default: 1)
    normalization = try first.map { try ($0..<$0 + 4, BatchNormalization<Scalar>.epsilon(of: node)) }
    activation = node.activation
    layout = node.isResult ? .rowMajor : .channelBlocked
    guard let weight = try node.ownConstant(1, as: Scalar.self) else {
      prepared = nil
      return
    }
    let bias = try node.ownConstant(2, as: Scalar.self)
    let parameters = try normalization?.parameters.compactMap { try node.ownConstant($0, as: Scalar.self) }
    // A bias that comes later is part of the sums all the same, so the weight waits for it.
    guard bias != nil || !node.has(2), parameters?.count == normalization?.parameters.count else {
      prepared = nil
      return
    }
    prepared = try PreparedConvolution(
      weight: weight, bias: bias, normalization: Self.normalization(parameters, normalization?.epsilon),
      windows: windows, groups: groups)
    for index in 1..<(normalization?.parameters.upperBound ?? 3) { node.absorb(index) }
  }

  private static func normalization(
    _ parameters: [Tensor<Scalar>]?, _ epsilon: Double?
  ) throws -> BatchNormalization<Scalar>? {
    guard let parameters, let epsilon else { return nil }
    return try BatchNormalization(parameters, epsilon: epsilon)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let convolution =
      try prepared
      ?? PreparedConvolution(
        weight: arguments.floating(1, as: Scalar.self), bias: arguments.optionalFloating(2, as: Scalar.self),
        normalization: Self.normalization(
          normalization?.parameters.map { try arguments.floating($0, as: Scalar.self) }, normalization?.epsilon),
        windows: windows, groups: groups)
    let x = try arguments.floating(0, as: Scalar.self)
    return [try GraphValue(ending: activation, type) { try convolution(x, activation: $0, layout: layout) }]
  }
}

/// A convolution over any number of axes with its weight laid out.
///
/// One and two axes are those of Apus's convolution. Of more, all but the last two are unfolded: what a window sees
/// along them becomes channels, so that a two-dimensional convolution adds up everything. Three axes of channels by
/// themselves have an algorithm of their own.
struct PreparedConvolution<Scalar: FloatingPointScalar>: Sendable {
  private enum Way: Sendable {
    case maps(Convolution<Scalar>)
    case volumes(DepthwiseVolumes)
  }

  private let way: Way
  private let windows: WindowAttributes
  private let axes: [WindowAxis]
  private let channels: Int

  /// - Parameters:
  ///   - weight: `[outputs, channels / groups, …]`.
  ///   - bias: `[outputs]`.
  ///   - normalization: of the result, before its activation.
  init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>?, normalization: BatchNormalization<Scalar>?,
    windows: WindowAttributes, groups: Int
  ) throws {
    guard weight.rank >= 3 else {
      throw OperatorError(
        "the weight has shape \(weight.shape); [outputs, channels, …] with axes to move along is needed")
    }
    let limit = WindowAttributes.limit
    guard 1...limit ~= groups, 1...limit ~= weight.shape[1] else {
      throw OperatorError("group \(groups) does not fit a weight of shape \(weight.shape)")
    }
    self.windows = windows
    axes = try windows.axes(kernel: Array(weight.shape[2...]))
    channels = weight.shape[1] * groups
    let (outer, planar) = Self.divided(axes)
    let parameters = try ConvolutionParameters(operation: "Conv", rows: planar[0], columns: planar[1], groups: groups)
    if axes.count == 3, weight.shape[1] == 1, groups > 1, let weight = weight as? Tensor<Float> {
      way = .volumes(
        try DepthwiseVolumes(
          weight: weight, bias: bias as? Tensor<Float>, normalization: normalization as? BatchNormalization<Float>,
          depth: Self.depth(axes[0]), parameters: parameters))
      return
    }
    let unfolded = outer.reduce(weight.shape[1]) { $0 * $1.kernel }
    way = .maps(
      try Convolution(
        weight: weight.reshaped([weight.shape[0], unfolded] + planar.map(\.kernel)), bias: bias,
        normalization: normalization, parameters: parameters))
  }

  /// - Parameters:
  ///   - x: `[batch, channels, …]`.
  ///   - layout: how the result of one or two axes should lie.
  /// - Returns: `[batch, outputs, …]`.
  func callAsFunction(
    _ x: Tensor<Scalar>, activation: Activation = .identity, layout: TensorLayout = .channelBlocked
  ) throws -> Tensor<Scalar> {
    guard x.rank == axes.count + 2, x.shape[1] == channels else {
      throw OperatorError(
        "the input has shape \(x.shape); [batch, \(channels), …] with \(axes.count) axes to move along is needed")
    }
    switch way {
    case .maps(let convolution): return try unfolding(x, for: convolution, activation: activation, layout: layout)
    case .volumes(var volumes):
      if windows.padsBySize {
        let axes = try zip(axes, x.shape[2...]).map { try windows.padded($0, size: $1) }
        volumes = try volumes.padded(by: Padding2D(rows: axes[1], columns: axes[2]), depth: Self.depth(axes[0]))
      }
      guard let x = x as? Tensor<Float>, let y = try volumes(x, activation: activation) as? Tensor<Scalar> else {
        throw OperatorError("volumes of FLOAT are expected")
      }
      return y
    }
  }

  private func unfolding(
    _ x: Tensor<Scalar>, for convolution: Convolution<Scalar>, activation: Activation, layout: TensorLayout
  ) throws -> Tensor<Scalar> {
    guard axes.count > 2 || windows.padsBySize else {
      return try planar(convolution, x, activation: activation, layout: layout)
    }
    let axes = try zip(axes, x.shape[2...]).map { try windows.padded($0, size: $1) }
    let (outer, inner) = Self.divided(axes)
    let convolution = try convolution.padded(by: Padding2D(rows: inner[0], columns: inner[1]))
    guard axes.count > 2 else { return try planar(convolution, x, activation: activation, layout: layout) }
    if axes.allSatisfy(\.isPointwise) {
      // All positions are one map.
      let rows = try Shape.elementCount(Array(x.shape[2...].dropLast()))
      let map = try x.rowMajor.reshaped([x.shape[0], x.shape[1], rows, x.shape[x.rank - 1]])
      let y = try convolution(map, activation: activation, layout: .rowMajor)
      return try y.reshaped([x.shape[0], y.shape[1]] + x.shape[2...])
    }
    // [batch, places…, channels, taps…, height, width], where the places of a sample are maps of their own.
    let unfolding = try Unfolding(outer, windows: windows, shape: x.shape)
    let maps = try unfolding(x)
    let y = try convolution(maps, activation: activation, layout: .rowMajor)
    let shape = [x.shape[0], unfolding.places] + y.shape[1...]
    return try y.reshaped(shape).permuted([0, 2, 1, 3, 4])
      .reshaped([shape[0], shape[2]] + unfolding.outputs + shape[3...])
  }

  /// Over one axis or two.
  private func planar(
    _ convolution: Convolution<Scalar>, _ x: Tensor<Scalar>, activation: Activation, layout: TensorLayout
  ) throws -> Tensor<Scalar> {
    axes.count == 1
      ? try convolution(x.withHeight(), activation: activation, layout: layout).withoutHeight()
      : try convolution(x, activation: activation, layout: layout)
  }

  /// The axes to unfold, and the two to move along; one axis is the second of two.
  private static func divided(_ axes: [WindowAxis]) -> (outer: [WindowAxis], planar: [WindowAxis]) {
    if axes.count == 1 { return ([], [.single] + axes) }
    return (Array(axes.dropLast(2)), Array(axes.suffix(2)))
  }

  private static func depth(_ axis: WindowAxis) -> DepthwiseVolumes.Depth {
    DepthwiseVolumes.Depth(stride: axis.stride, dilation: axis.dilation, before: axis.before, after: axis.after)
  }
}

/// What windows see along some axes as channels: `[batch, channels, outer…, height, width]` becomes
/// `[batch · places, channels · taps, height, width]`, where the places are those of the windows along the outer axes
/// and the taps their elements. Padding is zeros.
private struct Unfolding {
  private let axes: [WindowAxis]
  private let shape: [Int]
  /// The number of windows along each axis, and all together.
  let outputs: [Int]
  let places: Int

  init(_ axes: [WindowAxis], windows: WindowAttributes, shape: [Int]) throws {
    self.axes = axes
    self.shape = shape
    outputs = try zip(axes, shape[2...]).map { try windows.outputs($0, size: $1) }
    places = try Shape.elementCount(outputs, operation: "Conv")
  }

  func callAsFunction<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let x = try x.rowMajor
    let (batch, channels) = (shape[0], shape[1])
    let sizes = Array(shape[2..<(2 + axes.count)])
    let plane = try Shape.elementCount(Array(shape.suffix(2)))
    let depth = try Shape.elementCount(sizes)
    let taps = try Shape.elementCount(axes.map(\.kernel), operation: "Conv")
    let result = try Shape.elementCount([batch, places, channels, taps], operation: "Conv")
    // Where each tap of each place lies, -1 in the padding.
    try Shape.checkMemory([places, taps], of: Int.self, operation: "Conv")
    let sources = zip(axes, zip(sizes, outputs)).reduce([0]) { sources, axis in
      Self.extended(sources, axis.0, size: axis.1.0, outputs: axis.1.1)
    }
    let order = Self.order(axes: axes, outputs: outputs)
    return try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor.filled([batch * places, channels * taps] + shape.suffix(2)) { destination in
        nonisolated(unsafe) let y = destination
        parallelRows(result, width: plane) { first, count in
          for row in first..<(first + count) {
            let (tap, rest) = (row % taps, row / taps)
            let (channel, place) = (rest % channels, rest / channels)
            let from = sources[order.place(place % places) + order.tap(tap)]
            let out = y + row * plane
            if from < 0 {
              out.initialize(repeating: 0, count: plane)
            } else {
              out.update(from: source + ((place / places * channels + channel) * depth + from) * plane, count: plane)
            }
          }
        }
      }
    }
  }

  /// Where windows and taps along one more axis lie, given those of the axes in front: `[places, taps]` of each axis in
  /// turn.
  private static func extended(_ sources: [Int], _ axis: WindowAxis, size: Int, outputs: Int) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(sources.count * outputs * axis.kernel)
    for source in sources {
      for output in 0..<outputs {
        for tap in 0..<axis.kernel {
          let position = output * axis.stride + tap * axis.dilation - axis.before
          result.append(source < 0 || position < 0 || position >= size ? -1 : source * size + position)
        }
      }
    }
    return result
  }

  /// How the list of sources is ordered: places and taps of each axis alternate in it.
  private struct Order: Sendable {
    let outputs: [Int]
    let kernels: [Int]

    func place(_ index: Int) -> Int { offset(index, outputs, kernels, isPlace: true) }
    func tap(_ index: Int) -> Int { offset(index, outputs, kernels, isPlace: false) }

    private func offset(_ index: Int, _ outputs: [Int], _ kernels: [Int], isPlace: Bool) -> Int {
      var (rest, offset, step) = (index, 0, 1)
      for axis in outputs.indices.reversed() {
        let size = isPlace ? outputs[axis] : kernels[axis]
        offset += rest % size * (isPlace ? step * kernels[axis] : step)
        rest /= size
        step *= outputs[axis] * kernels[axis]
      }
      return offset
    }
  }

  private static func order(axes: [WindowAxis], outputs: [Int]) -> Order {
    Order(outputs: outputs, kernels: axes.map(\.kernel))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let convolution = ShapeRule.rule { facts in
    [InferredType(facts.elementType(0), try convolved(facts.shape(0), weight: facts.shape(1), facts.node))]
  }

  /// What a convolution of an input of shape `x` gives.
  static func convolved(_ x: [Int], weight: [Int], _ node: NodeDescription) throws -> [Int] {
    guard weight.count >= 3, x.count == weight.count else { throw ShapeFacts.Unknown() }
    let windows = try WindowAttributes(node)
    return try [x[0], weight[0]] + windows.outputs(kernel: Array(weight.dropFirst(2)), sizes: Array(x.dropFirst(2)))
  }
}

extension WindowAttributes {
  /// The number of windows along each axis.
  func outputs(kernel: [Int], sizes: [Int]) throws -> [Int] {
    let axes = try axes(kernel: kernel)
    guard axes.count == sizes.count else { throw ShapeFacts.Unknown() }
    return try zip(axes, sizes).map { try outputs(padded($0, size: $1), size: $1) }
  }
}
