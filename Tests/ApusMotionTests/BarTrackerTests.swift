import Testing

@testable import ApusMotion

@Suite struct BarTrackerTests {
  /// A plate that goes up and down, and in the first three frames a neighbour's that is surer.
  private func frame(_ index: Int, isMissing: Bool = false) -> BarFrame {
    let y = 400 + 100 * Double(index % 60 < 30 ? index % 30 : 30 - index % 30) / 30
    var boxes = isMissing ? [] : [BarDetection(x: 510, y: y - 90, width: 180, height: 180, confidence: 0.8)]
    if index < 3 { boxes.append(BarDetection(x: 10, y: 310, width: 180, height: 180, confidence: 0.9)) }
    return BarFrame(
      timestamp: Double(index) / 30, width: 1280, height: 720, observation: .detections(boxes))
  }

  @Test func itFollowsAsTheStreamDoes() throws {
    for smoothing in BarSmoothing.allCases {
      let settings = BarPathSettings().with { $0.smoothingType = smoothing }
      var (tracker, stream) = (try BarTracker(settings: settings), try BarPathStream(settings: settings))
      for index in 0..<300 {
        let frame = frame(index, isMissing: index % 100 > 70 && index % 100 < 90)
        #expect(try tracker.push(frame) == (try stream.push(frame)))
      }
      // The neighbour's plate was there too shortly.
      #expect(stream.finish().samples[0].detected?.x == 600)
    }
  }

  @Test func itGoesOnAfterAFrameThatCannotBeUsed() throws {
    var tracker = try BarTracker()
    try tracker.push(frame(5))
    #expect(throws: BarFrameError.self) { try tracker.push(frame(4)) }
    #expect(throws: BarFrameError.self) {
      try tracker.push(BarFrame(timestamp: .nan, width: nil, height: nil, observation: .center(nil)))
    }
    #expect(try tracker.push(frame(6)).frame == 3)
    #expect(tracker.frameCount == 4)
  }

  @Test func settingsAreChecked() {
    #expect(throws: SettingsError.self) {
      try BarTracker(settings: BarPathSettings().with { $0.recheckFrames = 0 })
    }
  }
}
