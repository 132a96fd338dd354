import Apus

extension Operators {
  /// A convolution whose samples are moved by offsets that are part of the input, and weighted by a mask.
  ///
  ///     y[n, o, p] = bias[o] + Σ weight[o, c, k] · mask[n, g, k, p] · x[n, c, p·stride + k·dilation - pad + offset[n, g, k, p]]
  ///
  /// Inputs x `[batch, channels, …]`, weight `[outputs, channels / group, …]`, offset `[batch, offset groups · taps ·
  /// axes, …]`, bias `[outputs]`, mask `[batch, offset groups · taps, …]`. Positions between samples are interpolated
  /// linearly; outside there are zeros.
  static func DeformConv(_ node: NodeDescription) throws -> PreparedOperator {
    let windows = try WindowAttributes(node)
    let groups = try node.int("group", default: 1)
    let offsetGroups = try node.int("offset_group", default: 1)
    let limit = WindowAttributes.limit
    guard 1...limit ~= groups, 1...limit ~= offsetGroups else {
      throw OperatorError("group \(groups) and offset_group \(offsetGroups) must be positive")
    }
    return floating(
      DeformConvOperator<Float>(windows: windows, groups: groups, offsetGroups: offsetGroups),
      DeformConvOperator<Double>(windows: windows, groups: groups, offsetGroups: offsetGroups))
  }
}

private struct DeformConvOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let windows: WindowAttributes
  let groups: Int
  let offsetGroups: Int

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let convolution = try DeformableConvolution<Scalar>(arguments, windows, groups, offsetGroups)
    return [try GraphValue(rounding: convolution(), to: type)]
  }
}

/// One convolution, of operands that are known.
private struct DeformableConvolution<Scalar: FloatingPointScalar> {
  private let x: Tensor<Scalar>
  private let weight: Tensor<Scalar>
  private let offset: Tensor<Scalar>
  private let bias: Tensor<Scalar>?
  private let mask: Tensor<Scalar>?
  private let axes: [WindowAxis]
  private let groups: Int
  private let offsetGroups: Int
  private let outputs: [Int]
  /// Elements of a window, and windows.
  private let taps: Int
  private let places: Int

  init(_ arguments: Arguments, _ windows: WindowAttributes, _ groups: Int, _ offsetGroups: Int) throws {
    x = try arguments.floating(0, as: Scalar.self)
    weight = try arguments.floating(1, as: Scalar.self).rowMajor
    offset = try arguments.floating(2, as: Scalar.self).rowMajor
    bias = try arguments.optionalFloating(3, as: Scalar.self)
    mask = try arguments.optionalFloating(4, as: Scalar.self)?.rowMajor
    (self.groups, self.offsetGroups) = (groups, offsetGroups)
    guard x.rank >= 3, weight.rank == x.rank, x.shape[1] > 0, x.shape[1].isMultiple(of: groups),
      weight.shape[1] == x.shape[1] / groups, weight.shape[0].isMultiple(of: groups),
      x.shape[1].isMultiple(of: offsetGroups)
    else {
      throw OperatorError(
        "an input of shape \(x.shape) and a weight of shape \(weight.shape) do not fit each other in \(groups) groups, "
          + "\(offsetGroups) of offsets")
    }
    axes = try windows.axes(kernel: Array(weight.shape[2...]))
    outputs = try zip(axes, x.shape[2...]).map { try windows.outputs($0, size: $1) }
    taps = try Shape.elementCount(Array(weight.shape[2...]))
    places = try Shape.elementCount(outputs, operation: "DeformConv")
    let moves = offsetGroups * taps
    guard offset.shape == [x.shape[0], moves * axes.count] + outputs,
      mask.map({ $0.shape == [x.shape[0], moves] + outputs }) ?? true,
      bias.map({ $0.shape == [weight.shape[0]] }) ?? true
    else {
      throw OperatorError(
        "offset \(offset.shape), mask \(mask?.shape ?? []) and bias \(bias?.shape ?? []) are not "
          + "\([x.shape[0], moves * axes.count] + outputs), \([x.shape[0], moves] + outputs) and [\(weight.shape[0])]")
    }
  }

