import Apus
import ApusGraph

/// A folder of `.npy` files, as tools dump the values inside a model.
///
/// A value has the name that a `metadata.json` in the folder gives it, and without one that of its file. Tools write
/// that list in forms of their own; what counts of it, however deep, are objects with a file, and perhaps a name and a
/// shape, and files by their values' names. A file outside the folder is looked for inside.
public struct ArrayFolder: Sendable {
  /// The folder.
  public let path: String
  /// The values' names, in the order of `metadata.json`; without, in the order of their files, numbers as numbers.
  public let arrayNames: [String]
  private let entries: [UTF8Key: ArrayFolderList.Entry]

  /// Lists the folder; a value is read when it is asked for.
  /// - Throws: ``FileError``, ``ValueDumpError``.
  public init(path: String) throws {
    let files = try folderNames(at: path).filter { $0.hasSuffix(".npy") && !$0.hasPrefix(".") }
    func failure(_ reason: ValueDumpError.Reason) -> ValueDumpError { ValueDumpError(path: path, reason: reason) }
    var list = ArrayFolderList()
    if isRegularFile("\(path)/metadata.json") {
      do {
        list = try ArrayFolderList(contentsOf: "\(path)/metadata.json")
      } catch let error as LineFailure {
        throw failure(.badMetadata(offset: error.column - 1, expected: error.message))
      }
    }
    // A list may speak of the model alone.
    list.entries.removeAll { $0.isAssumed && !isRegularFile("\(path)/\($0.file)") }
    if list.entries.isEmpty {
      list.entries = files.sorted(by: NameOrder.comesBefore).map {
        .init(name: String($0.dropLast(".npy".count)), file: $0)
      }
    }
    guard !list.entries.isEmpty else { throw failure(.noArrays) }
    var entries: [UTF8Key: ArrayFolderList.Entry] = [:]
    for var entry in list.entries {
      guard let file = Self.place(of: entry.file, in: path) else {
        throw failure(.missingFile(entry.file, value: entry.name))
      }
      entry.file = file
      guard entries.updateValue(entry, forKey: UTF8Key(entry.name)) == nil else {
        throw failure(.duplicateName(entry.name))
      }
    }
    self.path = path
    self.entries = entries
    arrayNames = list.entries.map(\.name)
  }

  /// Where a file is that a list names, perhaps by where it was on the machine that wrote it.
  private static func place(of file: String, in folder: String) -> String? {
    let parts = file.split(separator: "/")
    let isInside = !file.hasPrefix("/") && !parts.contains("..")
    let candidates = (isInside ? [file] : []) + [parts.last.map(String.init) ?? ""]
    return candidates.first { isRegularFile("\(folder)/\($0)") }
  }

  /// An array of numbers, or of texts.
  /// - Throws: ``ValueDumpError`` for a name that no value has, and for an array that the list describes otherwise;
  ///   ``NumPyError``, ``FileError``.
  public func value(named name: String) throws -> GraphValue {
    guard let entry = entries[UTF8Key(name)] else {
      throw ValueDumpError(path: path, reason: .noSuchValue(name))
    }
    let value = try NPYFile.value(path: "\(path)/\(entry.file)")
    if let stated = entry.shape, let found = value.shape, (try? Shape.elementCount(stated)) != found.reduce(1, *) {
      throw ValueDumpError(path: path, reason: .otherShape(name, stated: stated, found: found))
    }
    return value
  }
}

/// What a `metadata.json` says of files of arrays, in whatever form.
struct ArrayFolderList {
  struct Entry: Sendable {
    var name: String
    var file: String
    var shape: [Int]?
    /// Whether the file is only thought to be named as the value.
    var isAssumed = false
  }

  var entries: [Entry] = []

  private static let nameKeys: Set<String> = ["name", "tensor_name", "value_name", "tensor"]
  private static let fileKeys: Set<String> = ["file", "file_name", "filename", "path", "npy"]
  private static let depthLimit = 32

