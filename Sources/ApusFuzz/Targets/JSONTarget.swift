import Apus

/// The JSON reader that headers are read with: passing over a value, and walking through it.
struct JSONTarget: JSONFuzzTarget {
  let name = "json"
  let summary = "JSON text: syntax, escapes, Unicode, numbers, nesting"
  let dictionary = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud83d\\ude00", "\\udc00", "true", "false", "null", "1e9",
    "-0", "9223372036854775807", "\u{E9}", "\u{FFFF}", "[[[[[[[[", "{\"a\":",
  ]

  func seeds() -> [[UInt8]] {
    [
      #"{"a":[1,2.5e-3,{"b":null}],"c":"\n\u0041\ud83d\ude00é","d":true}"#, "[]", #""text""#, "-12", " [ [ ] , { } ] ",
      #"{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let skipped = try outcome(allowing: JSONError.self) {
      var reader = JSONReader(input)
      try reader.skip()
      try reader.end()
    }
    let walked = try outcome(allowing: JSONError.self) {
      var reader = JSONReader(input)
      try walk(&reader, depth: 0)
      try reader.end()
    }
    // Walking refuses long keys, which passing over does not; never the other way round.
    if walked == .accepted, skipped == .refused {
      throw FuzzFinding(message: "a value is accepted when it is read and refused when it is skipped")
    }
    return skipped
  }

  private func walk(_ reader: inout JSONReader, depth: Int) throws {
    guard depth < 64 else { return try reader.skip() }
    switch try reader.kind() {
    case .object: try reader.object { member, _ in try walk(&member, depth: depth + 1) }
    case .array: try reader.array { element in try walk(&element, depth: depth + 1) }
    case .string: _ = try reader.string()
    case .number:
      var copy = reader
      _ = try? copy.integer()
      try reader.skip()
    case .boolean, .null: try reader.skip()
    }
  }
}
