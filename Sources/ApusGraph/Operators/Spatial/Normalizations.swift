import Apus

// Normalisation by statistics of the input itself. Scale and bias are applied with the same precision as the rest:
// `stash_type` asks for float32 at least, and nothing here computes in less.

extension Operators {
  static let normalizations: [OperatorDefinition] = [
    OperatorDefinition(
      "BatchNormalization",
      .elementwise(results: .fresh, layout: .keepsBlocked, axes: .fixed, fusion: .appliesActivation), BatchNormalization
    ),
    OperatorDefinition("InstanceNormalization", .reduction(.likeInput, terms: .map), InstanceNormalization),
    OperatorDefinition("GroupNormalization", .reduction(.likeInput, terms: .group), GroupNormalization),
    OperatorDefinition("LayerNormalization", .reduction(.layerNormalization, terms: .fromAxisOn), LayerNormalization),
    OperatorDefinition("RMSNormalization", .reduction(.rmsNormalization, terms: .fromAxisOn), RMSNormalization),
    OperatorDefinition("MeanVarianceNormalization", .reduction(.likeInput, terms: .map), MeanVarianceNormalization),
    OperatorDefinition("LpNormalization", .reduction(.likeInput, terms: .alongAxis), LpNormalization),
    OperatorDefinition("LRN", .reduction(.likeInput, terms: .neighbours), LRN),
  ]

  /// Every channel of every sample of `[batch, channels, …]` by its own mean and variance.
  static func InstanceNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try InstanceNormalizationOperator<Float>(node), try InstanceNormalizationOperator<Double>(node))
  }

  /// Groups of channels of every sample by their own mean and variance. Scale and bias have a number for each channel,
  /// before version 21 for each group.
  static func GroupNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try GroupNormalizationOperator<Float>(node), try GroupNormalizationOperator<Double>(node))
  }

  /// The axes from `axis` on by their mean and variance, which come out, too, when they are wanted: the mean and
  /// `1 / √(variance + epsilon)`, in FLOAT unless the input is DOUBLE.
  static func LayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try LayerNormalizationOperator<Float>(node), try LayerNormalizationOperator<Double>(node))
  }

  /// The axes from `axis` on by their root mean square: `x / √(mean x² + epsilon) · scale`.
  static func RMSNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    // The scale's type is the output's.
    floating(likeInput: 1, try RMSNormalizationOperator<Float>(node), try RMSNormalizationOperator<Double>(node))
  }

  /// `(x - mean) / standard deviation` over `axes`.
  static func MeanVarianceNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(MeanVarianceFunction(axes: try node.ints("axes", default: [0, 2, 3])))
  }

  /// `x / ‖x‖ₚ` along an axis with p of 1 or 2; zero where the norm is.
  static func LpNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: -1)
    let order = try node.int("p", default: 2)
    guard order == 1 || order == 2 else { throw OperatorError("p is \(order); it must be 1 or 2") }
    return floating(LpFunction(axis: axis, order: order))
  }

  /// Every element over a power of what its neighbours in adjacent channels have:
  /// `x / (bias + alpha / size · Σ x²) ^ beta`, the sum over `size` channels around it.
  static func LRN(_ node: NodeDescription) throws -> PreparedOperator {
    let size = try node.int("size")
    guard 1...WindowAttributes.limit ~= size else { throw OperatorError("size is \(size)") }
    return floating(
      LocalResponse(
        size: size, alpha: try node.float("alpha", default: 0.0001), beta: try node.float("beta", default: 0.75),
        bias: try node.float("bias", default: 1)))
  }
}

// MARK: - Functions of one tensor

private struct MeanVarianceFunction: FloatingFunction {
  let axes: [Int]

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    let axes = try Axes.resolve(axes, rank: x.rank)
    if x.count == 0 { return x }
    let mean = try x.mean(axes: axes, keepDims: true)
    // The standard's function adds as much.
    let deviation = try x.standardDeviation(axes: axes, correction: 0, keepDims: true) + Real(1e-9)
    return try (x - mean) / deviation
  }
}

