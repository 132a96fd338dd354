import Apus

// What the layers of BERT and MobileBERT are made of.

/// What follows a sum: layer normalisation, or MobileBERT's "no norm", a weight and a bias for each feature.
enum FeatureNorm<Scalar: FloatingPointScalar>: Sendable {
  case layerNorm(LayerNorm<Scalar>)
  case noNorm(weight: Tensor<Scalar>, bias: Tensor<Scalar>)

  /// Reads `weight` and `bias`, or `gamma` and `beta`, as checkpoints made from TensorFlow's have them.
  init(_ weights: Weights, _ kind: NormalizationType, size: Int, epsilon: Double) throws {
    let hasOldNames = weights.contains("gamma") && !weights.contains("weight")
    let weight: Tensor<Scalar> = try weights.tensor(hasOldNames ? "gamma" : "weight", shape: [size])
    let bias: Tensor<Scalar> = try weights.tensor(hasOldNames ? "beta" : "bias", shape: [size])
    switch kind {
    case .layerNorm:
      self = .layerNorm(try LayerNorm(normalizedShape: [size], weight: weight, bias: bias, epsilon: epsilon))
    case .noNorm: self = .noNorm(weight: weight, bias: bias)
    }
  }

  /// The normalised sum of `x` and `residual`, where there is one.
  func callAsFunction(_ x: Tensor<Scalar>, residual: Tensor<Scalar>? = nil) throws -> Tensor<Scalar> {
    switch self {
    case .layerNorm(let norm): try norm(residual.map { try x + $0 } ?? x)
    case .noNorm(let weight, let bias): try affine(x, weight: weight, bias: bias, residual: residual)
    }
  }
}

/// How a network normalises (`normalization_type`).
public enum NormalizationType: String, Sendable, Hashable, CaseIterable {
  case layerNorm = "layer_norm"
  /// A weight and a bias for each feature; neither mean nor variance is looked at.
  case noNorm = "no_norm"
}

/// `norm(dense(x) + residual)`: how every part of a layer ends.
struct ResidualOutput<Scalar: FloatingPointScalar>: Sendable {
  let dense: Linear<Scalar>
  let norm: FeatureNorm<Scalar>

  /// Reads `dense` and `LayerNorm`.
  init(_ weights: Weights, inputs: Int, outputs: Int, norm kind: NormalizationType, epsilon: Double) throws {
    dense = try Linear(biased: weights["dense"], inputs: inputs, outputs: outputs)
    norm = try FeatureNorm(weights["LayerNorm"], kind, size: outputs, epsilon: epsilon)
  }

  func callAsFunction(_ x: Tensor<Scalar>, residual: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try norm(dense(x), residual: residual)
  }
}

/// `norm(dense(activation(dense(x))) + x)`.
struct FeedForward<Scalar: FloatingPointScalar>: Sendable {
  let intermediate: Linear<Scalar>
  let activation: Activation
  let output: ResidualOutput<Scalar>

  /// Reads `intermediate` and `output`.
  init(
    _ weights: Weights, size: Int, intermediateSize: Int, activation: Activation, norm: NormalizationType,
    epsilon: Double
  ) throws {
    intermediate = try Linear(biased: weights["intermediate"]["dense"], inputs: size, outputs: intermediateSize)
    self.activation = activation
    output = try ResidualOutput(
      weights["output"], inputs: intermediateSize, outputs: size, norm: norm, epsilon: epsilon)
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try output(intermediate(x, activation: activation), residual: x)
  }
}

/// Attention of several heads, up to the values that come out of it.
struct SelfAttention<Scalar: FloatingPointScalar>: Sendable {
  let query: Linear<Scalar>
  let key: Linear<Scalar>
  let value: Linear<Scalar>
  let heads: Int

  /// Reads `query`, `key` and `value`.
  /// - Parameters:
  ///   - size: features of all heads together, and of what queries and keys are made from.
  ///   - valueInputs: features of what values are made from.
  init(_ weights: Weights, size: Int, valueInputs: Int, heads: Int) throws {
    query = try Linear(biased: weights["query"], inputs: size, outputs: size)
    key = try Linear(biased: weights["key"], inputs: size, outputs: size)
    value = try Linear(biased: weights["value"], inputs: valueInputs, outputs: size)
    self.heads = heads
  }

  /// `[batch, length, size]` of queries and keys made from `x` and values made from `values`.
  func callAsFunction(
    _ x: Tensor<Scalar>, values: Tensor<Scalar>, masks: [AttentionMask<Scalar>]
  ) throws -> Tensor<Scalar> {
    try scaledDotProductAttention(query: query(x), key: key(x), value: value(values), heads: heads, masks: masks)
  }
}

extension Linear {
  /// Reads `weight` and `bias`, both of which must be there.
  init(biased weights: Weights, inputs: Int, outputs: Int) throws {
    _ = try (weights.shape(of: "weight"), weights.shape(of: "bias"))
    try self.init(weights, inputs: inputs, outputs: outputs)
  }
}
