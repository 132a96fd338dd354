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
final class Emitter: GraphWriting {
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
  var operation = WrittenOperation()
  let limits: WritingLimits
  /// What follows from the extents that inputs have by default.
  private var followed = TypeFollower()
  /// What follows from each choice of others that they may have; none where inputs have no open extents.
  private var alternates: [TypeFollower]

  init(name: String, parent: Emitter? = nil) {
    graph = Graph(name: name)
    self.parent = parent
    limits = parent?.limits ?? WritingLimits()
    prefix = parent?.prefix ?? ""
    alternates = [TypeFollower](repeating: TypeFollower(), count: parent?.alternates.count ?? 0)
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
    inherit(outer, from: parent, as: id)
    // What an input holds by default is not known: a run may give something else.
    if let value = parent.graph.constants[outer], !parent.graph.inputs.contains(outer) { graph.constants[id] = value }
    return id
  }

  func declare(_ id: Graph.ValueID, _ type: MILValueType) {
    types[id] = type
    let known = type.shape?.compactMap { $0 } ?? []
    guard let shape = type.shape, known.count == shape.count, !type.isList else { return }
    enter(type.type?.elementType, known, as: id)
  }

  /// The extents of a value, nil within where one is not certain.
  ///
  /// An extent is certain where the file declares it as a number, and where it follows from constants and from extents of
  /// inputs that are. Of what follows from open ones that is what is the same for all shapes of the inputs that are
  /// followed (see ``CoreMLFeature/possibleShapes``), but for those that the model cannot be run with.
  /// - Throws: ``OperatorError`` where not even the rank is known.
  func shape(_ id: Graph.ValueID) throws -> [Int?] {
    if let shape = graph.constants[id]?.shape { return shape }
    if let shape = types[id]?.shape { return shape }
    guard let shape = followed.type(of: id)?.shape else {
      throw OperatorError("the rank of '\(graph.values[id].name)' is not known")
    }
    guard !alternates.isEmpty else { return shape }
    let others = alternates.compactMap { $0.type(of: id)?.shape }
    guard !others.isEmpty, others.allSatisfy({ $0.count == shape.count }) else {
      return [Int?](repeating: nil, count: shape.count)
    }
    return shape.enumerated().map { axis, size in others.allSatisfy { $0[axis] == size } ? size : nil }
  }

  /// An input with the extents that it has by default, and others that it may have.
  struct FollowedInput {
    let id: Graph.ValueID
    let elementType: ElementType?
    let shape: [Int]
    let otherShapes: [[Int]]
  }

  /// Follows the inputs of a model, which are all that it has.
  func follow(_ inputs: [FollowedInput]) {
    alternates = [TypeFollower](repeating: followed, count: inputs.map(\.otherShapes.count).max() ?? 0)
    for input in inputs {
      followed.enter(input.elementType, input.shape, as: input.id)
      for index in alternates.indices {
        let others = input.otherShapes
        let shape = others.isEmpty ? input.shape : others[index % others.count]
        alternates[index].enter(input.elementType, shape, as: input.id)
      }
    }
  }

  /// Notes a value whose extents are certain.
  private func enter(_ elementType: ElementType?, _ shape: [Int], as id: Graph.ValueID) {
    followed.enter(elementType, shape, as: id)
    for index in alternates.indices { alternates[index].enter(elementType, shape, as: id) }
  }

  /// A graph within another one knows and follows of a value what that one does.
  func inherit(_ outer: Graph.ValueID, from parent: Emitter, as id: Graph.ValueID) {
    types[id] = parent.types[outer]
    if let type = parent.followed.type(of: outer) { followed.enter(type.elementType, type.shape, as: id) }
    for (index, other) in zip(alternates.indices, parent.alternates) {
      if let type = other.type(of: outer) { alternates[index].enter(type.elementType, type.shape, as: id) }
    }
  }

  /// Whether a value has the extents of one around here, by default and otherwise.
  func follows(_ id: Graph.ValueID, as outer: Graph.ValueID, of parent: Emitter) -> Bool {
    guard let shape = followed.type(of: id)?.shape, shape == parent.followed.type(of: outer)?.shape else {
      return false
    }
    return zip(alternates, parent.alternates).allSatisfy { $0.type(of: id)?.shape == $1.type(of: outer)?.shape }
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
  func begin(_ name: String) { operation = WrittenOperation(prefix + name) }

  func follow(_ node: Node) {
    followed.visit(node)
    inferRank(of: node)
    for index in alternates.indices { alternates[index].visit(node) }
  }

  func follow(_ constant: GraphValue, as id: Graph.ValueID) {
    followed.enter(constant, as: id)
    for index in alternates.indices { alternates[index].enter(constant, as: id) }
  }

  /// The most axes that are followed, many more than any tensor has.
  private static let rankLimit = 64

  /// Where extents are known only when the graph runs, their number may be known all the same.
  private func inferRank(of node: Node) {
    guard let output = node.outputs.first ?? nil, followed.type(of: output) == nil, !node.inputs.isEmpty else { return }
    let ranks = node.inputs.map { $0.flatMap { try? rank($0) } }
    let inferred: Int?
    switch node.operatorName.type {
    case "Shape":
      if let rank = ranks[0] { enter(.int64, [rank], as: output) }
      return
    case "Reshape", "Expand":
      let listed = node.inputs.count > 1 ? node.inputs[1].flatMap { knownShape($0)?.first } : nil
      inferred = listed.map { node.operatorName.type == "Expand" ? max($0, ranks[0] ?? 0) : $0 }
    case "Concat": inferred = ranks.lazy.compactMap { $0 }.first
    case "Identity", "Cast", "ScatterND", "ScatterElements": inferred = ranks[0]
    case "Gather":
      guard ranks.count > 1, let rank = ranks[0], let indices = ranks[1] else { return }
      inferred = rank + indices - 1
    default: return
    }
    // Where a list of a shape is longer, it is said when the graph runs.
    guard let inferred, inferred <= Self.rankLimit, types[output] == nil else { return }
    types[output] = MILValueType(type: nil, shape: [Int?](repeating: nil, count: max(0, inferred)))
  }

  /// A single Boolean.
  func truth(_ value: Bool) throws -> Graph.ValueID { constant(GraphValue(try Tensor([value], shape: []))) }

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

  /// A list of integers as the standard wants them.
  func int64(_ id: Graph.ValueID) throws -> Graph.ValueID { try cast(id, to: .int64) }
}
