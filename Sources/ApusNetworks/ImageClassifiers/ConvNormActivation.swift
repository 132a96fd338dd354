import Apus

/// Convolution, batch normalisation, activation: one pass over the map, because the normalisation is folded into the
/// convolution when it is read and the activation is applied while the map is in the cache.
struct ConvNormActivation<Scalar: FloatingPointScalar>: Sendable {
  private let convolution: Conv2d<Scalar>
  private let activation: Activation
  /// Channels it gives.
  let outputs: Int

  /// Reads `weight` of the convolution, and `weight`, `bias`, `running_mean` and `running_var` of the normalisation.
  ///
  /// - Parameter outputs: `nil` takes as many as the convolution's weight has.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape.
  init(
    _ weights: Weights, _ normalization: Weights, inputs: Int, outputs: Int? = nil, kernel: Size2D, stride: Size2D = 1,
    padding: Padding2D = 0, groups: Int = 1, epsilon: Double = 1e-5, activation: Activation = .identity
  ) throws {
    self.outputs = try outputs ?? weights.outputCount("weight", rank: 4)
    self.activation = activation
    convolution = try Conv2d(
      weights, foldingBatchNorm: normalization, inputs: inputs, outputs: self.outputs, kernel: kernel, stride: stride,
      padding: padding, groups: groups, epsilon: epsilon)
  }

  /// - Parameter x: `[batch, inputs, height, width]`.
  /// - Returns: `[batch, outputs, height', width']`.
  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try convolution(x, activation: activation)
  }
}

extension Padding2D {
  /// As much as keeps the size of a map under a kernel of odd size, one output for each input.
  static func same(_ kernel: Size2D) -> Padding2D {
    Padding2D(height: kernel.height / 2, width: kernel.width / 2)
  }
}
