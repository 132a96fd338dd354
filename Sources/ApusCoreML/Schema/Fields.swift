import Apus

/// A message of the format as its fields, found by number and decoded when they are asked for.
///
/// The format has some three hundred messages, most of them the parameters of one kind of layer that a single place
/// reads. So they are not spelled out one by one: whoever reads a message names its fields.
struct Fields: Sendable {
  let source: CoreMLSource
  /// What errors call the message.
  let name: String
  private let depth: Int
  private let entries: [(field: ProtobufField, content: Content)]

  private enum Content: Sendable {
    case number(UInt64)
    case float(UInt32)
    case double(UInt64)
    case bytes(Range<Int>)
  }

  /// The message that a whole file is.
  init(file source: CoreMLSource, name: String) throws(ProtobufError) {
    try self.init(source: source, name: name, range: 0..<source.file.count, depth: 0)
  }

  private init(source: CoreMLSource, name: String, range: Range<Int>, depth: Int) throws(ProtobufError) {
    var reader = ProtobufReader(source: source, message: name, range: range, depth: depth)
    guard depth <= ProtobufReader<CoreMLSource>.depthLimit else {
      throw reader.failure(.tooDeep(limit: ProtobufReader<CoreMLSource>.depthLimit), nil)
    }
    var entries: [(field: ProtobufField, content: Content)] = []
    while let field = try reader.next() {
      switch field.wireType {
      case .varint: entries.append((field, .number(UInt64(bitPattern: try reader.int64(field)))))
      case .fixed32: entries.append((field, .float(try reader.float(field).bitPattern)))
      case .fixed64: entries.append((field, .double(try reader.double(field).bitPattern)))
      case .bytes: entries.append((field, .bytes(try reader.range(field))))
      case .groupStart, .groupEnd: try reader.skip(field)
      }
    }
    self.source = source
    self.name = name
    self.depth = depth
    self.entries = entries
  }

  /// A message without fields, all of whose parameters have their defaults.
  init(empty name: String, of source: CoreMLSource) {
    self.source = source
    self.name = name
    depth = 0
    entries = []
  }

  /// The numbers of the fields that the message has, in order.
  var numbers: [Int] { entries.map(\.field.number) }

  func has(_ number: Int) -> Bool { entries.contains { $0.field.number == number } }

  private func last(_ number: Int) -> (field: ProtobufField, content: Content)? {
    entries.last { $0.field.number == number }
  }

  private func failure(_ field: ProtobufField, expected: String) -> ProtobufError {
    ProtobufError(
      message: name, field: field.number, offset: field.offset,
      reason: .wrongWireType(found: field.wireType.name, expected: expected))
  }
}

// MARK: - Single values

extension Fields {
  /// Sizes, places and counts are cut at this number, beyond any that can be meant, so that sums and products of a few of
  /// them do not overflow.
  static let sizeLimit = 1 << 30

  /// nil where the field is missing. A size, a place or a count: see ``sizeLimit``.
  func optionalInt(_ number: Int) throws(ProtobufError) -> Int? {
    try optionalInt64(number).map(Self.bounded)
  }

  private static func bounded(_ number: Int) -> Int { min(max(number, -sizeLimit), sizeLimit) }

  /// A number as it is; nil where the field is missing.
  func optionalInt64(_ number: Int) throws(ProtobufError) -> Int? {
    guard let (field, content) = last(number) else { return nil }
    guard case .number(let bits) = content else { throw failure(field, expected: WireType.varint.name) }
    return Int(Int64(bitPattern: bits))
  }

  /// A number as it is; 0 where the field is missing.
  func int64(_ number: Int) throws(ProtobufError) -> Int { try optionalInt64(number) ?? 0 }

  func int(_ number: Int, default value: Int = 0) throws(ProtobufError) -> Int { try optionalInt(number) ?? value }

  func bool(_ number: Int) throws(ProtobufError) -> Bool { try int(number) != 0 }

  func optionalFloat(_ number: Int) throws(ProtobufError) -> Float? {
    guard let (field, content) = last(number) else { return nil }
    guard case .float(let bits) = content else { throw failure(field, expected: WireType.fixed32.name) }
    return Float(bitPattern: bits)
  }

  func float(_ number: Int, default value: Float = 0) throws(ProtobufError) -> Float {
    try optionalFloat(number) ?? value
  }

  func optionalDouble(_ number: Int) throws(ProtobufError) -> Double? {
    guard let (field, content) = last(number) else { return nil }
    guard case .double(let bits) = content else { throw failure(field, expected: WireType.fixed64.name) }
    return Double(bitPattern: bits)
  }

