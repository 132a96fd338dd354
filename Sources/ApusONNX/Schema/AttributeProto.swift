import Apus
import ApusGraph

/// A named constant of a node.
public struct AttributeProto: Sendable {
  /// The name that the operator knows it by, such as `axis`.
  public var name: String
  /// The value. Of an attribute with a ``referenceName`` only the kind counts: the value is the caller's.
  public var value: Content
  /// Within a function: the attribute of the function that gives the value.
  public var referenceName: String?
  /// What its author says of it; Apus does not use it.
  public var docString: String

  /// Any name and value; whether the operator has such an attribute is checked when the model is prepared.
  public init(name: String, value: Content, referenceName: String? = nil, docString: String = "") {
    self.name = name
    self.value = value
    self.referenceName = referenceName
    self.docString = docString
  }
}

extension AttributeProto {
  /// The value of an attribute. Texts are bytes, since the standard does not ask for UTF-8.
  public indirect enum Content: Sendable {
    case float(Float)
    case int(Int64)
    case string([UInt8])
    case tensor(TensorProto)
    case graph(GraphProto)
    case sparseTensor(SparseTensorProto)
    case type(GraphValueType)
    case floats([Float])
    case ints([Int64])
    case strings([[UInt8]])
    case tensors([TensorProto])
    case graphs([GraphProto])
    case sparseTensors([SparseTensorProto])
    case types([GraphValueType])
    /// No value, or one of a kind that Apus does not know.
    case undefined
  }
}

extension AttributeProto.Content {
  /// The kinds of value, numbered as in `AttributeProto.AttributeType`.
  enum Kind: Int64 {
    case undefined, float, int, string, tensor, graph, floats, ints, strings, tensors, graphs
    case sparseTensor, sparseTensors, type, types
  }

  var kind: Kind {
    switch self {
    case .undefined: .undefined
    case .float: .float
    case .int: .int
    case .string: .string
    case .tensor: .tensor
    case .graph: .graph
    case .floats: .floats
    case .ints: .ints
    case .strings: .strings
    case .tensors: .tensors
    case .graphs: .graphs
    case .sparseTensor: .sparseTensor
    case .sparseTensors: .sparseTensors
    case .type: .type
    case .types: .types
    }
  }
}

extension AttributeProto: ONNXMessage {
  package static let messageName = "AttributeProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(name: "", value: .undefined)
    var fields = AttributeFields()
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.string(field)
      case 13: docString = try reader.note(field)
      case 21:
        let reference = try reader.string(field)
        referenceName = reference.isEmpty ? nil : reference
      default: try fields.read(field, from: &reader)
      }
    }
    do throws(AttributeFields.Missing) {
      value = try fields.value(isReference: referenceName != nil)
    } catch {
      throw reader.failure(.truncated(expected: "the value of attribute \"\(name)\", \(error.what)"), nil)
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.string(1, name)
    if let referenceName {
      try writer.string(21, referenceName)
    } else {
      try encodeValue(to: &writer)
    }
    try writer.optionalString(13, docString)
    try writer.int64(20, value.kind.rawValue)
  }

  private func encodeValue(to writer: inout ProtobufWriter) throws {
    switch value {
    case .undefined: break
    case .float(let value): try writer.float(2, value)
    case .int(let value): try writer.int64(3, value)
    case .string(let value): try writer.bytes(4, value)
    case .tensor(let value): try writer.message(5, value)
    case .graph(let value): try writer.message(6, value)
    case .floats(let values): for value in values { try writer.float(7, value) }
    case .ints(let values): for value in values { try writer.int64(8, value) }
    case .strings(let values): for value in values { try writer.bytes(9, value) }
    case .tensors(let values): try writer.messages(10, values)
    case .graphs(let values): try writer.messages(11, values)
    case .type(let value): try writer.message(14, value)
    case .types(let values): try writer.messages(15, values)
    case .sparseTensor(let value): try writer.message(22, value)
    case .sparseTensors(let values): try writer.messages(23, values)
    }
  }
}

