import Apus

/// The weight of a convolution over time that may have been trained with weight normalisation: a direction and a length
/// for each output.
///
///     weight = g · v / ‖v‖        the norm over an output's inputs and steps
///
/// Salimans and Kingma 2016, "Weight Normalization". PyTorch has stored the two as `weight_g` and `weight_v`, and now
/// stores them as `parametrizations.weight.original0` and `original1`; a plain `weight` has been multiplied out.
struct WeightNormalized {
  private let weights: Weights
  /// Names of `g` and `v`, where there are two.
  private let names: (length: String, direction: String)?
  /// `[outputs, inputs, kernel]`.
  let shape: [Int]

  init(_ weights: Weights) throws {
    self.weights = weights
    names = [("weight_g", "weight_v"), ("parametrizations.weight.original0", "parametrizations.weight.original1")]
      .first { weights.contains($0.1) && !weights.contains("weight") }
    shape = try weights.shape(of: names?.direction ?? "weight", rank: 3)
  }

  /// The weight, multiplied out in float64 and rounded once; ``Activations`` that are recorded have it.
  /// - Throws: ``WeightsError`` for another shape than `[outputs, inputs, kernel]`.
  func weight<Scalar: FloatingPointScalar>(shape: [Int]) throws -> Tensor<Scalar> {
    guard let names else { return try weights.tensor("weight", shape: shape) }
    let direction: Tensor<Double> = try weights.tensor(names.direction, shape: shape)
    let length: Tensor<Double> = try weights.tensor(names.length, shape: [shape[0], 1, 1])
    let norm = try (direction * direction).sum(axes: [1, 2], keepDims: true).sqrt()
    return try (direction * (length / norm)).converted().observed(as: weights.fullName("weight"))
  }
}
