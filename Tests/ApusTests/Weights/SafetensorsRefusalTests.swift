import Testing

@testable import Apus

@Suite("SafetensorsFile: what is refused, and how")
struct SafetensorsRefusalTests {
  @Test("a file cut short anywhere is refused")
  func truncation() throws {
    let whole = try bytes(ofFormatFixture: "all-types.safetensors")
    for count in 1..<whole.count {
      let reason = try #require(safetensorsRefusal(Array(whole.prefix(count))), "accepted when cut to \(count) bytes")
      if count < 8 { #expect(reason == .tooShort(byteCount: count)) }
    }
    #expect(safetensorsRefusal(whole) == nil)
  }

  @Test("one byte too many is a hole")
  func trailingByte() throws {
    let whole = try bytes(ofFormatFixture: "all-types.safetensors")
    let file = try openSafetensors(whole)
    let end = file.tensorNames.reduce(0) { $0 + ((try? file.info($1).byteCount) ?? 0) }
    #expect(safetensorsRefusal(whole + [0]) == .hole(offsets: end..<end + 1))
  }

  @Test("a flipped bit never crashes, and an accepted file can be read")
  func bitFlips() throws {
    let whole = try bytes(ofFormatFixture: "all-types.safetensors")
    var accepted = 0
    // One bit of each byte; apus-fuzz flips the others.
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1 << (index * 5 % 8)
      guard let file = try? openSafetensors(changed) else { continue }
      accepted += 1
      for name in file.tensorNames { _ = try? file.anyTensor(named: name) }
    }
    #expect(accepted > 0)
  }

