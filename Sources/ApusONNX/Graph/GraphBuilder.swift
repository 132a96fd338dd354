import Apus
import ApusGraph

/// Turns the messages of a file into a ``Graph``: names become numbers, calls of model-local functions are written out,
/// and nodes are put in an order in which they can run.
struct GraphBuilder {
  private let functions: [FunctionKey: FunctionProto]
  private let opsets: [String: Int]
  private let functionNodeCount: Int
  private let isOfPyTorch: Bool
  private let limits: Limits
  private var nodeCount = 0
  private var nameByteCount = 0
  /// The nodes that there may be when all functions are written out.
  private var nodeLimit = 0

  /// What a file may ask for before it is refused.
  struct Limits: Sendable {
    /// Functions and subgraphs within each other.
    var depth = 64
    /// Nodes after all functions are written out, for each node of the file, and so many besides: a few functions that
    /// call each other twice would fill any memory.
    var growth = 64
    var nodes = 1 << 16
    /// The nodes that functions may add up to at most, whatever the file has.
    var written = 1_000_000
    /// Bytes of the names that written out functions give.
    var names = 1 << 28
  }

  private struct FunctionKey: Hashable {
    let name: OperatorName
    let overload: String
  }

  /// - Parameter producer: the program that wrote the model.
  init(functions: [FunctionProto], opsets: [OperatorSetID], producer: String = "", limits: Limits = Limits()) {
    isOfPyTorch = producer == "pytorch"
    functionNodeCount = functions.reduce(0) { $0 + Self.count($1.nodes) }
    self.functions = Dictionary(
      functions.map { (FunctionKey(name: OperatorName(domain: $0.domain, type: $0.name), overload: $0.overload), $0) },
      uniquingKeysWith: { first, _ in first })
    self.opsets = Self.versions(opsets)
    self.limits = limits
  }

  /// The nodes of a list and of all subgraphs in it.
  private static func count(_ nodes: [NodeProto]) -> Int {
    nodes.reduce(nodes.count) { sum, node in
      node.attributes.reduce(sum) { sum, attribute in
        guard case .graph(let graph) = attribute.value else { return sum }
        return sum + count(graph.nodes)
      }
    }
  }

  private static func versions(_ opsets: [OperatorSetID]) -> [String: Int] {
    Dictionary(
      opsets.map { (OperatorName(domain: $0.domain, type: "").domain, Int(clamping: $0.version)) },
      uniquingKeysWith: max)
  }

  /// What names mean at one place of the file.
  private final class Scope {
    var graph: Graph
    var names: [UTF8Key: Graph.ValueID] = [:]
    /// The scope of the graph around this subgraph; nil for the model's own and for a function's body.
    let parent: Scope?
    var opsets: [String: Int]
    /// What is put before the names of nodes and values: the function calls that led here.
    let prefix: String

    init(_ name: String, parent: Scope? = nil, opsets: [String: Int], prefix: String = "") {
      graph = Graph(name: name)
      self.parent = parent
      self.opsets = opsets
      self.prefix = prefix
    }

    /// The value called `name` here or around here; what lies around is captured.
    func resolve(_ name: String) -> Graph.ValueID? {
      if let id = names[UTF8Key(name)] { return id }
      guard let outer = parent?.resolve(name) else { return nil }
      let id = graph.addValue(named: name, type: parent?.graph.values[outer].type)
      graph.captures.append(Graph.Capture(outer: outer, inner: id))
      names[UTF8Key(name)] = id
      return id
    }
  }

  /// The model's graph.
  /// - Throws: ``GraphError/graph(_:)``.
  mutating func build(_ proto: GraphProto) throws -> Graph {
    let own = Self.count(proto.nodes)
    let grown = (own + functionNodeCount).multipliedReportingOverflow(by: limits.growth)
    nodeLimit = max(own, min(grown.overflow ? .max : grown.partialValue + limits.nodes, limits.written))
    return try graph(proto, parent: nil, opsets: opsets, prefix: "", depth: 0, attributes: [:])
  }

