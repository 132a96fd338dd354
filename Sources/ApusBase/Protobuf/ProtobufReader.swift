/// How a field is encoded.
package enum WireType: Int {
  case varint, fixed64, bytes, groupStart, groupEnd, fixed32

  package var name: String {
    switch self {
    case .varint: "a varint"
    case .fixed64: "eight bytes"
    case .bytes: "a length and bytes"
    case .groupStart, .groupEnd: "a group"
    case .fixed32: "four bytes"
    }
  }
}

/// The head of a field.
package struct ProtobufField {
  package let number: Int
  package let wireType: WireType
  /// Where in the file it begins.
  package let offset: Int
}

/// What messages are read from: a file, and whatever its format keeps beside it.
package protocol ProtobufSource: AnyObject, Sendable {
  var file: MappedFile { get }
}

/// A message that can be read from a protocol buffer.
package protocol ProtobufMessage<Source> {
  associatedtype Source: ProtobufSource
  /// What errors call it.
  static var messageName: String { get }
  /// Reads fields until the message ends; those it does not know are skipped.
  init(from reader: inout ProtobufReader<Source>) throws(ProtobufError)
}

/// Walks over the fields of one message. Nothing is copied but what a caller asks for.
///
/// Every position is checked against the end of the message, which lies within the file. The caller that
/// makes the outermost reader keeps its source alive.
package struct ProtobufReader<Source: ProtobufSource> {
  /// Messages within one another; the reference implementation draws the line at the same number.
  package static var depthLimit: Int { 100 }
  /// The largest number a field can have.
  private static var fieldLimit: UInt64 { (1 << 29) - 1 }

  package let source: Source
  private let bytes: UnsafeRawBufferPointer
  private let message: String
  private let depth: Int
  private let end: Int
  private var position: Int

  /// A reader of a whole file.
  package init(source: Source, message: String) {
    self.source = source
    self.message = message
    bytes = source.file.unownedBytes
    depth = 0
    position = 0
    end = bytes.count
  }

  /// A reader of a message that was found before, `depth` messages deep in the file.
  package init(source: Source, message: String, range: Range<Int>, depth: Int) {
    self.source = source
    self.message = message
    bytes = source.file.unownedBytes
    self.depth = depth
    let end = min(max(range.upperBound, 0), bytes.count)
    position = min(max(range.lowerBound, 0), end)
    self.end = end
  }

  private init(within parent: Self, message: String, range: Range<Int>) {
    source = parent.source
    bytes = parent.bytes
    self.message = message
    depth = parent.depth + 1
    position = range.lowerBound
    end = range.upperBound
  }

  package func failure(_ reason: ProtobufError.Reason, _ field: ProtobufField?) -> ProtobufError {
    ProtobufError(message: message, field: field?.number, offset: field?.offset ?? position, reason: reason)
  }
}

// MARK: - Fields

extension ProtobufReader {
  /// The head of the next field; nil at the end of the message.
  package mutating func next() throws(ProtobufError) -> ProtobufField? {
    guard position < end else { return nil }
    let offset = position
    let tag = try rawVarint(nil)
    guard tag >> 3 > 0, tag >> 3 <= Self.fieldLimit else { throw failure(.badFieldNumber(tag >> 3), nil) }
    guard let wireType = WireType(rawValue: Int(tag & 7)) else { throw failure(.badWireType(Int(tag & 7)), nil) }
    return ProtobufField(number: Int(tag >> 3), wireType: wireType, offset: offset)
  }

  /// Passes over a field, a group with everything in it.
  package mutating func skip(_ field: ProtobufField) throws(ProtobufError) {
    switch field.wireType {
    case .varint: _ = try rawVarint(field)
    case .fixed64: try advance(8, "eight bytes", field)
    case .fixed32: try advance(4, "four bytes", field)
    case .bytes: position = try rawRange(field).upperBound
    case .groupEnd: throw failure(.strayGroupEnd, field)
    case .groupStart:
      var open = [field.number]
      while let innermost = open.last {
        guard let inner = try next() else { throw failure(.truncated(expected: "the end of a group"), field) }
        switch inner.wireType {
        case .groupStart:
          guard depth + open.count < Self.depthLimit else { throw failure(.tooDeep(limit: Self.depthLimit), inner) }
          open.append(inner.number)
        case .groupEnd:
          guard inner.number == innermost else { throw failure(.strayGroupEnd, inner) }
          open.removeLast()
        default: try skip(inner)
        }
      }
    }
  }

  package mutating func int64(_ field: ProtobufField) throws(ProtobufError) -> Int64 {
    try expect(.varint, field)
    return Int64(bitPattern: try rawVarint(field))
  }

  /// Numbers beyond 32 bits lose their high bits, as in every implementation.
  package mutating func int32(_ field: ProtobufField) throws(ProtobufError) -> Int32 {
    Int32(truncatingIfNeeded: try int64(field))
  }

  package mutating func float(_ field: ProtobufField) throws(ProtobufError) -> Float {
    try expect(.fixed32, field)
    let start = position
    try advance(4, "four bytes", field)
    return Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
  }

  /// Where in the file the contents of the field lie.
  package mutating func range(_ field: ProtobufField) throws(ProtobufError) -> Range<Int> {
    try expect(.bytes, field)
    let range = try rawRange(field)
    position = range.upperBound
    return range
  }

  package mutating func double(_ field: ProtobufField) throws(ProtobufError) -> Double {
    try expect(.fixed64, field)
    let start = position
    try advance(8, "eight bytes", field)
    return Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
  }

  package mutating func bool(_ field: ProtobufField) throws(ProtobufError) -> Bool { try int64(field) != 0 }