  @Test("the length of the header")
  func headerLength() {
    #expect(safetensorsRefusal([1, 2, 3]) == .tooShort(byteCount: 3))
    #expect(
      safetensorsRefusal([0, 0, 0, 0, 0, 0, 0, 0])
        == .header(
          JSONError(offset: 0, reason: .unexpectedEnd), tensor: nil))
    #expect(safetensorsRefusal([3, 0, 0, 0, 0, 0, 0, 0, 0x7B, 0x7D]) == .headerBeyondEnd(byteCount: 3, available: 2))
    #expect(
      safetensorsRefusal([UInt8](repeating: 255, count: 16))
        == .headerTooLong(
          byteCount: .max, limit: 100_000_000))
    // 100,000,001 bytes: one more than the limit.
    #expect(
      safetensorsRefusal([0x01, 0xE1, 0xF5, 0x05, 0, 0, 0, 0, 0x7B, 0x7D])
        == .headerTooLong(
          byteCount: 100_000_001, limit: 100_000_000))
  }

  @Test("white space around the header is padding; an empty file of tensors is one")
  func padding() throws {
    for header in ["{}", "{}     ", "  {}", " \t\n\r{ } \n"] {
      #expect(try openSafetensors(safetensorsBytes(header)).tensorNames.isEmpty)
    }
  }

  @Test(
    "a header that is not the JSON it should be",
    arguments: [
      ("[]", JSONError.Reason.expected("an object"), 0),
      ("null", .expected("an object"), 0),
      ("{", .unexpectedEnd, 1),
      ("{}{}", .trailingText, 2),
      ("{}\0", .trailingText, 2),
      (#"{"a"}"#, .expected("a colon"), 4),
      (#"{"a":1}"#, .expected("an object"), 5),
      (#"{"__metadata__":{}"#, .unexpectedEnd, 18),
      (#"{a:{}}"#, .expected("a key in quotes"), 1),
      (#"{"\ud800":{}}"#, .badUnicode, 2),
      (#"{"__metadata__":{"a":1}}"#, .expected("a string"), 21),
      (#"{"__metadata__":[]}"#, .expected("an object"), 16),
      (#"{"__metadata__":{"a":"1","a":"2"}}"#, .duplicateKey("a"), 32),
    ])
  func malformedJSON(header: String, reason: JSONError.Reason, offset: Int) {
    guard case .header(let error, _) = safetensorsRefusal(header) else {
      Issue.record("not refused as JSON: \(String(describing: safetensorsRefusal(header)))")
      return
    }
    #expect(error == JSONError(offset: offset, reason: reason))
  }

  @Test("invalid UTF-8 in a name")
  func invalidUTF8() {
    for name in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      var header = Array(#"{""#.utf8) + name + Array(#"":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#.utf8)
      header = withUnsafeBytes(of: UInt64(header.count).littleEndian) { Array($0) } + header
      #expect(safetensorsRefusal(header) == .header(JSONError(offset: 2, reason: .badUnicode), tensor: nil))
    }
  }

  @Test("names that are equal to Unicode but not to the byte are two names")
  func canonicalEquivalence() throws {
    let entry = #"{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#
    let file = try openSafetensors(safetensorsBytes("{\"\u{E9}\":\(entry),\"e\u{301}\":\(entry)}"))
    #expect(file.tensorNames.count == 2)
  }

  @Test("duplicate names")
  func duplicates() {
    let entry = #"{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#
    #expect(safetensorsRefusal(#"{"a":\#(entry),"b":\#(entry),"a":\#(entry)}"#) == .duplicateName("a"))
    #expect(safetensorsRefusal(#"{"a":\#(entry),"\u0061":\#(entry)}"#) == .duplicateName("a"))
    #expect(safetensorsRefusal(#"{"__metadata__":{},"__metadata__":{}}"#) == .duplicateName("__metadata__"))
  }

  @Test("metadata: keys and entries up to a limit")
  func metadataLimits() {
    let limit = SafetensorsHeader.metadataLimit
    let entries = (0...limit).map { "\"\($0)\":\"\"" }
    #expect(safetensorsRefusal("{\"__metadata__\":{\(entries.dropLast().joined(separator: ","))}}") == nil)
    #expect(
      safetensorsRefusal("{\"__metadata__\":{\(entries.joined(separator: ","))}}") == .tooMuchMetadata(limit: limit))
    let key = String(repeating: "e\u{301}", count: 200)
    #expect(
      safetensorsRefusal("{\"__metadata__\":{\"\(key)\":\"\"}}")
        == .header(JSONError(offset: 17, reason: .tooLong(byteCount: 600, limit: 512)), tensor: nil))
  }

  @Test("a name that takes long to compare is refused before it is compared")
  func longNames() {
    let name = String(repeating: "\u{301}\u{323}", count: 1 << 17)
    guard case .header(let error, nil) = safetensorsRefusal("{\"\(name)\":{}}") else {
      Issue.record("not refused")
      return
    }
    #expect(error.reason == .tooLong(byteCount: 1 << 19, limit: JSONReader.keyLimit))
  }

  @Test("missing, repeated and ill-typed fields")
  func fields() {
    #expect(safetensorsRefusal(#"{"a":{"shape":[],"data_offsets":[0,0]}}"#) == .badField(tensor: "a", field: "dtype"))
    #expect(safetensorsRefusal(#"{"a":{"dtype":"U8","data_offsets":[0,0]}}"#) == .badField(tensor: "a", field: "shape"))
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"U8","shape":[]}}"#) == .badField(tensor: "a", field: "data_offsets"))
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0]}}"#)
        == .badField(tensor: "a", field: "shape"))
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}}"#)
        == .header(JSONError(offset: 14, reason: .expected("a string")), tensor: "a"))
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}"#, data: [0])
        == .header(JSONError(offset: 28, reason: .expected("an integer")), tensor: "a"))
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}"#, data: [0])
        == .negativeDimension(tensor: "a", dimension: -1))
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,1]}}"#, data: [0])
        == .header(JSONError(offset: 28, reason: .numberOutOfRange), tensor: "a"))
    let ones = String(repeating: "1,", count: 64) + "1"
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"U8","shape":[\#(ones)],"data_offsets":[0,1]}}"#, data: [0])
        == .tooManyDimensions(tensor: "a", limit: 64))
  }

  @Test("an unknown field is skipped, however deep within reason")
  func unknownField() throws {
    let nested = String(repeating: "[", count: 200) + "1" + String(repeating: "]", count: 200)
    let header = #"{"a":{"dtype":"U8","later":{"x":[1,{"y":\#(nested)},null]},"shape":[],"data_offsets":[0,1]}}"#
    #expect(try openSafetensors(safetensorsBytes(header, data: [9])).tensor(named: "a", as: UInt8.self).scalar == 9)
    let deep = String(repeating: "[", count: 100_000)
    guard case .header(let error, "a") = safetensorsRefusal(#"{"a":{"x":\#(deep)}}"#) else {
      Issue.record("not refused")
      return
    }
    #expect(error.reason == .tooDeep(limit: JSONReader.depthLimit))
  }

  @Test("offsets out of range", arguments: [[0, 9], [9, 9], [4, 0], [-4, 4], [0], [], [0, 4, 8], [0, Int.max]])
  func outOfRange(offsets: [Int]) {
    let header = #"{"a":{"dtype":"F32","shape":[2],"data_offsets":\#(offsets)}}"#
    let expected = Array(offsets.prefix(3))
    #expect(
      safetensorsRefusal(header, data: [UInt8](repeating: 0, count: 8))
        == .outOfRange(tensor: "a", offsets: expected, dataByteCount: 8))
  }

  @Test("overlaps and holes")
  func coverage() {
    func header(_ a: ClosedRange<Int>, _ b: ClosedRange<Int>, _ type: String = "U8") -> String {
      func entry(_ r: ClosedRange<Int>) -> String {
        #"{"dtype":"\#(type)","shape":[\#(r.count - 1)],"data_offsets":[\#(r.lowerBound),\#(r.upperBound)]}"#
      }
      return #"{"a":\#(entry(a)),"b":\#(entry(b))}"#
    }
    let data = [UInt8](repeating: 0, count: 8)
    #expect(safetensorsRefusal(header(0...4, 4...8), data: data) == nil)
    #expect(safetensorsRefusal(header(4...8, 0...4), data: data) == nil)
    #expect(safetensorsRefusal(header(0...5, 4...8), data: data) == .overlap(tensor: "a", other: "b"))
    #expect(safetensorsRefusal(header(0...8, 0...8), data: data) == .overlap(tensor: "a", other: "b"))
    #expect(safetensorsRefusal(header(0...8, 4...4), data: data) == .overlap(tensor: "a", other: "b"))
    #expect(safetensorsRefusal(header(0...3, 4...8), data: data) == .hole(offsets: 3..<4))
    #expect(safetensorsRefusal(header(1...4, 4...8), data: data) == .hole(offsets: 0..<1))
    #expect(safetensorsRefusal(header(0...4, 4...7), data: data) == .hole(offsets: 7..<8))
    #expect(safetensorsRefusal(header(0...5, 4...8, "F8_E4M3"), data: data) == .overlap(tensor: "a", other: "b"))
    #expect(safetensorsRefusal("{}", data: data) == .hole(offsets: 0..<8))
  }

  @Test("shape times element size must be the extent, and must not overflow")
  func sizes() {
    let data = [UInt8](repeating: 0, count: 8)
    #expect(
      safetensorsRefusal(#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#, data: data)
        == .wrongByteCount(tensor: "a", dataType: .float32, shape: [3], expected: 12, found: 8))
    for shape in [[Int.max], [1 << 32, 1 << 32], [0, Int.max, 2], [1 << 61, 2]] {
      #expect(
        safetensorsRefusal(#"{"a":{"dtype":"F32","shape":\#(shape),"data_offsets":[0,0]}}"#)
          == .shapeOverflow(tensor: "a", shape: shape))
    }
  }

  @Test("an unknown type is an error when its tensor is asked for")
  func unknownType() throws {
    let header =
      #"{"a":{"dtype":"F8_E4M3","shape":[3,1],"data_offsets":[0,3]},"#
      + #""b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}}"#
    let file = try openSafetensors(safetensorsBytes(header, data: [1, 2, 3, 4]))
    #expect(try file.tensor(named: "b", as: UInt8.self).elements == [4])
    #expect(try file.info("a").dataType == nil)
    #expect(try file.info("a").typeName == "F8_E4M3")
    #expect(throws: SafetensorsError(file: "memory", reason: .unknownType(tensor: "a", typeName: "F8_E4M3"))) {
      try file.anyTensor(named: "a")
    }
  }

  @Test("a Boolean is 0 or 1")
  func truthValues() throws {
    let header = #"{"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}"#
    let file = try openSafetensors(safetensorsBytes(header, data: [0, 1, 2]))
    #expect(throws: SafetensorsError(file: "memory", reason: .invalidBool(tensor: "a", index: 2, byte: 2))) {
      try file.tensor(named: "a", as: Bool.self)
    }
  }
}
