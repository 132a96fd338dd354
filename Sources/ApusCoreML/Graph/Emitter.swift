import Apus
import ApusGraph

/// What the arithmetic of a model is rounded to.
public enum CoreMLArithmetic: String, Sendable, CaseIterable {
  /// Everything that the file declares as a sixteen-bit floating-point number is computed and kept in FLOAT.
  case float32
  /// Every value is rounded to the type that the file declares, after it was computed in FLOAT.
  case declared
}

/// A graph being written: nodes under the names of the file's operations, values under the file's names.
///
/// One emitter writes one graph; the graph of a block within another has an emitter of its own, whose names are those
/// around it and more.
final class Emitter {
  var graph: Graph
  let parent: Emitter?
  /// What the file's names stand for at this point.
  var names: [String: Graph.ValueID] = [:]
  /// What is known of values: element type and extents, nil where an extent is known only when the graph runs.
  private(set) var types: [Graph.ValueID: MILValueType] = [:]
  /// Values of five axes that are maps of four with another shape: the maps, and the extents of the first two of five axes.
  var maps: [Graph.ValueID: (id: Graph.ValueID, outer: [Int])] = [:]
  /// What is put before the names of nodes.
  var prefix = ""
  /// The operation whose nodes are being written, and how many it has.
  private var current = ""
  private var count = 0
  /// What follows from the extents that inputs have by default, and from others that they may have.
  private var followed = TypeFollower()
  private var alternate = TypeFollower()
  private var followsAlternate = false

  static let opset = 24
  /// A file that makes more nodes than this is refused.
  private static let nodeLimit = 1_000_000

  init(name: String, parent: Emitter? = nil) {
    graph = Graph(name: name)
    self.parent = parent
    prefix = parent?.prefix ?? ""
  }
}

// MARK: - Names and types

extension Emitter {
  /// The value called `name` here or around here; what lies around is captured.
  func resolve(_ name: String) -> Graph.ValueID? {
    if let id = names[name] { return id }
    guard let parent, let outer = parent.resolve(name) else { return nil }
    let id = graph.addValue(named: name, type: parent.graph.values[outer].type)
    graph.captures.append(Graph.Capture(outer: outer, inner: id))
    names[name] = id
    types[id] = parent.types[outer]
    inherit(outer, from: parent, as: id)
    // What an input holds by default is not known: a run may give something else.
    if let value = parent.graph.constants[outer], !parent.graph.inputs.contains(outer) { graph.constants[id] = value }
    return id
  }

  func declare(_ id: Graph.ValueID, _ type: MILValueType) {
    types[id] = type
    let known = type.shape?.compactMap { $0 } ?? []
    guard let shape = type.shape, known.count == shape.count, !type.isList else { return }
    follow(id, type.type?.elementType, known, alternate: known)
  }

  /// The extents of a value, nil within where one is not known.
  /// - Throws: ``OperatorError`` where not even the rank is known.
  func shape(_ id: Graph.ValueID) throws -> [Int?] {
    if let shape = graph.constants[id]?.shape { return shape }
    if let shape = types[id]?.shape { return shape }
    guard let shape = followed.type(of: id)?.shape else {
      throw OperatorError("the rank of '\(graph.values[id].name)' is not known")
    }
    guard followsAlternate else { return shape }
    guard let other = alternate.type(of: id)?.shape, other.count == shape.count else {
      return [Int?](repeating: nil, count: shape.count)
    }
    return zip(shape, other).map { $0 == $1 ? $0 : nil }
  }

  /// Follows the extents of an input: those that it has by default, and others that it may have.
  func follow(_ id: Graph.ValueID, _ elementType: ElementType?, _ shape: [Int], alternate other: [Int]) {
    followed.enter(elementType, shape, as: id)
    alternate.enter(elementType, other, as: id)
    if shape != other { followsAlternate = true }
  }

  /// A graph within this one follows what this one does.
  private func inherit(_ outer: Graph.ValueID, from parent: Emitter, as id: Graph.ValueID) {
    if let type = parent.followed.type(of: outer) { followed.enter(type.elementType, type.shape, as: id) }
    if let type = parent.alternate.type(of: outer) { alternate.enter(type.elementType, type.shape, as: id) }
    followsAlternate = parent.followsAlternate
  }

  func rank(_ id: Graph.ValueID) throws -> Int { try shape(id).count }

