import Apus
import ApusGraph

// Operators that are called with graphs: branches, loops, and what is done for every entry along an axis. Their arguments
// have no names.

extension ProgramBuilder {
  static let controlFlow: [String: Lowering] = [
    // The condition, both branches, and what these are given.
    "higher_order.cond": { call in
      let e = call.emitter
      let condition = try e.reshape(e.cast(call.operand(0), to: .bool), [Int]())
      let given = try call.operands(3)
      let branches = try [1, 2].map { try call.branch($0, given) }
      guard branches[0].outputs.count == branches[1].outputs.count else {
        throw OperatorError("the branches give \(branches[0].outputs.count) and \(branches[1].outputs.count) values")
      }
      return try e.nodes(
        "If", [condition], outputs: branches[0].outputs.count,
        subgraphs: ["then_branch": branches[0], "else_branch": branches[1]])
    },
    // The graphs of the condition and of the body, the variables, and what both are given besides.
    "higher_order.while_loop": { call in try call.loop() },
    // The graph, the first states, what is gone along, and what the graph is given besides.
    "higher_order.scan": { call in try call.scan(states: call.operands(1), along: call.operands(2), call.operands(3)) },
    // The graph, what is gone along, and what the graph is given besides.
    "higher_order.map_impl": { call in try call.scan(states: [], along: call.operands(1), call.operands(2)) },
  ]
}

extension Call {
  /// The graph that is argument `index`.
  private func innerGraph(_ index: Int) throws -> TorchGraph {
    guard node.inputs.indices.contains(index), case .graph(let graph) = node.inputs[index].argument else {
      throw OperatorError("argument \(index) is no graph")
    }
    return graph
  }

  /// The values in the list that is argument `index`.
  fileprivate func operands(_ index: Int) throws -> [Graph.ValueID] {
    guard node.inputs.indices.contains(index) else { return [] }
    switch node.inputs[index].argument {
    case .tensors(let names): return try names.map(resolve)
    case .optionalTensors(let names): return try names.compactMap { try $0.map(resolve) }
    case .integers(let list):
      return try list.map {
        switch $0 {
        case .known(let value): try emitter.integer(value.bounded)
        case .symbol(let name): try resolve(name)
        }
      }
    case .none: return []
    default: return [try operand(index)]
    }
  }

  /// A branch without inputs, which takes what it is given from around it.
  fileprivate func branch(_ index: Int, _ given: [Graph.ValueID]) throws -> Graph {
    let inner = Emitter(name: "branch", within: emitter)
    inner.graph.outputs = try inner.write(innerGraph(index), given.map { inner.capture($0, from: emitter) })
    return inner.graph
  }

  /// A loop asks its condition before each turn: it is written in front of the loop, and once more at the end of the
  /// body, where it decides on the next turn.
  fileprivate func loop() throws -> [Graph.ValueID] {
    let (condition, body) = (try innerGraph(0), try innerGraph(1))
    let (variables, given) = (try operands(2), try operands(3))
    let first = try emitter.condition(condition, variables + given)
    let inner = Emitter(name: "body", within: emitter)
    let turn = inner.graph.addValue(named: "turn", type: .tensor(.int64, []))
    let goesOn = inner.graph.addValue(named: "goes_on", type: .tensor(.bool, []))
    let current = try inner.inputs(of: body, variables.count)
    inner.graph.inputs = [turn, goesOn] + current
    let captured = given.map { inner.capture($0, from: emitter) }
    let next = try inner.write(body, current + captured)
    guard next.count == variables.count else {
      throw OperatorError("the body gives \(next.count) values for \(variables.count) variables")
    }
    inner.graph.outputs = [try inner.condition(condition, next + captured)] + next
    return try emitter.nodes(
      "Loop", [nil, first] + variables, outputs: variables.count, subgraphs: ["body": inner.graph])
  }

  /// What the graph gives of every entry along the first axis, after its last states.
  fileprivate func scan(
    states: [Graph.ValueID], along scanned: [Graph.ValueID], _ given: [Graph.ValueID]
  ) throws -> [Graph.ValueID] {
    let body = try innerGraph(0)
    let inner = Emitter(name: "body", within: emitter)
    inner.graph.inputs = try inner.inputs(of: body, states.count + scanned.count)
    inner.graph.outputs = try inner.write(
      body, inner.graph.inputs + given.map { inner.capture($0, from: emitter) })
    return try emitter.nodes(
      "Scan", states + scanned, outputs: inner.graph.outputs.count, ["num_scan_inputs": .int(scanned.count)],
      subgraphs: ["body": inner.graph])
  }
}

extension Emitter {
  /// Values for the first inputs of a graph, of the types that it says.
  fileprivate func inputs(of graph: TorchGraph, _ count: Int) throws -> [Graph.ValueID] {
    let names = graph.inputs.flatMap(\.names).prefix(count)
    guard names.count == count else { throw OperatorError("a graph of \(names.count) inputs is given \(count) values") }
    return try names.map { name in
      guard var type = graph.type(of: name) else { throw OperatorError("nothing is said of the input '\(name)'") }
      if type.isComplex { type = type.ofPairs }
      let id = self.graph.addValue(named: name, type: type.graphType)
      declare(id, type)
      return id
    }
  }

  /// Writes the nodes of a graph that is given values.
  /// - Returns: what the graph returns.
  fileprivate func write(_ graph: TorchGraph, _ values: [Graph.ValueID]) throws -> [Graph.ValueID] {
    var graph = graph
    graph.flatten()
    let outside = (names, complexNames)
    defer { (names, complexNames) = outside }
    complexNames = graph.pairComplexNumbers()
    let inputs = graph.inputs.flatMap(\.names)
    guard inputs.count == values.count else {
      throw OperatorError("a graph of \(inputs.count) inputs is given \(values.count) values")
    }
    names = Dictionary(zip(inputs, values)) { first, _ in first }
    var builder = GraphBuilder(graph, self)
    return try builder.write()
  }

  /// The condition of a loop, for values of its variables and what it is given besides.
  fileprivate func condition(_ graph: TorchGraph, _ values: [Graph.ValueID]) throws -> Graph.ValueID {
    guard let result = try limits.condition({ try write(graph, values) }).first else {
      throw OperatorError("the condition gives nothing")
    }
    operation = WrittenOperation("condition")
    return try reshape(cast(result, to: .bool), [Int]())
  }
}
