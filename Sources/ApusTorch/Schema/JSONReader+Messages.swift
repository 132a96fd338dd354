import Apus
import ApusGraph

// Messages of the archive's JSON, which is what PyTorch makes of dataclasses: an object a message; an object with one
// member, named as the kind it has, for one of several kinds.

extension JSONReader {
  /// An object, member by member; those that are null are passed over.
  mutating func members(_ member: (inout JSONReader, String) throws -> Void) throws {
    try object { reader, key in
      if try reader.kind() == .null { return try reader.skip() }
      try member(&reader, key)
    }
  }

  mutating func list<Element>(_ element: (inout JSONReader) throws -> Element) throws -> [Element] {
    var result: [Element] = []
    try array { result.append(try element(&$0)) }
    return result
  }

  mutating func dictionary<Value>(_ value: (inout JSONReader) throws -> Value) throws -> [String: Value] {
    var result: [String: Value] = [:]
    try members { reader, key in result[key] = try value(&reader) }
    return result
  }

  /// The kind that an object with one member has, read by `read`, which gets its name.
  mutating func union<Value>(_ what: String, _ read: (inout JSONReader, String) throws -> Value) throws -> Value {
    var result: Value?
    try members { reader, key in result = try read(&reader, key) }
    guard let result else { throw error(.expected(what)) }
    return result
  }

  /// The name that a message holds and nothing else that matters: `{"name": "x"}`.
  mutating func name() throws -> String {
    var result: String?
    try members { reader, key in
      if key == "name" { result = try reader.shortString() } else { try reader.skip() }
    }
    guard let result else { throw error(.expected("a name")) }
    return result
  }

  /// A name or a short text.
  mutating func shortString() throws -> String { try string(limit: Self.keyLimit) }

  /// A number, which is written as a text where JSON has none.
  mutating func double() throws -> Double {
    guard try kind() == .string else { return try number() }
    switch try shortString() {
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case "NaN": return .nan
    default: throw error(.expected("a number"))
    }
  }
}
