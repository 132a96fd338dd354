import Apus

/// A subgraph made ready to run by the operator that owns it.
public struct Subplan: Sendable {
  private let plan: Plan
  /// Where this subgraph's captures begin among its node's.
  private let firstCapture: Int

  /// - Parameter graph: the graph around, whose constants are constants in here too.
  init(_ subgraph: Graph, around graph: Graph, firstCapture: Int, depth: Int) throws {
    plan = try Plan(subgraph.closed(in: graph), depth: depth)
    self.firstCapture = firstCapture
  }

  public var inputCount: Int { plan.graph.inputs.count }
  public var outputCount: Int { plan.graph.outputs.count }

  /// What the model declares of the inputs.
  public var inputTypes: [ValueType?] { plan.graph.inputs.map { plan.graph.values[$0].type } }
  /// What the model declares of the outputs.
  public var outputTypes: [ValueType?] { plan.graph.outputs.map { plan.graph.values[$0].type } }

  /// Runs the subgraph.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the subgraph.
  ///   - arguments: the node's, for what the subgraph captures.
  /// - Returns: the subgraph's outputs.
  public func callAsFunction(_ inputs: [Value?], _ arguments: Arguments) throws -> [Value] {
    let range = firstCapture..<(firstCapture + plan.graph.captures.count)
    guard range.upperBound <= arguments.captures.count else {
      throw OperatorError("a value that the graph '\(plan.graph.name)' reads from around it has not been computed")
    }
    return try arguments.context.nested {
      try plan.run(inputs, captured: Array(arguments.captures[range]), context: arguments.context)
    }
  }
}

extension Graph {
  /// The subgraph with the constants of the graph around it as its own.
  func closed(in graph: Graph) -> Graph {
    var closed = self
    for capture in captures {
      if let value = graph.constants[capture.outer] { closed.constants[capture.inner] = value }
    }
    return closed
  }
}
