/// The function inside an ``RNN``.
public enum RNNNonlinearity: String, Sendable, Hashable, CaseIterable {
  case tanh, relu
}

/// An Elman network, stacked and in one or both directions: PyTorch's `torch.nn.RNN`.
///
///     h'ₜ = f(W_ih · xₜ + b_ih + W_hh · hₜ₋₁ + b_hh)
public struct RNN<Scalar: FloatingPointScalar>: Sendable {
  private let stack: RecurrentStack<Scalar>

  /// Reads `weight_ih_l0` `[hidden, inputs]`, `weight_hh_l0` `[hidden, hidden]` and, when there are any, `bias_ih_l0`
  /// and `bias_hh_l0` `[hidden]`; so for every layer, and with `_reverse` for the second direction. Later layers'
  /// inputs are the states of all directions.
  /// - Throws: ``WeightsError`` for parameters that are missing or have another shape; ``TensorError`` for sizes
  ///   below 1.
  public init(
    _ weights: Weights, inputs: Int, hidden: Int, layers: Int = 1, nonlinearity: RNNNonlinearity = .tanh,
    batchFirst: Bool = false, bidirectional: Bool = false
  ) throws {
    stack = try RecurrentStack(
      weights, operation: "RNN", cell: .elman(nonlinearity), inputs: inputs, hidden: hidden,
      layers: layers, bidirectional: bidirectional, batchFirst: batchFirst)
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
