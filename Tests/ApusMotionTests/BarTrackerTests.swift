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

  /// The first choice is by the hands and is taken back, at once or after it was settled on: no speed leads from it to
  /// the bar, and what was said of the frames before is corrected.
  @Test(arguments: BarSmoothing.allCases, [2, 3]) func aChoiceTakenBackLeavesNoTrace(
    smoothing: BarSmoothing, frames: Int
  ) throws {
    var stream = try BarPathStream(settings: BarPathSettings().with { $0.smoothingType = smoothing })
    var believed: [BarPoint?] = []
    for index in 0..<20 {
      let y = 500 - 2 * Double(index)
      var boxes = [BarDetection(x: 560, y: y - 40, width: 80, height: 80, confidence: 0.7)]
      // Three hundred pixels above, for so short a time.
      if index < frames { boxes.append(BarDetection(x: 560, y: 160, width: 80, height: 80, confidence: 0.9)) }
      let update = try stream.push(
        BarFrame(timestamp: Double(index) / 30, width: 1280, height: 720, observation: .detections(boxes)))
      // The bar goes up at 60 px/s; a filter that learns the speed overshoots a little.
      #expect(abs(update.pixelVelocity ?? 0) <= 70, "frame \(index): \(update.pixelVelocity ?? 0) px/s")
      believed.append(update.smoothed)
      for revision in update.revised {
        #expect(revision.frame < index && revision.frame >= index - 13)
        believed[revision.frame] = revision.smoothed
      }
    }
    let seen = believed.compactMap(\.self)
    #expect(seen.allSatisfy { $0.y > 400 } && seen.count >= 8)
    let result = stream.finish()
    #expect(result.samples.compactMap(\.position).allSatisfy { $0.y > 400 })
    #expect(result.samples.compactMap(\.drawn).allSatisfy { $0.y > 400 })
  }

  @Test func theScaleIsKnownOnceThePlateHasBeenSeen() throws {
    var tracker = try BarTracker()
    var known: Int?
    for index in 0..<60 {
      let y = 500 - 4 * Double(index)
      let update = try tracker.push(
        BarFrame(
          timestamp: Double(index) / 30, width: 1280, height: 720,
          observation: .detections([BarDetection(x: 555, y: y - 45, width: 86, height: 90, confidence: 0.7)])))
      if known == nil, update.velocity != nil { known = index }
      if let velocity = update.velocity, let pixels = update.pixelVelocity {
        // 90 pixels are 45 cm.
        #expect(abs(velocity - pixels / 2) < 1e-9)
      }
    }
    #expect(known.map { 15...20 ~= $0 } ?? false, "\(known ?? -1)")
  }
}
