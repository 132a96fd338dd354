/// Reads frames with detections or bar positions from bytes as they come: from a file, or from a pipe.
///
/// ```swift
/// var reader = try BarFrameReader()
/// while let chunk = nextChunk() {
///   reader.append(chunk)
///   while let frame = try reader.next() { try stream.push(frame) }
/// }
/// reader.finish()
/// while let frame = try reader.next() { try stream.push(frame) }
/// ```
///
/// Bytes are kept until the frame they belong to is taken, so memory does not grow with the input. Every frame handed
/// out is one that ``BarPathStream/push(_:)`` takes. Blank lines and a byte order mark are passed over.
public struct BarFrameReader: Sendable {
  /// What the file may leave out.
  public let options: BarReaderOptions

  /// The number of the line read last, from 1; 0 before the first.
  public var lineNumber: Int { lines.lineNumber }
  /// How many frames of the present lift have been handed out; also the index of the next.
  public var frameCount: Int { lines.timeline.frameCount }
  /// The lift of the frame handed out last, where the file names lifts.
  public var lift: String? { lines.grammar.lift }

  private var lines: LineReader<BarGrammar>

  /// - Throws: ``SettingsError`` for a setting outside its range.
  public init(options: BarReaderOptions = BarReaderOptions()) throws(SettingsError) {
    try options.validate()
    self.options = options
    lines = LineReader(BarGrammar(options), lineLimit: options.lineLimit)
  }

  /// Adds bytes, cut anywhere.
  public mutating func append(_ bytes: some Sequence<UInt8>) { lines.append(bytes) }

  /// Says that no more bytes will come, so that a last line without a line end is read.
  public mutating func finish() { lines.finish() }

  /// The next frame, or nil until more bytes come.
  ///
  /// - Throws: ``BarReadError``, naming the line. The line is left out: asking again goes on with the one after it.
  public mutating func next() throws(BarReadError) -> BarFrame? { try lines.next() }
}
