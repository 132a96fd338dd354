import Testing

@testable import ApusMotion

@Suite struct ImageSpaceTests {
  @Test func spellings() {
    #expect(ImageSpace.allCases.map(\.rawValue) == ["pixel", "normalized_topleft", "vision"])
  }

  @Test(arguments: [
    (ImageSpace.pixel, 50.0, 300.0), (.normalizedTopLeft, 0.25, 0.75), (.vision, 0.25, 0.25),
  ])
  func samePointInEverySpace(space: ImageSpace, x: Double, y: Double) {
    #expect(space.normalized(x: x, y: y, width: 200, height: 400) == (x: 0.25, y: 0.75))
    #expect(space.pixels(x: x, y: y, width: 200, height: 400) == (x: 50, y: 300))
  }
}

@Suite struct PoseFrameValidationTests {
  private func error(_ change: (inout PoseFrame) -> Void, after previous: Double? = nil) -> PoseFrameError? {
    var bad = frame(1)
    change(&bad)
    do throws(PoseFrameError) {
      try bad.validate(order: .cvat, frameIndex: 5, after: previous)
      return nil
    } catch {
      return error
    }
  }

  @Test func aGoodFramePasses() {
    #expect(error { _ in } == nil)
    #expect(error({ _ in }, after: 0.999) == nil)
    #expect(error { $0.points = Array(repeating: nil, count: 24) } == nil)
  }

  @Test(arguments: [0, 23, 25, 48])
  func pointCount(count: Int) {
    let found = error { $0.points = Array(repeating: nil, count: count) }
    #expect(found?.reason == .wrongPointCount(found: count, expected: 24, order: .cvat))
    #expect(found?.frameIndex == 5)
  }

  @Test(arguments: [(0.0, 400.0), (200, 0), (-1, 400), (200, -0.5)])
  func imageSize(width: Double, height: Double) {
    let found = error { ($0.width, $0.height) = (width, height) }
    #expect(found?.reason == .invalidImageSize(width: width, height: height))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(value: Double) {
    func field(_ change: (inout PoseFrame) -> Void) -> String? {
      guard case .notFinite(let field, _)? = error(change)?.reason else { return nil }
      return field
    }
    #expect(field { $0.timestamp = value } == "timestamp")
    #expect(field { $0.width = value } == "width")
    #expect(field { $0.height = value } == "height")
    #expect(field { $0.points[0]?.x = value } == "keypoint 0 (nose) x")
    #expect(field { $0.points[23]?.y = value } == "keypoint 23 (tail_tip) y")
    #expect(field { $0.points[9]?.confidence = value } == "keypoint 9 (left_front_paw) confidence")
  }

  @Test(arguments: [1.0, 1.5])
  func timestampsIncrease(previous: Double) {
    #expect(error({ _ in }, after: previous)?.reason == .timestampNotIncreasing(1, previous: previous))
  }

  @Test func absurdTimestamp() {
    #expect(error { $0.timestamp = 1e300 }?.reason == .timestampOutOfRange(1e300))
  }
}

@Suite struct PoseNormalizerTests {
  private func vector(x: Double, y: Double = 0.5, space: ImageSpace = .normalizedTopLeft) throws -> PoseVector {
    var normalizer = PoseNormalizer()
    var given = frame(0, x: x, y: y)
    given.space = space
    return try normalizer.normalize(given)
  }

  @Test(arguments: [(-0.05, Float(0)), (-0.01, 0), (0, 0), (0.3, 0.3), (1, 1), (1.01, 1), (1.05, 1)])
  func nearTheImageIsClamped(x: Double, expected: Float) throws {
    let vector = try vector(x: x)
    #expect(vector[.nose].x == expected)
    #expect(vector.observed == .all)
  }

  @Test(arguments: [-0.0501, 1.0501, -1e300, 1e300, 240])
  func farFromTheImageIsMissing(x: Double) throws {
    for vector in [try vector(x: x), try vector(x: 0.5, y: x)] {
      #expect(vector.observed.isEmpty)
      #expect(vector.values.allSatisfy { $0 == 0 })
    }
  }

