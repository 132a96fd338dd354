import Apus

/// The plan of a subgraph.
struct Subplan: PreparedSubgraph {
  private let plan: Plan
  /// Where this subgraph's captures begin among its node's.
  private let firstCapture: Int

  /// - Parameter graph: the graph around, whose constants are constants in here too.
  init(_ subgraph: Graph, around graph: Graph, firstCapture: Int, depth: Int) throws {
    plan = try Plan(subgraph.closed(in: graph), depth: depth)
    self.firstCapture = firstCapture
  }

  var inputCount: Int { plan.graph.inputs.count }
  var outputCount: Int { plan.graph.outputs.count }

  var inputTypes: [GraphValueType?] { plan.graph.inputs.map { plan.graph.values[$0].type } }
  var outputTypes: [GraphValueType?] { plan.graph.outputs.map { plan.graph.values[$0].type } }

  func reads(input: Int) -> Bool {
    let id = plan.graph.inputs[input]
    return plan.graph.outputs.contains(id)
      || plan.steps.contains { $0.inputs.contains(id) || $0.captures.contains(id) }
  }

  func callAsFunction(_ inputs: consuming [GraphValue?], _ arguments: Arguments) throws -> [GraphValue] {
    let range = firstCapture..<(firstCapture + plan.graph.captures.count)
    guard range.upperBound <= arguments.captures.count else {
      throw OperatorError("a value that the graph '\(plan.graph.name)' reads from around it has not been computed")
    }
    try arguments.context.enter()
    defer { arguments.context.leave() }
    return try plan.run(inputs, captured: Array(arguments.captures[range]), context: arguments.context)
  }
}