  package mutating func byteArray(_ field: ProtobufField) throws(ProtobufError) -> [UInt8] {
    let range = try range(field)
    return Array(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// A text that something is found by, and must therefore be one.
  package mutating func string(_ field: ProtobufField) throws(ProtobufError) -> String {
    let range = try range(field)
    guard let text = String(validating: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self) else {
      throw failure(.notUTF8, field)
    }
    return try checked(text, field)
  }

  /// A text for people, in which bytes that are not UTF-8 are replaced.
  package mutating func note(_ field: ProtobufField) throws(ProtobufError) -> String {
    let range = try range(field)
    return try checked(String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self), field)
  }

  /// The text, which may be compared.
  private func checked(_ text: String, _ field: ProtobufField) throws(ProtobufError) -> String {
    guard !MarkRun.isTooLong(in: text) else { throw failure(.tooManyMarks(limit: MarkRun.limit), field) }
    return text
  }

  /// A message within this one.
  package mutating func message<Message: ProtobufMessage<Source>>(
    _ field: ProtobufField, as type: Message.Type = Message.self
  ) throws(ProtobufError) -> Message {
    let range = try range(field)
    guard depth < Self.depthLimit else { throw failure(.tooDeep(limit: Self.depthLimit), field) }
    var inner = Self(within: self, message: Message.messageName, range: range)
    return try Message(from: &inner)
  }

  /// A message within this one that may occur once.
  package mutating func message<Message: ProtobufMessage<Source>>(
    _ field: ProtobufField, into target: inout Message?
  ) throws(ProtobufError) {
    guard target == nil else { throw failure(.repeated, field) }
    target = try message(field)
  }
}

// MARK: - Lists of numbers

extension ProtobufReader {
  /// Adds one number, or those of a packed list.
  package mutating func int64s(_ field: ProtobufField, into list: inout [Int64]) throws(ProtobufError) {
    guard field.wireType == .bytes else { return list.append(try int64(field)) }
    let range = try rawRange(field)
    var packed = self
    packed.position = range.lowerBound
    while packed.position < range.upperBound {
      let value = try packed.rawVarint(field)
      guard packed.position <= range.upperBound else { throw failure(.truncated(expected: "a number"), field) }
      list.append(Int64(bitPattern: value))
    }
    position = range.upperBound
  }

  /// Adds one number, or those of a packed list.
  package mutating func floats(_ field: ProtobufField, into list: inout [Float]) throws(ProtobufError) {
    guard field.wireType == .bytes else { return list.append(try float(field)) }
    let range = try range(field)
    guard range.count.isMultiple(of: 4) else {
      throw failure(.partialElement(length: range.count, elementSize: 4), field)
    }
    list.reserveCapacity(list.count + range.count / 4)
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      list.append(Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))))
    }
  }

  /// Adds one number, or those of a packed list.
  package mutating func doubles(_ field: ProtobufField, into list: inout [Double]) throws(ProtobufError) {
    guard field.wireType == .bytes else { return list.append(try double(field)) }
    let range = try range(field)
    guard range.count.isMultiple(of: 8) else {
      throw failure(.partialElement(length: range.count, elementSize: 8), field)
    }
    list.reserveCapacity(list.count + range.count / 8)
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      list.append(
        Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))))
    }
  }

  /// Where in the file the numbers of a list lie, to be decoded when they are needed: a packed list whole, one element
  /// alone otherwise.
  package mutating func elementRange(
    _ field: ProtobufField, element: WireType
  ) throws(ProtobufError) -> Range<Int> {
    if field.wireType == .bytes { return try range(field) }
    try expect(element, field)
    let start = position
    try skip(field)
    return start..<position
  }
}

// MARK: - Bytes

extension ProtobufReader {
  private func expect(_ wireType: WireType, _ field: ProtobufField) throws(ProtobufError) {
    guard field.wireType == wireType else {
      throw failure(.wrongWireType(found: field.wireType.name, expected: wireType.name), field)
    }
  }

  private mutating func advance(
    _ count: Int, _ expected: @autoclosure () -> String, _ field: ProtobufField
  ) throws(ProtobufError) {
    guard count <= end - position else { throw failure(.truncated(expected: expected()), field) }
    position += count
  }

  /// The range of a field with a length; the position stays at its beginning.
  private mutating func rawRange(_ field: ProtobufField) throws(ProtobufError) -> Range<Int> {
    let length = try rawVarint(field)
    guard length <= UInt64(end - position) else {
      throw failure(.lengthBeyondEnd(length: length, available: end - position), field)
    }
    return position..<position + Int(length)
  }

  private mutating func rawVarint(_ field: ProtobufField?) throws(ProtobufError) -> UInt64 {
    switch decodeVarint(bytes, at: position, end: end) {
    case .value(let value, let next):
      position = next
      return value
    case .truncated: throw failure(.truncated(expected: field == nil ? "a field" : "a number"), field)
    case .tooLong: throw failure(.numberTooLong, field)
    }
  }
}

/// What lies at a place where a variable-length number should.
package enum Varint {
  case value(UInt64, next: Int)
  case truncated
  case tooLong
}

/// Seven bits per byte, the lowest first; the high bit says that another byte follows.
@inline(__always)
package func decodeVarint(_ bytes: UnsafeRawBufferPointer, at start: Int, end: Int) -> Varint {
  var position = start
  var value: UInt64 = 0
  var shift: UInt64 = 0
  while position < end {
    let byte = bytes[position]
    position += 1
    // The tenth byte holds the last bit of 64.
    guard shift < 63 || byte <= 1 else { return .tooLong }
    value |= UInt64(byte & 0x7F) << shift
    if byte < 0x80 { return .value(value, next: position) }
    shift += 7
  }
  return .truncated
}
