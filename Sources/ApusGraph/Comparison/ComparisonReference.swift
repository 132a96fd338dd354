import Apus

/// What a ``ModelComparison`` holds a model against: another graph, or a network whose layers are Swift.
protocol ComparisonReference: Sendable {
  /// Whether ``values(_:)`` gives float64.
  var isInFloat64: Bool { get }
  /// The nodes; nil where there are none, and names of values are those of modules.
  var graph: Graph? { get }

  /// What says which of its outputs is which.
  var outputIdentity: ModelPairing.OutputIdentity { get }

  /// Pairs the inputs that a graph needs with those that this one takes.
  /// - Throws: ``GraphError/input(name:reason:)`` for one that has no counterpart.
  func pairedInputs(of graph: Graph) throws -> [ModelPairing.Pair]

  /// The value of a pair's input, as it lies here.
  func input(_ value: GraphValue, for pair: ModelPairing.Pair) throws -> GraphValue

  /// - Throws: ``GraphError/input(name:reason:)`` for inputs that do not fit what is declared of them.
  func check(_ inputs: [String: GraphValue]) throws

  /// What is computed of some inputs.
  func values(_ inputs: [String: GraphValue]) throws -> ComparedValues

  /// The weights, each name once; of several forms that one has, that of `own`.
  func weights(like own: [NamedNumbers]) throws -> [NamedNumbers]
}

/// What one side computes of some inputs.
struct ComparedValues {
  /// Every value, in float64 where the side can be computed in it.
  var all: [String: GraphValue] = [:]
  /// The floating-point tensors among them that inputs reach and something reads, in the order in which they are computed.
  var tensors: [NamedNumbers] = []
  /// The outputs in the side's own numbers.
  var outputs: [String: GraphValue] = [:]
  /// The names of the outputs in order.
  var outputNames: [String] = []
}

/// Numbers under a name.
struct NamedNumbers: Sendable {
  var name: String
  var tensor: Tensor<Double>
  /// Whether the elements of inputs say nothing about it, but their shapes alone: zeros, positions.
  var isOfShapes = false

  /// nil for anything but floating-point numbers.
  init?(_ name: String, _ value: GraphValue) throws {
    guard case .tensor(let any) = value, any.dataType.isFloatingPoint, any.count > 0 else { return nil }
    self.name = name
    tensor = try any.converted(to: Double.self)
  }
}