  func callAsFunction() throws -> Tensor<Scalar> {
    let (batch, channels, kernels) = (x.shape[0], x.shape[1], weight.shape[0])
    let terms = channels / groups * taps
    let samples = try self.samples().reshaped([batch, groups, terms, places])
    let product = try matmul(weight.reshaped([groups, kernels / groups, terms]), samples)
    let y = try product.reshaped([batch, kernels] + outputs)
    guard let bias else { return y }
    return try y + bias.reshaped([kernels] + axes.map { _ in 1 })
  }

  /// What every window sees: `[batch, channels, taps, places]`.
  private func samples() throws -> Tensor<Scalar> {
    let (batch, channels) = (x.shape[0], x.shape[1])
    let channelsPerGroup = channels / offsetGroups
    let grid = try Multilinear(Array(x.shape[2...]))
    let (starts, steps) = (starts, steps)
    let maps = try SampledMaps(x, channels: channelsPerGroup, samples: taps * places * grid.cornerCount)
    let result = [batch, channels, taps, places]
    _ = try Shape.elementCount(result, operation: "DeformConv")
    let (axes, taps, places, offsetGroups) = (axes, taps, places, offsetGroups)
    return try withExtendedLifetime((offset, mask)) {
      nonisolated(unsafe) let moves = offset.pointer
      nonisolated(unsafe) let factors = mask?.pointer
      return try Tensor.filled(result) { destination in
        nonisolated(unsafe) let y = destination
        // Each task finds the positions of one tap once, for all channels that share its offsets.
        parallelRanges(
          batch * offsetGroups * taps, grain: max(1, elementsPerPiece / max(1, places * channelsPerGroup))
        ) { first, count in
          SampleRun.withRoom(most: grid.cornerCount, rank: axes.count) { samples in
            for task in first..<(first + count) {
              let (group, tap) = task.quotientAndRemainder(dividingBy: taps)
              let sample = group / offsetGroups
              let firstChannel = group % offsetGroups * channelsPerGroup
              var place = 0
              while place < places {
                let length = min(samples.capacity, places - place)
                for index in 0..<length {
                  for axis in axes.indices {
                    let move = moves[(task * axes.count + axis) * places + place + index]
                    samples.position[axis] = Double(starts[axis][place + index] + steps[axis][tap]) + Double(move)
                  }
                  samples.set(index) { grid.corners(samples.position, $0, $1) }
                }
                maps.sum(
                  samples, of: sample, channels: firstChannel..<(firstChannel + channelsPerGroup),
                  factors: factors.map { $0 + task * places + place }, count: length,
                  to: y + ((sample * channels + firstChannel) * taps + tap) * places + place, step: taps * places)
                place += length
              }
            }
          }
        }
      }
    }
  }

  /// Where the first tap of each window lies along each axis, and how far each tap lies from the first.
  private var starts: [[Int]] {
    let strides = Shape.strides(outputs)
    return axes.indices.map { index in
      let axis = axes[index]
      return (0..<places).map { $0 / strides[index] % outputs[index] * axis.stride - axis.before }
    }
  }

  private var steps: [[Int]] {
    let strides = Shape.strides(axes.map(\.kernel))
    return axes.indices.map { index in
      let axis = axes[index]
      return (0..<taps).map { $0 / strides[index] % axis.kernel * axis.dilation }
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let deformableConvolution = ShapeRule.rule { facts in
    // The standard has no `auto_pad` here, and none is applied.
    guard !facts.node.has(attribute: "auto_pad") else { throw ShapeFacts.Unknown() }
    return [InferredType(facts.elementType(0), try convolved(facts.shape(0), weight: facts.shape(1), facts.node))]
  }
}
