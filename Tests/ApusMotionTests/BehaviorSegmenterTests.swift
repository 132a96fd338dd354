import Testing

@testable import ApusMotion

@Suite struct BehaviorSegmenterTests {
  private static let labels = ["sit", "walk", "run"]

  /// A prediction of 0.05 for every label but one.
  private func prediction(_ label: String, _ confidence: Float = 0.9, at time: Double) -> BehaviorPrediction {
    BehaviorPrediction(
      timestamp: time, frameIndex: 0, labels: Self.labels,
      probabilities: Self.labels.map { $0 == label ? confidence : 0.05 }, threshold: 0.7, missingFraction: 0,
      windowSeconds: 10)
  }

  /// The segments of predictions 0.1 s apart, each a letter: s, w, r surely, S, W, R with 0.6, a dot with 0.3 for sit.
  private func segments(
    _ text: String, from start: Double = 0, in segmenter: inout BehaviorSegmenter
  ) -> [BehaviorSegment] {
    var found: [BehaviorSegment] = []
    for (index, letter) in text.enumerated() {
      let label = letter == "." ? "sit" : Self.labels.first { $0.hasPrefix(letter.lowercased()) } ?? ""
      let confidence: Float = letter == "." ? 0.3 : letter.isUppercase ? 0.6 : 0.9
      let time = start + Double(index) / 10
      if let segment = segmenter.push(prediction(label, confidence, at: time)) { found.append(segment) }
    }
    return found
  }

  private func segments(_ text: String) throws -> [String] {
    var segmenter = try BehaviorSegmenter()
    var found = segments(text, in: &segmenter)
    if let last = segmenter.finish() { found.append(last) }
    return found.map { "\($0.label) \(tenths($0.start))-\(tenths($0.end))" }
  }

  /// Whole tenths of a second.
  private func tenths(_ time: Double) -> Int { Int((time * 10).rounded()) }

  @Test func oneBehaviourIsOneSegment() throws {
    #expect(try segments("wwwwwwwwww") == ["walk 0-9"])
    #expect(try segments("") == [])
  }

  @Test func aChangeIsWhereItBegan() throws {
    #expect(try segments("wwwwwwwwwwssssssssss") == ["walk 0-10", "sit 10-19"])
  }

  @Test func aFlickerIsNoChange() throws {
    // Five predictions last 0.4 s, six last 0.5 s.
    #expect(try segments("wwwwwwwwsssswwwwwwww") == ["walk 0-19"])
    #expect(try segments("wwwwwwwwssssswwwwwwww") == ["walk 0-20"])
    #expect(try segments("wwwwwwwwsssssswwwwwwww") == ["walk 0-8", "sit 8-14", "walk 14-21"])
    // Two labels that flicker: neither lasts, the first one is gone.
    #expect(try segments("wwwwwwwwsrsrsrsrsrssssssss") == ["walk 0-8", "sit 18-25"])
  }

  @Test func enteringTakesMoreThanStaying() throws {
    #expect(try segments("WWWWWWWWWW") == [])
    #expect(try segments("wwwwwwWWWWWWWWWW") == ["walk 0-15"])
    #expect(try segments("WWWwwwwwwwwwww") == ["walk 3-13"])
    #expect(try segments("wwwwwwww..........") == ["walk 0-8"])
    // Another label between both thresholds ends a segment and begins none.
    #expect(try segments("wwwwwwwwSSSSSSSSSS") == ["walk 0-8"])
  }

  @Test func aShortBeginningIsNone() throws {
    #expect(try segments("wwwww") == [])
    #expect(try segments("wwwwww") == ["walk 0-5"])
    #expect(try segments("wwwww.wwwww") == [])
    // An unfinished doubt at the end is not part of the segment.
    #expect(try segments("wwwwwwwwss") == ["walk 0-8"])
  }

  @Test func confidenceIsTheMeanOverTheSegmentFlickersIncluded() throws {
    var segmenter = try BehaviorSegmenter()
    _ = segments("wwwwwwwwssww", in: &segmenter)
    let last = segmenter.finish()
    let segment = try #require(last)
    #expect(segment.predictions == 12)
    #expect(abs(segment.meanConfidence - (10 * 0.9 + 2 * 0.05) / 12) < 1e-6)
    // What ended it does not count.
    let endings = segments("wwwwwwwwssssssss", in: &segmenter)
    let ended = try #require(endings.first)
    #expect(ended.predictions == 8 && abs(ended.meanConfidence - 0.9) < 1e-6)
  }

