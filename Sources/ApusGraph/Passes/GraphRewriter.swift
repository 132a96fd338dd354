import Apus

extension Graph {
  /// Whether a node is one of these operators. Where none is, a pass that begins at one has nothing to do, and most passes
  /// have nothing to do.
  func hasNode(_ types: String...) -> Bool { nodes.contains { types.contains($0.operatorName.type) } }
}

/// A graph being rewritten, with who gives and who reads each value kept up to date.
struct GraphRewriter {
  private(set) var graph: Graph
  /// nil where a node was removed.
  private(set) var nodes: [Node?]
  /// For each value the node that gives it.
  private var producers: [Int?]
  /// For each value who reads it.
  private var readers: [Readers]
  private let outputs: Set<Graph.ValueID>
  private var inserted: [Int: [Node]] = [:]
  /// Whether the graph is another one than it was.
  private(set) var isChanged = false

  /// The nodes that read a value, once for each time they do.
  ///
  /// Nodes leave a long list only when half of it is out of date: a value with a million readers, each of which a pass
  /// replaces, would otherwise cost their square.
  private struct Readers {
    /// The only one, without memory of its own: most values have no more.
    private var single: Int?
    private var several: [Int] = []
    /// How often the value is read.
    var count = 0

    /// How many are listed.
    var listed: Int { single == nil ? several.count : 1 }
    var nodes: [Int] {
      get { single.map { [$0] } ?? several }
      set { (single, several) = (nil, newValue) }
    }
    var isCurrent: Bool { listed == count }
    static let longest = 32

    mutating func append(_ index: Int) {
      count += 1
      if several.isEmpty, single == nil {
        single = index
      } else {
        if let first = single { (single, several) = (nil, [first]) }
        several.append(index)
      }
    }

    /// Takes one entry out, if there is one.
    mutating func remove(_ index: Int) {
      if single == index {
        single = nil
      } else if let position = several.firstIndex(of: index) {
        several.remove(at: position)
      }
    }
  }

  init(_ graph: Graph) {
    self.graph = graph
    nodes = graph.nodes
    producers = [Int?](repeating: nil, count: graph.values.count)
    readers = [Readers](repeating: Readers(), count: graph.values.count)
    outputs = Set(graph.outputs)
    for index in nodes.indices { enter(index) }
  }

  private mutating func enter(_ index: Int) {
    guard let node = nodes[index] else { return }
    for case let output? in node.outputs { producers[output] = index }
    add(index, asReaderOf: node)
  }

  private mutating func add(_ index: Int, asReaderOf node: Node) {
    node.forEachRead { readers[$0].append(index) }
  }

  /// Takes node `index` out of the lists; it must not be among ``nodes`` as a reader any more when this is called.
  private mutating func leave(_ node: Node, _ index: Int) {
    for case let output? in node.outputs where producers[output] == index { producers[output] = nil }
    for value in node.reads {
      readers[value].count -= 1
      if readers[value].listed > Readers.longest {
        if readers[value].listed > 2 * readers[value].count { readers[value].nodes = current(readers: value) }
      } else {
        readers[value].remove(index)
      }
    }
  }

  /// The nodes that read `value`, looked up in the nodes themselves.
  private func current(readers value: Graph.ValueID) -> [Int] {
    Set(readers[value].nodes).sorted().flatMap { index in
      let read = (inserted[index] ?? []).flatMap(\.reads) + (nodes[index]?.reads ?? [])
      return [Int](repeating: index, count: read.count { $0 == value })
    }
  }
}

// MARK: - Questions

extension GraphRewriter {
  /// Whether this value is an output of the graph.
  func isOutput(_ value: Graph.ValueID) -> Bool { outputs.contains(value) }

  /// The node that gives `value`.
  func producer(of value: Graph.ValueID?) -> Int? { value.flatMap { producers[$0] } }

  /// The nodes that read `value`, in the order of the graph, once for each time they do.
  func readers(of value: Graph.ValueID) -> [Int] {
    readers[value].isCurrent ? readers[value].nodes.sorted() : current(readers: value)
  }

  /// How often `value` is read.
  func readerCount(of value: Graph.ValueID) -> Int { readers[value].count }

  /// Whether no node reads `value`, nor does the graph give it away.
  func isUnused(_ value: Graph.ValueID) -> Bool { readers[value].count == 0 && !isOutput(value) }

  /// The only node that reads `value`, and reads it once; nil when others do or the graph gives it away.
  func soleReader(of value: Graph.ValueID) -> Int? {
    !isOutput(value) && readers[value].count == 1 ? readers(of: value).first : nil
  }

  /// The node that gives `value`, when only one node reads it and the graph does not give it away.
  func soleProducer(of value: Graph.ValueID?) -> Int? {
    guard let value, soleReader(of: value) != nil else { return nil }
    return producer(of: value)
  }

  /// What is known of `value` before anything runs.
  func constant(_ value: Graph.ValueID?) -> GraphValue? { value.flatMap { graph.constants[$0] } }

  /// The node as its operator sees it, with what is known of its inputs.
  func description(of node: Node) -> NodeDescription {
    NodeDescription(node: node, constants: graph.knownInputs(of: node))
  }

