import Apus

/// The times of a video's frames, from a text file with one number per line.
///
/// The numbers are seconds; milliseconds where the first line says `# timecode format v2` or `# timestamp format v2`
/// (as the tools of Matroska write it). Empty lines and lines that begin with `#` are ignored.
public struct TimestampFile: Sendable, Hashable {
  /// In seconds, each greater than the one before it.
  public let seconds: [Double]

  /// - Throws: ``FileError``; ``VideoError`` with the line at fault.
  public init(path: String) throws {
    do {
      seconds = try MappedFile(path: path).withUnsafeBytes { bytes in try Self.read(bytes) }
    } catch let error as VideoError {
      throw error.naming(path)
    }
  }

  /// - Parameter bytes: the contents of such a file.
  /// - Throws: ``VideoError`` with the line at fault.
  public init(bytes: UnsafeRawBufferPointer) throws(VideoError) {
    seconds = try Self.read(bytes)
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) throws(VideoError) -> [Double] {
    var unit = 1.0
    var seconds: [Double] = []
    // A byte order mark says nothing of numbers.
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var number = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      let line = trimmed(bytes[start..<end])
      start = end + 1
      number += 1
      if line.first == 0x23 {
        if number == 1 { unit = try Self.unit(line) }
        continue
      }
      guard !line.isEmpty else { continue }
      // No number that makes sense is longer.
      guard line.count <= 64, let value = Double(String(decoding: line, as: UTF8.self)), value.isFinite else {
        let text = String(decoding: line.prefix(32), as: UTF8.self)
        throw VideoError(.malformed("\"\(text)\"; a number was expected"), line: number)
      }
      if let last = seconds.last, value * unit <= last {
        throw VideoError(.malformed("the time \(value) is not after the one before it"), line: number)
      }
      seconds.append(value * unit)
    }
    return seconds
  }

  /// Frames farther apart than this, in seconds, can hardly be of a video.
  private static let longestStep = 3.0

  /// What is doubtful about the times, in words: those of a video that are far apart may be milliseconds.
  package var doubt: String? {
    guard let first = seconds.first, let last = seconds.last, seconds.count > 1 else { return nil }
    let step = (last - first) / Double(seconds.count - 1)
    guard step > Self.longestStep else { return nil }
    return "frames are \(NumberText.short(step)) s apart; where times are milliseconds, the first line must be "
      + "'# timecode format v2'"
  }

  private static func unit(_ line: Slice<UnsafeRawBufferPointer>) throws(VideoError) -> Double {
    let words = String(decoding: line.dropFirst().prefix(64), as: UTF8.self).lowercased().split(separator: " ")
    guard words.count >= 3, ["timecode", "timestamp"].contains(words[0]), words[1] == "format" else { return 1 }
    guard words[2] == "v2" else { throw VideoError(.unsupported("times of the format \(words[2])"), line: 1) }
    return 0.001
  }

  private static func trimmed(_ line: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    guard let first = line.firstIndex(where: { !isSpace($0) }), let last = line.lastIndex(where: { !isSpace($0) })
    else { return line[line.endIndex...] }
    return line[first...last]
  }
}
