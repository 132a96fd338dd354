import ApusBase

/// Arrays of texts, `<U5`: so many characters each, four bytes a character, filled up with zeros.
extension NPYFile {
  /// An array of texts in the file at `path`; nil for an array of anything else.
  /// - Throws: ``FileError``, ``NumPyError``.
  package static func texts(path: String) throws -> (elements: [String], shape: [Int])? {
    let file = try MappedFile(path: path)
    do {
      return try file.withUnsafeBytes { try texts($0) }
    } catch let reason as NumPyError.Reason {
      throw NumPyError(file: file.name, array: nil, reason: reason)
    }
  }

  static func texts(_ bytes: UnsafeRawBufferPointer) throws -> (elements: [String], shape: [Int])? {
    let header = try NPYHeader.fields(bytes)
    guard header.typeName.hasPrefix("<U"), !header.isFortranOrder || header.shape.count < 2,
      let length = Int(header.typeName.dropFirst(2)), length >= 0
    else { return nil }
    guard let count = try? Shape.elementCount(header.shape) else {
      throw NumPyError.Reason.shapeOverflow(shape: header.shape)
    }
    let data = UnsafeRawBufferPointer(rebasing: bytes[header.dataOffset...])
    let (size, overflow) = length.multipliedReportingOverflow(by: 4)
    let (total, carry) = size.multipliedReportingOverflow(by: count)
    // Texts without characters take no bytes, however many there are.
    guard !overflow, !carry, total == data.count, length > 0 || count <= emptyLimit else {
      throw NumPyError.Reason.truncatedHeader
    }
    let elements = (0..<count).map { index in
      String(
        String.UnicodeScalarView(
          (0..<length).compactMap { place in
            let code = UInt32(
              littleEndian: data.loadUnaligned(fromByteOffset: index * size + place * 4, as: UInt32.self))
            return code == 0 ? nil : Unicode.Scalar(code)
          }))
    }
    return (elements, header.shape)
  }

  /// The most texts of an array whose texts have no characters.
  private static let emptyLimit = 1 << 20
  /// The most bytes of an array of texts that is written.
  private static let byteLimit = 1 << 30

  /// How many characters each text of an array gets; nil where NumPy cannot have it, for it takes a zero for the end of a
  /// text, and where one long text among many would make it larger than 1 GiB.
  private static func textWidth(_ texts: [String]) -> Int? {
    guard texts.allSatisfy({ !$0.unicodeScalars.contains("\0") }) else { return nil }
    let length = max(1, texts.lazy.map(\.unicodeScalars.count).max() ?? 0)
    let (size, overflow) = (length * 4).multipliedReportingOverflow(by: max(1, texts.count))
    return overflow || size > byteLimit ? nil : length
  }

  /// Whether ``write(_:shape:toPath:)`` can write these texts.
  package static func canHold(_ texts: [String]) -> Bool { textWidth(texts) != nil }

  /// Writes texts at `path`, whole or not at all; `shape` has as many elements.
  /// - Throws: ``FileError``; ``NumPyError`` for texts that ``canHold(_:)`` refuses, and for more axes than NumPy allows.
  package static func write(_ texts: [String], shape: [Int], toPath path: String) throws {
    guard let length = textWidth(texts) else {
      throw NumPyError(file: path, array: nil, reason: .unsupportedType("texts that hold zeros, or are too long"))
    }
    var bytes = try header("<U\(length)", shape: shape, file: path)
    bytes.reserveCapacity(bytes.count + texts.count * length * 4)
    for text in texts {
      var rest = length
      for scalar in text.unicodeScalars {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(scalar.value >> shift & 0xFF)) }
        rest -= 1
      }
      bytes.append(contentsOf: repeatElement(0, count: rest * 4))
    }
    try AtomicFile.create(at: path) { file in try bytes.withUnsafeBytes { try file.append($0) } }
  }
}

extension NPZFile {
  /// An array of texts; nil for an array of anything else.
  /// - Throws: ``NumPyError`` for a missing or damaged array, ``FileError``.
  package func texts(named name: String) throws -> (elements: [String], shape: [Int])? {
    try withContents(of: name) { try NPYFile.texts($0) }
  }
}
