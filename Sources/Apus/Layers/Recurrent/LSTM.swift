/// Long short-term memory, stacked and in one or both directions: PyTorch's `torch.nn.LSTM`.
///
///     iₜ = σ(W_ii · xₜ + b_ii + W_hi · hₜ₋₁ + b_hi)
///     fₜ = σ(W_if · xₜ + b_if + W_hf · hₜ₋₁ + b_hf)
///     gₜ = tanh(W_ig · xₜ + b_ig + W_hg · hₜ₋₁ + b_hg)
///     oₜ = σ(W_io · xₜ + b_io + W_ho · hₜ₋₁ + b_ho)
///     cₜ = fₜ · cₜ₋₁ + iₜ · gₜ
///     hₜ = oₜ · tanh(cₜ)
public struct LSTM<Scalar: FloatingPointScalar>: Sendable {
  /// What the layers know between two steps; both `[layers · directions, batch, hidden]`.
  public struct State: Sendable {
    /// `h`, what they say.
    public var hidden: Tensor<Scalar>
    /// `c`, what they remember.
    public var cell: Tensor<Scalar>

    /// A state to go on from. Shapes are checked when a layer is called with it.
    public init(hidden: Tensor<Scalar>, cell: Tensor<Scalar>) {
      self.hidden = hidden
      self.cell = cell
    }
  }

  private let stack: RecurrentStack<Scalar>

  /// Reads `weight_ih_l0` `[4 · hidden, inputs]`, `weight_hh_l0` `[4 · hidden, hidden]` and, when there are any,
  /// `bias_ih_l0` and `bias_hh_l0` `[4 · hidden]`, gates in the order i, f, g, o; so for every layer, and with
  /// `_reverse` for the second direction. Later layers' inputs are the states of all directions. Projections
  /// (`weight_hr_l0`) are not supported.
  /// - Throws: ``WeightsError`` for parameters that are missing or have another shape; ``TensorError`` for sizes
  ///   below 1.
  public init(
    _ weights: Weights, inputs: Int, hidden: Int, layers: Int = 1, batchFirst: Bool = false,
    bidirectional: Bool = false
  ) throws {
    stack = try RecurrentStack(
      weights, operation: "LSTM", cell: .lstm, inputs: inputs, hidden: hidden, layers: layers,
      bidirectional: bidirectional, batchFirst: batchFirst)
  }

  /// - Parameters:
  ///   - input: `[time, batch, inputs]`, or `[batch, time, inputs]` with `batchFirst`.
  ///   - state: what every layer and direction starts with; zeros when absent.
  /// - Returns: `output`, the last layer's `h` at every step, `[time, batch, directions · hidden]` or with the batch
  ///   first, and `state`, what every layer and direction ended with.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(
    _ input: Tensor<Scalar>, state: State? = nil
  ) throws -> (output: Tensor<Scalar>, state: State) {
    let result = try stack(input, state: state?.hidden, cells: state?.cell)
    return (result.output, State(hidden: result.state, cell: result.cells))
  }
}
