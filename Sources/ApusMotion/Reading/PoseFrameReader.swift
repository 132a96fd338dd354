/// Reads frames from bytes as they come: from a file, or from a pipe whose end is not in sight.
///
/// ```swift
/// var reader = try PoseFrameReader()
/// while let chunk = nextChunk() {
///   reader.append(chunk)
///   while let frame = try reader.next() { … }
/// }
/// reader.finish()
/// while let frame = try reader.next() { … }
/// ```
///
/// Bytes are kept until the frame they belong to is taken, so memory does not grow with the input. Every frame handed
/// out has passed ``PoseFrame/validate(order:frameIndex:after:)``. Blank lines and a byte order mark are passed over.
/// A document of JSON alone is kept to its end.
public struct PoseFrameReader: Sendable {
  /// What the file may leave out.
  public let options: PoseReaderOptions

  /// The number of the line read last, from 1; 0 before the first.
  public var lineNumber: Int { lines.lineNumber }
  /// How many frames have been handed out; also the index of the next.
  public var frameCount: Int { lines.timeline.frameCount }

  private var lines: LineReader<PoseGrammar>
  /// Set until it is known whether lines follow or a document.
  private var opening: PoseOpening?
  /// The document so far.
  private var document: [UInt8]?
  private var documentNames: KeypointNames?
  private var records: ArraySlice<PoseRecord> = []
  private var hasEnded = false

  /// - Throws: ``SettingsError`` for a setting outside its range.
  public init(options: PoseReaderOptions = PoseReaderOptions()) throws(SettingsError) {
    try options.validate()
    self.options = options
    lines = LineReader(PoseGrammar(options), lineLimit: options.lineLimit)
    if options.format == .automatic || options.format == .sleap { opening = PoseOpening() }
  }

  /// The longest document that is read, in bytes.
  public static let documentLimit = 1 << 28

  /// How the body parts of a file of DeepLabCut or SLEAP became points; nil before its header has been read, and for
  /// other files.
  public var keypointNames: KeypointNames? { lines.grammar.keypointNames ?? documentNames }

  /// Whether the rows of a table of DeepLabCut are named after pictures, as in a table of labels, whose pictures seldom
  /// follow each other.
  public var isOfPictures: Bool { lines.grammar.isOfPictures }

  /// Adds bytes, cut anywhere.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    if opening != nil {
      opening?.append(bytes)
      decide(isAtEnd: false)
    } else if document != nil {
      // One byte too many is enough to know.
      let room = Self.documentLimit + 1 - (document?.count ?? 0)
      document?.append(contentsOf: bytes.prefix(room))
    } else {
      lines.append(bytes)
    }
  }

  /// Adds a whole line; its end is added here.
  public mutating func append(line: some StringProtocol) {
    append(Array(line.utf8) + CollectionOfOne(0x0A))
  }

  /// Says that no more bytes will come, so that a last line without a line end is read.
  public mutating func finish() {
    decide(isAtEnd: true)
    hasEnded = true
    lines.finish()
  }

  /// Hands the first bytes on, once they say to what.
  private mutating func decide(isAtEnd: Bool) {
    guard let first = opening, let decision = first.decision(isAtEnd: isAtEnd, format: options.format) else { return }
    opening = nil
    switch decision {
    case .lines: lines.append(first.bytes)
    case .document: document = first.bytes
    }
  }

  /// The next frame, or nil until more bytes come.
  ///
  /// - Throws: ``PoseReadError``, naming the line. The line is left out: asking again goes on with the one after it.
  public mutating func next() throws(PoseReadError) -> PoseFrame? {
    if hasEnded, let bytes = document {
      document = nil
      guard bytes.count <= Self.documentLimit else {
        throw PoseReadError(line: 1, frameIndex: nil, reason: .row(.lineTooLong(limit: Self.documentLimit)))
      }
      let labels = try SLEAPLabels(json: bytes, options: options)
      (records, documentNames) = (labels.records[...], labels.names)
    }
    if let record = records.popFirst() { return try lines.frame(of: record) }
    return try lines.next()
  }
}