private struct LpFunction: FloatingFunction {
  let axis: Int
  let order: Int

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    let axis = try Axes.resolve(axis, rank: x.rank)
    if x.count == 0 { return x }
    let powers = try order == 1 ? x.abs() : x.square()
    let sums = try powers.sum(axes: [axis], keepDims: true)
    var norms = try order == 1 ? sums : sums.sqrt()
    try norms.withUnsafeMutableBufferPointer { norms in
      // What is divided by it becomes zero.
      for index in norms.indices where norms[index] == 0 { norms[index] = .infinity }
    }
    return try x / norms
  }
}

private struct LocalResponse: FloatingFunction {
  let size: Int
  let alpha: Float
  let beta: Float
  let bias: Float

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    guard x.rank >= 2 else { throw OperatorError("the input has shape \(x.shape); [batch, channels, …] is needed") }
    if x.count == 0 { return x }
    // Channels as rows of a map, summed over windows.
    let positions = try Shape.elementCount(Array(x.shape[2...]))
    let squares = try x.square().reshaped([1, x.shape[0], x.shape[1], positions])
    let window = PoolingAxis(kernel: size, before: (size - 1) / 2, after: size / 2, outputs: x.shape[1])
    let sums = try averagePool(squares, rows: window, columns: .identity(positions), divisor: .one)
    let factor = Real(alpha) / Real(size)
    return try x / (sums.reshaped(x.shape) * factor + Real(bias)).pow(Real(beta))
  }
}

// MARK: - With parameters

private struct InstanceNormalizationOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double

  init(_ node: NodeDescription) throws { epsilon = Double(try node.float("epsilon", default: 1e-5)) }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    guard x.rank >= 3 else {
      throw OperatorError("the input has shape \(x.shape); [batch, channels, …] with positions is needed")
    }
    if x.count == 0 { return [try GraphValue(rounding: x, to: type)] }
    let y = try groupNorm(
      x, groups: x.shape[1], weight: arguments.floating(1, as: Scalar.self),
      bias: arguments.floating(2, as: Scalar.self), epsilon: epsilon)
    return [try GraphValue(rounding: y, to: type)]
  }
}

private struct GroupNormalizationOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let groups: Int
  let isPerGroup: Bool

  init(_ node: NodeDescription) throws {
    epsilon = Double(try node.float("epsilon", default: 1e-5))
    groups = try node.int("num_groups")
    isPerGroup = node.opset < 21
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    guard x.rank >= 2, groups > 0, x.shape[1] > 0, x.shape[1].isMultiple(of: groups) else {
      throw OperatorError("an input of shape \(x.shape) cannot form \(groups) groups of channels")
    }
    if x.count == 0 { return [try GraphValue(rounding: x, to: type)] }
    func perChannel(_ index: Int) throws -> Tensor<Scalar> {
      let parameter = try arguments.floating(index, as: Scalar.self)
      guard isPerGroup, parameter.shape == [groups] else { return parameter }
      return try parameter.reshaped([groups, 1]).tiled([1, x.shape[1] / groups]).reshaped([x.shape[1]])
    }
    let y = try groupNorm(x, groups: groups, weight: perChannel(1), bias: perChannel(2), epsilon: epsilon)
    return [try GraphValue(rounding: y, to: type)]
  }
}