  init() {}

  /// - Throws: ``FileError``, `LineFailure`.
  init(contentsOf path: String) throws {
    var scanner = JSONScanner(try MappedFile(path: path).withUnsafeBytes { Array($0) }, endName: "the end of the file")
    try read(&scanner, under: nil, depth: 0)
    try scanner.expectEnd()
  }

  /// Reads what stands under `key`, which is nil in an array.
  private mutating func read(_ scanner: inout JSONScanner, under key: String?, depth: Int) throws(LineFailure) {
    guard depth < Self.depthLimit else { throw scanner.unexpected("nested more than \(Self.depthLimit) deep") }
    switch scanner.peek() {
    case UInt8(ascii: "{")?: try readObject(&scanner, under: key, depth: depth)
    case UInt8(ascii: "[")?:
      try Self.elements(&scanner) { scanner throws(LineFailure) in try read(&scanner, under: nil, depth: depth + 1) }
    case UInt8(ascii: "\"")?:
      let text = try scanner.string("a string")
      if text.hasSuffix(".npy") { entries.append(Entry(name: key ?? Self.stem(text), file: text)) }
    default: try scanner.skipValue()
    }
  }

  private mutating func readObject(_ scanner: inout JSONScanner, under key: String?, depth: Int) throws(LineFailure) {
    let count = entries.count
    var (name, file, shape) = (nil as String?, nil as String?, nil as [Int]?)
    var isDescription = false
    try scanner.expect(UInt8(ascii: "{"), "an object")
    if scanner.take(UInt8(ascii: "}")) { return }
    repeat {
      let member = try scanner.string("a key in quotes")
      try scanner.expect(UInt8(ascii: ":"), "':' after a key")
      let kind = member.lowercased()
      let isText = scanner.peek() == UInt8(ascii: "\"")
      switch kind {
      case _ where isText && name == nil && Self.nameKeys.contains(kind): name = try scanner.string("a name")
      case _ where isText && file == nil && Self.fileKeys.contains(kind): file = try scanner.string("a file")
      case "shape":
        shape = try Self.shape(&scanner)
        isDescription = true
      case "dtype":
        try scanner.skipValue()
        isDescription = true
      default: try read(&scanner, under: member, depth: depth + 1)
      }
    } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "}"), "',' or '}'")
    if let file {
      entries.append(Entry(name: name ?? key ?? Self.stem(file), file: file, shape: shape))
    } else if let name = name ?? key, isDescription, entries.count == count {
      entries.append(Entry(name: name, file: name + ".npy", shape: shape, isAssumed: true))
    }
  }

  /// A list of integers not below 0; nil for anything else, such as extents that are left open.
  private static func shape(_ scanner: inout JSONScanner) throws(LineFailure) -> [Int]? {
    guard scanner.peek() == UInt8(ascii: "[") else {
      try scanner.skipValue()
      return nil
    }
    var shape: [Int]? = []
    try elements(&scanner) { scanner throws(LineFailure) in
      guard let first = scanner.peek(), (0x30...0x39).contains(first) else {
        shape = nil
        return try scanner.skipValue()
      }
      if let extent = Int(exactly: try scanner.number("an extent")) { shape?.append(extent) } else { shape = nil }
    }
    return shape
  }

  private static func elements(
    _ scanner: inout JSONScanner, _ body: (inout JSONScanner) throws(LineFailure) -> Void
  ) throws(LineFailure) {
    try scanner.expect(UInt8(ascii: "["), "an array")
    if scanner.take(UInt8(ascii: "]")) { return }
    repeat { try body(&scanner) } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "]"), "',' or ']'")
  }

  /// A file's name without folders and ending.
  private static func stem(_ file: String) -> String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return name.hasSuffix(".npy") ? String(name.dropLast(".npy".count)) : name
  }
}
