import Apus

/// What nodes with the same weights were prepared as: the steps of an unrolled network, the levels of a detector, and
/// ALBERT's layers lay them out once. Apart they would take as much memory each, and come from it in every run instead of
/// from a cache.
struct SharedPreparations {
  private let graph: Graph
  /// By the first constant that is not small.
  private var steps: [Graph.ValueID: [PreparedNode]] = [:]

  /// What is smaller is no weight that is worth looking for.
  private static let leastByteCount = 1024
  /// Nodes that have a weight and nothing else in common are not all compared.
  private static let stepsPerConstant = 16

  init(_ graph: Graph) { self.graph = graph }

  /// A step for `node`: what a node before it was prepared as that does the same on other inputs, or else what `prepare`
  /// gives.
  mutating func step(_ node: Node, prepare: () throws -> PreparedNode) rethrows -> PreparedNode {
    guard node.parts.isEmpty, node.subgraphs.isEmpty, node.facts?.isDeterministic == true, let key = key(node) else {
      return try prepare()
    }
    let known = steps[key, default: []]
    if let twin = known.first(where: { isSame($0.node, node) }) {
      // What the other one has absorbed this one has as well.
      let inputs = zip(node.inputs, twin.inputs).map { $1 == nil ? nil : $0 }
      return PreparedNode(node, twin.operation, inputs: inputs, captures: [])
    }
    let step = try prepare()
    if known.count < Self.stepsPerConstant { steps[key] = known + [step] }
    return step
  }

  private func key(_ node: Node) -> Graph.ValueID? {
    for case let input? in node.inputs {
      if let value = graph.constants[input], value.byteCount >= Self.leastByteCount { return input }
    }
    return nil
  }

  /// Whether two nodes differ in nothing but their names and in inputs and outputs that are not known yet.
  private func isSame(_ a: Node, _ b: Node) -> Bool {
    a.operatorName == b.operatorName && a.opset == b.opset && a.activation == b.activation
      && a.computesInFloat64 == b.computesInFloat64 && a.inputs.count == b.inputs.count
      && a.outputs.map { $0 == nil } == b.outputs.map { $0 == nil }
      && zip(a.inputs, b.inputs).allSatisfy(isSameInput)
      && a.attributes.count == b.attributes.count
      && a.attributes.allSatisfy { name, value in b.attributes[name]?.isEqual(to: value) == true }
      && graph.isResult(of: a) == graph.isResult(of: b)
  }

  private func isSameInput(_ a: Graph.ValueID?, _ b: Graph.ValueID?) -> Bool {
    guard let a, let b, a != b else { return a == b }
    return graph.constants[a] == nil && graph.constants[b] == nil
  }
}

extension AttributeValue {
  /// Whether the two are the same, as far as that is seen at a glance: tensors and types are not compared.
  fileprivate func isEqual(to other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.int(let a), .int(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.floats(let a), .floats(let b)): a.map(\.bitPattern) == b.map(\.bitPattern)
    case (.ints(let a), .ints(let b)): a == b
    case (.strings(let a), .strings(let b)): a == b
    case (.undefined, .undefined): true
    default: false
    }
  }
}
