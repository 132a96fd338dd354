import Apus

// Normalisation by statistics of the input itself. Scale and bias are applied with the same precision as the rest:
// `stash_type` asks for float32 at least, and nothing here computes in less.

extension Operators {
  static let normalizations: [OperatorDefinition] = [
    OperatorDefinition("BatchNormalization", .elementwise(results: .fresh, layout: .keepsBlocked), BatchNormalization),
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
    let epsilon = Double(try node.float("epsilon", default: 1e-5))
    @Sendable func normalized<Scalar: FloatingPointScalar>(_ arguments: Arguments, as type: Scalar.Type) throws
      -> Tensor<Scalar>
    {
      let x = try arguments.floating(0, as: type)
      guard x.rank >= 3 else {
        throw OperatorError("the input has shape \(x.shape); [batch, channels, …] with positions is needed")
      }
      if x.count == 0 { return x }
      return try groupNorm(
        x, groups: x.shape[1], weight: arguments.floating(1, as: type), bias: arguments.floating(2, as: type),
        epsilon: epsilon)
    }
    return floating({ try normalized($0, as: Float.self) }, { try normalized($0, as: Double.self) })
  }

  /// Groups of channels of every sample by their own mean and variance. Scale and bias have a number for each channel,
  /// before version 21 for each group.
  static func GroupNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    let epsilon = Double(try node.float("epsilon", default: 1e-5))
    let groups = try node.int("num_groups")
    let isPerGroup = node.opset < 21
    @Sendable func normalized<Scalar: FloatingPointScalar>(_ arguments: Arguments, as type: Scalar.Type) throws
      -> Tensor<Scalar>
    {
      let x = try arguments.floating(0, as: type)
      guard x.rank >= 2, groups > 0, x.shape[1] > 0, x.shape[1].isMultiple(of: groups) else {
        throw OperatorError("an input of shape \(x.shape) cannot form \(groups) groups of channels")
      }
      if x.count == 0 { return x }
      func perChannel(_ index: Int) throws -> Tensor<Scalar> {
        let parameter = try arguments.floating(index, as: type)
        guard isPerGroup, parameter.shape == [groups] else { return parameter }
        return try parameter.reshaped([groups, 1]).tiled([1, x.shape[1] / groups]).reshaped([x.shape[1]])
      }
      return try groupNorm(x, groups: groups, weight: perChannel(1), bias: perChannel(2), epsilon: epsilon)
    }
    return floating({ try normalized($0, as: Float.self) }, { try normalized($0, as: Double.self) })
  }

  /// The axes from `axis` on by their mean and variance, which come out, too, when they are wanted: the mean and
  /// `1 / √(variance + epsilon)`, in FLOAT unless the input is DOUBLE.
  static func LayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    let epsilon = Double(try node.float("epsilon", default: 1e-5))
    let axis = try node.int("axis", default: -1)
    let wantsStatistics = node.wants(1) || node.wants(2)
    @Sendable func normalized<Scalar: FloatingPointScalar>(
      _ arguments: Arguments, _ type: ElementType, as scalar: Scalar.Type
    ) throws -> [GraphValue?] {
      let x = try arguments.floating(0, as: scalar)
      let first = try Axes.resolve(axis, rank: x.rank)
      let shape = Array(x.shape[first...])
      let weight = try arguments.floating(1, as: scalar)
      let bias = try arguments.optionalFloating(2, as: scalar)
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
    return { arguments in
      let type = try arguments.floatingType(0)
      return type == .double
        ? try normalized(arguments, type, as: Double.self) : try normalized(arguments, type, as: Float.self)
    }
  }

  /// The axes from `axis` on by their root mean square: `x / √(mean x² + epsilon) · scale`.
  static func RMSNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    let epsilon = Double(try node.float("epsilon", default: 1e-5))
    let axis = try node.int("axis", default: -1)
    @Sendable func normalized<Scalar: FloatingPointScalar>(_ arguments: Arguments, as type: Scalar.Type) throws
      -> Tensor<Scalar>
    {
      let x = try arguments.floating(0, as: type)
      let shape = Array(x.shape[try Axes.resolve(axis, rank: x.rank)...])
      let weight = try arguments.floating(1, as: type)
      if x.count == 0 { return x }
      if weight.shape == shape { return try rmsNorm(x, normalizedShape: shape, weight: weight, epsilon: epsilon) }
      return try rmsNorm(x, normalizedShape: shape, epsilon: epsilon).multiplied(by: weight)
    }
    // The scale's type is the output's.
    return floating(
      likeInput: 1, { try normalized($0, as: Float.self) }, { try normalized($0, as: Double.self) })
  }

  /// `(x - mean) / standard deviation` over `axes`.
  static func MeanVarianceNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    let axes = try node.ints("axes", default: [0, 2, 3])
    @Sendable func normalized<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      let axes = try Axes.resolve(axes, rank: x.rank)
      if x.count == 0 { return x }
      let mean = try x.mean(axes: axes, keepDims: true)
      // The standard's function adds as much.
      let deviation = try x.standardDeviation(axes: axes, correction: 0, keepDims: true) + Scalar(1e-9)
      return try (x - mean) / deviation
    }
    return floatingUnary({ try normalized($0) }, { try normalized($0) })
  }

  /// `x / ‖x‖ₚ` along an axis with p of 1 or 2; zero where the norm is.
  static func LpNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: -1)
    let order = try node.int("p", default: 2)
    guard order == 1 || order == 2 else { throw OperatorError("p is \(order); it must be 1 or 2") }
    @Sendable func normalized<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
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
    return floatingUnary({ try normalized($0) }, { try normalized($0) })
  }

  /// Every element over a power of what its neighbours in adjacent channels have:
  /// `x / (bias + alpha / size · Σ x²) ^ beta`, the sum over `size` channels around it.
  static func LRN(_ node: NodeDescription) throws -> PreparedOperator {
    let size = try node.int("size")
    guard 1...WindowAttributes.limit ~= size else { throw OperatorError("size is \(size)") }
    let alpha = try node.float("alpha", default: 0.0001)
    let beta = try node.float("beta", default: 0.75)
    let bias = try node.float("bias", default: 1)
    @Sendable func normalized<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      guard x.rank >= 2 else { throw OperatorError("the input has shape \(x.shape); [batch, channels, …] is needed") }
      if x.count == 0 { return x }
      // Channels as rows of a map, summed over windows.
      let positions = try Shape.elementCount(Array(x.shape[2...]))
      let squares = try x.square().reshaped([1, x.shape[0], x.shape[1], positions])
      let window = PoolingAxis(kernel: size, before: (size - 1) / 2, after: size / 2, outputs: x.shape[1])
      let sums = try averagePool(squares, rows: window, columns: .identity(positions), divisor: .one)
      let factor = Scalar(alpha) / Scalar(size)
      return try x / (sums.reshaped(x.shape) * factor + Scalar(bias)).pow(Scalar(beta))
    }
    return floatingUnary({ try normalized($0) }, { try normalized($0) })
  }
}

extension Tensor where Scalar: FloatingPointScalar {
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
