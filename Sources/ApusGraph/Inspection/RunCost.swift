import Apus

/// What one run of a model costs: counted from shapes, or found by running it.
public struct RunCost: Sendable {
  /// Multiply-adds by operator; see ``Node/multiplyAdds(inputs:outputs:)`` for what is counted.
  public let multiplyAdds: [OperatorName: Int]
  /// The nodes that are made of multiply-adds and are not counted, as their shapes depend on values, or how often they
  /// run does. None when the model was run.
  public let unknownNodeCount: Int
  /// nil when the model was not run. The most bytes that tensors took at one time, from before the model was prepared: what it computes, scratch, and
  /// weights that were rearranged. Weights that lie in the mapped file are not counted, nor is memory of other kinds.
  public let peakMemory: Int?

  /// The multiply-adds of all operators together; `Int.max` where they are more.
  public var total: Int { multiplyAdds.values.reduce(0) { $0.addingClamped($1) } }

  /// Runs `model` twice: node by node as the file has it, to count, and as it runs fastest, to see the memory.
  /// - Throws: ``GraphError`` when the model does not run on `inputs`.
  public init(
    measuring model: any GraphModel, on inputs: [String: GraphValue], options: InferenceSession.Options = .init()
  ) throws {
    peakMemory = try Execution.measuringPeakMemory { _ = try InferenceSession(model, options: options).run(inputs) }
    var plain = options
    plain.optimizes = false
    var counts: [OperatorName: Int] = [:]
    _ = try InferenceSession(model, options: plain).run(
      inputs,
      tallying: { node, inputs, outputs in
        guard let count = node.multiplyAdds(inputs: inputs.map { $0?.extents }, outputs: outputs.map { $0?.extents })
        else { return }
        counts[node.operatorName] = (counts[node.operatorName] ?? 0).addingClamped(count)
      })
    multiplyAdds = counts
    unknownNodeCount = 0
  }

  /// Counts from shapes, and runs nothing.
  ///
  /// - Parameter shapes: shapes of inputs; an input that is not among them counts if the model declares every extent.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  package init(inferring model: any GraphModel, shapes: [Graph.ValueID: [Int]] = [:]) throws {
    let graph = model.graph
    let types = try graph.inference(inputs: shapes).types
    var counts: [OperatorName: Int] = [:]
    var unknown = 0
    func shape(_ id: Graph.ValueID?) -> [Int]? { id.flatMap { types[$0]?.shape } }
    for node in graph.nodes {
      unknown += node.subgraphs.values.reduce(0) { $0 + $1.multiplyingNodeCount }
      guard node.isMultiplying else { continue }
      if let count = node.multiplyAdds(inputs: node.inputs.map(shape), outputs: node.outputs.map(shape)) {
        counts[node.operatorName] = (counts[node.operatorName] ?? 0).addingClamped(count)
      } else {
        unknown += 1
      }
    }
    multiplyAdds = counts
    unknownNodeCount = unknown
    peakMemory = nil
  }
}

extension Node {
  /// Whether the node is made of multiply-adds.
  fileprivate var isMultiplying: Bool {
    if case .multiplyAdds? = facts?.work { true } else { false }
  }
}

extension Graph {
  /// The nodes made of multiply-adds, here and in subgraphs.
  fileprivate var multiplyingNodeCount: Int {
    nodes.reduce(0) { sum, node in
      node.subgraphs.values.reduce(sum + (node.isMultiplying ? 1 : 0)) { $0 + $1.multiplyingNodeCount }
    }
  }
}