  /// The number that `value` is known to be, of a type that FLOAT holds all of: with one axis at most, so that it gives
  /// nothing that has axes another shape.
  func scalar(_ value: Graph.ValueID?) -> Double? {
    guard case .tensor(let tensor)? = constant(value), tensor.rank <= 1, tensor.dataType != .float64 else { return nil }
    return try? constant(value)?.floatingScalar()
  }

  /// The FLOAT without axes, which gives nothing another shape, that `value` is known to be.
  func float(_ value: Graph.ValueID?) -> Double? {
    guard case .tensor(let tensor)? = constant(value), tensor.dataType == .float32, tensor.rank == 0 else { return nil }
    return scalar(value)
  }

  /// Whether node `index` is `type` of the standard.
  func isNode(_ index: Int?, _ type: String) -> Bool {
    guard let index, let node = nodes[index] else { return false }
    return node.operatorName == OperatorName(type: type)
  }

  /// What node `index` gives first.
  func result(of index: Int) -> Graph.ValueID? { nodes[index]?.output(0) }

  /// The node of two inputs that alone reads a value, when it is of this type.
  func only(_ type: String, reading value: Graph.ValueID?) -> Int? {
    guard let value, let reader = soleReader(of: value), isNode(reader, type), let node = nodes[reader],
      node.inputs.count == 2, node.opset >= 7
    else { return nil }
    return reader
  }

  /// Whether nobody but these nodes reads what they give, that of the last of them aside: they can become one.
  func isPrivate(_ indices: [Int]) -> Bool {
    let group = Set(indices)
    return indices.dropLast().allSatisfy { index in
      nodes[index]?.outputs.allSatisfy { output in
        guard let output else { return true }
        return !isOutput(output) && readers(of: output).allSatisfy(group.contains)
      } ?? false
    }
  }

  /// What node `index`, of two inputs, reads beside a value.
  func other(than value: Graph.ValueID?, of index: Int) -> Graph.ValueID? {
    guard let inputs = nodes[index]?.inputs, inputs.count == 2, let side = inputs.firstIndex(of: value) else {
      return nil
    }
    return inputs[1 - side]
  }

  /// The finite FLOAT without axes that node `index`, of two inputs, reads beside a value.
  func number(beside value: Graph.ValueID?, of index: Int) -> Double? { finiteFloat(other(than: value, of: index)) }

  /// The finite FLOAT without axes that `value` is known to be.
  func finiteFloat(_ value: Graph.ValueID?) -> Double? {
    guard let number = float(value), number.isFinite else { return nil }
    return number
  }
}

// MARK: - Changes

extension GraphRewriter {
  /// Puts another node in the place of node `index`, or none.
  mutating func replace(_ index: Int, by node: Node?) {
    isChanged = true
    let former = nodes[index]
    nodes[index] = nil
    if let former { leave(former, index) }
    nodes[index] = node
    enter(index)
  }

  mutating func remove(_ index: Int) { replace(index, by: nil) }

  /// Makes `value` a constant and removes the node that gave it.
  mutating func fold(_ index: Int, _ values: [GraphValue?]) {
    guard let node = nodes[index] else { return }
    for (output, value) in zip(node.outputs, values) {
      if let output, let value { graph.constants[output] = value }
    }
    remove(index)
  }

  /// Forgets a constant that nothing uses.
  mutating func removeConstant(_ value: Graph.ValueID) { graph.constants[value] = nil }

  /// Makes every reader of `old` read `new`.
  mutating func redirect(_ old: Graph.ValueID, to new: Graph.ValueID) {
    for index in Set(readers(of: old)) {
      guard var node = nodes[index] else { continue }
      node.redirectReads { $0 == old ? new : nil }
      replace(index, by: node)
    }
  }

  /// A new value that is known before anything runs.
  mutating func addConstant(_ value: GraphValue, named name: String) -> Graph.ValueID {
    let id = addValue(named: name, type: value.type)
    graph.constants[id] = value
    return id
  }

  /// A new node in front of node `index`, giving a new value.
  ///
  /// Nodes keep their numbers: it is put where `index` stands when the graph is finished.
  mutating func insert(_ node: Node, before index: Int, giving name: String) -> Graph.ValueID {
    var node = node
    let id = addValue(named: name)
    node.outputs = [id]
    insert(node, before: index)
    return id
  }

  /// A new node in front of node `index`, with its outputs.
  mutating func insert(_ node: Node, before index: Int) {
    isChanged = true
    inserted[index, default: []].append(node)
    add(index, asReaderOf: node)
  }

  /// A value that nothing gives yet.
  mutating func addValue(named name: String, type: GraphValueType? = nil) -> Graph.ValueID {
    producers.append(nil)
    readers.append(Readers())
    return graph.addValue(named: name, type: type)
  }

  /// The graph with all changes, and, where there are any, without dead nodes.
  func finished() -> Graph {
    guard isChanged else { return graph }
    var result = graph
    result.nodes.removeAll(keepingCapacity: true)
    for index in nodes.indices {
      if let added = inserted[index] { result.nodes += added }
      if let node = nodes[index] { result.nodes.append(node) }
    }
    return result.withoutDeadNodes()
  }
}
