/// A frame of a video.
public struct VideoFrame: Sendable {
  /// Its number, from 0.
  public let index: Int
  /// When it is shown, in seconds; `nil` where frames come at no known rate.
  public let time: Double?
  /// The frame in red, green and blue.
  public let image: Image<UInt8>
}

/// Reads uncompressed video (YUV4MPEG2, `.y4m`) as its bytes come in, holding one frame at a time.
///
/// ```swift
/// var reader = Y4MReader()
/// while let chunk = read() {
///   reader.append(chunk)
///   while let frame = try reader.next() { use(frame) }
/// }
/// reader.end()
/// while let frame = try reader.next() { use(frame) }
/// ```
///
/// Frames become RGB (or grey, where they have no colours) as ``YUVConversion`` says. Interlaced video, more than 8 bits
/// and other arrangements of colours than ``Y4MHeader/Chroma`` are refused.
public struct Y4MReader: Sendable {
  private static let longestLine = 4096

  /// What the first line says; `nil` until it is there and ``next()`` has been called.
  public private(set) var header: Y4MHeader?

  private let limits: ImageLimits
  private let matrix: YUVConversion.Matrix
  private var pending: [UInt8] = []
  /// Where in `pending` that begins which was not taken yet.
  private var start = 0
  private var hasEnded = false
  private var frameCount = 0
  private var conversion: YUVConversion?

  /// - Parameter matrix: by which numbers of colour become RGB. The format has no place to say; its programs assume
  ///   BT.601. Video of high definition that was not converted is BT.709.
  public init(limits: ImageLimits = .default, matrix: YUVConversion.Matrix = .bt601) {
    self.limits = limits
    self.matrix = matrix
  }

  /// Takes the next bytes of the stream; few at a time, since they are held until a frame is complete.
  public mutating func append(_ bytes: some Collection<UInt8>) {
    if start > 0 {
      pending.removeSubrange(..<start)
      start = 0
    }
    if bytes.withContiguousStorageIfAvailable({ pending.append(contentsOf: $0) }) == nil {
      pending.append(contentsOf: bytes)
    }
  }

  /// No more bytes will come.
  public mutating func end() { hasEnded = true }

  /// The next frame; `nil` until more bytes come, and after the last frame.
  /// - Throws: ``VideoError``, which says of which frame; nothing can be read after that.
  public mutating func next() throws(VideoError) -> VideoFrame? {
    let header: Y4MHeader
    if let known = self.header {
      header = known
    } else {
      guard let (line, end) = try line("the first line", frame: nil) else { return nil }
      header = try Y4MHeader(line, limits: limits)
      self.header = header
      conversion = YUVConversion(header, matrix: matrix)
      start = end
    }
    if hasEnded, start == pending.count { return nil }
    guard let (line, end) = try line("the line before a frame", frame: frameCount) else { return nil }
    try check(line)
    guard pending.count - end >= header.frameBytes else {
      if hasEnded { throw VideoError(.truncated("the frame"), frame: frameCount) }
      return nil
    }
    guard let conversion else { return nil }
    let image = try pending.withUnsafeBufferPointer { bytes throws(VideoError) in
      try conversion.image(UnsafeBufferPointer(rebasing: bytes[end..<end + header.frameBytes]))
    }
    start = end + header.frameBytes
    let time = header.rate.map { Double(frameCount) * Double($0.seconds) / Double($0.frames) }
    frameCount += 1
    return VideoFrame(index: frameCount - 1, time: time, image: image)
  }

  /// The line that begins at `start`, without its end, and where the next one begins; `nil` until more bytes come.
  private func line(_ what: String, frame: Int?) throws(VideoError) -> (ArraySlice<UInt8>, Int)? {
    let beginning = pending[start...].prefix(Self.longestLine)
    if let end = beginning.firstIndex(of: 0x0A) { return (beginning[..<end], end + 1) }
    let magic = frame == nil ? "YUV4MPEG2" : "FRAME"
    guard beginning.prefix(magic.utf8.count).elementsEqual(magic.utf8.prefix(beginning.count)) else {
      throw VideoError(.malformed("\(what) does not begin with \(magic)"), frame: frame)
    }
    guard beginning.count < Self.longestLine else {
      throw VideoError(.malformed("\(what) has more than \(Self.longestLine) bytes"), frame: frame)
    }
    if hasEnded { throw VideoError(.truncated(what), frame: frame) }
    return nil
  }

  private func check(_ line: ArraySlice<UInt8>) throws(VideoError) {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard let magic = words.first, magic.elementsEqual("FRAME".utf8) else {
      throw VideoError(.malformed("the line before a frame does not begin with FRAME"), frame: frameCount)
    }
    if words.dropFirst().contains(where: { $0.first == UInt8(ascii: "I") }) {
      throw VideoError(.unsupported("an interlaced frame"), frame: frameCount)
    }
  }
}
