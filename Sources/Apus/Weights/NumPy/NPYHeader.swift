import ApusBase

/// What the beginning of a `.npy` file says of the array behind it.
///
/// The format: `\x93NUMPY`, a major and a minor version, the length of the header in two bytes (version 1) or four
/// (2 and 3), and the header, the literal of a Python dictionary padded with spaces and a line end:
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
struct NPYHeader: Equatable {
  let dataType: DataType
  let isBigEndian: Bool
  /// Whether the first axis is the contiguous one.
  let isFortranOrder: Bool
  let shape: [Int]
  /// Where the data begins.
  let dataOffset: Int

  /// Headers of numeric arrays have about a hundred bytes; only structured types need more.
  static let byteLimit = 1 << 16
  /// NumPy's limit.
  static let rankLimit = 64
  static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

  /// - Throws: ``NumPyError/Reason``.
  init(reading bytes: UnsafeRawBufferPointer) throws {
    let fields = try Self.fields(bytes)
    (isFortranOrder, shape, dataOffset) = (fields.isFortranOrder, fields.shape, fields.dataOffset)
    (dataType, isBigEndian) = try Self.parse(fields.typeName)
  }

  /// What the header says, whatever the type of the elements.
  static func fields(
    _ bytes: UnsafeRawBufferPointer
  ) throws -> (typeName: String, isFortranOrder: Bool, shape: [Int], dataOffset: Int) {
    guard bytes.count >= 8, bytes.prefix(6).elementsEqual(Self.magic) else { throw Reason.notNPY }
    let reader = LittleEndianReader(bytes)
    let (major, minor) = (Int(bytes[6]), Int(bytes[7]))
    guard (1...3).contains(major), minor == 0 else { throw Reason.unknownVersion(major: major, minor: minor) }
    let start = major == 1 ? 10 : 12
    guard let count = major == 1 ? reader.uint16(8) : reader.uint32(8) else { throw Reason.truncatedHeader }
    guard count <= Self.byteLimit else { throw Reason.headerTooLong(byteCount: count, limit: Self.byteLimit) }
    guard count <= bytes.count - start else { throw Reason.truncatedHeader }
    let dataOffset = start + count

    var literal = PythonLiteralReader(UnsafeRawBufferPointer(rebasing: bytes[start..<dataOffset]))
    var typeName: String?
    var order: Bool?
    var dimensions: [Int]?
    try literal.dictionary { literal, key in
      switch key {
      case "descr" where typeName == nil: typeName = try literal.typeName()
      case "fortran_order" where order == nil: order = try literal.boolean()
      case "shape" where dimensions == nil: dimensions = try literal.tuple(limit: Self.rankLimit)
      default: throw literal.error("descr, fortran_order and shape, each once,")
      }
    }
    guard let typeName, let order, let dimensions else { throw literal.error("descr, fortran_order and shape") }
    return (typeName, order, dimensions, dataOffset)
  }

  typealias Reason = NumPyError.Reason
}

// MARK: - Element types

extension NPYHeader {
  /// NumPy's name of a type: the byte order (`<` little, `>` big, `|` none, `=` the machine's), a letter for the kind,
  /// and the size in bytes.
  private static func parse(_ name: String) throws -> (DataType, isBigEndian: Bool) {
    var code = name[...]
    let order = code.first.flatMap { "<>|=".contains($0) ? $0 : nil }
    if order != nil { code = code.dropFirst() }
    guard let type = DataType.allCases.first(where: { $0.numPyName.map { $0.utf8.elementsEqual(code.utf8) } ?? false }),
      order != "|" || type.byteCount == 1
    else { throw Reason.unsupportedType(described(name, kind: code.first)) }
    return (type, order == ">")
  }

  private static func described(_ name: String, kind: Character?) -> String {
    switch kind {
    case "O": "\(name) (Python objects)"
    case "c": "\(name) (complex numbers)"
    case "S", "a", "U": "\(name) (text)"
    case "m", "M": "\(name) (times)"
    case "V": "\(name) (raw bytes; NumPy stores bfloat16 so: convert it first)"
    default: name
    }
  }
}

extension DataType {
  /// What NumPy calls this type, without byte order; `nil` for the one that it does not have.
  var numPyName: String? {
    switch self {
    case .float64: "f8"
    case .float32: "f4"
    case .float16: "f2"
    case .bfloat16: nil
    case .int8: "i1"
    case .int16: "i2"
    case .int32: "i4"
    case .int64: "i8"
    case .uint8: "u1"
    case .uint16: "u2"
    case .uint32: "u4"
    case .uint64: "u8"
    case .bool: "b1"
    }
  }
}
