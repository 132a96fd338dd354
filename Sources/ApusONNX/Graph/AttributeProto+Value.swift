import ApusGraph

extension AttributeProto.Content {
  /// The value as a graph has it. A tensor that cannot be read is an error of the node that asks for it, not before.
  var attributeValue: AttributeValue {
    switch self {
    case .float(let value): .float(value)
    case .int(let value): .int(value)
    case .string(let bytes): .string(bytes)
    case .type(let type): .type(type)
    case .floats(let values): .floats(values)
    case .ints(let values): .ints(values)
    case .strings(let values): .strings(values)
    case .tensor(let tensor): Self.readable(tensor.summary) { try tensor.value() }
    case .sparseTensor(let tensor): Self.readable("a sparse tensor") { try tensor.value() }
    case .graph, .graphs: Self.unused("a graph")
    case .tensors(let tensors): Self.unused("\(tensors.count) tensors")
    case .sparseTensors(let tensors): Self.unused("\(tensors.count) sparse tensors")
    case .types(let types): Self.unused("\(types.count) types")
    case .undefined: .undefined
    }
  }

  private static func readable(_ summary: String, _ value: () throws -> GraphValue) -> AttributeValue {
    do {
      return .tensor(try value())
    } catch {
      return .unreadable(summary, reason: "\(error)")
    }
  }

  private static func unused(_ summary: String) -> AttributeValue {
    .unreadable(summary, reason: "no operator reads \(summary)")
  }
}

extension AttributeProto {
  /// The attribute of a node as a message.
  /// - Throws: ``ONNXFileError`` for what was not read and therefore cannot be written.
  init(name: String, _ value: AttributeValue) throws {
    let content: Content
    switch value {
    case .float(let value): content = .float(value)
    case .int(let value): content = .int(value)
    case .string(let bytes): content = .string(bytes)
    case .type(let type): content = .type(type)
    case .floats(let values): content = .floats(values)
    case .ints(let values): content = .ints(values)
    case .strings(let values): content = .strings(values)
    case .tensor(let value): content = .tensor(try TensorProto(name: "", value: value))
    case .undefined: content = .undefined
    case .unreadable(_, let reason): throw GraphError.graph("attribute '\(name)' cannot be written: \(reason)")
    }
    self.init(name: name, value: content)
  }
}

extension TensorProto {
  /// Element type and extents for people, whatever the file claims.
  fileprivate var summary: String {
    let type = ElementType(rawValue: elementType).map { "\($0)" } ?? "?"
    return type + "[" + dims.map { "\($0)" }.joined(separator: ", ") + "]"
  }
}
