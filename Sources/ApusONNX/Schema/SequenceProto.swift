import Apus
import ApusGraph

/// Values of one type in order, as a file holds them.
public struct SequenceProto: Sendable {
  /// The value's name; it may be empty.
  public var name: String
  /// The values in order.
  public var elements: [Element]

  /// What a sequence or an optional is made of.
  public indirect enum Element: Sendable {
    case tensor(TensorProto)
    case sparseTensor(SparseTensorProto)
    case sequence(SequenceProto)
    case optional(OptionalProto)
    /// Pairs of keys and values, which Apus does not read.
    case map
  }

  /// Values to be written; the format wants all of one kind.
  public init(name: String = "", elements: [Element] = []) {
    self.name = name
    self.elements = elements
  }
}

extension SequenceProto.Element {
  /// How the standard numbers what elements are, for sequences and optionals alike.
  var kind: Int64 {
    switch self {
    case .tensor: 1
    case .sparseTensor: 2
    case .sequence: 3
    case .map: 4
    case .optional: 5
    }
  }

  init(_ value: GraphValue, name: String = "") throws {
    switch value {
    case .tensor, .coded, .strings: self = .tensor(try TensorProto(name: name, value: value))
    case .sequence(let values, _):
      self = .sequence(SequenceProto(name: name, elements: try values.map { try Self($0) }))
    case .optional(let value, _):
      self = .optional(OptionalProto(name: name, content: try value.map { try Self($0) }))
    }
  }

  /// The field that holds such an element, of sequences and optionals alike.
  var field: Int { Int(kind) + 2 }

  /// The element as a value of the type that is expected.
  func value(expecting type: GraphValueType) throws -> GraphValue {
    switch self {
    case .tensor(let tensor): return try tensor.value()
    case .sparseTensor(let tensor): return try tensor.value()
    case .map: throw ONNXFileError(file: "value", reason: .unreadableValue("a map"))
    case .sequence(let sequence):
      let element: GraphValueType = if case .sequence(let element) = type { element } else { .tensor(nil, nil) }
      return try sequence.value(element: element)
    case .optional(let optional):
      let element: GraphValueType = if case .optional(let element) = type { element } else { .tensor(nil, nil) }
      return try optional.value(element: element)
    }
  }
}

extension SequenceProto {
  /// The values; `element` is the type that is declared of them.
  /// - Throws: ``ONNXFileError``.
  public func value(element: GraphValueType) throws -> GraphValue {
    .sequence(try elements.map { try $0.value(expecting: element) }, element: element)
  }
}

extension SequenceProto: ONNXMessage {
  package static let messageName = "SequenceProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.note(field)
      case 3: elements.append(.tensor(try reader.message(field)))
      case 4: elements.append(.sparseTensor(try reader.message(field)))
      case 5: elements.append(.sequence(try reader.message(field)))
      case 6:
        try reader.skip(field)
        elements.append(.map)
      case 7: elements.append(.optional(try reader.message(field)))
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.optionalString(1, name)
    // Of an empty sequence nothing is known; other writers call its elements tensors.
    try writer.int64(2, elements.first?.kind ?? 1)
    for element in elements { try writer.message(element.field, element) }
  }
}

extension SequenceProto.Element: ProtobufWritable {
  package func encode(to writer: inout ProtobufWriter) throws {
    switch self {
    case .tensor(let tensor): try tensor.encode(to: &writer)
    case .sparseTensor(let tensor): try tensor.encode(to: &writer)
    case .sequence(let sequence): try sequence.encode(to: &writer)
    case .optional(let optional): try optional.encode(to: &writer)
    case .map: throw ONNXFileError.Reason.unwritableType("map")
    }
  }
}
