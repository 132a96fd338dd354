import Apus

extension Operators {
  /// The gradient of a convolution: every input position adds its window of outputs.
  ///
  ///     y[n, o, p·stride + k·dilation - pad] += x[n, c, p] · weight[c, o, k]
  ///
  /// Inputs x `[batch, channels, …]`, weight `[channels, outputs / group, …]` and, when wanted, bias `[outputs]`. Where
  /// `output_shape` or SAME padding say how large the output is, padding follows from that.
  static func ConvTranspose(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try ConvTransposeOperator<Float>(node), try ConvTransposeOperator<Double>(node))
  }
}

private struct ConvTransposeOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  private let windows: TransposedWindows
  private let groups: Int
  private let weight: Tensor<Scalar>?
  /// For weights and a bias that are known, laid out for windows that lie as those of most inputs do.
  private let prepared: TransposedConvolution<Scalar>?

  init(_ node: NodeDescription) throws {
    windows = try TransposedWindows(node)
    groups = try node.int("group", default: 1)
    guard 1...WindowAttributes.limit ~= groups else { throw OperatorError("group is \(groups)") }
    // Widened once.
    weight = try node.ownConstant(1, as: Scalar.self)
    if weight != nil { node.absorb(1) }
    let bias = try node.ownConstant(2, as: Scalar.self)
    guard let weight, weight.rank == 3 || weight.rank == 4, bias != nil || !node.has(2) else {
      prepared = nil
      return
    }
    // What does not fit is said when it is run.
    let axes = Array(weight.shape[2...])
    let placed = try? windows.placement([1, weight.shape[0]] + axes.map { _ in 1 }, kernel: axes)
    if let placed {
      prepared = try? Self.planar(weight, bias, placed, groups: groups)
    } else {
      prepared = nil
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let weight = try weight ?? arguments.floating(1, as: Scalar.self)
    let bias = try arguments.optionalFloating(2, as: Scalar.self)
    guard weight.rank >= 3, x.rank == weight.rank, x.shape[1] == weight.shape[0] else {
      throw OperatorError(
        "an input of shape \(x.shape) and a weight of shape \(weight.shape) are not [batch, channels, …] and "
          + "[channels, outputs, …]")
    }
    let placed = try windows.placement(x.shape, kernel: Array(weight.shape[2...]))
    if placed.axes.count > 2 { return [try GraphValue(rounding: spatial(x, weight, bias, placed), to: type)] }
    let convolution: TransposedConvolution<Scalar>
    if let prepared, try prepared.moves(as: Self.parameters(placed, groups: groups)) {
      convolution = prepared
    } else {
      convolution = try Self.planar(weight, bias, placed, groups: groups)
    }
    let result = placed.axes.count == 1 ? try convolution(x.withHeight()).withoutHeight() : try convolution(x)
    return [try GraphValue(rounding: result, to: type)]
  }

  /// A convolution over one axis, as one over maps of height 1, or over two.
  private static func planar(
    _ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?, _ placed: TransposedWindows.Placement, groups: Int
  ) throws -> TransposedConvolution<Scalar> {
    let (parameters, outputPadding) = try parameters(placed, groups: groups)
    return try TransposedConvolution(
      weight: placed.axes.count == 1 ? weight.withHeight() : weight, bias: bias, parameters: parameters,
      outputPadding: outputPadding, limitsOutputPadding: false)
  }

  private static func parameters(
    _ placed: TransposedWindows.Placement, groups: Int
  ) throws -> (ConvolutionParameters, outputPadding: Size2D) {
    let axes = placed.axes.count == 1 ? [.single] + placed.axes : placed.axes
    let padding = placed.axes.count == 1 ? [0] + placed.outputPadding : placed.outputPadding
    let parameters = try ConvolutionParameters(
      operation: "ConvTranspose", rows: axes[0], columns: axes[1], groups: groups)
    return (parameters, Size2D(height: padding[0], width: padding[1]))
  }

  /// Over three axes and more: a matrix product gives all windows, which are then added up where they overlap.
  private func spatial(
    _ x: Tensor<Scalar>, _ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?, _ placed: TransposedWindows.Placement
  ) throws -> Tensor<Scalar> {
    let (batch, channels) = (x.shape[0], x.shape[1])
    guard channels.isMultiple(of: groups), channels > 0 else {
      throw OperatorError("\(channels) channels cannot be divided into \(groups) groups")
    }
    let outputsPerGroup = weight.shape[1]
    let taps = try Shape.elementCount(Array(weight.shape[2...]))
    let positions = try Shape.elementCount(Array(x.shape[2...]))
    let terms = outputsPerGroup * taps
    let left = try weight.reshaped([1, groups, channels / groups, terms]).transposed()
    let right = try x.reshaped([batch, groups, channels / groups, positions])
    let product = try matmul(left, right)
    let fold = Fold(axes: placed.axes, image: placed.outputs, blocks: Array(x.shape[2...]))
    let images = try fold(product.reshaped([batch * groups * outputsPerGroup, taps, positions]))
    let y = try images.reshaped([batch, groups * outputsPerGroup] + placed.outputs)
    guard let bias else { return y }
    guard bias.shape == [groups * outputsPerGroup] else {
      throw OperatorError("the bias has shape \(bias.shape); [\(groups * outputsPerGroup)] is needed")
    }
    return try y + bias.reshaped([bias.count] + placed.axes.map { _ in 1 })
  }
}

