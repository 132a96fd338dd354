import Apus
import ApusGraph

/// Something that can be written as a protocol buffer.
package protocol ProtobufWritable {
  func encode(to writer: inout ProtobufWriter) throws
}

/// A message of the format, which can be read and written.
package protocol ONNXMessage: ProtobufMessage, ProtobufWritable where Source == FileSource {}

/// Writes a message as a protocol buffer in two passes.
///
/// A message within another is preceded by its length. The first pass measures and notes the lengths, in the order in
/// which messages begin; the second writes, and nothing is ever held in memory twice.
package struct ProtobufWriter {
  private enum Pass { case measuring, writing }

  private let pass: Pass
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  /// Lengths of the messages within, in the order in which they begin.
  private var lengths: [Int]
  private var nextLength = 0
  /// The bytes so far.
  private var count = 0
  /// Bytes not handed on yet: many fields have a few only.
  private var pending: [UInt8] = []

  private init(pass: Pass, lengths: [Int], sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.pass = pass
    self.lengths = lengths
    self.sink = sink
  }

  /// Hands the encoded message to `sink` piece by piece, after its whole length to `begin`.
  /// - Throws: ``ONNXFileError/Reason/tooLargeToWrite(byteCount:)`` beyond `limit`, and what is thrown on the way.
  package static func write(
    _ message: some ProtobufWritable, limit: Int, begin: (Int) throws -> Void,
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var measure = ProtobufWriter(pass: .measuring, lengths: []) { _ in }
    try message.encode(to: &measure)
    guard measure.count <= limit else { throw ONNXFileError.Reason.tooLargeToWrite(byteCount: measure.count) }
    try begin(measure.count)
    try withoutActuallyEscaping(sink) { sink in
      var writer = ProtobufWriter(pass: .writing, lengths: measure.lengths, sink: sink)
      try message.encode(to: &writer)
      try writer.flush()
    }
  }
}

// MARK: - Fields

extension ProtobufWriter {
  package mutating func int64(_ field: Int, _ value: Int64) throws {
    try tag(field, .varint)
    try varint(UInt64(bitPattern: value))
  }

  package mutating func float(_ field: Int, _ value: Float) throws {
    try tag(field, .fixed32)
    try withUnsafeBytes(of: value.bitPattern.littleEndian) { try append($0) }
  }

  package mutating func string(_ field: Int, _ value: String) throws {
    var value = value
    try value.withUTF8 { try bytes(field, UnsafeRawBufferPointer($0)) }
  }

  /// A text that is omitted when it is empty.
  package mutating func optionalString(_ field: Int, _ value: String) throws {
    if !value.isEmpty { try string(field, value) }
  }

  package mutating func bytes(_ field: Int, _ value: UnsafeRawBufferPointer) throws {
    try tag(field, .bytes)
    try varint(UInt64(value.count))
    try append(value)
  }

  package mutating func bytes(_ field: Int, _ value: [UInt8]) throws {
    try value.withUnsafeBytes { try bytes(field, $0) }
  }

  /// The contents of a field that was read, in the encoding it had.
  package mutating func verbatim(_ field: Int, _ wireType: WireType, _ contents: UnsafeRawBufferPointer) throws {
    guard wireType != .bytes else { return try bytes(field, contents) }
    try tag(field, wireType)
    try append(contents)
  }

  package mutating func message(_ field: Int, _ value: some ProtobufWritable) throws {
    try message(field) { writer in try value.encode(to: &writer) }
  }

  package mutating func messages(_ field: Int, _ values: [some ProtobufWritable]) throws {
    for value in values { try message(field, value) }
  }

  /// A message within this one whose fields `body` writes.
  package mutating func message(_ field: Int, _ body: (inout ProtobufWriter) throws -> Void) throws {
    try tag(field, .bytes)
    switch pass {
    case .measuring:
      let index = lengths.count
      lengths.append(0)
      let start = count
      try body(&self)
      lengths[index] = count - start
      count += Self.varintSize(UInt64(count - start))
    case .writing:
      let length = lengths[nextLength]
      nextLength += 1
      try varint(UInt64(length))
      try body(&self)
    }
  }
}

// MARK: - Bytes

extension ProtobufWriter {
  private static let pendingLimit = 1 << 16

  private mutating func tag(_ field: Int, _ wireType: WireType) throws {
    try varint(UInt64(field) << 3 | UInt64(wireType.rawValue))
  }

  private mutating func varint(_ value: UInt64) throws {
    guard pass == .writing else { return count += Self.varintSize(value) }
    var rest = value
    while rest >= 0x80 {
      pending.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    pending.append(UInt8(rest))
    if pending.count >= Self.pendingLimit { try flush() }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard pass == .writing else { return count += bytes.count }
    if bytes.count >= Self.pendingLimit {
      try flush()
      try sink(bytes)
    } else {
      pending.append(contentsOf: bytes)
      if pending.count >= Self.pendingLimit { try flush() }
    }
  }

  private mutating func flush() throws {
    try pending.withUnsafeBytes { if !$0.isEmpty { try sink($0) } }
    pending.removeAll(keepingCapacity: true)
  }

  private static func varintSize(_ value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }
}
