/// Writes a JSON object member by member, in the order given, numbers as Swift prints them: lines whose bytes are compared
/// and kept. A value that is `Encodable` and whose keys are sorted goes through Foundation's encoder instead.
package struct JSONObject {
  private var members: [String] = []

  package init() {}

  package var text: String { "{" + members.joined(separator: ",") + "}" }

  package mutating func add(_ key: String, _ value: Int) { add(key, literal: "\(value)") }

  /// Swift prints the shortest decimal that reads back as the same number, always in a form JSON allows. Everything
  /// written here was checked to be finite when it came in.
  package mutating func add(_ key: String, _ value: some BinaryFloatingPoint & LosslessStringConvertible) {
    add(key, literal: value.isFinite ? value.description : "null")
  }

  package mutating func add(_ key: String, _ value: String) { add(key, literal: Self.quoted(value)) }

  package mutating func add(_ key: String, _ values: [String]) {
    add(key, literal: "[" + values.map { Self.quoted($0) }.joined(separator: ",") + "]")
  }

  package mutating func add(_ key: String, _ object: JSONObject) { add(key, literal: object.text) }

  package mutating func add(_ key: String, _ objects: [JSONObject]) {
    add(key, literal: "[" + objects.map(\.text).joined(separator: ",") + "]")
  }

  package mutating func add(_ key: String, _ flag: Bool) { add(key, literal: flag ? "true" : "false") }

  private mutating func add(_ key: String, literal: String) { members.append(Self.quoted(key) + ":" + literal) }

  /// `text` as a JSON string: in quotes, with what may not stand there escaped.
  /// - Parameter usesLetters: whether line ends and the like are `\n` and not `\u000a`.
  package static func quoted(_ text: String, usesLetters: Bool = false) -> String {
    let letters: [Unicode.Scalar: String] =
      usesLetters ? ["\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{8}": "\\b", "\u{C}": "\\f"] : [:]
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += letters[scalar] ?? "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
