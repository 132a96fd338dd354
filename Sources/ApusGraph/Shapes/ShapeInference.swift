import Apus

/// Follows shapes through a graph, and small tensors by value: a Reshape whose shape comes of Shape, Gather and Concat
/// is as good as one whose shape is constant.
struct ShapeInference {
  private let graph: Graph
  private(set) var types: [Graph.ValueID: InferredType] = [:]
  /// The values, beside the graph's constants, that are known.
  private(set) var known: [Graph.ValueID: GraphValue] = [:]
  private let context = RunContext()

  /// The elements that a tensor followed by value may have.
  private static let valueLimit = 1024

  /// - Parameter trustsDeclarations: whether inputs have the types that the model declares.
  init(_ graph: Graph, inputs: [Graph.ValueID: [Int]], trustsDeclarations: Bool = true) {
    self.graph = graph
    for (id, value) in graph.constants {
      if let shape = value.shape { types[id] = InferredType(value.elementType, shape) }
    }
    for id in graph.inputs {
      if let shape = inputs[id] {
        types[id] = InferredType(graph.declaredElementType(of: id) ?? types[id]?.elementType, shape)
      } else if trustsDeclarations, let type = graph.declaredType(of: id) {
        types[id] = type
      } else if graph.values[id].type != nil {
        // A default that may be replaced by something of another shape.
        types[id] = nil
      }
    }
  }

  /// Adds a value that is known.
  mutating func enter(_ value: GraphValue, as id: Graph.ValueID) {
    guard let shape = value.shape else { return }
    types[id] = InferredType(value.elementType, shape)
    known[id] = value
  }

  /// Adds a value of which the type is known.
  mutating func enter(_ type: InferredType, as id: Graph.ValueID) { types[id] = type }

  /// Adds what follows for the outputs of `node`.
  mutating func visit(_ node: Node) {
    guard let definition = Operators.byName[node.operatorName] else { return }
    switch definition.facts.shapes {
    case .unknown: return
    case .parts: for part in node.parts { visit(part) }
    case .sizes(let value):
      let facts = facts(of: node)
      guard let value = try? value(facts), let output = node.outputs.first ?? nil, let shape = value.shape else {
        return
      }
      types[output] = InferredType(value.elementType, shape)
      known[output] = value
    case .rule(let rule): visit(node, definition, rule)
    }
  }

  private func facts(of node: Node) -> ShapeFacts {
    var values = [Int: GraphValue]()
    for case (let index, let input?) in node.inputs.enumerated() {
      if let value = known[input] ?? graph.constants[input] { values[index] = value }
    }
    let description = NodeDescription(node: node, constants: values)
    return ShapeFacts(node: description, inputs: node.inputs.map { $0.flatMap { types[$0] } })
  }

  private mutating func visit(
    _ node: Node, _ definition: OperatorDefinition, _ rule: (ShapeFacts) throws -> [InferredType?]
  ) {
    let facts = facts(of: node)
    // A rule throws where an input is not known, and where the node will fail when it runs.
    guard let results = try? rule(facts) else { return }
    var isSmall = true
    for (output, type) in zip(node.outputs, results) {
      guard let output else { continue }
      guard let type, let count = try? Shape.elementCount(type.shape) else {
        isSmall = false
        continue
      }
      types[output] = node.computesInFloat64 ? InferredType(type.elementType?.widened, type.shape) : type
      isSmall = isSmall && count <= Self.valueLimit
    }
    if isSmall, results.count >= node.outputs.count { follow(facts.node, definition) }
  }

  /// The outputs by value, where the inputs are known.
  private mutating func follow(_ node: NodeDescription, _ definition: OperatorDefinition) {
    guard let values = try? evaluated(node, definition) else { return }
    for (output, value) in zip(node.node.outputs, values) {
      if let output, let value { known[output] = value }
    }
  }

  private func evaluated(_ node: NodeDescription, _ definition: OperatorDefinition) throws -> [GraphValue?] {
    guard definition.facts.isDeterministic, node.node.subgraphs.isEmpty,
      node.node.inputs.indices.allSatisfy({ isSmall(node, $0) })
    else { throw ShapeFacts.Unknown() }
    var arguments = Arguments(node.node.inputs.indices.map { node.constant($0) }, context: context)
    return try definition.prepare(node)(&arguments)
  }

  /// Whether input `index` is omitted, or numbers that are known and few.
  private func isSmall(_ node: NodeDescription, _ index: Int) -> Bool {
    guard node.has(index) else { return true }
    guard let value = node.constant(index), !value.holdsTexts, let shape = value.shape,
      let count = try? Shape.elementCount(shape)
    else { return false }
    return count <= Self.valueLimit
  }
}