/// The fields of an attribute of which one holds the value.
private struct AttributeFields {
  /// A kind of value whose field is not there and has no default.
  struct Missing: Error {
    let what: String
  }

  /// Absent in the first version of the format, where it follows from the field that is there.
  private var kind: Int64 = 0
  private var float: Float?
  private var int: Int64?
  private var string: [UInt8]?
  private var tensor: TensorProto?
  private var graph: GraphProto?
  private var sparseTensor: SparseTensorProto?
  private var type: GraphValueType?
  private var floats: [Float] = []
  private var ints: [Int64] = []
  private var strings: [[UInt8]] = []
  private var tensors: [TensorProto] = []
  private var graphs: [GraphProto] = []
  private var sparseTensors: [SparseTensorProto] = []
  private var types: [GraphValueType] = []

  mutating func read(_ field: ProtobufField, from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    switch field.number {
    case 2: float = try reader.float(field)
    case 3: int = try reader.int64(field)
    case 4: string = try reader.byteArray(field)
    case 5: try reader.message(field, into: &tensor)
    case 6: try reader.message(field, into: &graph)
    case 7: try reader.floats(field, into: &floats)
    case 8: try reader.int64s(field, into: &ints)
    case 9: strings.append(try reader.byteArray(field))
    case 10: tensors.append(try reader.message(field))
    case 11: graphs.append(try reader.message(field))
    case 14: try reader.message(field, into: &type)
    case 15: types.append(try reader.message(field))
    case 20: kind = try reader.int64(field)
    case 22: try reader.message(field, into: &sparseTensor)
    case 23: sparseTensors.append(try reader.message(field))
    default: try reader.skip(field)
    }
  }

  /// Numbers and texts that are not there are zero and empty: some producers leave such values out. Of a reference the
  /// kind alone is kept.
  func value(isReference: Bool) throws(Missing) -> AttributeProto.Content {
    switch kind == 0 ? inferredKind : AttributeProto.Content.Kind(rawValue: kind) ?? .undefined {
    case .undefined: return .undefined
    case .float: return .float(float ?? 0)
    case .int: return .int(int ?? 0)
    case .string: return .string(string ?? [])
    case .floats: return .floats(floats)
    case .ints: return .ints(ints)
    case .strings: return .strings(strings)
    case .tensors: return .tensors(tensors)
    case .graphs: return .graphs(graphs)
    case .sparseTensors: return .sparseTensors(sparseTensors)
    case .types: return .types(types)
    case .tensor:
      return .tensor(try required(tensor, isReference ? TensorProto() : nil, "a tensor"))
    case .graph:
      return .graph(try required(graph, isReference ? GraphProto() : nil, "a graph"))
    case .sparseTensor:
      return .sparseTensor(try required(sparseTensor, isReference ? SparseTensorProto() : nil, "a sparse tensor"))
    case .type:
      return .type(try required(type, isReference ? .tensor(nil, nil) : nil, "a type"))
    }
  }

  private func required<Content>(
    _ content: Content?, _ placeholder: Content?, _ what: String
  ) throws(Missing) -> Content {
    guard let content = content ?? placeholder else { throw Missing(what: what) }
    return content
  }

  private var inferredKind: AttributeProto.Content.Kind {
    if float != nil { return .float }
    if int != nil { return .int }
    if string != nil { return .string }
    if tensor != nil { return .tensor }
    if graph != nil { return .graph }
    if sparseTensor != nil { return .sparseTensor }
    if type != nil { return .type }
    if !floats.isEmpty { return .floats }
    if !ints.isEmpty { return .ints }
    if !strings.isEmpty { return .strings }
    if !tensors.isEmpty { return .tensors }
    if !graphs.isEmpty { return .graphs }
    if !sparseTensors.isEmpty { return .sparseTensors }
    return types.isEmpty ? .undefined : .types
  }
}
