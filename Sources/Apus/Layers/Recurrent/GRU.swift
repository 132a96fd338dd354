/// Gated recurrent units, stacked and in one or both directions: PyTorch's `torch.nn.GRU`.
///
///     rₜ = σ(W_ir · xₜ + b_ir + W_hr · hₜ₋₁ + b_hr)
///     zₜ = σ(W_iz · xₜ + b_iz + W_hz · hₜ₋₁ + b_hz)
///     nₜ = tanh(W_in · xₜ + b_in + rₜ · (W_hn · hₜ₋₁ + b_hn))
///     hₜ = (1 - zₜ) · nₜ + zₜ · hₜ₋₁
public struct GRU<Scalar: FloatingPointScalar>: Sendable {
  private let stack: RecurrentStack<Scalar>

  /// Reads `weight_ih_l0` `[3 · hidden, inputs]`, `weight_hh_l0` `[3 · hidden, hidden]` and, when there are any,
  /// `bias_ih_l0` and `bias_hh_l0` `[3 · hidden]`, gates in the order r, z, n; so for every layer, and with `_reverse` for
  /// the second direction. Later layers' inputs are the states of all directions.
  /// - Throws: ``WeightsError`` for parameters that are missing or have another shape; ``TensorError`` for sizes
  ///   below 1.
  public init(
    _ weights: Weights, inputs: Int, hidden: Int, layers: Int = 1, batchFirst: Bool = false,
    bidirectional: Bool = false
  ) throws {
    stack = try RecurrentStack(
      weights, operation: "GRU", cell: .gru, inputs: inputs, hidden: hidden, layers: layers,
      bidirectional: bidirectional, batchFirst: batchFirst)
  }

  /// - Parameters:
  ///   - input: `[time, batch, inputs]`, or `[batch, time, inputs]` with `batchFirst`.
  ///   - state: what every layer and direction starts with, `[layers · directions, batch, hidden]`; zeros when absent.
  /// - Returns: `output`, the last layer's states at every step, `[time, batch, directions · hidden]` or with the batch
  ///   first, and `state`, what every layer and direction ended with.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(
    _ input: Tensor<Scalar>, state: Tensor<Scalar>? = nil
  ) throws -> (output: Tensor<Scalar>, state: Tensor<Scalar>) {
    let result = try stack(input, state: state, cells: nil)
    return (result.output, result.state)
  }
}