  /// The extents of a value when all are known.
  func knownShape(_ id: Graph.ValueID) -> [Int]? {
    guard let shape = try? shape(id) else { return nil }
    let known = shape.compactMap { $0 }
    return known.count == shape.count ? known : nil
  }

  /// The element type of a value.
  func elementType(_ id: Graph.ValueID) -> ElementType? {
    graph.constants[id]?.elementType ?? types[id]?.type?.elementType ?? followed.type(of: id)?.elementType
  }

  /// Whether a value has elements that are floating-point numbers, as far as is known.
  func isFloating(_ id: Graph.ValueID) -> Bool { elementType(id)?.isFloatingPoint ?? true }

  func constant(_ id: Graph.ValueID?) -> GraphValue? { id.flatMap { graph.constants[$0] } }
}

// MARK: - Nodes

extension Emitter {
  /// Begins the nodes of an operation.
  func begin(_ name: String) {
    current = prefix + name
    count = 0
  }

  /// A node with several results.
  func nodes(
    _ type: String, _ inputs: [Graph.ValueID?], outputs: Int, domain: String = "",
    _ attributes: [String: AttributeValue] = [:], subgraphs: [String: Graph] = [:]
  ) throws -> [Graph.ValueID] {
    guard graph.nodes.count < Self.nodeLimit else {
      throw OperatorError("the model has more than \(Self.nodeLimit) nodes")
    }
    count += 1
    let name = "\(current)/\(type)" + (count > 1 ? "_\(count)" : "")
    let results = (0..<outputs).map { graph.addValue(named: outputs > 1 ? "\(name):\($0)" : name) }
    var inputs = inputs
    while let last = inputs.last, last == nil { inputs.removeLast() }
    let node = Node(
      name: name, operatorName: OperatorName(domain: domain, type: type), opset: domain.isEmpty ? Self.opset : 1,
      inputs: inputs, outputs: results, attributes: attributes, subgraphs: subgraphs)
    graph.nodes.append(node)
    followed.visit(node)
    inferRank(of: node)
    if followsAlternate { alternate.visit(node) }
    return results
  }

  /// Where a shape is known only when the graph runs, its length says the rank all the same.
  private func inferRank(of node: Node) {
    guard ["Reshape", "Expand"].contains(node.operatorName.type), let output = node.outputs.first ?? nil,
      followed.type(of: output) == nil, node.inputs.count > 1, let list = node.inputs[1],
      let count = knownShape(list)?.first
    else { return }
    let own = node.operatorName.type == "Expand" ? node.inputs[0].flatMap { try? rank($0) } ?? 0 : 0
    types[output] = MILValueType(type: nil, shape: [Int?](repeating: nil, count: max(count, own)))
  }

  /// A node with one result.
  func node(
    _ type: String, _ inputs: [Graph.ValueID?], domain: String = "", _ attributes: [String: AttributeValue] = [:]
  ) throws -> Graph.ValueID {
    try nodes(type, inputs, outputs: 1, domain: domain, attributes)[0]
  }

  func constant(_ value: GraphValue, named name: String? = nil) -> Graph.ValueID {
    count += 1
    let id = graph.addValue(named: name ?? "\(current)/constant_\(count)", type: value.type)
    graph.constants[id] = value
    followed.enter(value, as: id)
    alternate.enter(value, as: id)
    return id
  }

  func integers(_ values: [Int]) throws -> Graph.ValueID {
    constant(GraphValue(try Tensor(values.map(Int64.init), shape: [values.count])))
  }

  func integer(_ value: Int) throws -> Graph.ValueID { constant(GraphValue(try Tensor([Int64(value)], shape: []))) }

  func number(_ value: Float) throws -> Graph.ValueID { constant(GraphValue(try Tensor([value], shape: []))) }

  /// A single number of the element type of `other`.
  func number(_ value: Double, like other: Graph.ValueID) throws -> Graph.ValueID {
    switch elementType(other) {
    case .int32?: constant(GraphValue(try Tensor([Int32(exactly: value.rounded()) ?? 0], shape: [])))
    case .int64?: constant(GraphValue(try Tensor([Int64(exactly: value.rounded()) ?? 0], shape: [])))
    default: try number(Float(value))
    }
  }

  func numbers(_ values: [Float], shape: [Int]? = nil) throws -> Graph.ValueID {
    constant(GraphValue(try Tensor(values, shape: shape ?? [values.count])))
  }

