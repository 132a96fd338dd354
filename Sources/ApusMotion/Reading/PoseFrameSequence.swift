/// The frames in an asynchronous sequence of chunks of bytes; made by `poseFrames(using:)`.
///
/// A chunk is asked for only when a frame is asked for and no whole line is left.
public struct PoseFrameSequence<Chunks: AsyncSequence>: AsyncSequence
where Chunks.Element: Sequence<UInt8> {
  /// A pose.
  public typealias Element = PoseFrame

  let chunks: Chunks
  let reader: PoseFrameReader

  /// Reads from the beginning, with a reader of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(chunks: chunks.makeAsyncIterator(), reader: reader)
  }

  /// Reads frames as they are asked for.
  public struct Iterator: AsyncIteratorProtocol {
    var chunks: Chunks.AsyncIterator
    var reader: PoseFrameReader
    var ended = false

    /// The next frame, or nil after the last.
    ///
    /// - Throws: what ``PoseFrameReader/next()`` throws, what the chunks throw, `CancellationError`.
    public mutating func next() async throws -> PoseFrame? {
      while true {
        if let frame = try reader.next() { return frame }
        if ended { return nil }
        try Task.checkCancellation()
        if let chunk = try await chunks.next() {
          reader.append(chunk)
        } else {
          ended = true
          reader.finish()
        }
      }
    }
  }
}

extension PoseFrameSequence: Sendable where Chunks: Sendable {}

extension AsyncSequence where Element: Sequence<UInt8> {
  /// Reads frames from these chunks of bytes as they come; see ``PoseFrameReader``.
  ///
  /// - Parameter reader: where to start from, usually a fresh reader; each iteration works on its own copy.
  public func poseFrames(using reader: PoseFrameReader) -> PoseFrameSequence<Self> {
    PoseFrameSequence(chunks: self, reader: reader)
  }
}
