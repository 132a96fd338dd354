import Apus

/// A temporal convolutional network: residual blocks of dilated convolutions over time.
///
/// Bai, Kolter and Koltun 2018, "An Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence
/// Modeling".
///
///     sequence           [batch, features, time]
///     network.0          residual block, dilation 1                 [batch, channels of level 0, time]
///     network.1          residual block, dilation base              [batch, channels of level 1, time]
///     network.i          residual block, dilation baseⁱ             [batch, channels of level i, time]
///     pooling            last step or mean                          [batch, channels of the last level]
///     linear             Linear                                     [batch, classes]
///
/// A causal network sees the past only: convolutions are padded in front. A symmetric one is padded on both sides.
/// Levels, channels and kernels are read from the weights.
public struct TCN<Scalar: FloatingPointScalar>: TemporalClassifier {
  /// Numbers at every step: the input channels of the first convolution.
  public let featureCount: Int
  /// The outputs of the linear layer.
  public var classCount: Int { head.classCount }

  private let blocks: [TemporalBlock<Scalar>]
  private let pooling: TemporalConfiguration.Pooling
  private let path: String
  private let head: LinearHead<Scalar>

  /// Builds the network from `network.0.conv1.weight`, `network.0.conv1.bias`, `network.0.conv2.weight`, …,
  /// `network.1.downsample.weight` where a level changes the channels, and a linear layer, whatever it is called. The
  /// blocks may lie in a module of their own (`tcn.network.0…`). Convolutions may have weight normalisation in any of
  /// PyTorch's spellings (`weight_g` and `weight_v`, `parametrizations.weight.original0` and `original1`).
  public init(_ weights: Weights, configuration: TemporalConfiguration) throws {
    let scope = weights.scope(holding: "network.0.") ?? ""
    path = scope.isEmpty ? "" : "\(scope)."
    let levels = weights[scope]["network"]
    let base = configuration.dilationBase ?? 2
    let isCausal = configuration.isCausal ?? true
    let first = try WeightNormalized(levels[0]["conv1"])
    featureCount = configuration.features ?? first.shape[1]
    var channels = featureCount
    var dilation = 1
    var blocks: [TemporalBlock<Scalar>] = []
    repeat {
      let level = blocks.count
      let expected = try configuration.channels.map { all in
        guard level < all.count else { throw Self.tooMany(levels[level], expected: all.count) }
        return all[level]
      }
      blocks.append(
        try TemporalBlock(
          levels[level], inputs: channels, outputs: expected, kernel: configuration.kernel, dilation: dilation,
          isCausal: isCausal))
      channels = blocks[level].outputs
      let (next, overflow) = dilation.multipliedReportingOverflow(by: base)
      dilation = overflow ? .max : next
    } while !levels[blocks.count].names.isEmpty || blocks.count < configuration.channels?.count ?? 0
    self.blocks = blocks
    pooling = configuration.pooling ?? .last
    head = try LinearHead(weights, inputs: channels, classes: configuration.classes)
    // The original implementation lists a block's convolutions a second time, as parts of its `net`.
    try weights.refuseUnused(for: "TCN") { $0.contains("network.") && $0.contains(".net.") }
  }

  private static func tooMany(_ level: Weights, expected: Int) -> any Error {
    let name = level.names.first ?? ""
    return WeightsError(
      file: level.file, reason: .unexpected(name: level.fullName(name), model: "TCN with \(expected) levels"))
  }

  /// The last step, or the mean of all, of the last level: `[batch, channels]`.
  /// - Parameter sequence: `[batch, features, time]`, with at least one step.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func features(_ sequence: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try checkShape(of: sequence)
    var x = sequence
    for (level, block) in blocks.enumerated() {
      x = try block(x).observed(as: "\(path)network.\(level)")
    }
    return try pooling == .mean ? x.mean(axes: [2]) : x.selected(axis: 2, index: -1)
  }

  /// `[batch, classes]` from `[batch, channels]`, before softmax.
  public func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try head(features)
  }
}

/// `relu(conv2(relu(conv1(x))) + x)`, with a convolution of one step for `x` where channels change.
private struct TemporalBlock<Scalar: FloatingPointScalar>: Sendable {
  let outputs: Int
  private let convolutions: [Conv1d<Scalar>]
  private let downsample: Conv1d<Scalar>?

  /// - Parameter outputs, kernel: what the weights must have; `nil` takes what they have.
  init(_ weights: Weights, inputs: Int, outputs: Int?, kernel: Int?, dilation: Int, isCausal: Bool) throws {
    let first = try WeightNormalized(weights["conv1"])
    let channels = outputs ?? first.shape[0]
    self.outputs = channels
    func convolution(_ name: String, inputs: Int) throws -> Conv1d<Scalar> {
      let parameters = try WeightNormalized(weights[name])
      let kernel = kernel ?? parameters.shape[2]
      let weight: Tensor<Scalar> = try parameters.weight(shape: [channels, inputs, kernel])
      let (reach, overflow) = max(0, kernel - 1).multipliedReportingOverflow(by: dilation)
      let padding = overflow ? Int.max : reach
      return try Conv1d(
        weight: weight, bias: weights[name].optionalTensor("bias", shape: [channels]),
        paddingBefore: isCausal ? padding : padding / 2, paddingAfter: isCausal ? 0 : padding - padding / 2,
        dilation: dilation)
    }
    convolutions = [try convolution("conv1", inputs: inputs), try convolution("conv2", inputs: channels)]
    downsample =
      inputs != channels || weights.contains("downsample.weight")
      ? try Conv1d(weights["downsample"], inputs: inputs, outputs: channels, kernel: 1) : nil
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var y = x
    for convolution in convolutions { y = try convolution(y, activation: .relu) }
    return try add(y, downsample.map { try $0(x) } ?? x, activation: .relu)
  }
}
