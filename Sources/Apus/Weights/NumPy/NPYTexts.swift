import ApusBase

extension NPZFile {
  /// An array of texts (`<U5`: so many characters each, filled up with zeros); nil for an array of anything else.
  /// - Throws: ``NumPyError`` for a missing or damaged array, ``FileError``.
  package func texts(named name: String) throws -> (elements: [String], shape: [Int])? {
    try withContents(of: name) { bytes in
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
      guard !overflow, !carry, total == data.count else { throw NumPyError.Reason.truncatedHeader }
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
  }
}