  private mutating func graph(
    _ proto: GraphProto, parent: Scope?, opsets: [String: Int], prefix: String, depth: Int,
    attributes: [String: AttributeProto]
  ) throws -> Graph {
    guard depth <= limits.depth else {
      throw GraphError.graph("graphs and functions are nested deeper than \(limits.depth)")
    }
    let scope = Scope(proto.name, parent: parent, opsets: opsets, prefix: prefix)
    let declared = Dictionary(
      proto.valueInfo.map { (UTF8Key($0.name), $0.type) }, uniquingKeysWith: { first, _ in first })
    for input in proto.inputs {
      guard scope.names[UTF8Key(input.name)] == nil else {
        throw GraphError.graph("graph '\(proto.name)' has two inputs named '\(input.name)'")
      }
      let id = scope.graph.addValue(named: prefix + input.name, type: input.type)
      scope.names[UTF8Key(input.name)] = id
      scope.graph.inputs.append(id)
    }
    for tensor in proto.initializers { try define(tensor.name, as: { try tensor.value() }, in: scope) }
    for tensor in proto.sparseInitializers { try define(tensor.values.name, as: { try tensor.value() }, in: scope) }
    try append(proto.nodes, to: scope, depth: depth, attributes: attributes, declared: declared)
    for output in proto.outputs {
      guard let id = scope.resolve(output.name) else {
        throw GraphError.graph("output '\(output.name)' of graph '\(proto.name)' is given by no node")
      }
      if let type = output.type { scope.graph.values[id].type = type }
      scope.graph.outputs.append(id)
    }
    try Self.separateEquivalentNames(in: &scope.graph, isWhole: parent == nil)
    return scope.graph
  }

  /// Gives values other names where some differ in their bytes alone and are one `String`, as é is in one character or in
  /// two. Those of the model's inputs and outputs are for its user to say.
  private static func separateEquivalentNames(in graph: inout Graph, isWhole: Bool) throws {
    let names = graph.values.map(\.name)
    guard Set(names).count < Set(names.map(UTF8Key.init)).count else { return }
    for ids in isWhole ? [graph.inputs, graph.outputs] : [] {
      var known: [String: Graph.ValueID] = [:]
      for id in ids {
        guard let other = known.updateValue(id, forKey: names[id]), other != id else { continue }
        throw GraphError.graph(
          "two inputs or outputs are named '\(names[id])', in other bytes and with the same meaning in Unicode; a run could "
            + "not tell them apart")
      }
    }
    graph.makeNamesUnique()
  }

  private func define(_ name: String, as value: () throws -> GraphValue, in scope: Scope) throws {
    let id = scope.names[UTF8Key(name)] ?? scope.graph.addValue(named: scope.prefix + name)
    scope.names[UTF8Key(name)] = id
    guard scope.graph.constants[id] == nil else {
      throw GraphError.graph("two initialisers are named '\(name)'")
    }
    do {
      let value = try value()
      if let declared = scope.graph.values[id].type, !declared.admits(value) {
        throw OperatorError("it is \(value.type); the input that it is the default of is declared \(declared)")
      }
      scope.graph.constants[id] = value
      if scope.graph.values[id].type == nil { scope.graph.values[id].type = value.type }
    } catch let error as ONNXFileError where error.fault == .missing || error.isOfMemory {
      // The graph is not at fault.
      throw error
    } catch {
      throw GraphError.graph("initialiser '\(name)': \(error)")
    }
  }
}

// MARK: - Nodes

