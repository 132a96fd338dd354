import Apus
import ApusGraph

/// A constant tensor as a file holds it: its elements stay where they are until ``value()`` is called.
public struct TensorProto: Sendable {
  /// The name of the value that it gives; empty for a tensor within an attribute.
  public var name: String
  /// The number of the element type in `TensorProto.DataType`; one that Apus does not know is refused when it is used.
  public private(set) var elementType: Int32
  /// The extent of each axis, not checked yet.
  public private(set) var dims: [Int64]
  /// What its author says of it; Apus does not use it.
  public var docString: String
  package private(set) var contents: TensorContents

  /// No tensor at all: what stands for one where only its kind is known.
  init() {
    name = ""
    elementType = 0
    dims = []
    docString = ""
    contents = .stored(StoredFields(source: nil))
  }

  /// A tensor to be written.
  /// - Throws: ``ONNXFileError`` for a sequence or an optional.
  public init(name: String = "", value: GraphValue) throws {
    guard let elementType = value.elementType, let shape = value.shape else {
      throw ONNXFileError(file: "tensor \"\(name)\"", reason: .unwritableType("\(value.type) as a tensor"))
    }
    self.name = name
    self.elementType = elementType.rawValue
    dims = shape.map(Int64.init)
    docString = ""
    contents = .value(value)
  }
}

/// Where the elements of a tensor are.
package enum TensorContents: Sendable {
  /// In memory.
  case value(GraphValue)
  /// In the file that the tensor was read from.
  case stored(StoredFields)
  /// In a file beside it.
  case external(ExternalData, FileSource)
}

/// The fields of a tensor that hold its elements.
package struct StoredFields: Sendable {
  /// Elements one after another in a field for their kind of number: all of a packed list, or one alone.
  package struct Chunk: Sendable {
    let field: Int
    let wireType: WireType
    let range: Range<Int>
  }

  /// Nil when there is nothing.
  let source: FileSource?
  /// `raw_data`, which counts before the others.
  var raw: Range<Int>?
  var chunks: [Chunk] = []
  /// Whether the tensor says it is a piece of another.
  var isSegment = false

  init(source: FileSource?) {
    self.source = source
  }
}

/// Where in which file the elements of a tensor are, as the model says it.
package struct ExternalData: Sendable {
  var location = ""
  var offset: String?
  var length: String?

  init(_ entries: [StringStringEntry]) {
    for entry in entries {
      switch entry.key {
      case "location": location = entry.value
      case "offset": offset = entry.value
      case "length": length = entry.value
      default: break
      }
    }
  }
}

// MARK: - Reading and writing

extension TensorProto: ONNXMessage {
  package static let messageName = "TensorProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    var stored = StoredFields(source: reader.source)
    var external: [StringStringEntry] = []
    var isExternal = false
    while let field = try reader.next() {
      switch field.number {
      case 1: try reader.int64s(field, into: &dims)
      case 2: elementType = try reader.int32(field)
      case 3:
        try reader.skip(field)
        stored.isSegment = true
      case 4: try Self.read(field, element: .fixed32, from: &reader, into: &stored)
      case 5, 7, 11: try Self.read(field, element: .varint, from: &reader, into: &stored)
      case 6: try Self.read(field, element: .bytes, from: &reader, into: &stored)
      case 8: name = try reader.string(field)
      case 9: stored.raw = try reader.range(field)
      case 10: try Self.read(field, element: .fixed64, from: &reader, into: &stored)
      case 12: docString = try reader.note(field)
      case 13: external.append(try reader.message(field))
      case 14: isExternal = try reader.int64(field) == 1
      default: try reader.skip(field)
      }
    }
    contents = isExternal ? .external(ExternalData(external), reader.source) : .stored(stored)
  }

  private static func read(
    _ field: ProtobufField, element: WireType, from reader: inout ProtobufReader<FileSource>,
    into stored: inout StoredFields
  ) throws(ProtobufError) {
    let range = try reader.elementRange(field, element: element)
    stored.chunks.append(StoredFields.Chunk(field: field.number, wireType: field.wireType, range: range))
  }

  /// Elements of another file become part of this one.
  package func encode(to writer: inout ProtobufWriter) throws {
    for dimension in dims { try writer.int64(1, dimension) }
    try writer.int64(2, Int64(elementType))
    try writer.optionalString(8, name)
    try writer.optionalString(12, docString)
    switch contents {
    case .value(let value): try encode(value, to: &writer)
    case .external(let data, let source):
      let bytes = try externalBytes(data, source)
      try bytes.file.withUnsafeBytes { file in
        try writer.bytes(9, UnsafeRawBufferPointer(rebasing: file[bytes.range]))
      }
    case .stored(let stored):
      guard let source = stored.source else { return }
      try source.file.withUnsafeBytes { file in
        if let raw = stored.raw { try writer.bytes(9, UnsafeRawBufferPointer(rebasing: file[raw])) }
        for chunk in stored.chunks {
          try writer.verbatim(chunk.field, chunk.wireType, UnsafeRawBufferPointer(rebasing: file[chunk.range]))
        }
      }
    }
  }

  private func encode(_ value: GraphValue, to writer: inout ProtobufWriter) throws {
    switch value {
    case .tensor(let tensor): try tensor.withUnsafeBytes { try writer.bytes(9, $0) }
    case .coded(let tensor): try writer.bytes(9, tensor.packedBytes())
    case .strings(let tensor): for text in tensor.elements { try writer.string(6, text) }
    case .sequence, .optional: throw ONNXFileError.Reason.unwritableType("\(value.type) as a tensor")
    }
  }
}
