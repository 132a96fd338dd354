import Apus

extension GraphValue {
  /// The memory that elements take, in bytes; of texts that of their places alone.
  var byteCount: Int {
    switch self {
    case .tensor(let tensor): tensor.count * tensor.dataType.byteCount
    case .coded(let tensor): tensor.codes.count
    case .strings(let tensor): tensor.elements.count * MemoryLayout<String>.stride
    case .sequence(let values, _): values.reduce(0) { $0.addingClamped($1.byteCount) }
    case .optional(let value, _): value?.byteCount ?? 0
    }
  }
}

extension Graph {
  /// The memory that the elements of all constants take, those of subgraphs and of attributes included, in bytes.
  var constantByteCount: Int {
    var sum = constants.values.reduce(0) { $0.addingClamped($1.byteCount) }
    for node in nodes {
      for case .tensor(let value) in node.attributes.values { sum = sum.addingClamped(value.byteCount) }
      for subgraph in node.subgraphs.values { sum = sum.addingClamped(subgraph.constantByteCount) }
    }
    return sum
  }
}
