import Apus
import ApusGraph

/// A graph being written: values under the names that the program has for them, nodes under these and the paths of the
/// modules that they belong to.
final class Emitter: GraphWriting {
  var graph: Graph
  /// The values that the program's names stand for at this point. Numbers that are known only when it runs are INT64 of
  /// shape [].
  var names: [String: Graph.ValueID] = [:]
  /// Those of complex numbers, which are pairs here.
  var complexNames: Set<String> = []
  /// For values that are one number over and over, that number.
  var repeatedNumbers: [Graph.ValueID: Graph.ValueID] = [:]
  /// For values that are one matrix over and over, along axes before its own, that matrix.
  var repeatedMatrices: [Graph.ValueID: Graph.ValueID] = [:]
  /// Of the program's values, the element types and sizes.
  private var types: [Graph.ValueID: (elementType: ElementType?, sizes: [TorchSize])] = [:]
  /// What follows for the others, from the sizes of the example that the program was made from, and from others where
  /// these depend on the data.
  private var followed = TypeFollower()
  /// Whether sizes may be others than those of the example.
  private let isDynamic: Bool
  /// Whether the program is of core operators.
  let isCore: Bool
  var operation = WrittenOperation()
  let limits: WritingLimits

  /// - Parameter outer: the emitter of the graph one of whose nodes runs this one.
  init(name: String, isDynamic: Bool, isCore: Bool, within outer: Emitter? = nil) {
    graph = Graph(name: name)
    (self.isDynamic, self.isCore) = (isDynamic, isCore)
    limits = outer?.limits ?? WritingLimits()
  }
}

// MARK: - What is known

extension Emitter {
  func shape(_ id: Graph.ValueID) throws -> [Int?] {
    if let shape = graph.constants[id]?.shape { return shape }
    if let type = types[id] { return type.sizes.map(\.known) }
    guard let shape = followed.type(of: id)?.shape else {
      throw OperatorError("the rank of '\(graph.values[id].name)' is not known")
    }
    return isDynamic ? [Int?](repeating: nil, count: shape.count) : shape
  }

  /// Whether two axes are known to be equally long: by their extents, or since the program has one expression for both.
  func isAlike(_ axis: Int, of a: Graph.ValueID, _ otherAxis: Int, of b: Graph.ValueID) throws -> Bool {
    let (own, other) = (try shape(a), try shape(b))
    guard own.indices.contains(axis), other.indices.contains(otherAxis) else { return false }
    if let extent = own[axis], let otherExtent = other[otherAxis] { return extent == otherExtent }
    guard let sizes = types[a]?.sizes, let others = types[b]?.sizes, sizes.indices.contains(axis),
      others.indices.contains(otherAxis)
    else { return false }
    return sizes[axis] == others[otherAxis]
  }

  func elementType(_ id: Graph.ValueID) -> ElementType? {
    graph.constants[id]?.elementType ?? types[id]?.elementType ?? followed.type(of: id)?.elementType
  }

  /// The numbers of a constant, where a value is one.
  func constant(_ id: Graph.ValueID) -> AnyTensor? {
    guard case .tensor(let tensor)? = graph.constants[id] else { return nil }
    return tensor
  }

  /// Enters what the program says of a value.
  func declare(_ id: Graph.ValueID, _ type: TorchTensorType) {
    types[id] = (type.elementType, type.sizes)
    graph.values[id].type = type.graphType
    // What follows from a node is what the program says, or the program is wrong and the run says so.
    guard followed.type(of: id) == nil else { return }
    followed.enter(type.elementType, type.sizes.map(\.likely), as: id)
  }
}

extension TorchTensorType {
  /// The type as a graph declares it.
  var graphType: GraphValueType { .tensor(elementType, sizes.map(\.dimension)) }
}

extension Emitter {
  /// The emitter of a graph that a node of another one runs.
  convenience init(name: String, within outer: Emitter) {
    self.init(name: name, isDynamic: outer.isDynamic, isCore: outer.isCore, within: outer)
    operation = WrittenOperation(name)
  }

  /// What stands here for a value of the graph around this one, of which as much is known.
  func capture(_ outer: Graph.ValueID, from other: Emitter) -> Graph.ValueID {
    let id = graph.addValue(named: other.graph.values[outer].name, type: other.graph.values[outer].type)
    graph.captures.append(Graph.Capture(outer: outer, inner: id))
    types[id] = other.types[outer]
    if let type = other.followed.type(of: outer) { followed.enter(type.elementType, type.shape, as: id) }
    graph.constants[id] = other.graph.constants[outer]
    return id
  }
}

// MARK: - Nodes

extension Emitter {
  func follow(_ node: Node) {
    followed.visit(node)
    // How many there are only the data say, which makes all sizes unknown here; the rest follows.
    guard isDynamic, let output = node.outputs.first ?? nil, followed.type(of: output) == nil,
      let input = (node.inputs.first ?? nil).flatMap({ followed.type(of: $0) })
    else { return }
    switch node.operatorName.type {
    case "NonZero": followed.enter(.int64, [input.shape.count, TorchSize.unknownCount], as: output)
    case "Compress" where node.attributes["axis"] == nil:
      followed.enter(input.elementType, [TorchSize.unknownCount], as: output)
    default: break
    }
  }

  func follow(_ constant: GraphValue, as id: Graph.ValueID) { followed.enter(constant, as: id) }
}

// MARK: - Numbers

extension Emitter {
  /// A tensor of one number that repeats, of any element type. What FLOAT cannot hold exactly is kept as DOUBLE and
  /// rounded by a node, so that a session in float64 has all of it.
  func numbers(_ value: Double, _ shape: [Int] = [], as type: ElementType) throws -> Graph.ValueID {
    guard let dataType = type.dataType else { throw OperatorError("\(type) is no type of numbers here") }
    let exact = try Tensor(repeating: value, shape: shape)
    let rounded = try AnyTensor(exact).converted(to: dataType)
    if dataType.isFloatingPoint, dataType != .float64, value.isFinite, Double(Float(value)) != value {
      return try cast(constant(GraphValue(exact)), to: type)
    }
    return constant(.tensor(rounded))
  }

  /// A single integer of any element type.
  func number(_ value: Int, as type: ElementType) throws -> Graph.ValueID {
    guard let dataType = type.dataType, !dataType.isFloatingPoint else {
      return try numbers(Double(value), as: type)
    }
    return constant(.tensor(try AnyTensor(Tensor([Int64(value)], shape: [])).converted(to: dataType)))
  }
}