extension GraphBuilder {
  private mutating func append(
    _ protos: [NodeProto], to scope: Scope, depth: Int, attributes: [String: AttributeProto],
    declared: [UTF8Key: GraphValueType?]
  ) throws {
    // Outputs first: files exist whose nodes are not in order.
    for proto in protos {
      for output in proto.outputs where !output.isEmpty {
        let key = UTF8Key(output)
        guard scope.names[key] == nil else {
          throw GraphError.graph("the name '\(output)' is given to two values (node '\(proto.name)', \(proto.opType))")
        }
        scope.names[key] = scope.graph.addValue(named: scope.prefix + output, type: declared[key] ?? nil)
      }
    }
    var nodes: [Node] = []
    for (index, proto) in protos.enumerated() {
      nodes += try self.nodes(proto, index: index, in: scope, depth: depth, attributes: attributes)
    }
    scope.graph.nodes += try Self.ordered(nodes, in: scope.graph)
  }

  /// The node itself, or the nodes of the function that it calls.
  private mutating func nodes(
    _ proto: NodeProto, index: Int, in scope: Scope, depth: Int, attributes: [String: AttributeProto]
  ) throws -> [Node] {
    nodeCount += 1
    if nodeCount.isMultiple(of: 256) { try TimeLimit.check() }
    guard nodeCount <= nodeLimit else {
      throw GraphError.graph(
        "the model has more than \(nodeLimit) nodes when its functions are written out; \(limits.growth) for each node "
          + "of the file and \(limits.nodes) are allowed, and no more than \(limits.written)")
    }
    let operatorName = OperatorName(domain: proto.domain, type: proto.opType)
    let name = scope.prefix + (proto.name.isEmpty ? "\(proto.opType)_\(index)" : proto.name)
    if !scope.prefix.isEmpty {
      nameByteCount += name.utf8.count + proto.outputs.reduce(0) { $0 + scope.prefix.utf8.count + $1.utf8.count }
      guard nameByteCount <= limits.names else {
        throw GraphError.graph(
          "the names of nodes and values take more than \(limits.names) bytes when functions are written out")
      }
    }
    let inputs = try proto.inputs.map { input -> Graph.ValueID? in
      if input.isEmpty { return nil }
      guard let id = scope.resolve(input) else {
        throw GraphError.graph(
          "input '\(input)' of node '\(name)' (\(operatorName)) is given by no node, input or initialiser")
      }
      return id
    }
    let outputs = proto.outputs.map { $0.isEmpty ? nil : scope.names[UTF8Key($0)] }
    // All at once: a node that is changed is made anew.
    var values = [String: AttributeValue](minimumCapacity: proto.attributes.count)
    var subgraphs = [String: Graph]()
    for attribute in proto.attributes {
      switch Self.resolve(attribute, attributes) {
      case .graph(let subgraph):
        subgraphs[attribute.name] = try graph(
          subgraph, parent: scope, opsets: scope.opsets, prefix: scope.prefix, depth: depth + 1, attributes: attributes)
      case let resolved?: values[attribute.name] = resolved.attributeValue
      case nil: continue
      }
    }
    let node = Node(
      name: name, operatorName: operatorName, opset: scope.opsets[operatorName.domain] ?? 1, inputs: inputs,
      outputs: outputs, attributes: values, subgraphs: subgraphs)
    if isOfPyTorch, let nodes = scope.graph.withWholeLengths(node) { return nodes }
    guard !functions.isEmpty, let function = functions[FunctionKey(name: operatorName, overload: proto.overload)] else {
      return [node]
    }
    let arguments = proto.attributes.compactMap { attribute in
      Self.resolve(attribute, attributes).map { AttributeProto(name: attribute.name, value: $0) }
    }
    return try self.body(of: function, calledBy: node, attributes: arguments, in: scope, depth: depth)
  }

  /// An attribute's value, looked up among the arguments of the function around it when it is a reference.
  private static func resolve(
    _ attribute: AttributeProto, _ arguments: [String: AttributeProto]
  ) -> AttributeProto.Content? {
    guard let reference = attribute.referenceName, !reference.isEmpty else { return attribute.value }
    // An argument that is not given leaves the attribute at its default.
    return arguments[reference]?.value
  }