  /// 1 − 1.05 is a little below −0.05 in binary; the flip must not change the verdict.
  @Test func theEdgeOfTheMarginSurvivesTheFlip() throws {
    #expect(try vector(x: 0.5, y: 1.05, space: .vision).observed == .all)
    #expect(try vector(x: 210, y: 420, space: .pixel).observed == .all)
    #expect(try vector(x: -10, y: -20, space: .pixel).observed == .all)
  }

  @Test(arguments: [-1, Double.nan, .infinity])
  func anAbsurdMarginDoesNotTrap(margin: Double) throws {
    var normalizer = PoseNormalizer(range: .clamp(margin: margin))
    #expect(try normalizer.normalize(frame(0))[.nose] == (margin == .infinity ? (0.5, 0.5) : (0, 0)))
  }

  @Test func uncheckedKeepsEverythingThatFits() throws {
    var normalizer = PoseNormalizer(range: .unchecked)
    #expect(try normalizer.normalize(frame(0, x: -7, y: 300))[.nose] == (x: -7, y: 300))
    let error = try #require(throws: PoseFrameError.self) {
      try normalizer.normalize(frame(0, x: 1, y: 1e300), frameIndex: 4)
    }
    #expect(error.frameIndex == 4)
    #expect(error.reason == .notFinite(field: "keypoint 0 (nose) y in single precision", value: 1e300))
  }

  @Test func missingIsZero() throws {
    var normalizer = PoseNormalizer()
    _ = try normalizer.normalize(frame(0, x: 0.25, y: 0.75))
    var partial = frame(1, x: 0.25, y: 0.75)
    partial.points[DogKeypoint.throat.rawValue] = nil
    let vector = try normalizer.normalize(partial)
    #expect(vector[.throat] == (x: 0, y: 0))
    #expect(vector[.withers] == (x: 0.25, y: 0.75))
    #expect(!vector.observed.contains(.throat))
    #expect(vector.observed.count == 23)
  }

  /// (0, 0) seen and (0, 0) for want of anything better differ in the mask alone.
  @Test func aPointAtTheOriginIsSeen() throws {
    let seen = try vector(x: 0, y: 0)
    #expect(seen.values == PoseVector().values)
    #expect(seen.observed == .all)
  }

  @Test func holdKeepsTheLastPositionForNFrames() throws {
    var normalizer = PoseNormalizer(missing: .hold(frames: 2))
    let empty = PoseFrame(timestamp: 0, width: 1, height: 1, points: Array(repeating: nil, count: 24))
    #expect(try normalizer.normalize(empty)[.nose] == (x: 0, y: 0))
    _ = try normalizer.normalize(frame(0, x: 0.25, y: 0.75))
    for expected in [Float(0.25), 0.25, 0, 0] {
      let held = try normalizer.normalize(empty)
      #expect(held[.nose].x == expected)
      #expect(held.observed.isEmpty)
    }
    _ = try normalizer.normalize(frame(0, x: 0.5, y: 0.5))
    #expect(try normalizer.normalize(empty)[.nose] == (x: 0.5, y: 0.5))
    normalizer.reset()
    #expect(try normalizer.normalize(empty)[.nose] == (x: 0, y: 0))
  }

  @Test func holdOfZeroFramesIsZero() throws {
    var normalizer = PoseNormalizer(missing: .hold(frames: 0))
    _ = try normalizer.normalize(frame(0))
    let outside = try normalizer.normalize(frame(1, x: 2))
    #expect(outside[.nose] == (x: 0, y: 0))
  }

  @Test func missingPolicyText() {
    #expect(MissingPolicy("zero") == .zero)
    #expect(MissingPolicy("hold:0") == .hold(frames: 0))
    #expect(MissingPolicy("hold:12")?.description == "hold:12")
    for text in ["", "Zero", "hold", "hold:", "hold:-1", "hold:+1", "hold:1.5", "hold:99999999999999999999"] {
      #expect(MissingPolicy(text) == nil)
    }
  }
}