/// Where the windows of a transposed convolution put what they give.
struct TransposedWindows: Sendable {
  private let windows: WindowAttributes
  private let outputPadding: [Int]?
  private let outputShape: [Int]?

  init(_ node: NodeDescription) throws {
    windows = try WindowAttributes(node)
    outputPadding = try WindowAttributes.list(node, "output_padding", minimum: 0)
    outputShape = try WindowAttributes.list(node, "output_shape", minimum: 1)
  }

  struct Placement {
    /// With the padding that is cut off the result.
    var axes: [WindowAxis]
    /// What is added at the end of each axis.
    var outputPadding: [Int]
    var outputs: [Int]
  }

  /// The output's size and padding: one of them is given, the other follows.
  func placement(_ shape: [Int], kernel: [Int]) throws -> Placement {
    var axes = try windows.axes(kernel: kernel)
    var added = outputPadding ?? [Int](repeating: 0, count: axes.count)
    // Old files give batch and channels, too.
    var wanted = outputShape
    if let list = wanted, list.count == axes.count + 2 { wanted = Array(list.dropFirst(2)) }
    guard added.count == axes.count, wanted.map({ $0.count == axes.count }) ?? true else {
      throw OperatorError(
        "output_padding \(added) and output_shape \(wanted ?? []) do not have \(axes.count) numbers")
    }
    let isSame = windows.autoPad == .sameUpper || windows.autoPad == .sameLower
    var outputs: [Int] = []
    for index in axes.indices {
      let axis = axes[index]
      let size = shape[2 + index]
      guard 1...WindowAttributes.limit ~= size else {
        throw OperatorError("an axis of \(size) positions cannot be convolved")
      }
      let (reach, overflow) = ((size - 1) * axis.stride).addingReportingOverflow(axis.extent)
      guard !overflow, reach < 1 << 61 else { throw OperatorError("stride and dilation give an output beyond memory") }
      let full = reach + added[index]
      guard let target = wanted?[index] ?? (isSame ? size * axis.stride : nil) else {
        outputs.append(full - axis.before - axis.after)
        continue
      }
      let total = max(0, full - target)
      axes[index].before = windows.autoPad == .sameUpper ? total / 2 : total - total / 2
      axes[index].after = total - axes[index].before
      // An output beyond the last window.
      added[index] += max(0, target - full)
      outputs.append(target)
    }
    return Placement(axes: axes, outputPadding: added, outputs: outputs)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let transposedConvolution = ShapeRule.rule { facts in
    let (x, weight) = try (facts.shape(0), facts.shape(1))
    guard weight.count >= 3, x.count == weight.count else { throw ShapeFacts.Unknown() }
    let placement = try TransposedWindows(facts.node).placement(x, kernel: Array(weight.dropFirst(2)))
    let channels = try Extent.product(weight[1], facts.node.int("group", default: 1))
    return [InferredType(facts.elementType(0), [x[0], channels] + placement.outputs)]
  }
}

extension TermCount {
  /// The channels of a group, each with all elements of the filter.
  static let transposedFilter: TermCount = .counted { shapes in
    let weight = shapes.shape(1)
    return (weight.prefix(1).nonzeroProduct / max(1, shapes.int("group") ?? 1))
      .multipliedClamped(by: weight.dropFirst(2).nonzeroProduct)
  }
}
