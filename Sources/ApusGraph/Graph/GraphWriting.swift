import Apus

/// What readers of other formats write graphs with: nodes under the names of what they come from, and the movements that
/// many operations are made of.
package protocol GraphWriting: AnyObject {
  var graph: Graph { get set }
  /// What the file's names stand for at this point.
  var names: [String: Graph.ValueID] { get set }
  /// The operation of the file that nodes are written for.
  var operation: WrittenOperation { get set }
  /// The same for all graphs of a file.
  var limits: WritingLimits { get }
  /// The extents of a value, nil within where one is not known.
  /// - Throws: ``OperatorError`` where not even the rank is known.
  func shape(_ id: Graph.ValueID) throws -> [Int?]
  /// The element type of a value, as far as it is known.
  func elementType(_ id: Graph.ValueID) -> ElementType?
  /// Takes note of a node that was added.
  func follow(_ node: Node)
  /// Takes note of a constant that was added.
  func follow(_ constant: GraphValue, as id: Graph.ValueID)
}

/// An operation of a file while its nodes are written: they are named after it, and numbered.
package struct WrittenOperation: Sendable {
  fileprivate var name = ""
  fileprivate var count = 0

  package init() {}

  /// - Parameter name: what the names of its nodes begin with.
  package init(_ name: String) { self.name = name }
}

/// What bounds the work of writing a file's graphs, those within graphs included.
package final class WritingLimits {
  private var nodes = 0
  private var conditions = 0
  private static let nodeLimit = 1_000_000
  private static let conditionLimit = 8

  package init() {}

  fileprivate func addNode() throws {
    nodes += 1
    guard nodes <= Self.nodeLimit else { throw OperatorError("the model has more than \(Self.nodeLimit) nodes") }
  }

  /// Writes the condition of a loop: as it is written twice, those within each other double with every one.
  package func condition<Result>(_ write: () throws -> Result) throws -> Result {
    guard conditions < Self.conditionLimit else {
      throw OperatorError("loops in the conditions of loops are nested deeper than \(Self.conditionLimit)")
    }
    conditions += 1
    defer { conditions -= 1 }
    return try write()
  }
}

// MARK: - Nodes and constants

extension GraphWriting {
  private var opset: Int { 24 }

  /// Adds a node, whose results it names. Inputs that are left out at the end need not be said.
  private func append(
    _ operatorName: OperatorName, _ inputs: [Graph.ValueID?], outputs: Int, _ attributes: [String: AttributeValue],
    subgraphs: [String: Graph]
  ) throws -> [Graph.ValueID] {
    try limits.addNode()
    operation.count += 1
    let name = "\(operation.name)/\(operatorName.type)" + (operation.count > 1 ? "_\(operation.count)" : "")
    let results = (0..<outputs).map { graph.addValue(named: outputs > 1 ? "\(name):\($0)" : name) }
    var inputs = inputs
    while let last = inputs.last, last == nil { inputs.removeLast() }
    let node = Node(
      name: name, operatorName: operatorName, opset: operatorName.domain.isEmpty ? opset : 1, inputs: inputs,
      outputs: results, attributes: attributes, subgraphs: subgraphs)
    graph.nodes.append(node)
    follow(node)
    return results
  }

  /// Adds a constant.
  package func constant(_ value: GraphValue, named name: String?) -> Graph.ValueID {
    operation.count += 1
    let id = graph.addValue(named: name ?? "\(operation.name)/constant_\(operation.count)", type: value.type)
    graph.constants[id] = value
    follow(value, as: id)
    return id
  }

  /// Gives a value its name in the file.
  ///
  /// A value that has a name already, a constant or an input, keeps it, and an Identity gives the other.
  @discardableResult
  package func bind(_ id: Graph.ValueID, to name: String, firstNode: Int) throws -> Graph.ValueID {
    let isOwn =
      graph.nodes[firstNode...].contains { $0.outputs.contains(id) }
      && graph.values[id].name.hasPrefix(operation.name + "/")
    let result = isOwn ? id : try node("Identity", [id])
    graph.values[result].name = name
    names[name] = result
    return result
  }

  /// Gives the last node of an operation the operation's own name.
  package func end(firstNode: Int) {
    guard graph.nodes.count > firstNode else { return }
    graph.nodes[graph.nodes.count - 1].name = operation.name
  }

  /// A node with several results.
  package func nodes(
    _ type: String, _ inputs: [Graph.ValueID?], outputs: Int, domain: String = "",
    _ attributes: [String: AttributeValue] = [:], subgraphs: [String: Graph] = [:]
  ) throws -> [Graph.ValueID] {
    try append(OperatorName(domain: domain, type: type), inputs, outputs: outputs, attributes, subgraphs: subgraphs)
  }

  /// A node with one result.
  package func node(
    _ type: String, _ inputs: [Graph.ValueID?], domain: String = "", _ attributes: [String: AttributeValue] = [:]
  ) throws -> Graph.ValueID {
    try nodes(type, inputs, outputs: 1, domain: domain, attributes)[0]
  }

  /// A constant that has no name in the file.
  package func constant(_ value: GraphValue) -> Graph.ValueID { constant(value, named: nil) }

  /// A list of integers, INT64.
  package func integers(_ values: [Int]) throws -> Graph.ValueID {
    constant(GraphValue(try Tensor(values.map(Int64.init), shape: [values.count])))
  }

