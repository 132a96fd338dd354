import ApusBase

/// What the header of a `.npy` file says of its array, checked against the number of bytes behind it; the elements are not
/// looked at.
package struct NPYForm: Equatable {
  /// nil for texts.
  package let dataType: DataType?
  package let shape: [Int]
  /// The bytes that the elements take in the file.
  package let byteCount: Int

  /// - Parameters:
  ///   - bytes: the file, or as much of its beginning as a header can take.
  ///   - fileSize: the bytes of the whole file.
  /// - Throws: ``NumPyError/Reason``.
  fileprivate init(reading bytes: UnsafeRawBufferPointer, fileSize: Int) throws {
    let fields = try NPYHeader.fields(bytes)
    let textLength = fields.typeName.hasPrefix("<U") ? Int(fields.typeName.dropFirst(2)) : nil
    dataType = textLength == nil ? try NPYHeader(reading: bytes).dataType : nil
    shape = fields.shape
    guard let count = try? Shape.elementCount(shape) else { throw NumPyError.Reason.shapeOverflow(shape: shape) }
    let (width, wideOverflow) = textLength?.multipliedReportingOverflow(by: 4) ?? (dataType?.byteCount ?? 0, false)
    let (expected, overflow) = count.multipliedReportingOverflow(by: width)
    guard !wideOverflow, !overflow, expected >= 0 else { throw NumPyError.Reason.shapeOverflow(shape: shape) }
    let found = fileSize - fields.dataOffset
    guard found == expected else {
      guard let dataType else { throw NumPyError.Reason.truncatedHeader }
      throw NumPyError.Reason.wrongByteCount(dataType: dataType, shape: shape, expected: expected, found: found)
    }
    byteCount = expected
  }

  /// What precedes a header, and the longest one.
  fileprivate static let headLimit = 12 + NPYHeader.byteLimit
}

extension NPYFile {
  /// What the array in the file at `path` is.
  /// - Throws: ``FileError``, ``NumPyError``.
  package static func form(path: String) throws -> NPYForm {
    let file = try MappedFile(path: path)
    do {
      return try file.withUnsafeBytes { try NPYForm(reading: $0, fileSize: $0.count) }
    } catch let reason as NumPyError.Reason {
      throw NumPyError(file: file.name, array: nil, reason: reason)
    }
  }
}

extension NPZFile {
  /// What an array is, by its header: a small archive may hold arrays of any size.
  /// - Throws: ``NumPyError`` for a missing or damaged array.
  package func form(named name: String) throws -> NPYForm {
    try withEntry(named: name) { entry in
      try archive.beginning(of: entry, byteCount: NPYForm.headLimit).withUnsafeBytes {
        try NPYForm(reading: $0, fileSize: entry.byteCount)
      }
    }
  }
}
