import ApusGraph

// What a program calls for its effects on PyTorch alone, as plain calls, before anything is made of them.

extension TorchProgram {
  /// Writes out graphs that are called once and as they are (`torch.no_grad()`, `torch.autocast(enabled=False)`), and
  /// makes views of what turns a tensor's axes in place: what reads the tensor later reads the view.
  mutating func flatten() {
    let last = graph.flatten()
    for index in outputs.indices { outputs[index].argument = outputs[index].argument.renamed { last[$0] ?? $0 } }
  }
}

extension TorchGraph {
  /// Does the same to one graph.
  /// - Returns: what is read in the place of outputs whose axes were turned.
  @discardableResult
  mutating func flatten() -> [String: String] {
    var flat = Flattening(self)
    flat.add(nodes, names: [:])
    (nodes, tensors, integers) = (flat.nodes, flat.tensors, flat.integers)
    var last: [String: String] = [:]
    for name in outputs.flatMap(\.names) { last[name] = flat.current(name) }
    outputs = outputs.map { $0.renamed { last[$0] ?? $0 } }
    return last
  }
}

private struct Flattening {
  private(set) var nodes: [TorchNode] = []
  private(set) var tensors: [String: TorchTensorType]
  private(set) var integers: [String: TorchSize]
  private var used: Set<String>
  /// What is read in the place of values since their axes were turned.
  private var replacements: [String: String] = [:]

  init(_ graph: TorchGraph) {
    (tensors, integers) = (graph.tensors, graph.integers)
    used = Set(graph.nodes.flatMap { $0.outputs.flatMap(\.names) }).union(tensors.keys).union(integers.keys)
  }

  /// What a value is read as at this point.
  mutating func current(_ name: String) -> String {
    guard var last = replacements[name] else { return name }
    while let next = replacements[last] { last = next }
    replacements[name] = last
    return last
  }

  private mutating func replace(_ name: String, with other: String) {
    let (old, new) = (current(name), current(other))
    if old != new { replacements[old] = new }
  }

  /// Adds nodes of a graph, some of whose values have other `names` here.
  mutating func add(_ list: [TorchNode], names: [String: String]) {
    for var node in list {
      node.inputs = node.inputs.map { input in
        (input.name, input.argument.renamed { current(names[$0] ?? $0) })
      }
      node.outputs = node.outputs.map { $0.renamed { names[$0] ?? $0 } }
      node.name = names[node.name] ?? node.name
      if let call = WrappedCall(node) {
        add(call, of: node)
        continue
      }
      if let view = OperatorTarget(node.target).turningView, let source = node.inputs.first?.argument.names.first,
        let result = node.outputs.flatMap(\.names).first
      {
        node.target = view
        replace(source, with: result)
      }
      nodes.append(node)
    }
  }

  /// Adds the nodes of a graph that is called. What it returns has the names that the call gives.
  private mutating func add(_ call: WrappedCall, of node: TorchNode) {
    var names = call.arguments
    var again: [(result: String, name: String)] = []
    for (name, result) in call.results {
      if names[name] == nil { names[name] = result } else { again.append((result, name)) }
    }
    for name in call.graph.nodes.flatMap({ $0.outputs.flatMap(\.names) }) where names[name] == nil {
      var own = name
      while !used.insert(own).inserted { own = "\(node.name)/\(own)" }
      names[name] = own
      tensors[own] = call.graph.tensors[name]
      integers[own] = call.graph.integers[name]
    }
    add(call.graph.nodes, names: names)
    for (result, name) in again { replace(result, with: names[name] ?? name) }
  }
}

/// A call of a graph that may stand in its place.
private struct WrappedCall {
  let graph: TorchGraph
  /// What the inputs of the graph are outside.
  private(set) var arguments: [String: String] = [:]
  /// What the graph returns, and what that is called outside.
  private(set) var results: [(name: String, result: String)] = []

  init?(_ node: TorchNode) {
    let place = node.inputs.firstIndex { if case .graph = $0.argument { true } else { false } }
    guard let place, case .graph(let graph) = node.inputs[place].argument else { return nil }
    switch OperatorTarget(node.target).name {
    case "higher_order.wrap_with_set_grad_enabled": break
    // Device, type, whether it is enabled, and whether casts are kept.
    case "higher_order.wrap_with_autocast":
      guard place > 2, case .bool(false) = node.inputs[2].argument else { return nil }
    default: return nil
    }
    self.graph = graph
    let given = node.inputs[(place + 1)...].map(\.argument.places)
    guard given.count == graph.inputs.count else { return nil }
    for (input, argument) in zip(graph.inputs.map(\.places), given) {
      guard input.count == 1, argument.count == 1, let name = input[0], let value = argument[0] else { return nil }
      arguments[name] = value
    }
    let (returned, wanted) = (graph.outputs.flatMap(\.places), node.outputs.flatMap(\.places))
    guard returned.count == wanted.count else { return nil }
    for (name, result) in zip(returned, wanted) {
      guard let result else { continue }
      guard let name else { return nil }
      results.append((name, result))
    }
  }
}
