import Apus

/// A subgraph made ready to run by the operator that owns it.
package struct Subplan: Sendable {
  private let plan: Plan
  /// Where this subgraph's captures begin among its node's.
  private let firstCapture: Int

  /// - Parameter graph: the graph around, whose constants are constants in here too.
  init(_ subgraph: Graph, around graph: Graph, firstCapture: Int, depth: Int) throws {
    plan = try Plan(subgraph.closed(in: graph), depth: depth)
    self.firstCapture = firstCapture
  }

  package var inputCount: Int { plan.graph.inputs.count }
  package var outputCount: Int { plan.graph.outputs.count }

  /// What the model declares of the inputs.
  package var inputTypes: [GraphValueType?] { plan.graph.inputs.map { plan.graph.values[$0].type } }
  /// What the model declares of the outputs.
  package var outputTypes: [GraphValueType?] { plan.graph.outputs.map { plan.graph.values[$0].type } }

  /// Runs the subgraph.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the subgraph; given up.
  ///   - arguments: the node's, for what the subgraph captures.
  /// - Returns: the subgraph's outputs.
  package func callAsFunction(_ inputs: consuming [GraphValue?], _ arguments: Arguments) throws -> [GraphValue] {
    let range = firstCapture..<(firstCapture + plan.graph.captures.count)
    guard range.upperBound <= arguments.captures.count else {
      throw OperatorError("a value that the graph '\(plan.graph.name)' reads from around it has not been computed")
    }
    try arguments.context.enter()
    defer { arguments.context.leave() }
    return try plan.run(inputs, captured: Array(arguments.captures[range]), context: arguments.context)
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