  func cast(_ id: Graph.ValueID, to type: ElementType) throws -> Graph.ValueID {
    if elementType(id) == type { return id }
    return try node("Cast", [id], ["to": .int(Int64(type.rawValue))])
  }

  /// A list of integers as the standard wants them.
  func int64(_ id: Graph.ValueID) throws -> Graph.ValueID { try cast(id, to: .int64) }

  /// Gives a value its name in the file.
  ///
  /// A value that has a name already, a constant or an input, keeps it, and an Identity gives the other.
  func bind(_ id: Graph.ValueID, to name: String, firstNode: Int) throws -> Graph.ValueID {
    let index = graph.nodes[firstNode...].lastIndex { $0.outputs.contains(id) }
    let isOwn = index != nil && graph.values[id].name.hasPrefix(current + "/")
    let result = isOwn ? id : try node("Identity", [id])
    graph.values[result].name = name
    names[name] = result
    return result
  }

  /// Gives the last node of an operation the operation's own name.
  func end(firstNode: Int) {
    guard graph.nodes.count > firstNode else { return }
    graph.nodes[graph.nodes.count - 1].name = current
  }
}

// MARK: - Movements that many operations are made of

extension Emitter {
  func unsqueeze(_ x: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    try node("Unsqueeze", [x, integers(axes)])
  }

  func squeeze(_ x: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    try node("Squeeze", [x, integers(axes)])
  }

  func transpose(_ x: Graph.ValueID, _ order: [Int]) throws -> Graph.ValueID {
    if order == Array(order.indices) { return x }
    return try node("Transpose", [x], ["perm": .ints(order.map(Int64.init))])
  }

  func slice(
    _ x: Graph.ValueID, from starts: [Int], to ends: [Int], axes: [Int], steps: [Int]? = nil
  ) throws -> Graph.ValueID {
    try node(
      "Slice", [x, integers(starts), integers(ends), integers(axes), steps.map { try integers($0) }])
  }

  func reshape(_ x: Graph.ValueID, _ shape: [Int]) throws -> Graph.ValueID {
    try node("Reshape", [x, integers(shape)])
  }

  /// The axis counted from the front.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    let resolved = axis < 0 ? axis &+ rank : axis
    guard resolved >= 0, resolved < max(rank, 1) else {
      throw OperatorError("axis \(axis) does not exist in a tensor of rank \(rank)")
    }
    return resolved
  }

  /// An extent that may be known only when the graph runs.
  enum Extent {
    case known(Int)
    /// An INT64 value of shape [1].
    case value(Graph.ValueID)
  }

  /// The extent of an axis.
  func extent(_ x: Graph.ValueID, _ axis: Int) throws -> Extent {
    let shape = try shape(x)
    guard shape.indices.contains(axis) else { throw OperatorError("axis \(axis) does not exist") }
    if let size = shape[axis] { return .known(size) }
    let all = try node("Shape", [x])
    return .value(try slice(all, from: [axis], to: [axis + 1], axes: [0]))
  }

  func times(_ extent: Extent, _ factor: Int) throws -> Extent {
    switch extent {
    case .known(let size):
      let (product, overflow) = size.multipliedReportingOverflow(by: factor)
      guard !overflow else { throw OperatorError("an extent of \(size) · \(factor) is more than memory can hold") }
      return .known(product)
    case .value(let id): return .value(try node("Mul", [id, integers([factor])]))
    }
  }

  func divided(_ extent: Extent, by divisor: Int) throws -> Extent {
    guard divisor > 0 else { throw OperatorError("an extent is divided by \(divisor)") }
    switch extent {
    case .known(let size): return .known(size / divisor)
    case .value(let id): return .value(try node("Div", [id, integers([divisor])]))
    }
  }

  func product(_ a: Extent, _ b: Extent) throws -> Extent {
    switch (a, b) {
    case (.known(let a), _): return try times(b, a)
    case (_, .known(let b)): return try times(a, b)
    case (.value(let a), .value(let b)): return .value(try node("Mul", [a, b]))
    }
  }

  /// A list of extents as one INT64 value.
  func list(_ extents: [Extent]) throws -> Graph.ValueID {
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

  func reshape(_ x: Graph.ValueID, _ extents: [Extent]) throws -> Graph.ValueID {
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
