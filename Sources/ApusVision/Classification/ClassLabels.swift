import Apus
import ApusNetworks

/// What a classifier's classes are called, and who says so.
public struct ClassLabels: Sendable, Hashable {
  /// Who says it.
  public enum Origin: Sendable, Hashable {
    /// A file of the caller's.
    case file(String)
    /// The model's own file.
    case model
    /// A configuration beside the model; its name.
    case configuration(String)
    /// Nobody: a classifier of 1000 classes, or 1001 with a background, is taken to know ImageNet's.
    case imageNet
  }

  /// A name for each class, in order.
  public let names: [String]
  /// Who says it.
  public let origin: Origin

  /// Names that are known.
  public init(_ names: [String], origin: Origin) {
    (self.names, self.origin) = (names, origin)
  }

  /// What classes are called that nobody names.
  public static func placeholder(_ index: Int) -> String { "class \(index)" }

  /// ImageNet's names for a classifier of so many classes; nil for other numbers than 1000 and 1001.
  public static func imageNet(count: Int) -> ClassLabels? {
    switch count {
    case 1000: ClassLabels(ImageNetClasses.names, origin: .imageNet)
    case 1001: ClassLabels([ImageNetClasses.background] + ImageNetClasses.names, origin: .imageNet)
    default: nil
    }
  }

  /// Whether the names say more than the numbers of the classes, as `LABEL_0`, `LABEL_1` do not; what the caller says
  /// always does.
  var areMeaningful: Bool {
    if case .file = origin { return true }
    var prefixes: Set<Substring> = []
    for (index, name) in names.enumerated() {
      guard name.hasSuffix("\(index)") else { return true }
      prefixes.insert(name.dropLast("\(index)".count))
    }
    return prefixes.count != 1
  }

  /// The labels for `count` classes: with a background before them, or without it, as the classifier has it.
  /// - Throws: ``ClassLabelsError`` for another number of names.
  public func fitted(to count: Int) throws -> ClassLabels {
    if names.count == count { return self }
    let hasBackground = names.first?.lowercased() == ImageNetClasses.background
    if names.count - 1 == count, hasBackground { return ClassLabels(Array(names.dropFirst()), origin: origin) }
    if names.count + 1 == count, count == 1001, !hasBackground {
      return ClassLabels([ImageNetClasses.background] + names, origin: origin)
    }
    let source = if case .file(let path) = origin { path } else { "the model" }
    throw ClassLabelsError("\(source): names \(names.count) classes, and the model distinguishes \(count)")
  }
}

// MARK: - Files

extension ClassLabels {
  private static let byteLimit = 1 << 24

  /// Reads a file of labels: a name a line, or JSON: a list, an object of names or of `[number, name]` under indices, or
  /// a configuration of Hugging Face with `id2label`.
  ///
  /// Where each line begins with its own index, that is left out.
  /// - Throws: ``FileError``; ``ClassLabelsError`` for a file of something else.
  public init(path: String) throws {
    let file = try MappedFile(path: path, limit: Self.byteLimit)
    do {
      names = try file.withUnsafeBytes { try Self.read($0) }
    } catch let error as JSONError {
      throw ClassLabelsError("\(path): \(error)")
    } catch let error as ClassLabelsError {
      throw ClassLabelsError("\(path): \(error)")
    }
    origin = .file(path)
  }

  /// Reads the bytes of a file of labels.
  package static func read(_ bytes: UnsafeRawBufferPointer) throws -> [String] {
    // A byte order mark is no part of the first name.
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let bytes = isMarked ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst(3)) : bytes
    let first = bytes.first { $0 > 0x20 }
    var reader = JSONReader(bytes)
    var names: [String]
    if first == UInt8(ascii: "{") {
      names = try object(&reader)
      try reader.end()
    } else if first == UInt8(ascii: "[") {
      names = []
      try reader.array { names.append(try name(&$0)) }
      try reader.end()
    } else {
      names = try lines(bytes)
    }
    guard !names.isEmpty else { throw ClassLabelsError("there are no names; one for each class was expected") }
    return names
  }

  private static func lines(_ bytes: UnsafeRawBufferPointer) throws -> [String] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ClassLabelsError("is not UTF-8 text; a name a line, or JSON, was expected")
    }
    guard !MarkRun.isTooLong(in: text) else { throw ClassLabelsError("has a name with \(MarkRun.message)") }
    var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { trimmed($0) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    let unnumbered = lines.enumerated().map { index, line -> String? in
      guard line.hasPrefix("\(index)") else { return nil }
      let rest = line.dropFirst("\(index)".count)
      return rest.first.map { " \t:,".contains($0) } == true ? trimmed(rest.dropFirst()) : nil
    }
    return unnumbered.contains(nil) ? lines : unnumbered.compactMap(\.self)
  }

  /// Names under their indices, or a configuration that has them.
  /// - Parameter isInside: whether it is in such a configuration, which has no other inside.
  private static func object(_ reader: inout JSONReader, isInside: Bool = false) throws -> [String] {
    var (byIndex, configured): ([Int: String], [String]?) = ([:], nil)
    try reader.object { reader, key in
      if let index = Int(key) {
        byIndex[index] = try name(&reader)
      } else if key == "id2label", !isInside {
        configured = try object(&reader, isInside: true)
      } else {
        try reader.skip()
      }
    }
    if let configured { return configured }
    let names = (0..<byIndex.count).compactMap { byIndex[$0] }
    guard names.count == byIndex.count else {
      throw ClassLabelsError("the indices of the names do not go from 0 to \(byIndex.count - 1)")
    }
    return names
  }

  /// A name, or the last of a list of them: Keras' file has `["n01440764", "tench"]`.
  private static func name(_ reader: inout JSONReader) throws -> String {
    guard try reader.kind() == .array else { return try reader.string(limit: JSONReader.keyLimit) }
    var last = ""
    try reader.array { last = try $0.string(limit: JSONReader.keyLimit) }
    return last
  }
}

/// Why classes have no names.
public struct ClassLabelsError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The file, what is wrong, and what was expected.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension ClassLabelsError {
  /// ``Fault/data``: the names do not fit.
  public var fault: Fault { .data }
}
