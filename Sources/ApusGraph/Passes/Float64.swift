import Apus

extension Graph {
  /// The graph with every FLOAT, FLOAT16 and BFLOAT16 of constants, attributes, and declarations as DOUBLE.
  func widened() throws -> Graph {
    var graph = self
    graph.constants = try constants.mapValues { try $0.widened() }
    graph.values = values.map { ValueInfo(name: $0.name, type: $0.type?.widened) }
    graph.nodes = try nodes.map { node in
      var node = node
      node.computesInFloat64 = true
      node.attributes = try node.attributes.mapValues { try $0.widened() }
      if case .typeAttribute(let name)? = node.facts?.float64 {
        node.attributes[name] = node.attributes[name]?.namingWidenedType
      }
      node.subgraphs = try node.subgraphs.mapValues { try $0.widened() }
      return node
    }
    return graph
  }
}

extension Graph {
  /// The nodes that round to a few bits whatever their inputs are, those of subgraphs included: what they give is no
  /// true value, even with ``InferenceSession/Options/computesInFloat64``.
  package var nodesThatRound: [Node] {
    nodes.flatMap { node in
      (node.facts?.float64.rounds == true ? [node] : []) + node.subgraphs.values.flatMap(\.nodesThatRound)
    }
  }
}

extension AttributeValue {
  /// Tensors as DOUBLE.
  fileprivate func widened() throws -> AttributeValue {
    switch self {
    case .tensor(let value): .tensor(try value.widened())
    case .type(let type): .type(type.widened)
    default: self
    }
  }

  /// The number of DOUBLE for that of a type which is widened; anything else as it is.
  fileprivate var namingWidenedType: AttributeValue {
    guard case .int(let number) = self, let type = Int32(exactly: number).flatMap(ElementType.init(rawValue:)) else {
      return self
    }
    return .int(Int64(type.widened.rawValue))
  }
}
