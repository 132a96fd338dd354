import Apus

/// The fields of a `config.json`, as Hugging Face writes them beside a model's weights.
///
/// Only what is asked for is looked at; a field that is absent or `null` has its default, as there.
package struct ConfigurationFields {
  /// The longest text that is read, in bytes: thousands of labels fit, a file of something else does not.
  static let byteLimit = 1 << 20

  /// What messages call the text.
  package let source: String
  /// The fields of which one value can be kept.
  private var values: [String: Value] = [:]
  /// The names of the classes by their number, when the text has any (`id2label`).
  private(set) var labels: [Int: String] = [:]
  /// The classes of Hugging Face that the file says it is for (`architectures`).
  package private(set) var architectures: [String] = []
  /// What quantised the parameters (`quant_method` of `quantization_config`); nil when nothing says that they are.
  package private(set) var quantizationMethod: String?

  private enum Value {
    case integer(Int)
    case number(Double)
    case text(String)
    case truth(Bool)
    case absent
    /// Anything with parts, of which nothing is kept.
    case compound

    var kind: String {
      switch self {
      case .integer(let value): "\(value)"
      case .number(let value): "\(value)"
      case .text(let value): "the text \"\(value)\""
      case .truth(let value): "\(value)"
      case .absent: "nothing"
      case .compound: "a list or an object"
      }
    }
  }

  /// - Throws: ``ModelConfigurationError`` for text that is too long; ``JSONError`` for text that is no JSON object.
  package init(_ bytes: UnsafeRawBufferPointer, source: String) throws {
    self.source = source
    guard bytes.count <= Self.byteLimit else {
      throw ModelConfigurationError(
        source: source, name: nil, reason: "has \(bytes.count) bytes; at most \(Self.byteLimit) are read")
    }
    var reader = JSONReader(bytes)
    var (values, labels, architectures, method) = (values, labels, architectures, quantizationMethod)
    var names: [Int: String] = [:]
    try reader.object { reader, key in
      guard values.updateValue(.compound, forKey: key) == nil else { throw reader.error(.duplicateKey(key)) }
      if key == "id2label", try reader.kind() == .object {
        labels = try Self.labels(&reader)
      } else if key == "label_names", try reader.kind() == .array {
        names = try Self.names(&reader)
      } else if key == "quantization_config", try reader.kind() == .object {
        method = try Self.quantizationMethod(&reader)
      } else if key == "architectures", try reader.kind() == .array {
        try reader.array { architectures.append(try $0.string(limit: JSONReader.keyLimit)) }
      } else {
        values[key] = try Self.value(&reader, bytes)
      }
    }
    try reader.end()
    self.values = values
    // timm's list, where there is none of Hugging Face.
    self.labels = labels.isEmpty ? names : labels
    self.architectures = architectures
    quantizationMethod = method
  }

  private static func names(_ reader: inout JSONReader) throws -> [Int: String] {
    var names: [Int: String] = [:]
    try reader.array { names[names.count] = try $0.string(limit: JSONReader.keyLimit) }
    return names
  }

  private static func labels(_ reader: inout JSONReader) throws -> [Int: String] {
    var labels: [Int: String] = [:]
    try reader.object { reader, key in
      guard let number = Int(key) else { return try reader.skip() }
      labels[number] = try reader.string(limit: JSONReader.keyLimit)
    }
    return labels
  }

  /// Reads the file at `path`.
  /// - Throws: ``FileError``; ``ModelConfigurationError`` for text that is no JSON object, or too long.
  package init(path: String) throws {
    try self.init(MappedFile(path: path))
  }

  package init(_ file: MappedFile) throws {
    do {
      self = try file.withUnsafeBytes { try ConfigurationFields($0, source: file.name) }
    } catch let error as JSONError {
      throw ModelConfigurationError(source: file.name, name: nil, reason: "is not JSON: \(error)")
    }
  }

  private static func quantizationMethod(_ reader: inout JSONReader) throws -> String {
    var method = "something unnamed"
    try reader.object { reader, key in
      if key == "quant_method" {
        method = try reader.string(limit: JSONReader.keyLimit)
      } else {
        try reader.skip()
      }
    }
    return method
  }

  private static func value(_ reader: inout JSONReader, _ bytes: UnsafeRawBufferPointer) throws -> Value {
    let kind = try reader.kind()
    let start = reader.offset
    switch kind {
    case .string: return .text(try reader.string(limit: JSONReader.keyLimit))
    case .object, .array, .null, .boolean, .number: try reader.skip()
    }
    switch kind {
    case .null: return .absent
    case .boolean: return .truth(bytes[start] == UInt8(ascii: "t"))
    case .number:
      let text = String(decoding: bytes[start..<reader.offset], as: UTF8.self)
      return Int(text).map { .integer($0) } ?? Double(text).map { .number($0) } ?? .compound
    case .object, .array, .string: return .compound
    }
  }
}

