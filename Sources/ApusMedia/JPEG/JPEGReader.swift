/// Reads the numbers of a JPEG file one after the other.
struct JPEGReader {
  let bytes: UnsafeRawBufferPointer
  /// The next byte; at most `end`.
  var offset: Int
  /// Where the segment ends that is being read.
  var end: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    offset = 0
    end = bytes.count
  }

  var left: Int { end - offset }

  mutating func byte(_ what: String) throws(ImageError) -> Int {
    guard offset < end else { throw ends(within: what) }
    defer { offset += 1 }
    return Int(bytes[offset])
  }

  /// Two bytes, the upper one first.
  mutating func word(_ what: String) throws(ImageError) -> Int {
    let upper = try byte(what)
    return upper << 8 | (try byte(what))
  }

  /// The segment whose length comes next; the reader goes on behind it.
  mutating func segment(_ what: String) throws(ImageError) -> JPEGReader {
    let length = try word(what)
    guard length >= 2 else { throw malformed("\(what) of \(length) bytes, shorter than its own length") }
    guard length - 2 <= left else { throw error(.truncated(what), at: bytes.count) }
    var segment = self
    segment.end = offset + length - 2
    offset = segment.end
    return segment
  }

  /// The second byte of the next marker; nil where the file ends. What lies before it is skipped, and bytes that
  /// fill the space between segments too.
  mutating func marker() -> UInt8? {
    while offset < end {
      let isMarker = bytes[offset] == 0xFF
      offset += 1
      guard isMarker else { continue }
      while offset < end, bytes[offset] == 0xFF { offset += 1 }
      guard offset < end else { return nil }
      offset += 1
      if bytes[offset - 1] != 0 { return bytes[offset - 1] }
    }
    return nil
  }

  func starts(with text: StaticString) -> Bool {
    guard left >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[offset + index] != text.utf8Start[index] { return false }
    return true
  }

  /// A segment that is too short is malformed, a file that is too short is truncated.
  private func ends(within what: String) -> ImageError {
    end == bytes.count ? error(.truncated(what), at: offset) : malformed("\(what) is too short")
  }

  func malformed(_ what: String) -> ImageError { error(.malformed(what), at: offset) }
  func unsupported(_ what: String) -> ImageError { error(.unsupported(what), at: offset) }

  func error(_ reason: ImageError.Reason, at offset: Int) -> ImageError {
    ImageError(reason, format: .jpeg, offset: offset)
  }
}
