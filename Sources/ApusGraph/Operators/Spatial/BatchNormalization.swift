import Apus

extension Operators {
  /// `(x - mean) / √(variance + epsilon) · scale + bias` for each channel of `[batch, channels, …]`.
  ///
  /// With `training_mode` (before version 14: when more than one output is wanted, before version 7: unless `is_test`)
  /// mean and variance are those of the input, and running ones come out, too: `running · momentum + current ·
  /// (1 - momentum)`. Without `spatial`, up to version 8, every position of a channel has numbers of its own.
  static func BatchNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try BatchNormalizationOperator<Float>(node), try BatchNormalizationOperator<Double>(node))
  }
}

private struct BatchNormalizationOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let momentum: Float
  let isSpatial: Bool
  let isTraining: Bool

  init(_ node: NodeDescription) throws {
    epsilon = Double(try node.float("epsilon", default: 1e-5))
    momentum = try node.float("momentum", default: 0.9)
    isSpatial = node.opset < 9 ? try node.flag("spatial", default: true) : true
    if node.opset >= 14 {
      isTraining = try node.flag("training_mode")
    } else if node.opset >= 7 {
      isTraining = (1..<5).contains(where: node.wants)
    } else {
      isTraining = try !node.flag("is_test")
    }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let input = try arguments.floating(0, as: Scalar.self)
    let parameters = try (1...4).map { try arguments.floating($0, as: Scalar.self) }
    let isFlat = !isSpatial
    guard input.rank >= 2 else {
      throw OperatorError("the input has shape \(input.shape); [batch, channels, …] is needed")
    }
    let features = try Shape.elementCount(Array(input.shape[1...]))
    let x = isFlat ? try input.reshaped([input.shape[0], features]) : input
    let (scale, bias) = (try parameters[0].vector(), try parameters[1].vector())
    let (mean, variance) = (try parameters[2].vector(), try parameters[3].vector())
    func y(_ mean: Tensor<Scalar>, _ variance: Tensor<Scalar>) throws -> GraphValue {
      let y = try batchNorm(
        x, runningMean: mean, runningVariance: variance, weight: scale, bias: bias, epsilon: epsilon)
      return try GraphValue(rounding: isFlat ? y.reshaped(input.shape) : y, to: type)
    }
    guard isTraining else { return [try y(mean, variance)] }

    let axes = [0] + Array(2..<max(2, x.rank))
    let currentMean = try x.mean(axes: axes)
    let currentVariance = try x.variance(axes: axes, correction: 0)
    let momentum = Scalar(momentum)
    func running(_ old: Tensor<Scalar>, _ current: Tensor<Scalar>, _ index: Int) throws -> GraphValue {
      let new = try old * momentum + current * (1 - momentum)
      return try GraphValue(
        rounding: new.reshaped(parameters[index].shape), to: ElementType(arguments.tensor(index + 1).dataType))
    }
    return [
      try y(currentMean, currentVariance), try running(mean, currentMean, 2), try running(variance, currentVariance, 3),
      // Saved for the gradient, up to version 13.
      try GraphValue(rounding: currentMean.reshaped(parameters[2].shape), to: type),
      try GraphValue(rounding: currentVariance.reshaped(parameters[3].shape), to: type),
    ]
  }
}

extension Tensor {
  /// All elements in a row.
  fileprivate func vector() throws -> Tensor { rank == 1 ? self : try reshaped([count]) }
}