private struct LayerNormalizationOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let axis: Int
  let wantsStatistics: Bool

  init(_ node: NodeDescription) throws {
    epsilon = Double(try node.float("epsilon", default: 1e-5))
    axis = try node.int("axis", default: -1)
    wantsStatistics = node.wants(1) || node.wants(2)
    // Nothing depends on it, but it has to be a type.
    guard try node.optionalInt("stash_type") == nil || node.optionalElementType("stash_type") != nil else {
      throw OperatorError("stash_type is 0, which is no element type")
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let first = try Axes.resolve(axis, rank: x.rank)
    let shape = Array(x.shape[first...])
    let weight = try arguments.floating(1, as: Scalar.self)
    let bias = try arguments.optionalFloating(2, as: Scalar.self)
    let y: Tensor<Scalar>
    if x.count == 0 {
      y = x
    } else if weight.shape == shape, bias.map({ $0.shape == shape }) ?? true {
      y = try layerNorm(x, normalizedShape: shape, weight: weight, bias: bias, epsilon: epsilon)
    } else {
      let scaled = try layerNorm(x, normalizedShape: shape, epsilon: epsilon).multiplied(by: weight)
      y = try bias.map { try scaled.moved(by: $0) } ?? scaled
    }
    guard wantsStatistics else { return [try GraphValue(rounding: y, to: type)] }
    let axes = Array(first..<x.rank)
    let mean = try x.mean(axes: axes, keepDims: true)
    let variance = try x.variance(axes: axes, correction: 0, keepDims: true)
    return [
      try GraphValue(rounding: y, to: type), GraphValue(mean), GraphValue(try (variance + Scalar(epsilon)).rsqrt()),
    ]
  }
}

private struct RMSNormalizationOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let axis: Int

  init(_ node: NodeDescription) throws {
    epsilon = Double(try node.float("epsilon", default: 1e-5))
    axis = try node.int("axis", default: -1)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let first = try Axes.resolve(axis, rank: x.rank)
    let y = try x.rmsNormalized(from: first, scale: arguments.floating(1, as: Scalar.self), epsilon: epsilon)
    return [try GraphValue(rounding: y, to: type)]
  }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// Over the root of the mean square of the axes from `first` on, times a scale that is stretched over the result.
  func rmsNormalized(from first: Int, scale: Tensor, epsilon: Double) throws -> Tensor {
    if count == 0 { return self }
    let normalized = Array(shape[first...])
    if scale.shape == normalized {
      return try rmsNorm(self, normalizedShape: normalized, weight: scale, epsilon: epsilon)
    }
    return try rmsNorm(self, normalizedShape: normalized, epsilon: epsilon).multiplied(by: scale)
  }

  /// Times a tensor that is stretched over this one.
  fileprivate func multiplied(by factor: Tensor) throws -> Tensor {
    try checkStretch(factor)
    return try self * factor
  }

  /// Plus a tensor that is stretched over this one.
  fileprivate func moved(by summand: Tensor) throws -> Tensor {
    try checkStretch(summand)
    return try self + summand
  }

  private func checkStretch(_ other: Tensor) throws {
    guard try Shape.broadcast(shape, other.shape, operation: "normalization") == shape else {
      throw OperatorError("a parameter of shape \(other.shape) cannot be stretched to \(shape)")
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let rmsNormalization = ShapeRule.rule { [InferredType($0.elementType(1), try $0.shape(0))] }

  static let layerNormalization = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axis = try facts.node.int("axis", default: -1)
    let statistics = try normalizationStatistics(x.elementType, x.shape, axis: axis)
    return [x, statistics, statistics]
  }

  /// A mean, or a deviation, over the axes from `axis` on, in the type that it is computed in.
  static func normalizationStatistics(_ type: ElementType?, _ shape: [Int], axis: Int) throws -> InferredType {
    let first = try Axes.resolve(axis, rank: shape.count)
    let rows = shape.prefix(first) + shape.dropFirst(first).map { _ in 1 }
    return InferredType(type.map { $0 == .double ? .double : .float }, Array(rows))
  }
}

// MARK: - Terms

extension TermCount {
  /// The elements of a group of channels.
  static let group: TermCount = .counted { shapes in
    shapes.shape(0).dropFirst().nonzeroProduct / max(1, shapes.int("num_groups") ?? 1)
  }

  /// The channels that LRN looks at.
  static let neighbours: TermCount = .counted { $0.int("size") ?? 1 }
}
