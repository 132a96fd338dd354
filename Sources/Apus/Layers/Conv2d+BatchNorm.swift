extension Conv2d {
  /// Reads a convolution and the batch normalisation after it, as one convolution.
  ///
  /// A trained normalisation is a scale and a shift for each channel, which a convolution can do itself:
  ///
  ///     scale = γ / √(variance + epsilon)      weight' = weight · scale      bias' = (bias - mean) · scale + β
  ///
  /// The products are computed in float64 and rounded once to `Scalar`; ``Activations`` that are recorded have them, under
  /// the names of the convolution's own parameters.
  ///
  /// A checkpoint whose normalisations were folded before it was written is accepted as well: where `normalization`
  /// holds no parameters the convolution must have a `bias`, and both are taken as they are.
  ///
  /// - Parameters:
  ///   - weights: `weight` and, when there is one, `bias`.
  ///   - normalization: `running_mean`, `running_var` and, when there are any, `weight` (γ) and `bias` (β).
  ///   - epsilon: the normalisation's.
  /// - Throws: ``WeightsError`` for a parameter that is missing or has another shape; ``TensorError`` for arguments out
  ///   of range.
  public init(
    _ weights: Weights, foldingBatchNorm normalization: Weights, inputs: Int, outputs: Int, kernel: Size2D,
    stride: Size2D = 1, padding: Padding2D = 0, dilation: Size2D = 1, groups: Int = 1, epsilon: Double = 1e-5
  ) throws {
    let statistics = ["running_mean", "running_var", "weight", "bias"]
    guard statistics.contains(where: normalization.contains) else {
      // Without either, what is missing is the normalisation.
      guard weights.contains("bias") else { throw normalization.missing("running_mean") }
      self = try Conv2d(
        weights, inputs: inputs, outputs: outputs, kernel: kernel, stride: stride, padding: padding,
        dilation: dilation, groups: groups)
      return
    }
    let share = try ConvolutionParameters.channels(inputs, ofEachOf: groups, operation: "conv2d")
    let shape = [outputs, share, kernel.height, kernel.width]
    try weights.check("weight", shape: shape)
    let bias: Tensor<Double>? = try weights.optionalTensor("bias", shape: [outputs])
    let mean: Tensor<Double> = try normalization.tensor("running_mean", shape: [outputs])
    let variance: Tensor<Double> = try normalization.tensor("running_var", shape: [outputs])
    let gamma: Tensor<Double>? = try normalization.optionalTensor("weight", shape: [outputs])
    let beta: Tensor<Double>? = try normalization.optionalTensor("bias", shape: [outputs])

    let deviation = try (variance + epsilon).sqrt()
    let scale = try (gamma ?? Tensor(repeating: 1, shape: [outputs])) / deviation
    let shift = try ((bias ?? Tensor(zeros: [outputs])) - mean) * scale
    try self.init(
      weight: Self.scaled(weights, shape: shape, by: scale).observed(as: weights.fullName("weight")),
      bias: (shift + (beta ?? Tensor(zeros: [outputs]))).converted().observed(as: weights.fullName("bias")),
      stride: stride, padding: padding, dilation: dilation, groups: groups)
  }

  /// The `weight` with every output's numbers scaled in float64. Some outputs at a time: a large layer would take three
  /// times its own memory otherwise.
  private static func scaled(_ weights: Weights, shape: [Int], by scale: Tensor<Double>) throws -> Tensor<Scalar> {
    let stored = try weights.anyTensor("weight").dataType
    if Scalar.self == Double.self || stored == .float64 {
      let weight: Tensor<Double> = try weights.tensor("weight", shape: shape)
      return try (weight * scale.reshaped([shape[0], 1, 1, 1])).converted()
    }
    let weight: Tensor<Float> = try weights.tensor("weight", shape: shape)
    let size = shape[1...].reduce(1, *)
    let step = max(1, elementsPerPiece / max(size, 1))
    return try Tensor.filled(shape) { destination in
      for first in stride(from: 0, to: shape[0], by: step) {
        let end = min(first + step, shape[0])
        let factors = try scale.sliced(axis: 0, from: first, to: end).reshaped([end - first, 1, 1, 1])
        let part: Tensor<Scalar> = try (weight.sliced(axis: 0, from: first, to: end).converted() * factors).converted()
        withExtendedLifetime(part.storage) {
          (destination + first * size).update(from: part.pointer, count: part.count)
        }
      }
      weight.storage.discardFilePages()
    }
  }
}
