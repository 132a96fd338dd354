import Apus

/// A message of protocol buffers as a tree of fields, whatever its schema: bytes that read as fields count as a message.
///
/// Bytes that are changed one by one seldom leave a message of any depth sound, for every length around the place must
/// fit. A tree is changed anywhere and written again with the lengths that it has by then.
struct ProtobufTree {
  private struct Field {
    var number: UInt64
    var content: Content
  }

  private indirect enum Content {
    case varint(UInt64)
    case fixed([UInt8])
    case bytes([UInt8])
    case message([Field])
  }

  private var fields: [Field]
  /// Beyond this depth bytes stay bytes.
  private static let depthLimit = 12

  /// - Returns: nil where the bytes are no message.
  init?(_ bytes: [UInt8]) {
    guard let fields = Self.fields(of: bytes[...], depth: 0) else { return nil }
    self.fields = fields
  }

  /// A change somewhere in the tree, with what lies somewhere in `other`.
  mutating func mutate(with other: ProtobufTree, using random: inout SplitMix64) {
    var count = Self.count(fields)
    guard count > 0 else { return }
    count = random.below(count)
    let donor = other.field(using: &random)
    Self.change(&fields, at: &count, donor: donor, using: &random)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for field in fields { Self.append(field, to: &bytes) }
    return bytes
  }

  private func field(using random: inout SplitMix64) -> Field? {
    var index = Self.count(fields)
    guard index > 0 else { return nil }
    index = random.below(index)
    return Self.field(in: fields, at: &index)
  }
}

// MARK: - Reading and writing

extension ProtobufTree {
  private static func fields(of bytes: ArraySlice<UInt8>, depth: Int) -> [Field]? {
    var rest = bytes
    var fields: [Field] = []
    while !rest.isEmpty {
      guard let key = ProtobufBytes.readVarint(&rest), key >> 3 != 0, key >> 3 < 1 << 16 else { return nil }
      let content: Content
      switch key & 7 {
      case 0:
        guard let value = ProtobufBytes.readVarint(&rest) else { return nil }
        content = .varint(value)
      case 1, 5:
        let count = key & 7 == 1 ? 8 : 4
        guard rest.count >= count else { return nil }
        content = .fixed(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      case 2:
        guard let length = ProtobufBytes.readVarint(&rest), length <= UInt64(rest.count) else { return nil }
        let inner = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        // Text of three letters reads as a field now and then, and is text all the same.
        let isText = inner.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        if !isText, depth < depthLimit, let message = Self.fields(of: inner, depth: depth + 1) {
          content = .message(message)
        } else {
          content = .bytes(Array(inner))
        }
      default: return nil
      }
      fields.append(Field(number: key >> 3, content: content))
    }
    return fields
  }

  private static func append(_ field: Field, to bytes: inout [UInt8]) {
    func key(_ wire: UInt64) { append(field.number << 3 | wire, to: &bytes) }
    switch field.content {
    case .varint(let value):
      key(0)
      append(value, to: &bytes)
    case .fixed(let content):
      key(content.count == 8 ? 1 : 5)
      bytes += content
    case .bytes(let content):
      key(2)
      append(UInt64(content.count), to: &bytes)
      bytes += content
    case .message(let fields):
      var content: [UInt8] = []
      for field in fields { append(field, to: &content) }
      key(2)
      append(UInt64(content.count), to: &bytes)
      bytes += content
    }
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(value & 0x7F) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}

// MARK: - Finding and changing

extension ProtobufTree {
  /// How many fields there are, at any depth.
  private static func count(_ fields: [Field]) -> Int {
    fields.reduce(0) { sum, field in
      if case .message(let inner) = field.content { sum + 1 + count(inner) } else { sum + 1 }
    }
  }

  /// Field number `index` of all, outer ones before those within them.
  private static func field(in fields: [Field], at index: inout Int) -> Field? {
    for field in fields {
      if index == 0 { return field }
      index -= 1
      if case .message(let inner) = field.content, let found = Self.field(in: inner, at: &index) { return found }
    }
    return nil
  }

  private static func change(
    _ fields: inout [Field], at index: inout Int, donor: Field?, using random: inout SplitMix64
  ) {
    for place in fields.indices {
      if index == 0 {
        index = -1
        return change(&fields, place, donor: donor, using: &random)
      }
      index -= 1
      guard case .message(var inner) = fields[place].content else { continue }
      change(&inner, at: &index, donor: donor, using: &random)
      if index < 0 {
        fields[place].content = .message(inner)
        return
      }
    }
  }

  private static func change(
    _ fields: inout [Field], _ place: Int, donor: Field?, using random: inout SplitMix64
  ) {
    switch random.below(9) {
    case 0: fields.remove(at: place)
    case 1: fields.insert(fields[place], at: random.below(fields.count + 1))
    case 2: fields.swapAt(place, random.below(fields.count))
    case 3: if let donor { fields.insert(donor, at: place) }
    // What another field holds, under the number that stands here.
    case 4: if let donor { fields[place].content = donor.content }
    case 5: fields[place].content = .message([fields[place]])
    case 6: fields += Array(repeating: fields[place], count: random.below(random.once(in: 16) ? 200 : 4))
    case 7 where random.once(in: 4): fields[place].number = UInt64(1 + random.below(32))
    default: fields[place].content = changed(fields[place].content, using: &random)
    }
  }

  private static func changed(_ content: Content, using random: inout SplitMix64) -> Content {
    switch content {
    case .varint(let value): return .varint(random.number(near: value))
    case .fixed(var bytes), .bytes(var bytes):
      if bytes.count == 4 || bytes.count == 8, random.once(in: 2) {
        bytes = random.floatingPointBytes(count: bytes.count)
      } else if !bytes.isEmpty {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        if random.once(in: 4), case .bytes = content { bytes.removeLast(random.below(bytes.count)) }
      }
      if case .fixed = content { return .fixed(bytes) }
      return .bytes(bytes)
    case .message(let fields): return .message(fields.shuffled(using: &random))
    }
  }
}