  func double(_ number: Int, default value: Double = 0) throws(ProtobufError) -> Double {
    try optionalDouble(number) ?? value
  }

  func string(_ number: Int) throws(ProtobufError) -> String { try strings(number).last ?? "" }

  /// Where the bytes of a field lie in the file.
  func range(_ number: Int) throws(ProtobufError) -> Range<Int>? {
    guard let (field, content) = last(number) else { return nil }
    guard case .bytes(let range) = content else { throw failure(field, expected: WireType.bytes.name) }
    return range
  }

  /// A message within this one, which errors call `name`; nil where there is none.
  func message(_ number: Int, _ name: String) throws(ProtobufError) -> Fields? {
    try messages(number, name).last
  }
}

// MARK: - Lists

extension Fields {
  func strings(_ number: Int) throws(ProtobufError) -> [String] {
    try entries.filter { $0.field.number == number }.map { (field, content) throws(ProtobufError) in
      guard case .bytes(let range) = content else { throw failure(field, expected: WireType.bytes.name) }
      let text = source.file.withUnsafeBytes {
        String(validating: UnsafeRawBufferPointer(rebasing: $0[range]), as: UTF8.self)
      }
      guard let text else {
        throw ProtobufError(message: name, field: field.number, offset: field.offset, reason: .notUTF8)
      }
      return text
    }
  }

  func messages(_ number: Int, _ name: String) throws(ProtobufError) -> [Fields] {
    var result: [Fields] = []
    for (field, content) in entries where field.number == number {
      guard case .bytes(let range) = content else { throw failure(field, expected: WireType.bytes.name) }
      result.append(try Fields(source: source, name: name, range: range, depth: depth + 1))
    }
    return result
  }

  /// Sizes, places and counts, packed or one by one: see ``sizeLimit``.
  func ints(_ number: Int) throws(ProtobufError) -> [Int] { try int64s(number).map(Self.bounded) }

  /// Integers as they are, packed or one by one.
  func int64s(_ number: Int) throws(ProtobufError) -> [Int] {
    var result: [Int] = []
    for (field, content) in entries where field.number == number {
      switch content {
      case .number(let bits): result.append(Int(Int64(bitPattern: bits)))
      case .bytes(let range):
        var position = range.lowerBound
        while position < range.upperBound {
          guard
            case .value(let bits, let next) = decodeVarint(
              source.file.unownedBytes, at: position, end: range.upperBound)
          else {
            throw ProtobufError(
              message: name, field: number, offset: position, reason: .truncated(expected: "a number"))
          }
          result.append(Int(Int64(bitPattern: bits)))
          position = next
        }
      default: throw failure(field, expected: WireType.varint.name)
      }
    }
    return result
  }

  /// Numbers of four bytes, packed or one by one.
  func floats(_ number: Int) throws(ProtobufError) -> [Float] {
    try fixed(number, UInt32.self).map { Float(bitPattern: $0) }
  }

  /// Numbers of eight bytes, packed or one by one.
  func doubles(_ number: Int) throws(ProtobufError) -> [Double] {
    try fixed(number, UInt64.self).map { Double(bitPattern: $0) }
  }

  private func fixed<Bits: FixedWidthInteger & UnsignedInteger>(
    _ number: Int, _: Bits.Type
  ) throws(ProtobufError) -> [Bits] {
    let size = MemoryLayout<Bits>.size
    var result: [Bits] = []
    for (field, content) in entries where field.number == number {
      switch content {
      case .float(let bits) where size == 4: result.append(Bits(truncatingIfNeeded: bits))
      case .double(let bits) where size == 8: result.append(Bits(truncatingIfNeeded: bits))
      case .bytes(let range):
        guard range.count.isMultiple(of: size) else {
          throw ProtobufError(
            message: name, field: number, offset: field.offset,
            reason: .partialElement(length: range.count, elementSize: size))
        }
        result.reserveCapacity(result.count + range.count / size)
        source.file.withUnsafeBytes { bytes in
          for offset in stride(from: range.lowerBound, to: range.upperBound, by: size) {
            result.append(Bits(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Bits.self)))
          }
        }
      default: throw failure(field, expected: size == 4 ? WireType.fixed32.name : WireType.fixed64.name)
      }
    }
    return result
  }

  /// Where a single packed list of numbers lies, to be read in place; nil where they are spread over several fields.
  func packedRange(_ number: Int) -> Range<Int>? {
    let all = entries.filter { $0.field.number == number }
    guard all.count == 1, case .bytes(let range) = all[0].content else { return nil }
    return range
  }
}
