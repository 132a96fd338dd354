import Testing

@testable import ApusMotion

/// What the specification of the behaviour classifier demands of everything around the network, by its numbers.
@Suite struct AcceptanceTests {
  @Test("AT1.1: (100, 200) in 200 x 400 is (0.5, 0.5)")
  func normalisation() throws {
    var normalizer = PoseNormalizer()
    let points = Array(repeating: Optional(PosePoint(x: 100, y: 200)), count: 24)
    let vector = try normalizer.normalize(PoseFrame(timestamp: 0, width: 200, height: 400, points: points))
    #expect(vector.values.count == 48)
    #expect(vector.values.allSatisfy { abs($0 - 0.5) <= 1e-6 })
  }

  @Test("AT1.2: the window is channel-major and slides")
  func layout() throws {
    var normalizer = PoseNormalizer(range: .unchecked)
    var buffer = try PoseBuffer()
    func push(_ t: Int) throws {
      let points = (0..<24).map { k -> PosePoint? in
        let value = Double(t) / 100 + Double(k)
        return PosePoint(x: value, y: -value)
      }
      let frame = PoseFrame(timestamp: Double(t), width: 1, height: 1, space: .normalizedTopLeft, points: points)
      buffer.push(try normalizer.normalize(frame), timestamp: frame.timestamp)
    }
    for t in 0..<100 { try push(t) }
    var window = try buffer.window()
    #expect(window.count == 4_800)
    for k in 0..<24 {
      for t in 0..<100 {
        let value = Float(Double(t) / 100 + Double(k))
        #expect(window[2 * k * 100 + t] == value)
        #expect(window[(2 * k + 1) * 100 + t] == -value)
      }
    }
    #expect(window[(2 * 23 + 1) * 100 + 99] == -23.99)
    try push(100)
    window = try buffer.window()
    #expect(window[0] == 0.01)
    #expect(window[99] == 1)
  }

  @Test("AT1.3: 99 frames give nothing, the 100th exactly one result")
  func firstResult() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 0.9))
    #expect(try stream.push(count: 99).isEmpty)
    #expect(stream.predictionCount == 0)
    #expect(try stream.push(frame(9.9)) != nil)
    #expect(stream.predictionCount == 1)
  }

  @Test("AT1.8: Vision's (0.5, 0.25) in 200 x 400 is (0.5, 0.75)")
  func visionPoint() throws {
    var normalizer = PoseNormalizer(order: .vision25)
    let frame = PoseFrame(
      timestamp: 0, width: 200, height: 400, visionJoints: [.nose: PosePoint(x: 0.5, y: 0.25, confidence: 0.9)])
    let vector = try normalizer.normalize(frame)
    #expect(vector[.nose] == (x: 0.5, y: 0.75))
    #expect(vector.observed == [.nose])
  }

  @Test("AT1.9: 23 points are an error")
  func wrongPointCount() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 0.9))
    let expected = PoseFrameError(
      frameIndex: 0, reason: .wrongPointCount(found: 23, expected: 24, order: .cvat))
    #expect(throws: expected) { try stream.push(frame(0, count: 23)) }
    #expect(expected.description == "frame 0: 23 keypoints, expected 24 (keypoint order cvat)")
  }

  @Test("AT1.9: NaN in frame 7 is an error that says so")
  func nanInFrame7() throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: 0.9))
    _ = try stream.push(count: 7)
    var bad = frame(0.7)
    bad.points[3] = PosePoint(x: 0.5, y: .nan)
    let error = try #require(throws: PoseFrameError.self) { try stream.push(bad) }
    #expect(error.frameIndex == 7)
    #expect(error.description == "frame 7: keypoint 3 (left_ear) y is nan, expected a finite number")
  }

  @Test("AT1.10: of 91 frames at 30 a second, a throttle of 10 passes 0, 3, 6, …, 90")
  func throttle() throws {
    var throttle = try FrameThrottle(framesPerSecond: 10)
    let accepted = (0...90).filter { throttle.accepts(Double($0) / 30) }
    #expect(accepted == Array(stride(from: 0, through: 90, by: 3)))
    #expect(accepted.count == 31)
  }

  @Test("AT1.10: 0.69 is uncertain, 0.70 is not", arguments: [(Float(0.69), "uncertain"), (0.70, "sit")])
  func threshold(confidence: Float, label: String) throws {
    var stream = try BehaviorStream(classifier: ScriptedClassifier(confidence: confidence))
    let prediction = try #require(try stream.push(count: 100).first)
    #expect(prediction.label == label)
    #expect(prediction.rawLabel == "sit")
    #expect(prediction.confidence == confidence)
  }
}
