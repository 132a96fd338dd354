import Apus

/// LSTM or GRU layers over a sequence, and a linear layer.
///
///     sequence           [batch, features, time]
///     lstm or gru        all layers, one direction or both          [batch, time, directions · hidden]
///     pooling            last step, final states or mean            [batch, directions · hidden]
///     linear             Linear                                     [batch, classes]
///
/// Cell, hidden size, layers and directions are read from the weights.
public struct RecurrentClassifier<Scalar: FloatingPointScalar>: TemporalClassifier {
  /// Numbers at every step: the columns of `weight_ih_l0`.
  public let featureCount: Int
  /// The outputs of the linear layer.
  public var classCount: Int { head.classCount }
  /// LSTM or GRU; inferred from the number of gates.
  public let cell: TemporalConfiguration.Cell
  /// Numbers that a layer passes from step to step, for each direction.
  public let hiddenCount: Int
  /// The layers on top of each other.
  public let layerCount: Int
  /// Whether every layer runs over the sequence from its end as well.
  public let isBidirectional: Bool

  private let layers: Layers
  private let pooling: TemporalConfiguration.Pooling
  private let path: String
  private let head: LinearHead<Scalar>

  /// Builds the network from `weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0` and the like, in whatever
  /// module they lie (`lstm.weight_ih_l0`), and a linear layer, whatever it is called.
  public init(_ weights: Weights, configuration: TemporalConfiguration) throws {
    path = weights.scope(holding: "weight_ih_l0") ?? (configuration.cell ?? .lstm).rawValue
    let scope = weights[path]
    // Rows are gates one after the other, columns are what comes in.
    let input = try scope.shape(of: "weight_ih_l0", rank: 2)
    let state = try scope.shape(of: "weight_hh_l0", rank: 2)
    hiddenCount = configuration.hidden ?? state[1]
    featureCount = configuration.features ?? input[1]
    cell = configuration.cell ?? (state[0] / 3 == hiddenCount ? .gru : .lstm)
    isBidirectional = configuration.isBidirectional ?? scope.contains("weight_ih_l0_reverse")
    layerCount = configuration.layers ?? (1...).first { !scope.contains("weight_ih_l\($0)") } ?? 1
    layers =
      switch cell {
      case .lstm:
        .lstm(
          try LSTM(
            scope, inputs: featureCount, hidden: hiddenCount, layers: layerCount, batchFirst: true,
            bidirectional: isBidirectional))
      case .gru:
        .gru(
          try GRU(
            scope, inputs: featureCount, hidden: hiddenCount, layers: layerCount, batchFirst: true,
            bidirectional: isBidirectional))
      }
    pooling = configuration.pooling ?? .last
    head = try LinearHead(
      weights, inputs: hiddenCount * (isBidirectional ? 2 : 1), classes: configuration.classes)
    try weights.refuseUnused(for: "RecurrentClassifier (\(cell), \(layerCount) layers)")
  }

  /// What the pooling leaves, `[batch, directions · hidden]`.
  /// - Parameter sequence: `[batch, features, time]`, with at least one step.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func features(_ sequence: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try checkShape(of: sequence)
    let (output, state) = try layers(sequence.transposed(1, 2))
    output.observed(as: path)
    switch pooling {
    case .last: return try output.selected(axis: 1, index: -1)
    case .mean: return try output.mean(axes: [1])
    case .final:
      // The last layer's directions side by side: [directions, batch, hidden] → [batch, directions · hidden].
      let last = try state.sliced(axis: 0, from: isBidirectional ? -2 : -1)
      return try last.transposed(0, 1).flattened(from: 1)
    }
  }

  /// `[batch, classes]` from `[batch, directions · hidden]`, before softmax.
  public func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try head(features)
  }
}

extension RecurrentClassifier {
  private enum Layers: Sendable {
    case lstm(LSTM<Scalar>)
    case gru(GRU<Scalar>)

    /// - Parameter input: `[batch, time, features]`.
    /// - Returns: what the last layer gives at every step, `[batch, time, directions · hidden]`, and what all layers
    ///   ended with, `[layers · directions, batch, hidden]`.
    func callAsFunction(_ input: Tensor<Scalar>) throws -> (output: Tensor<Scalar>, state: Tensor<Scalar>) {
      switch self {
      case .lstm(let lstm):
        let (output, state) = try lstm(input)
        return (output, state.hidden)
      case .gru(let gru): return try gru(input)
      }
    }
  }
}
