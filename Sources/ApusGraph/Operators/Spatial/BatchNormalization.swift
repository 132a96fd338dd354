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
  private let activation: Activation
  /// With its factors computed, where all parameters are known.
  private let prepared: BatchNormalization<Scalar>?

  init(_ node: NodeDescription) throws {
    epsilon = try BatchNormalization<Scalar>.epsilon(of: node)
    momentum = try node.float("momentum", default: 0.9)
    activation = node.activation
    isSpatial = node.opset < 9 ? try node.flag("spatial", default: true) : true
    if node.opset >= 14 {
      isTraining = try node.flag("training_mode")
    } else if node.opset >= 7 {
      isTraining = (1..<5).contains(where: node.wants)
    } else {
      isTraining = try !node.flag("is_test")
    }
    let known = try (1...4).compactMap { try node.ownConstant($0, as: Scalar.self) }
    guard !isTraining, known.count == 4 else {
      prepared = nil
      return
    }
    prepared = try BatchNormalization(known, epsilon: epsilon)
    for index in 1...4 { node.absorb(index) }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let input = try arguments.floating(0, as: Scalar.self)
    let isFlat = !isSpatial
    guard input.rank >= 2 else {
      throw OperatorError("the input has shape \(input.shape); [batch, channels, …] is needed")
    }
    let features = try Shape.elementCount(Array(input.shape[1...]))
    let x = isFlat ? try input.reshaped([input.shape[0], features]) : input
    func y(_ normalization: BatchNormalization<Scalar>) throws -> GraphValue {
      try GraphValue(ending: activation, type) {
        let y = try normalization(x, activation: $0)
        return try isFlat ? y.reshaped(input.shape) : y
      }
    }
    if let prepared { return [try y(prepared)] }
    let parameters = try (1...4).map { try arguments.floating($0, as: Scalar.self) }
    guard isTraining else { return [try y(BatchNormalization(parameters, epsilon: epsilon))] }

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
      try y(BatchNormalization([parameters[0], parameters[1], currentMean, currentVariance], epsilon: epsilon)),
      try running(parameters[2].vector(), currentMean, 2), try running(parameters[3].vector(), currentVariance, 3),
      // Saved for the gradient, up to version 13.
      try GraphValue(rounding: currentMean.reshaped(parameters[2].shape), to: type),
      try GraphValue(rounding: currentVariance.reshaped(parameters[3].shape), to: type),
    ]
  }
}

extension BatchNormalization {
  /// - Parameter parameters: factors, shifts, means and variances, of as many elements each as there are channels.
  init(_ parameters: [Tensor<Scalar>], epsilon: Double) throws {
    let vectors = try parameters.map { try $0.vector() }
    try self.init(
      channels: vectors[2].count, runningMean: vectors[2], runningVariance: vectors[3], weight: vectors[0],
      bias: vectors[1], epsilon: epsilon)
  }

  /// What a node says keeps the root away from zero.
  static func epsilon(of node: NodeDescription) throws -> Double { Double(try node.float("epsilon", default: 1e-5)) }
}

extension Tensor {
  /// All elements in a row.
  fileprivate func vector() throws -> Tensor { rank == 1 ? self : try reshaped([count]) }
}
