import Testing

@testable import ApusMotion

@Suite struct FrameThrottleTests {
  private func accepted(_ timestamps: [Double], rate: Double) throws -> [Int] {
    var throttle = try FrameThrottle(framesPerSecond: rate)
    return timestamps.indices.filter { throttle.accepts(timestamps[$0]) }
  }

  @Test func equalRatesPassEverything() throws {
    #expect(try accepted((0..<1000).map { Double($0) / 10 }, rate: 10).count == 1000)
  }

  @Test func slowerInputPassesEverything() throws {
    #expect(try accepted((0..<50).map { Double($0) / 4 }, rate: 10).count == 50)
  }

  @Test func fractionalRatio() throws {
    // 25 a second down to 10: two and three frames in turn, on average exactly 10.
    let accepted = try accepted((0..<250).map { Double($0) / 25 }, rate: 10)
    #expect(accepted.prefix(5) == [0, 3, 5, 8, 10])
    #expect(accepted.count == 100)
  }

  @Test func startsWithAnyTimestamp() throws {
    #expect(try accepted((0..<91).map { 1.7e9 + Double($0) / 30 }, rate: 10).count == 31)
    #expect(try accepted([-5, -4.95, -4.9], rate: 10) == [0, 2])
  }

  /// A frame at half-interval after a pause must not be let through for the due times the pause has missed.
  @Test func noBurstAfterAPause() throws {
    #expect(try accepted([0, 0.1, 0.75, 0.8, 0.84, 0.85, 0.9, 0.95], rate: 10) == [0, 1, 2, 5, 7])
  }

  /// A day at 30 a second: steps are counted, so the grid stays where it was.
  @Test func doesNotDrift() throws {
    var throttle = try FrameThrottle(framesPerSecond: 10)
    var wrong = 0
    for index in 0..<2_592_000 where throttle.accepts(Double(index) / 30) != (index % 3 == 0) { wrong += 1 }
    #expect(wrong == 0)
  }

  @Test func resetAcceptsAtOnce() throws {
    var throttle = try FrameThrottle(framesPerSecond: 1)
    let before = [0, 0.5].map { throttle.accepts($0) }
    throttle.reset()
    let after = [0.6, 1.5, 1.6].map { throttle.accepts($0) }
    #expect(before == [true, false])
    #expect(after == [true, false, true])
  }

  /// Frames after it pass as if there had been none.
  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func timesThatAreNoNumbersCountForNothing(time: Double) throws {
    #expect(try accepted([time, 0, 0.05, 0.1], rate: 10) == [1, 3])
    #expect(try accepted([0, time, 0.1, 0.15, time, 0.2], rate: 10) == [0, 2, 5])
  }

  @Test(arguments: [0, -10, Double.nan, .infinity, .leastNonzeroMagnitude])
  func badRates(rate: Double) {
    #expect(throws: MotionConfigurationError.self) { try FrameThrottle(framesPerSecond: rate) }
  }
}