  /// The nodes of a function, its inputs and outputs replaced by the call's.
  private mutating func body(
    of function: FunctionProto, calledBy call: Node, attributes: [AttributeProto], in outer: Scope, depth: Int
  ) throws -> [Node] {
    guard depth < limits.depth else {
      throw GraphError.graph("function '\(function.name)' calls itself, or calls go deeper than \(limits.depth)")
    }
    guard call.subgraphs.isEmpty else {
      throw GraphError.graph(
        "node '\(call.name)' passes a graph to function '\(function.name)', which is not supported")
    }
    // The body shares the caller's graph; only names and versions are its own.
    let scope = Scope(
      function.name, opsets: Self.versions(function.opsetImports), prefix: call.name + "/")
    swap(&scope.graph, &outer.graph)
    defer { swap(&scope.graph, &outer.graph) }
    guard call.inputs.count <= function.inputs.count, call.outputs.count <= function.outputs.count else {
      throw GraphError.graph(
        "node '\(call.name)' has \(call.inputs.count) inputs and \(call.outputs.count) outputs; function "
          + "'\(function.name)' has \(function.inputs.count) and \(function.outputs.count)")
    }
    var arguments: [String: AttributeProto] = [:]
    for attribute in function.attributeDefaults + attributes { arguments[attribute.name] = attribute }
    for (name, id) in zip(function.inputs, call.inputs) { if let id { scope.names[UTF8Key(name)] = id } }
    let before = scope.graph.nodes
    scope.graph.nodes = []
    let missing = Set(function.inputs.dropFirst(call.inputs.count).map(UTF8Key.init))
      .union(zip(function.inputs, call.inputs).filter { $0.1 == nil }.map { UTF8Key($0.0) })
    let nodes = function.nodes.map { node in
      var node = node
      node.inputs = node.inputs.map { missing.contains(UTF8Key($0)) ? "" : $0 }
      return node
    }
    try append(nodes, to: scope, depth: depth + 1, attributes: arguments, declared: [:])
    var body = scope.graph.nodes
    scope.graph.nodes = before
    // What is written as a file may have one version of a set alone.
    let opset = scope.opsets[""] ?? outer.opsets[""] ?? 14
    // The function's outputs take the caller's names.
    for (name, output) in zip(function.outputs, call.outputs) {
      guard let output else { continue }
      guard let inner = scope.names[UTF8Key(name)] else {
        throw GraphError.graph("output '\(name)' of function '\(function.name)' is not given by any of its nodes")
      }
      body.append(
        Node(
          name: call.name + "/" + name, operatorName: OperatorName(type: "Identity"), opset: opset, inputs: [inner],
          outputs: [output]))
    }
    return body
  }

  /// The nodes in an order in which each follows those it reads from; the file's order where that is one.
  private static func ordered(_ nodes: [Node], in graph: Graph) throws -> [Node] {
    var producer = [Int?](repeating: nil, count: graph.values.count)
    for (index, node) in nodes.enumerated() { for case let output? in node.outputs { producer[output] = index } }
    let isInOrder = nodes.enumerated().allSatisfy { index, node in
      node.reads.allSatisfy { producer[$0].map { $0 < index } ?? true }
    }
    if isInOrder { return nodes }
    var waitingFor = [Int](repeating: 0, count: nodes.count)
    var readers = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for source in Set(node.reads.compactMap { producer[$0] }) {
        waitingFor[index] += 1
        readers[source].append(index)
      }
    }
    var ready = nodes.indices.filter { waitingFor[$0] == 0 }
    var result: [Node] = []
    var next = 0
    while next < ready.count {
      let index = ready[next]
      next += 1
      result.append(nodes[index])
      for reader in readers[index] {
        waitingFor[reader] -= 1
        if waitingFor[reader] == 0 { ready.append(reader) }
      }
    }
    guard result.count == nodes.count else {
      let stuck = nodes.indices.filter { waitingFor[$0] > 0 }.prefix(5).map { "'\(nodes[$0].name)'" }
      throw GraphError.graph("nodes wait for each other in a circle, among them \(stuck.joined(separator: ", "))")
    }
    return result
  }
}
