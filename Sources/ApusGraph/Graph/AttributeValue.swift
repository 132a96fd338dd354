/// The value of a node's attribute. Texts are bytes, since the ONNX standard does not ask for UTF-8.
///
/// Attributes that are graphs are ``Node/subgraphs``.
package indirect enum AttributeValue: Sendable {
  case float(Float)
  case int(Int64)
  case string([UInt8])
  case tensor(GraphValue)
  case type(GraphValueType)
  case floats([Float])
  case ints([Int64])
  case strings([[UInt8]])
  /// No value; a list without elements, in files that do not say of what type it is.
  case undefined
  /// What no operator reads, or what the file holds in a form that cannot be read: a description for people, and why.
  case unreadable(String, reason: String)
}

extension AttributeValue {
  /// The value as people read it, long lists shortened.
  var summary: String {
    func list<Element>(_ elements: [Element], _ text: (Element) -> String) -> String {
      "[" + elements.prefix(12).map(text).joined(separator: ", ") + (elements.count > 12 ? ", …]" : "]")
    }
    func text(_ bytes: [UInt8]) -> String { "\"" + String(decoding: bytes.prefix(80), as: UTF8.self) + "\"" }
    switch self {
    case .float(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .string(let bytes): return text(bytes)
    case .floats(let values): return list(values) { "\($0)" }
    case .ints(let values): return list(values) { "\($0)" }
    case .strings(let values): return list(values, text)
    case .tensor(let value): return "\(value.type)"
    case .type(let type): return "\(type)"
    case .undefined: return "no value"
    case .unreadable(let description, _): return description
    }
  }
}