  /// A single INT64.
  package func integer(_ value: Int) throws -> Graph.ValueID {
    constant(GraphValue(try Tensor([Int64(value)], shape: [])))
  }

  /// A value as elements of `type`; the value itself where it has it.
  package func cast(_ id: Graph.ValueID, to type: ElementType) throws -> Graph.ValueID {
    if elementType(id) == type { return id }
    return try node("Cast", [id], ["to": .int(Int64(type.rawValue))])
  }
}

// MARK: - What is known

extension GraphWriting {
  /// The number of axes.
  /// - Throws: ``OperatorError`` where it is not known.
  package func rank(_ id: Graph.ValueID) throws -> Int { try shape(id).count }

  /// The extents of a value when all are known.
  package func knownShape(_ id: Graph.ValueID) -> [Int]? {
    guard let shape = try? shape(id) else { return nil }
    let known = shape.compactMap { $0 }
    return known.count == shape.count ? known : nil
  }

  /// The axis counted from the front. A single number has one axis here.
  package func axis(_ axis: Int, rank: Int) throws -> Int {
    let count = max(rank, 1)
    let resolved = axis < 0 ? axis &+ count : axis
    guard resolved >= 0, resolved < count else {
      throw OperatorError("axis \(axis) does not exist in a tensor of rank \(rank)")
    }
    return resolved
  }
}

// MARK: - Movements

extension GraphWriting {
  /// The value with axes of extent 1 put in.
  package func unsqueeze(_ x: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    try node("Unsqueeze", [x, integers(axes)])
  }

  /// The value without axes of extent 1.
  package func squeeze(_ x: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    try node("Squeeze", [x, integers(axes)])
  }

  /// The value with its axes in another order; the value itself where that is the order they have.
  package func transpose(_ x: Graph.ValueID, _ order: [Int]) throws -> Graph.ValueID {
    if order == Array(order.indices) { return x }
    return try node("Transpose", [x], ["perm": .ints(order.map(Int64.init))])
  }

  /// A part of a value.
  package func slice(
    _ x: Graph.ValueID, from starts: [Int], to ends: [Int], axes: [Int], steps: [Int]? = nil
  ) throws -> Graph.ValueID {
    try node(
      "Slice", [x, integers(starts), integers(ends), integers(axes), steps.map { try integers($0) }])
  }

  /// The value in another shape.
  package func reshape(_ x: Graph.ValueID, _ shape: [Int]) throws -> Graph.ValueID {
    try node("Reshape", [x, integers(shape)])
  }
}

// MARK: - Extents

/// An extent that may be known only when the graph runs.
package enum GraphExtent {
  case known(Int)
  /// An INT64 value of shape [1].
  case value(Graph.ValueID)
}

extension GraphWriting {
  /// The extent of an axis.
  package func extent(_ x: Graph.ValueID, _ axis: Int) throws -> GraphExtent {
    let shape = try shape(x)
    guard shape.indices.contains(axis) else { throw OperatorError("axis \(axis) does not exist") }
    if let size = shape[axis] { return .known(size) }
    let all = try node("Shape", [x])
    return .value(try slice(all, from: [axis], to: [axis + 1], axes: [0]))
  }

  /// An extent so many times.
  package func times(_ extent: GraphExtent, _ factor: Int) throws -> GraphExtent {
    switch extent {
    case .known(let size):
      let (product, overflow) = size.multipliedReportingOverflow(by: factor)
      guard !overflow else { throw OperatorError("an extent of \(size) · \(factor) is more than memory can hold") }
      return .known(product)
    case .value(let id): return .value(try node("Mul", [id, integers([factor])]))
    }
  }

  /// The whole part of an extent divided by `divisor`.
  package func divided(_ extent: GraphExtent, by divisor: Int) throws -> GraphExtent {
    guard divisor > 0 else { throw OperatorError("an extent is divided by \(divisor)") }
    switch extent {
    case .known(let size): return .known(size / divisor)
    case .value(let id): return .value(try node("Div", [id, integers([divisor])]))
    }
  }

  /// The product of two extents.
  package func product(_ a: GraphExtent, _ b: GraphExtent) throws -> GraphExtent {
    switch (a, b) {
    case (.known(let a), _): return try times(b, a)
    case (_, .known(let b)): return try times(a, b)
    case (.value(let a), .value(let b)): return .value(try node("Mul", [a, b]))
    }
  }

  /// A list of extents as one INT64 value.
  package func list(_ extents: [GraphExtent]) throws -> Graph.ValueID {
    var known: [Int] = []
    for case .known(let size) in extents { known.append(size) }
    if known.count == extents.count { return try integers(known) }
    let parts = try extents.map { extent in
      switch extent {
      case .known(let size): try integers([size])
      case .value(let id): id
      }
    }
    return try node("Concat", parts, ["axis": .int(0)])
  }

  /// The value in another shape.
  package func reshape(_ x: Graph.ValueID, _ extents: [GraphExtent]) throws -> Graph.ValueID {
    var free = 0
    let sizes = extents.map { extent -> Int in
      if case .known(let size) = extent { return size }
      free += 1
      return -1
    }
    if free <= 1, !sizes.contains(0) { return try reshape(x, sizes) }
    return try node("Reshape", [x, list(extents)], ["allowzero": .int(1)])
  }
}
