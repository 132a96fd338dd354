import Apus

/// A layer of MobileBERT.
///
///     x                                        [batch, length, hidden]
///     bottleneck.input:     dense, norm        [batch, length, body]   what the residual sums start from
///     bottleneck.attention: dense, norm        [batch, length, body]   what queries and keys are made from
///     attention, values from x; dense, + , norm
///     ffn.0, ffn.1, …: dense, activation, dense, + , norm
///     intermediate, output: one more of them
///     output.bottleneck: dense, + x, norm      [batch, length, hidden]
///
/// Without a bottleneck everything works on x itself, and the last line is missing.
struct MobileBERTLayer<Scalar: FloatingPointScalar>: Sendable {
  let bottleneck: MobileBERTBottleneck<Scalar>?
  let attention: SelfAttention<Scalar>
  let attentionOutput: ResidualOutput<Scalar>
  let feedForwards: [FeedForward<Scalar>]
  let widening: ResidualOutput<Scalar>?

  init(_ weights: Weights, _ configuration: MobileBERTConfiguration) throws {
    let (size, norm, epsilon) = (configuration.bodySize, configuration.normalization, configuration.layerNormEpsilon)
    bottleneck = configuration.usesBottleneck ? try MobileBERTBottleneck(weights["bottleneck"], configuration) : nil
    attention = try SelfAttention(
      weights["attention"]["self"], size: size,
      valueInputs: configuration.usesBottleneckAttention ? size : configuration.hiddenSize,
      heads: configuration.headCount)
    attentionOutput = try ResidualOutput(
      weights["attention"]["output"], inputs: size, outputs: size, norm: norm, epsilon: epsilon)
    func feedForward(_ scope: Weights, epsilon: Double) throws -> FeedForward<Scalar> {
      try FeedForward(
        scope, size: size, intermediateSize: configuration.intermediateSize,
        activation: configuration.hiddenActivation, norm: norm, epsilon: epsilon)
    }
    feedForwards =
      try (0..<configuration.feedForwardCount - 1).map { try feedForward(weights["ffn"][$0], epsilon: epsilon) }
      + [feedForward(weights, epsilon: 1e-5)]
    widening =
      configuration.usesBottleneck
      ? try ResidualOutput(
        weights["output"]["bottleneck"], inputs: size, outputs: configuration.hiddenSize, norm: norm, epsilon: epsilon)
      : nil
  }

  func callAsFunction(_ x: Tensor<Scalar>, masks: [AttentionMask<Scalar>]) throws -> Tensor<Scalar> {
    let (queries, values, start) = try bottleneck?(x) ?? (x, x, x)
    var body = try attentionOutput(attention(queries, values: values, masks: masks), residual: start)
    for feedForward in feedForwards { body = try feedForward(body) }
    return try widening?(body, residual: x) ?? body
  }
}

/// Where a layer narrows its input.
struct MobileBERTBottleneck<Scalar: FloatingPointScalar>: Sendable {
  /// `norm(dense(x))`.
  struct Narrowing: Sendable {
    let dense: Linear<Scalar>
    let norm: FeatureNorm<Scalar>

    init(_ weights: Weights, _ configuration: MobileBERTConfiguration) throws {
      dense = try Linear(
        biased: weights["dense"], inputs: configuration.hiddenSize, outputs: configuration.bottleneckSize)
      norm = try FeatureNorm(
        weights["LayerNorm"], configuration.normalization, size: configuration.bottleneckSize,
        epsilon: configuration.layerNormEpsilon)
    }

    func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try norm(dense(x))
    }
  }

  let input: Narrowing
  /// `nil` where queries and keys share none.
  let attention: Narrowing?
  let usesBottleneckAttention: Bool

  init(_ weights: Weights, _ configuration: MobileBERTConfiguration) throws {
    input = try Narrowing(weights["input"], configuration)
    attention = configuration.sharesKeyQueryBottleneck ? try Narrowing(weights["attention"], configuration) : nil
    usesBottleneckAttention = configuration.usesBottleneckAttention
  }

  /// What queries and keys are made from, what values are made from, and what the residual sums start from.
  func callAsFunction(
    _ x: Tensor<Scalar>
  ) throws -> (queries: Tensor<Scalar>, values: Tensor<Scalar>, start: Tensor<Scalar>) {
    let start = try input(x)
    if usesBottleneckAttention { return (start, start, start) }
    return (try attention?(x) ?? x, x, start)
  }
}