// MARK: - Values

extension ConfigurationFields {
  /// Whether a field is there, and is not `null`.
  package func isGiven(_ key: String) -> Bool {
    if case .absent = values[key] ?? .absent { false } else { true }
  }

  /// An integer between two bounds.
  package func integer(_ key: String, default value: Int, in range: ClosedRange<Int>) throws -> Int {
    switch values[key] ?? .absent {
    case .absent: return value
    case .integer(let found) where range.contains(found): return found
    case let found: throw unexpected(key, found, "an integer from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// A number between two bounds.
  package func number(_ key: String, default value: Double, in range: ClosedRange<Double>) throws -> Double {
    switch values[key] ?? .absent {
    case .absent: return value
    case .integer(let found) where range.contains(Double(found)): return Double(found)
    case .number(let found) where range.contains(found): return found
    case let found: throw unexpected(key, found, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  package func truth(_ key: String, default value: Bool) throws -> Bool {
    switch values[key] ?? .absent {
    case .absent: return value
    case .truth(let found): return found
    case let found: throw unexpected(key, found, "true or false")
    }
  }

  /// One of some known texts.
  package func choice<Choice>(_ key: String, default value: Choice, of choices: [String: Choice]) throws -> Choice {
    switch values[key] ?? .absent {
    case .absent: return value
    case .text(let found):
      if let choice = choices[found] { return choice }
      throw unexpected(key, .text(found), "one of " + choices.keys.sorted().joined(separator: ", "))
    case let found: throw unexpected(key, found, "one of " + choices.keys.sorted().joined(separator: ", "))
    }
  }

  /// A field that may only have the value it has when it is absent.
  package func require(_ key: String, toBe value: Bool) throws {
    guard try truth(key, default: value) == value else {
      throw unexpected(key, .truth(!value), "\(value): nothing else is supported")
    }
  }

  /// The names of the classes, `LABEL_0` and so on where they have none: `id2label`, else `num_labels` of them, else
  /// two.
  func classLabels(limit: Int) throws -> [String] {
    let count = labels.isEmpty ? try integer("num_labels", default: 2, in: 1...limit) : labels.count
    guard count <= limit, labels.keys.allSatisfy((0..<count).contains) else {
      throw ModelConfigurationError(
        source: source, name: "id2label",
        reason: "does not number \(count) classes from 0 to \(count - 1); at most \(limit) are supported")
    }
    return (0..<count).map { labels[$0] ?? "LABEL_\($0)" }
  }

  /// The names of the classes, where there is one for each.
  package var classNames: [String]? {
    let names = (0..<labels.count).compactMap { labels[$0] }
    return names.isEmpty || names.count < labels.count ? nil : names
  }

  /// Whether several classes may be right at once (`problem_type`).
  package var isMultiLabel: Bool {
    get throws { try text("problem_type") == "multi_label_classification" }
  }

  /// The text under `key`; nil where it is absent.
  package func text(_ key: String) throws -> String? {
    switch values[key] ?? .absent {
    case .absent: return nil
    case .text(let found): return found
    case let found: throw unexpected(key, found, "a text")
    }
  }

  private func unexpected(_ key: String, _ found: Value, _ expected: String) -> ModelConfigurationError {
    ModelConfigurationError(source: source, name: key, reason: "is \(found.kind); expected \(expected)")
  }
}
