import ApusBase

/// What the header of a safetensors file says, read and checked.
///
/// The format: eight bytes, little-endian, give the length of the header; the header is a JSON object that maps names
/// to `{"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}` and `__metadata__` to an object of strings; the rest
/// of the file is data, and offsets count from its beginning. Tensors cover the data without overlap and without hole.
struct SafetensorsHeader: Sendable {
  /// One tensor of the file.
  struct Entry: Sendable {
    let name: String
    let type: StoredDataType
    let shape: [Int]
    /// Where it lies, counted from the beginning of the data.
    let extent: Range<Int>
  }

  enum StoredDataType: Sendable {
    case known(DataType)
    /// A type that is not an error before the tensor is asked for.
    case unknown(String)
  }

  /// In the order of their data.
  private(set) var entries: [Entry] = []
  private(set) var metadata: [String: String] = [:]
  /// Where the data begins in the file.
  private(set) var dataOffset = 0

  /// The limit of the format's reference implementation.
  static let byteLimit = 100_000_000
  /// Metadata keys end up in a dictionary of `String`, whose time is quadratic in the length of a hostile key.
  static let metadataKeyLimit = 512, metadataLimit = 16_384
  /// NumPy's limit, and more than PyTorch's operators take.
  static let rankLimit = 64

  /// - Throws: ``SafetensorsError/Reason``.
  init(reading file: UnsafeRawBufferPointer) throws {
    guard file.count >= 8 else { throw Reason.tooShort(byteCount: file.count) }
    let declared = UInt64(littleEndian: file.loadUnaligned(as: UInt64.self))
    guard declared <= Self.byteLimit else { throw Reason.headerTooLong(byteCount: declared, limit: Self.byteLimit) }
    let count = Int(declared)
    guard count <= file.count - 8 else { throw Reason.headerBeyondEnd(byteCount: count, available: file.count - 8) }
    dataOffset = 8 + count
    try readEntries(UnsafeRawBufferPointer(rebasing: file[8..<dataOffset]), dataByteCount: file.count - dataOffset)
    try checkCoverage(dataByteCount: file.count - dataOffset)
  }

  typealias Reason = SafetensorsError.Reason
}

// MARK: - Reading

extension SafetensorsHeader {
  private mutating func readEntries(_ text: UnsafeRawBufferPointer, dataByteCount: Int) throws {
    var names: Set<UTF8Key> = []
    var current: String?
    do {
      var reader = JSONReader(text)
      try reader.object { reader, name in
        guard names.insert(UTF8Key(name)).inserted else { throw Reason.duplicateName(name) }
        if name == "__metadata__" {
          try readMetadata(&reader)
        } else {
          current = name
          entries.append(try Self.readEntry(&reader, name: name, dataByteCount: dataByteCount))
          current = nil
        }
      }
      try reader.end()
    } catch let error as JSONError {
      throw Reason.header(error, tensor: current)
    }
  }

  private mutating func readMetadata(_ reader: inout JSONReader) throws {
    try reader.object(keyLimit: Self.metadataKeyLimit) { reader, key in
      let value = try reader.string()
      guard metadata.count < Self.metadataLimit else { throw Reason.tooMuchMetadata(limit: Self.metadataLimit) }
      guard metadata.updateValue(value, forKey: key) == nil else { throw reader.error(.duplicateKey(key)) }
    }
  }

  private static func readEntry(_ reader: inout JSONReader, name: String, dataByteCount: Int) throws -> Entry {
    var typeName: String?
    var shape: [Int]?
    var offsets: [Int]?
    try reader.object { reader, key in
      switch key {
      case "dtype" where typeName == nil: typeName = try reader.string(limit: 64)
      case "shape" where shape == nil: shape = try readShape(&reader, name: name)
      case "data_offsets" where offsets == nil: offsets = try readOffsets(&reader)
      case "dtype", "shape", "data_offsets": throw Reason.badField(tensor: name, field: key)
      default: try reader.skip()
      }
    }
    guard let typeName else { throw Reason.badField(tensor: name, field: "dtype") }
    guard let shape else { throw Reason.badField(tensor: name, field: "shape") }
    guard let offsets else { throw Reason.badField(tensor: name, field: "data_offsets") }
    guard offsets.count == 2, 0 <= offsets[0], offsets[0] <= offsets[1], offsets[1] <= dataByteCount else {
      throw Reason.outOfRange(tensor: name, offsets: offsets, dataByteCount: dataByteCount)
    }
    let extent = offsets[0]..<offsets[1]
    let type = DataType(safetensorsName: typeName).map(StoredDataType.known) ?? .unknown(typeName)
    if case .known(let dataType) = type {
      guard let expected = byteCount(dataType, shape) else { throw Reason.shapeOverflow(tensor: name, shape: shape) }
      guard expected == extent.count else {
        throw Reason.wrongByteCount(
          tensor: name, dataType: dataType, shape: shape, expected: expected, found: extent.count)
      }
    }
    return Entry(name: name, type: type, shape: shape, extent: extent)
  }

  private static func readShape(_ reader: inout JSONReader, name: String) throws -> [Int] {
    var shape: [Int] = []
    try reader.array { reader in
      let dimension = try reader.integer()
      guard dimension >= 0 else { throw Reason.negativeDimension(tensor: name, dimension: dimension) }
      guard shape.count < rankLimit else { throw Reason.tooManyDimensions(tensor: name, limit: rankLimit) }
      shape.append(dimension)
    }
    return shape
  }

  /// At most three numbers: two are right, the third says that there are too many.
  private static func readOffsets(_ reader: inout JSONReader) throws -> [Int] {
    var offsets: [Int] = []
    try reader.array { reader in
      let offset = try reader.integer()
      if offsets.count < 3 { offsets.append(offset) }
    }
    return offsets
  }

  private static func byteCount(_ dataType: DataType, _ shape: [Int]) -> Int? {
    guard let count = try? Shape.elementCount(shape) else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: dataType.byteCount)
    return overflow ? nil : bytes
  }
}

// MARK: - Coverage

extension SafetensorsHeader {
  /// Sorts the entries by their data, and checks that they cover all of it, once.
  private mutating func checkCoverage(dataByteCount: Int) throws {
    entries.sort {
      ($0.extent.lowerBound, $0.extent.upperBound) < ($1.extent.lowerBound, $1.extent.upperBound)
    }
    var end = 0
    for (index, entry) in entries.enumerated() {
      if entry.extent.lowerBound < end { throw Reason.overlap(tensor: entries[index - 1].name, other: entry.name) }
      if entry.extent.lowerBound > end { throw Reason.hole(offsets: end..<entry.extent.lowerBound) }
      end = entry.extent.upperBound
    }
    if end < dataByteCount { throw Reason.hole(offsets: end..<dataByteCount) }
  }
}

extension SafetensorsError.Reason: Error {}

extension DataType {
  /// The type that a safetensors header calls `name`.
  init?(safetensorsName name: String) {
    guard let match = DataType.allCases.first(where: { $0.safetensorsName == name }) else { return nil }
    self = match
  }

  /// What a safetensors header calls this type.
  var safetensorsName: String {
    switch self {
    case .float64: "F64"
    case .float32: "F32"
    case .float16: "F16"
    case .bfloat16: "BF16"
    case .int8: "I8"
    case .int16: "I16"
    case .int32: "I32"
    case .int64: "I64"
    case .uint8: "U8"
    case .uint16: "U16"
    case .uint32: "U32"
    case .uint64: "U64"
    case .bool: "BOOL"
    }
  }
}
