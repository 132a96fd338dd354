/// What can happen in a stream of poses.
public enum BehaviorEvent: Sendable, Hashable {
  /// The window was full and was classified.
  case prediction(BehaviorPrediction)
  /// A pause between frames emptied the window.
  case gap(FrameGap)
  /// The stream ended with a window that was not full; always the last event.
  case insufficientFrames(InsufficientFrames)
}

/// The behaviours in an asynchronous sequence of poses; made by `behaviors(using:)`.
///
/// It asks for the next frame only when an event is asked for, holds one window, and ends when the frames do. A
/// cancelled task makes it throw `CancellationError`.
public struct BehaviorSequence<Frames: AsyncSequence>: AsyncSequence where Frames.Element == PoseFrame {
  /// What happened in the stream.
  public typealias Element = BehaviorEvent

  let frames: Frames
  let stream: BehaviorStream

  /// Classifies from the beginning, with a stream of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(frames: frames.makeAsyncIterator(), stream: stream)
  }

  /// Classifies frames as events are asked for.
  public struct Iterator: AsyncIteratorProtocol {
    var frames: Frames.AsyncIterator
    var stream: BehaviorStream
    var waiting: BehaviorEvent?
    var ended = false

    /// The next event, or nil after the last.
    ///
    /// - Throws: what ``BehaviorStream/push(_:)`` throws, what the frames throw, `CancellationError`.
    public mutating func next() async throws -> BehaviorEvent? {
      if let event = waiting {
        waiting = nil
        return event
      }
      while !ended {
        try Task.checkCancellation()
        guard let frame = try await frames.next() else {
          ended = true
          return stream.summary.insufficientFrames.map(BehaviorEvent.insufficientFrames)
        }
        let gapsBefore = stream.gapCount
        let prediction = try stream.push(frame).map(BehaviorEvent.prediction)
        if stream.gapCount > gapsBefore, let gap = stream.lastGap {
          waiting = prediction
          return .gap(gap)
        }
        if let prediction { return prediction }
      }
      return nil
    }
  }
}

extension BehaviorSequence: Sendable where Frames: Sendable {}

extension AsyncSequence where Element == PoseFrame {
  /// Classifies these frames as they come.
  ///
  /// - Parameter stream: where to start from, usually a fresh ``BehaviorStream``; each iteration works on its own copy.
  public func behaviors(using stream: BehaviorStream) -> BehaviorSequence<Self> {
    BehaviorSequence(frames: self, stream: stream)
  }
}
