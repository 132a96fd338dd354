import Apus
import ApusGraph

// `TypeProto` of the standard is `GraphValueType` here: one of several messages, each in a field of its own.

extension GraphValueType: ONNXMessage {
  package static let messageName = "TypeProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    // A file may hold several and the last counts, as for every choice of fields. None means a tensor of anything.
    self = .tensor(nil, nil)
    while let field = try reader.next() {
      switch field.number {
      case 1: self = try reader.message(field, as: TensorType.self).valueType
      case 4: self = .sequence(try reader.message(field, as: ElementOf.self).type)
      case 9: self = .optional(try reader.message(field, as: ElementOf.self).type)
      case 5: self = try reader.message(field, as: MapType.self).valueType
      case 7:
        try reader.skip(field)
        self = .unsupported("opaque")
      case 8:
        try reader.skip(field)
        self = .unsupported("sparse tensor")
      default: try reader.skip(field)
      }
    }
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    switch self {
    case .tensor(let elementType, let shape):
      try writer.message(1, TensorType(elementType, shape))
    case .sequence(let element): try writer.message(4, ElementOf(type: element))
    case .optional(let element): try writer.message(9, ElementOf(type: element))
    case .map(let key, let element): try writer.message(5, MapType(keyType: key.rawValue, element: element))
    case .unsupported(let name): throw ONNXFileError.Reason.unwritableType(name)
    }
  }
}

/// What a type and the axes of a tensor stand for, in the words of the standard (`IMAGE`, `DATA_BATCH`), which Apus does not
/// use.
struct TypeDenotations: Sendable, Hashable {
  /// Empty where nothing is said.
  var type = ""
  /// Of each axis; none where nothing is said of any.
  var axes: [String] = []
}

/// A type with its denotations.
struct DenotedType: ONNXMessage {
  static let messageName = GraphValueType.messageName

  var type: GraphValueType
  var denotations = TypeDenotations()
}

extension DenotedType {
  init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    var types = reader
    self.init(type: try GraphValueType(from: &types))
    while let field = try reader.next() {
      switch field.number {
      case 1:
        let axes = try reader.message(field, as: TensorType.self).shape?.map(\.denotation) ?? []
        denotations.axes = axes.allSatisfy(\.isEmpty) ? [] : axes
      case 6: denotations.type = try reader.note(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(to writer: inout ProtobufWriter) throws {
    if case .tensor(let elementType, let shape) = type {
      try writer.message(1, TensorType(elementType, shape, denotations: denotations.axes))
    } else {
      try type.encode(to: &writer)
    }
    try writer.optionalString(6, denotations.type)
  }
}

/// `TypeProto.Tensor`.
private struct TensorType: ONNXMessage {
  static let messageName = "TypeProto.Tensor"

  var elementType: Int32 = 0
  var shape: [Dimension]?

  /// - Parameter denotations: of each axis; others than there are axes belong to another type.
  init(_ elementType: ElementType?, _ shape: [GraphDimension]?, denotations: [String] = []) {
    self.elementType = elementType?.rawValue ?? 0
    let isDenoted = shape?.count == denotations.count
    self.shape = shape?.enumerated().map { Dimension(size: $1, denotation: isDenoted ? denotations[$0] : "") }
  }

  var valueType: GraphValueType {
    let shape = shape?.map(\.size)
    if let known = ElementType(rawValue: elementType) { return .tensor(known, shape) }
    return elementType == 0 ? .tensor(nil, shape) : .unsupported("tensor of element type \(elementType)")
  }
}

extension TensorType {
  init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(nil, nil)
    var shape: TensorShape?
    while let field = try reader.next() {
      switch field.number {
      case 1: elementType = try reader.int32(field)
      case 2: try reader.message(field, into: &shape)
      default: try reader.skip(field)
      }
    }
    self.shape = shape?.dimensions
  }

  func encode(to writer: inout ProtobufWriter) throws {
    try writer.int64(1, Int64(elementType))
    if let shape { try writer.message(2, TensorShape(dimensions: shape)) }
  }
}

/// `TypeProto.Sequence` and `TypeProto.Optional`, which look the same.
private struct ElementOf: ONNXMessage {
  static let messageName = "TypeProto.Sequence or TypeProto.Optional"

  let type: GraphValueType
}

extension ElementOf {
  init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    var type: GraphValueType?
    while let field = try reader.next() {
      if field.number == 1 { try reader.message(field, into: &type) } else { try reader.skip(field) }
    }
    self.type = type ?? .tensor(nil, nil)
  }

  func encode(to writer: inout ProtobufWriter) throws {
    try writer.message(1, type)
  }
}

/// `TypeProto.Map`.
private struct MapType: ONNXMessage {
  static let messageName = "TypeProto.Map"

  var keyType: Int32 = 0
  var element = GraphValueType.tensor(nil, nil)

  var valueType: GraphValueType {
    ElementType(rawValue: keyType).map { .map($0, element) } ?? .unsupported("map with keys of element type \(keyType)")
  }
}

extension MapType {
  init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    var element: GraphValueType?
    while let field = try reader.next() {
      switch field.number {
      case 1: keyType = try reader.int32(field)
      case 2: try reader.message(field, into: &element)
      default: try reader.skip(field)
      }
    }
    self.element = element ?? self.element
  }

  func encode(to writer: inout ProtobufWriter) throws {
    try writer.int64(1, Int64(keyType))
    try writer.message(2, element)
  }
}

/// `TensorShapeProto`.
private struct TensorShape: ONNXMessage {
  static let messageName = "TensorShapeProto"

  var dimensions: [Dimension] = []
}

extension TensorShape {
  init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    while let field = try reader.next() {
      if field.number == 1 { dimensions.append(try reader.message(field)) } else { try reader.skip(field) }
    }
  }

  func encode(to writer: inout ProtobufWriter) throws {
    try writer.messages(1, dimensions)
  }
}

/// `TensorShapeProto.Dimension`.
private struct Dimension: ONNXMessage {
  static let messageName = "TensorShapeProto.Dimension"

  var size: GraphDimension
  var denotation = ""
}

extension Dimension {
  init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init(size: .unknown)
    while let field = try reader.next() {
      switch field.number {
      case 1:
        // Some producers say -1 of an extent they do not know.
        let extent = try reader.int64(field)
        size = extent < 0 ? .unknown : Int(exactly: extent).map(GraphDimension.size) ?? .unknown
      case 2:
        let symbol = try reader.string(field)
        size = symbol.isEmpty ? .unknown : .symbol(symbol)
      case 3: denotation = try reader.note(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(to writer: inout ProtobufWriter) throws {
    switch size {
    case .size(let size): try writer.int64(1, Int64(size))
    case .symbol(let name): try writer.string(2, name)
    case .unknown: break
    }
    try writer.optionalString(3, denotation)
  }
}
