extension Graph {
  /// The memory that the elements of all constants take, those of subgraphs and of attributes included, in bytes.
  package var constantByteCount: Int {
    var sum = constants.values.reduce(0) { $0.addingClamped($1.byteCount) }
    for node in nodes {
      for case .tensor(let value) in node.attributes.values { sum = sum.addingClamped(value.byteCount) }
      for subgraph in node.subgraphs.values { sum = sum.addingClamped(subgraph.constantByteCount) }
    }
    return sum
  }
}