  @Test func aGapEndsWhatIsOpen() throws {
    var segmenter = try BehaviorSegmenter()
    _ = segments("wwwwwwwwww", in: &segmenter)
    let gap = FrameGap(frameIndex: 10, seconds: 3, framesDiscarded: 100)
    let first = segmenter.push(.gap(gap))
    let segment = try #require(first)
    #expect(segment.label == "walk" && tenths(segment.end) == 9)
    #expect(segmenter.currentLabel == nil)
    // Half a second from before the gap and half from after make no segment.
    _ = segments("sss", from: 4, in: &segmenter)
    var rest = [segmenter.push(.gap(gap))]
    rest += segments("sss", from: 20, in: &segmenter)
    rest.append(segmenter.finish())
    rest.append(segmenter.push(.insufficientFrames(InsufficientFrames(available: 1, required: 2))))
    #expect(rest.allSatisfy { $0 == nil })
  }

  @Test func aStreamThatStartsAnewEndsWhatIsOpen() throws {
    var segmenter = try BehaviorSegmenter()
    _ = segments("wwwwwwwwww", from: 100, in: &segmenter)
    let ended = segments("wwwwwwwwww", from: 0, in: &segmenter)
    #expect(ended.map { tenths($0.start) } == [1000] && ended.map { tenths($0.end) } == [1009])
    let last = segmenter.finish()
    #expect(tenths(try #require(last).end) == 9)
  }

  @Test func totalsAreThoseOfTheSegmentsThatEnded() throws {
    var segmenter = try BehaviorSegmenter()
    _ = segments("wwwwwwwwwwssssssssssrrrrrrrwwwwwwwwwwwwwww", in: &segmenter)
    _ = segmenter.finish()
    #expect(segmenter.totals.map(\.label) == ["walk", "sit", "run"])
    let walk = segmenter.totals[0]
    // 0 to 1.0 and 2.7 to 4.1 s.
    #expect(walk.segments == 2 && abs(walk.seconds - 2.4) < 1e-9 && abs(walk.longest - 1.4) < 1e-9)
    #expect(segmenter.totalsJSONLine.hasPrefix(#"{"totals":{"walk":{"segments":2,"seconds":2."#))
  }

  @Test func durationsAreSecondsNotPredictions() throws {
    var settings = BehaviorSegmentSettings()
    settings.minimumDuration = 0
    var segmenter = try BehaviorSegmenter(settings: settings)
    let pushed = [segmenter.push(prediction("walk", at: 0)), segmenter.push(prediction("sit", at: 7))]
    #expect(pushed[0] == nil)
    let segment = try #require(pushed[1])
    #expect(segment.start == 0 && segment.end == 7 && segment.predictions == 1)
    #expect(segmenter.currentLabel == "sit")
    let json = #"{"label":"walk","start":0.0,"end":7.0,"seconds":7.0,"mean_confidence":0.8999999761581421,"#
    #expect(segment.jsonLine == json + #""predictions":1}"#)
  }

  @Test func settingsOutOfRangeAreRefused() {
    func refused(_ change: (inout BehaviorSegmentSettings) -> Void) -> SettingsError? {
      var settings = BehaviorSegmentSettings()
      change(&settings)
      do {
        _ = try BehaviorSegmenter(settings: settings)
        return nil
      } catch { return error }
    }
    #expect(refused { $0.enter = 1.5 } == .wrongValue(setting: "enter", found: "1.5", expected: "0 to 1"))
    #expect(refused { $0.enter = .nan } != nil)
    #expect(
      refused { $0.leave = 0.8 }
        == .wrongValue(setting: "leave", found: "0.8", expected: "0 to 0.7, where a segment begins"))
    #expect(
      refused { $0.minimumDuration = -1 } == .wrongValue(setting: "minDuration", found: "-1", expected: "0 or more"))
    #expect(
      refused { $0.minimumDuration = .infinity }
        == .wrongValue(setting: "minDuration", found: "inf", expected: "0 or more"))
    #expect(refused { $0.leave = 0.7 } == nil)
  }
}
