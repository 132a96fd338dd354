import ApusMedia

/// Frames that were drawn on, on their way to a folder or a video. The video has the rate of the recording.
struct OverlaySink {
  private struct Frame {
    var image: Image<UInt8>
    var name: String?
    var index: Int
    var time: Double
  }

  private var sink: PictureSink
  private var rate: Y4MHeader.Rate?
  /// The first frames of a video, until the rate follows from their times.
  private var waiting: [Frame] = []
  private var isWaiting: Bool

  /// So many frames that a pause or two among them do not make the rate,
  private static let mostWaiting = 16
  /// and no more bytes than this, for frames may be large.
  private static let mostBytes = 1 << 27

  /// - Parameter framesPerSecond: nil takes it from the first frames.
  init(path: String, framesPerSecond: Double? = nil) throws {
    sink = try PictureSink(path: path, isSingle: false)
    rate = try framesPerSecond.map { try .init(nearest: $0) }
    isWaiting = rate == nil && PictureSink.isVideo(path)
  }

  mutating func write(_ image: Image<UInt8>, name: String?, index: Int, time: Double) throws {
    let frame = Frame(image: image, name: name, index: index, time: time)
    guard isWaiting else { return try write(frame) }
    waiting.append(frame)
    let bytes = waiting.reduce(0) { $0 + $1.image.samples.count }
    if waiting.count >= Self.mostWaiting || waiting.count > 1 && bytes >= Self.mostBytes { try writeWaiting() }
  }

  mutating func close() throws {
    try writeWaiting()
    try sink.close()
  }

  private mutating func writeWaiting() throws {
    if isWaiting { rate = try .init(of: waiting.map(\.time)) }
    isWaiting = false
    for frame in waiting { try write(frame) }
    waiting = []
  }

  private mutating func write(_ frame: Frame) throws {
    try sink.write(frame.image, name: frame.name, index: frame.index, rate: rate)
  }
}
