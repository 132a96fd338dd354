/// Batch normalisation of `[batch, channels, time]` or `[batch, channels]`: PyTorch's `torch.nn.BatchNorm1d`, after
/// training.
public struct BatchNorm1d<Scalar: FloatingPointScalar>: Sendable {
  private let normalization: BatchNorm<Scalar>

  /// - Parameters:
  ///   - weight, bias, runningMean, runningVariance: `[channels]`.
  ///   - epsilon: what keeps the root away from zero.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when their shapes differ.
  public init(
    weight: Tensor<Scalar>? = nil, bias: Tensor<Scalar>? = nil,
    runningMean: Tensor<Scalar>, runningVariance: Tensor<Scalar>, epsilon: Double = 1e-5
  ) throws {
    normalization = try BatchNorm(
      weight: weight, bias: bias, runningMean: runningMean, runningVariance: runningVariance, epsilon: epsilon)
  }

  /// Reads `running_mean`, `running_var` and, when there are any, `weight` and `bias`.
  public init(_ weights: Weights, channels: Int, epsilon: Double = 1e-5) throws {
    normalization = try BatchNorm(weights, channels: channels, epsilon: epsilon)
  }

  /// - Parameter input: `[batch, channels, time]` or `[batch, channels]`.
  /// - Returns: the same shape, in the same layout.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard (2...3).contains(input.rank) else {
      throw TensorError.shape(
        operation: "BatchNorm1d",
        reason: "input has shape \(input.shape), expected [batch, channels, time] or [batch, channels]")
    }
    return try normalization(input)
  }
}

/// Batch normalisation of `[batch, channels, height, width]`: PyTorch's `torch.nn.BatchNorm2d`, after training.
public struct BatchNorm2d<Scalar: FloatingPointScalar>: Sendable {
  private let normalization: BatchNorm<Scalar>

  /// - Parameters:
  ///   - weight, bias, runningMean, runningVariance: `[channels]`.
  ///   - epsilon: what keeps the root away from zero.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when their shapes differ.
  public init(
    weight: Tensor<Scalar>? = nil, bias: Tensor<Scalar>? = nil,
    runningMean: Tensor<Scalar>, runningVariance: Tensor<Scalar>, epsilon: Double = 1e-5
  ) throws {
    normalization = try BatchNorm(
      weight: weight, bias: bias, runningMean: runningMean, runningVariance: runningVariance, epsilon: epsilon)
  }

  /// Reads `running_mean`, `running_var` and, when there are any, `weight` and `bias`.
  public init(_ weights: Weights, channels: Int, epsilon: Double = 1e-5) throws {
    normalization = try BatchNorm(weights, channels: channels, epsilon: epsilon)
  }

  /// - Parameter input: `[batch, channels, height, width]`.
  /// - Returns: the same shape, in the same layout.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard input.rank == 4 else {
      throw TensorError.shape(
        operation: "BatchNorm2d", reason: "input has shape \(input.shape), expected [batch, channels, height, width]")
    }
    return try normalization(input)
  }
}

/// `(x - mean) / √(variance + epsilon) · weight + bias` for each channel, with the statistics gathered in training.
private struct BatchNorm<Scalar: FloatingPointScalar>: Sendable {
  private let normalization: BatchNormalization<Scalar>

  init(
    weight: Tensor<Scalar>?, bias: Tensor<Scalar>?, runningMean: Tensor<Scalar>, runningVariance: Tensor<Scalar>,
    epsilon: Double
  ) throws {
    let parameters = [weight, bias, runningMean, runningVariance].compactMap { $0 }
    guard runningMean.rank == 1, parameters.allSatisfy({ $0.shape == runningMean.shape }) else {
      throw TensorError.shape(
        operation: "BatchNorm", reason: "parameters of the shapes \(parameters.map(\.shape)) are not all [channels]")
    }
    normalization = try BatchNormalization(
      channels: runningMean.count, runningMean: runningMean, runningVariance: runningVariance, weight: weight,
      bias: bias, epsilon: epsilon)
  }

  init(_ weights: Weights, channels: Int, epsilon: Double) throws {
    try self.init(
      weight: weights.optionalTensor("weight", shape: [channels]),
      bias: weights.optionalTensor("bias", shape: [channels]),
      runningMean: weights.tensor("running_mean", shape: [channels]),
      runningVariance: weights.tensor("running_var", shape: [channels]), epsilon: epsilon)
  }

  func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> { try normalization(input) }
}
