import Apus

extension Graph {
  /// Without nodes that compute what an earlier one has computed: whoever reads them reads that one (common subexpression
  /// elimination).
  ///
  /// Exporters write the sizes of a tensor down for each of its readers, and a layer once for each call of it. What the
  /// graph gives away keeps its node.
  func withoutRepeatedNodes() -> Graph {
    var sharing = Sharing(of: self)
    for node in nodes { sharing.take(node) }
    guard sharing.kept.count < nodes.count else { return self }
    var graph = self
    graph.nodes = sharing.kept
    return graph.withoutDeadNodes()
  }
}

private struct Sharing {
  /// The nodes that stay, with what they read now.
  private(set) var kept: [Node] = []
  private let constants: [Graph.ValueID: GraphValue]
  private let outputs: Set<Graph.ValueID>
  /// For each value, and last for none, the nodes that have it as their first input. Most have one, and what a node computes
  /// is asked only when another begins alike.
  private var beginners: [Beginners]
  /// The outputs of the first node of its kind.
  private var first: [NodeKey: [Graph.ValueID?]] = [:]
  /// What is read in the place of the outputs of nodes that are gone.
  private var replacements: [Graph.ValueID: Graph.ValueID] = [:]
  /// For small constants the first of the same value, and for outputs of nodes that stay although they are repeated those of
  /// the first.
  private var equals: [Graph.ValueID: Graph.ValueID] = [:]
  private var firstConstants: [ValueKey: Graph.ValueID] = [:]

  private enum Beginners {
    case none
    /// The place in ``kept`` of the only one.
    case one(Int)
    /// Several, which are all in ``first``.
    case several
  }

  /// What other passes make part of its only reader stays, unless all that read it go.
  private static let absorbed = Set(
    [
      "Cast", "DequantizeLinear", "Flatten", "QuantizeLinear", "Reshape", "Squeeze", "Transpose", "Unsqueeze",
    ].map { OperatorName(type: $0) })

  init(of graph: Graph) {
    constants = graph.constants
    outputs = Set(graph.outputs)
    beginners = [Beginners](repeating: .none, count: graph.values.count + 1)
    kept.reserveCapacity(graph.nodes.count)
  }

  /// Keeps the node, unless another has computed the same.
  mutating func take(_ node: Node) {
    var node = node
    if !replacements.isEmpty { redirect(&node) }
    let beginning = node.input(0).map { canonical($0) } ?? beginners.count - 1
    switch beginners[beginning] {
    case .none:
      beginners[beginning] = .one(kept.count)
      kept.append(node)
      return
    case .one(let place):
      beginners[beginning] = .several
      if let key = key(of: kept[place]) { first[key] = kept[place].outputs }
    case .several: break
    }
    let key = key(of: node)
    guard let key, let given = first[key] else {
      if let key { first[key] = node.outputs }
      kept.append(node)
      return
    }
    let stays = Self.absorbed.contains(node.operatorName)
    for case (let output?, let same?) in zip(node.outputs, given) {
      if stays { equals[output] = same } else { replacements[output] = same }
    }
    if stays { kept.append(node) }
  }

  private func redirect(_ node: inout Node) {
    var isAffected = false
    node.forEachRead { isAffected = isAffected || replacements[$0] != nil }
    if isAffected { node.redirectReads { replacements[$0] } }
  }

  /// What the node computes; nil where it must stay.
  private mutating func key(of node: Node) -> NodeKey? {
    guard node.subgraphs.isEmpty, node.parts.isEmpty, node.activation == .identity,
      node.facts?.isDeterministic == true, !node.outputs.contains(where: { $0.map(outputs.contains) ?? false })
    else { return nil }
    var attributes: [String: AttributeKey] = [:]
    for (name, value) in node.attributes {
      guard let key = AttributeKey(value) else { return nil }
      attributes[name] = key
    }
    let inputs = node.inputs.map { input in input.map { canonical($0) } }
    return NodeKey(
      operatorName: node.operatorName, opset: node.opset, inputs: inputs, isWanted: node.outputs.map { $0 != nil },
      attributes: attributes, computesInFloat64: node.computesInFloat64)
  }

  /// The first value that is the same as `id`: the output of a node, or a small constant.
  private mutating func canonical(_ id: Graph.ValueID) -> Graph.ValueID {
    if let same = equals[id] { return same }
    guard let value = constants[id], let key = ValueKey(value) else { return id }
    let same = firstConstants[key] ?? id
    firstConstants[key] = same
    equals[id] = same
    return same
  }
}

/// What two nodes have in common that compute the same.
private struct NodeKey: Hashable {
  let operatorName: OperatorName
  let opset: Int
  let inputs: [Graph.ValueID?]
  let isWanted: [Bool]
  let attributes: [String: AttributeKey]
  let computesInFloat64: Bool
}

/// A small tensor of numbers by its bits.
private struct ValueKey: Hashable {
  private let dataType: DataType
  private let shape: [Int]
  private let bytes: [UInt8]

  /// nil for anything else.
  init?(_ value: GraphValue) {
    guard case .tensor(let tensor) = value, tensor.count <= 64, let bytes = try? tensor.withUnsafeBytes({ Array($0) })
    else { return nil }
    (dataType, shape, self.bytes) = (tensor.dataType, tensor.shape, bytes)
  }
}

/// An attribute by its bits.
private enum AttributeKey: Hashable {
  case floats([UInt32], isList: Bool)
  case integers([Int64], isList: Bool)
  case texts([[UInt8]], isList: Bool)
  case tensor(ValueKey)
  case type(GraphValueType)

  /// nil for one that cannot be compared.
  init?(_ value: AttributeValue) {
    switch value {
    case .float(let number): self = .floats([number.bitPattern], isList: false)
    case .floats(let numbers): self = .floats(numbers.map(\.bitPattern), isList: true)
    case .int(let number): self = .integers([number], isList: false)
    case .ints(let numbers): self = .integers(numbers, isList: true)
    case .string(let text): self = .texts([text], isList: false)
    case .strings(let texts): self = .texts(texts, isList: true)
    case .type(let type): self = .type(type)
    case .tensor(let value):
      guard let key = ValueKey(value) else { return nil }
      self = .tensor(key)
    case .undefined, .unreadable: return nil
    }
  }
}
