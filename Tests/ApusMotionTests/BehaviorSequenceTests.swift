import Testing

@testable import ApusMotion

@Suite struct BehaviorSequenceTests {
  private func events(_ timestamps: [Double], windowLength: Int) async throws -> [BehaviorEvent] {
    let classifier = try ScriptedClassifier(confidence: 0.9, windowLength: windowLength)
    let stream = try BehaviorStream(classifier: classifier, settings: .everyFrame)
    let frames = AsyncStream<PoseFrame> { continuation in
      for timestamp in timestamps { continuation.yield(frame(timestamp)) }
      continuation.finish()
    }
    var events: [BehaviorEvent] = []
    for try await event in frames.behaviors(using: stream) { events.append(event) }
    return events
  }

  private func summary(_ events: [BehaviorEvent]) -> [String] {
    events.map {
      switch $0 {
      case .prediction(let prediction): "prediction \(prediction.frameIndex)"
      case .gap(let gap): "gap \(gap.frameIndex)"
      case .insufficientFrames(let outcome): outcome.description
      }
    }
  }

  @Test func predictions() async throws {
    let found = try await events([0, 0.1, 0.2, 0.3], windowLength: 3)
    #expect(summary(found) == ["prediction 2", "prediction 3"])
  }

  @Test func anEmptyStreamIsInsufficient() async throws {
    #expect(summary(try await events([], windowLength: 3)) == ["insufficient_frames: 0/3"])
  }

  @Test func gapsAreEvents() async throws {
    let found = try await events([0, 0.1, 5, 5.1], windowLength: 2)
    #expect(summary(found) == ["prediction 1", "gap 2", "prediction 3"])
    #expect(summary(try await events([0, 5], windowLength: 1)) == ["prediction 0", "gap 1", "prediction 1"])
    #expect(summary(try await events([0, 0.1, 5], windowLength: 2)).last == "insufficient_frames: 1/2")
  }

  @Test func aBadFrameEndsTheSequence() async throws {
    await #expect(throws: PoseFrameError.self) { try await events([0, 0.1, 0.1], windowLength: 2) }
  }

  @Test func iterationsAreIndependent() async throws {
    let classifier = try ScriptedClassifier(confidence: 0.9, windowLength: 2)
    let sequence = Frames(timestamps: [0, 0.1, 0.2])
      .behaviors(using: try BehaviorStream(classifier: classifier, settings: .everyFrame))
    for _ in 0..<2 {
      var count = 0
      for try await _ in sequence { count += 1 }
      #expect(count == 2)
    }
  }

  /// A frame is asked for only when it is needed: nothing is read ahead of the one that completes a window.
  @Test func readsNoFurtherThanAsked() async throws {
    let classifier = try ScriptedClassifier(confidence: 0.9, windowLength: 2)
    let stream = try BehaviorStream(classifier: classifier, settings: .everyFrame)
    var iterator = Frames(timestamps: [0, 0.1, 0.2]).behaviors(using: stream).makeAsyncIterator()
    _ = try await iterator.next()
    #expect(iterator.frames.index == 2)
    _ = try await iterator.next()
    #expect(iterator.frames.index == 3)
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func cancellation() async throws {
    let classifier = try ScriptedClassifier(confidence: 0.9, windowLength: 2)
    let stream = try BehaviorStream(classifier: classifier)
    let task = Task {
      // Frames without end: only cancelling ends this.
      for try await _ in Endless().behaviors(using: stream) {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [1, 7, 1000])
  func bytesToBehaviors(chunk: Int) async throws {
    let text = (0..<5).map { jsonLine(head: #""t":\#($0),"width":100,"height":100"#) }.joined(separator: "\n")
    let bytes = Array(text.utf8)
    let chunks = AsyncStream<[UInt8]> { continuation in
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        continuation.yield(Array(bytes[start..<min(start + chunk, bytes.count)]))
      }
      continuation.finish()
    }
    let classifier = try ScriptedClassifier(confidence: 0.9, windowLength: 3)
    let stream = try BehaviorStream(classifier: classifier)
    var found: [BehaviorEvent] = []
    for try await event in chunks.poseFrames(using: try PoseFrameReader()).behaviors(using: stream) {
      found.append(event)
    }
    #expect(summary(found) == ["prediction 2", "prediction 3", "prediction 4"])
  }
}

private struct Frames: AsyncSequence, Sendable {
  let timestamps: [Double]

  func makeAsyncIterator() -> Iterator { Iterator(timestamps: timestamps) }

  struct Iterator: AsyncIteratorProtocol {
    let timestamps: [Double]
    var index = 0

    mutating func next() async -> PoseFrame? {
      guard index < timestamps.count else { return nil }
      index += 1
      return frame(timestamps[index - 1])
    }
  }
}

private struct Endless: AsyncSequence, Sendable {
  func makeAsyncIterator() -> Iterator { Iterator() }

  struct Iterator: AsyncIteratorProtocol {
    var time = 0.0

    mutating func next() async -> PoseFrame? {
      time += 0.001
      return frame(time)
    }
  }
}
