import Apus
import ApusNetworks

/// What an exporter wrote into the file of a detector: the entries `names`, `imgsz`, `kpt_shape`, `task` of the usual
/// ones, as Python or JSON literals, and `keypoint_classes`, the names of those classes that have keypoints.
struct DetectorMetadata: Sendable, Hashable {
  /// What the classes are called, by index.
  var names: [String]?
  /// The size that pictures are brought to.
  var imageHeight: Int?
  var imageWidth: Int?
  var keypoints: YOLOConfiguration.Keypoints?
  var task: String?
  /// The classes whose objects have keypoints, by name; all when nil.
  var keypointClasses: [String]?

  init() {}

  /// - Throws: ``DetectorError/Reason/badMetadata(_:)`` naming the entry that cannot be read.
  init(_ entries: [String: String]) throws(DetectorError) {
    func read<Value>(_ key: String, _ read: (inout LiteralReader) throws(LiteralError) -> Value) throws(DetectorError)
      -> Value?
    {
      guard let text = entries[key] else { return nil }
      var reader = LiteralReader(text)
      do throws(LiteralError) {
        let value = try read(&reader)
        try reader.end()
        return value
      } catch {
        throw DetectorError(.badMetadata("the metadata \"\(key)\": \(error)"))
      }
    }
    names = try read("names") { reader throws(LiteralError) in try reader.names() }
    let size = try read("imgsz") { reader throws(LiteralError) in try reader.integers(limit: 4) }
    if let size, let last = size.last {
      guard size.count <= 2, size.allSatisfy({ 1...Self.longestSide ~= $0 }) else {
        throw DetectorError(.badMetadata("the metadata \"imgsz\": \(size) is not a height and a width"))
      }
      (imageHeight, imageWidth) = (size[0], last)
    }
    if let shape = try read("kpt_shape", { reader throws(LiteralError) in try reader.integers(limit: 4) }) {
      guard shape.count == 2, 1...10_000 ~= shape[0], 2...3 ~= shape[1] else {
        throw DetectorError(
          .badMetadata("the metadata \"kpt_shape\": \(shape) is not a number of keypoints of 2 or 3 numbers"))
      }
      keypoints = YOLOConfiguration.Keypoints(count: shape[0], dimensions: shape[1])
    }
    keypointClasses = try read("keypoint_classes") { reader throws(LiteralError) in try reader.names() }
    task = entries["task"]
    if let task, !["detect", "pose", "segment"].contains(task) {
      throw DetectorError(
        .badMetadata("the metadata \"task\" is \"\(task)\"; boxes are read of detect, pose and segment alone"))
    }
  }

  /// The longest side of a network's input.
  static let longestSide = 1 << 14

  /// Numbers of each object that are ignored: the coefficients of a mask.
  var extraNumbers: Int { task == "segment" ? 32 : 0 }

  /// What of it shows the layout, for messages.
  var summary: String {
    let classes = names.map { "\($0.count) names of classes" } ?? "no names of classes"
    return classes + (keypoints.map { " and \($0.count) keypoints" } ?? "") + " in the metadata"
  }
}

/// What a literal in the metadata should have been.
struct LiteralError: Error, CustomStringConvertible {
  let offset: Int
  let expected: String

  var description: String { "\(expected) was expected at byte \(offset)" }
}

/// Reads what Python and JSON write alike: numbers, strings, lists and dictionaries of them, one level deep.
struct LiteralReader {
  private let bytes: [UInt8]
  private var offset = 0

  /// The most entries of a list or dictionary.
  static let limit = 100_000

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Names by index: `{0: 'person', 1: 'bicycle'}`, `{"0": "person"}` or `["person", "bicycle"]`.
  mutating func names() throws(LiteralError) -> [String] {
    if accept("[") { return try list(until: "]") { reader throws(LiteralError) in try reader.string() } }
    guard accept("{") else { throw error("a dictionary or a list") }
    let entries: [(Int, String)] = try list(until: "}") { reader throws(LiteralError) in
      let index = try reader.isQuoted ? Int(reader.string()) : reader.integer()
      guard let index else { throw reader.error("the index of a class") }
      guard reader.accept(":") else { throw reader.error("a colon") }
      return (index, try reader.string())
    }
    var names = [String?](repeating: nil, count: entries.count)
    for (index, name) in entries {
      guard names.indices.contains(index), names[index] == nil else {
        throw error("each index from 0 to \(entries.count - 1) once (there is \(index))")
      }
      names[index] = name
    }
    return names.compactMap(\.self)
  }

  /// A number, or a list or tuple of them.
  mutating func integers(limit: Int) throws(LiteralError) -> [Int] {
    for (opening, closing) in [("[", "]"), ("(", ")")] where accept(opening) {
      let values = try list(until: closing) { reader throws(LiteralError) in try reader.integer() }
      guard 1...limit ~= values.count else { throw error("1 to \(limit) numbers") }
      return values
    }
    return [try integer()]
  }

  mutating func end() throws(LiteralError) {
    skipSpace()
    guard offset == bytes.count else { throw error("the end") }
  }

  private mutating func list<Element>(
    until closing: String, _ element: (inout LiteralReader) throws(LiteralError) -> Element
  ) throws(LiteralError) -> [Element] {
    var elements: [Element] = []
    while !accept(closing) {
      guard elements.count < Self.limit else { throw error("at most \(Self.limit) entries") }
      elements.append(try element(&self))
      if !accept(",") {
        guard accept(closing) else { throw error("a comma or \(closing)") }
        break
      }
    }
    return elements
  }

  private var isQuoted: Bool {
    mutating get {
      skipSpace()
      return offset < bytes.count && (bytes[offset] == UInt8(ascii: "'") || bytes[offset] == UInt8(ascii: "\""))
    }
  }

  /// A string in either kind of quotes; a backslash makes the next character itself.
  private mutating func string() throws(LiteralError) -> String {
    guard isQuoted else { throw error("a string") }
    let quote = bytes[offset]
    offset += 1
    var text: [UInt8] = []
    while offset < bytes.count, bytes[offset] != quote {
      if bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count { offset += 1 }
      text.append(bytes[offset])
      offset += 1
    }
    guard offset < bytes.count else { throw error("the end of a string") }
    offset += 1
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func integer() throws(LiteralError) -> Int {
    skipSpace()
    let start = offset
    while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
    guard let value = Int(String(decoding: bytes[start..<offset], as: UTF8.self)) else { throw error("a number") }
    return value
  }

  private mutating func accept(_ character: String) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == character.utf8.first else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
  }

  private func error(_ expected: String) -> LiteralError { LiteralError(offset: offset, expected: expected) }
}
