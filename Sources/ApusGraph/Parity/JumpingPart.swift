import Apus

/// Nodes that lead to a value, some of which jump: they make whole numbers, or choose.
///
/// Where such a node is fed with 1.9999999 in one model and 2.0000000 in the other, no node of either is wrong, and a bucket
/// is another. In DOUBLE too, for each model has constants that were rounded.
struct JumpingPart {
  private let nodes: [Node]
  /// Whether each node jumps.
  private let jumps: [Bool]
  private let target: Graph.ValueID
  private let constants: Set<Graph.ValueID>
  /// The nodes in the model's own numbers.
  private let own: ParityLane
  /// The same in DOUBLE.
  private let wide: ParityLane
  private let context: RunContext

  /// - Parameters:
  ///   - given: the values of the graph's inputs.
  ///   - context: what stops a run.
  /// - Throws: ``GraphError`` for a graph that cannot be computed in DOUBLE.
  init(_ graph: Graph, of target: Graph.ValueID, jumps: [Bool], given: [GraphValue?], context: RunContext) throws {
    let widened = try graph.widened()
    (nodes, self.jumps, self.target, self.context) = (graph.nodes, jumps, target, context)
    constants = Set(graph.constants.keys)
    let narrow = try zip(graph.inputs, given).map { id, value in
      let type = graph.values[id].type?.elementType ?? .float
      return try value.map { $0.elementType?.isFloatingPoint == true ? try $0.narrowed(to: type) : $0 }
    }
    own = ParityLane(graph, ParityStep.all(of: graph), inputs: narrow)
    wide = ParityLane(widened, ParityStep.all(of: widened), inputs: try given.map { try $0?.widened() })
  }

  /// The value in DOUBLE where numbers that were rounded are larger by a share of themselves before a jump; nil where a node
  /// cannot be run.
  ///
  /// Zeros stay zeros, and so does a tensor of numbers that rounding left as they are: positions, and halves of them.
  func value(beside share: Double) throws -> GraphValue? {
    var (own, wide) = (own, wide)
    for (index, node) in nodes.enumerated() {
      var fed = wide
      if jumps[index], let id = node.reads.first(where: { isMoved($0, own, wide) }) {
        fed.slots[id] = try wide.slots[id]?.multiplied(by: 1 + share)
      }
      let (narrow, exact) = try Execution.with(stop: context.stop) {
        (try own.run(index, context), try fed.run(index, context))
      }
      for case (let position, let output?) in node.outputs.enumerated() {
        (own.slots[output], wide.slots[output]) = (narrow.value(position), exact.value(position))
      }
    }
    return wide.slots[target]
  }

  /// Whether a value is of floating-point numbers of which rounding has changed some.
  private func isMoved(_ id: Graph.ValueID, _ own: ParityLane, _ wide: ParityLane) -> Bool {
    guard !constants.contains(id), let value = own.slots[id], value.elementType?.isFloatingPoint == true,
      let exact = wide.slots[id], let rounded = try? value.widened()
    else { return false }
    return (try? !rounded.hasSameBytes(as: exact)) ?? false
  }
}

extension GraphValue {
  /// The elements of a tensor of DOUBLE times a number; other values as they are.
  fileprivate func multiplied(by factor: Double) throws -> GraphValue {
    guard case .tensor(.float64(let tensor)) = self else { return self }
    return GraphValue(try Tensor(try tensor.elements.map { $0 * factor }, shape: tensor.shape))
  }
}

extension [GraphValue] {
  /// Of each element that of the value in which it is nearest to the expected; nil where they are no tensors of one shape.
  func nearest(to expected: GraphValue) throws -> GraphValue? {
    guard case .tensor(let wanted) = expected else { return nil }
    let y = try wanted.converted(to: Double.self).elements
    var nearest: [Double]?
    for value in self {
      guard case .tensor(let any) = value, any.shape == wanted.shape else { return nil }
      let x = try any.converted(to: Double.self).elements
      nearest =
        nearest.map { zip(zip($0, x), y).map { ($0.0 - $1).magnitude <= ($0.1 - $1).magnitude ? $0.0 : $0.1 } } ?? x
    }
    return try nearest.map { GraphValue(try Tensor($0, shape: wanted.shape)) }
  }
}
