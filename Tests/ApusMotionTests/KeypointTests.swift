import Testing

@testable import ApusMotion

@Suite struct KeypointTests {
  @Test func documentedOrder() {
    let documented = """
      0 nose, 1 left_eye, 2 right_eye, 3 left_ear, 4 right_ear, 5 throat, 6 withers, 7 left_front_shoulder, \
      8 left_front_elbow, 9 left_front_paw, 10 right_front_shoulder, 11 right_front_elbow, 12 right_front_paw, \
      13 center, 14 left_hip, 15 left_knee, 16 left_back_paw, 17 right_hip, 18 right_knee, 19 right_back_paw, \
      20 tail_base, 21 tail_mid_1, 22 tail_mid_2, 23 tail_tip
      """
    let found = DogKeypoint.allCases.map { "\($0.rawValue) \($0.name)" }.joined(separator: ", ")
    #expect(found == documented)
    #expect(DogKeypoint.count == DogKeypoint.allCases.count)
  }

  @Test(arguments: DogKeypoint.allCases)
  func nameRoundTrip(keypoint: DogKeypoint) {
    #expect(DogKeypoint(name: keypoint.name) == keypoint)
  }

  @Test func unknownName() {
    #expect(DogKeypoint(name: "snout") == nil)
    #expect(DogKeypoint(name: "Nose") == nil)
  }

  /// The names of cases and of files must say the same: `leftFrontPaw` and `left_front_paw`.
  @Test func namesSpellTheCases() {
    func camelCase(_ name: String) -> String {
      let words = name.split(separator: "_")
      return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
    #expect(DogKeypoint.names.map(camelCase) == DogKeypoint.allCases.map { "\($0)" })
    #expect(VisionDogJoint.names.map(camelCase) == VisionDogJoint.allCases.map { "\($0)" })
    #expect(StanfordExtraJoint.names.map(camelCase) == StanfordExtraJoint.allCases.map { "\($0)" })
    #expect(VisionDogJoint.names.count == 25)
    #expect(StanfordExtraJoint.names.count == 24)
  }

  @Test func keypointSetIsASet() {
    var set = KeypointSet()
    #expect(set.isEmpty && set.count == 0)
    let first = set.insert(.tailTip)
    let second = set.insert(.tailTip)
    #expect(first.inserted && !second.inserted)
    #expect(set.contains(.tailTip) && !set.contains(.nose))
    #expect(set.bits == 1 << 23)
    #expect(set.union([.nose]).count == 2)
    #expect(set.intersection([.nose]).isEmpty)
    #expect(set.symmetricDifference([.nose, .tailTip]) == [.nose])
    #expect(set.remove(.tailTip) == .tailTip)
    #expect(set.remove(.tailTip) == nil)
    #expect(KeypointSet.all.count == 24)
    #expect(KeypointSet(DogKeypoint.allCases) == .all)
  }
}

@Suite struct KeypointOrderTests {
  @Test func spellings() {
    #expect(KeypointOrder.allCases.map(\.rawValue) == ["cvat", "stanford-extra", "dog-pose-24", "vision-25"])
  }

  @Test(arguments: [KeypointOrder.cvat, .stanfordExtra])
  func identity(order: KeypointOrder) {
    #expect(order.sources == (0..<24).map { $0 })
  }

  @Test func dogPose24ByName() {
    let table: [Int: Int] = [
      0: 16, 1: 20, 2: 21, 3: 14, 4: 15, 5: 23, 6: 22, 8: 2, 9: 0, 11: 8, 12: 6, 14: 5, 15: 4, 16: 3,
      17: 11, 18: 10, 19: 9, 20: 12, 23: 13,
    ]
    #expect(KeypointOrder.dogPose24.sources == (0..<24).map { table[$0] })
  }

  @Test func vision25ByName() {
    let table: [String: String] = [
      "nose": "nose", "left_eye": "left_eye", "right_eye": "right_eye",
      "left_ear": "left_ear_bottom", "right_ear": "right_ear_bottom", "throat": "neck",
      "left_front_elbow": "left_front_elbow", "right_front_elbow": "right_front_elbow",
      "left_front_paw": "left_front_paw", "right_front_paw": "right_front_paw",
      "left_hip": "left_back_elbow", "right_hip": "right_back_elbow",
      "left_knee": "left_back_knee", "right_knee": "right_back_knee",
      "left_back_paw": "left_back_paw", "right_back_paw": "right_back_paw",
      "tail_base": "tail_top", "tail_mid_2": "tail_middle", "tail_tip": "tail_bottom",
    ]
    let sources = KeypointOrder.vision25.sources.map { $0.map { VisionDogJoint.names[$0] } }
    #expect(sources == DogKeypoint.names.map { table[$0] })
  }

  @Test(arguments: KeypointOrder.allCases)
  func sourcesAreInRangeAndUsedOnce(order: KeypointOrder) {
    let used = order.sources.compactMap { $0 }
    #expect(used.allSatisfy { (0..<order.pointCount).contains($0) })
    #expect(Set(used).count == used.count)
  }

  @Test func dogPose24MovesPoints() throws {
    var normalizer = PoseNormalizer(order: .dogPose24)
    let points = (0..<24).map { Optional(PosePoint(x: Double($0) / 24, y: 0)) }
    let vector = try normalizer.normalize(
      PoseFrame(timestamp: 0, width: 1, height: 1, space: .normalizedTopLeft, points: points))
    #expect(vector[.nose].x == Float(16.0 / 24))
    #expect(vector[.tailTip].x == Float(13.0 / 24))
    #expect(vector[.center] == (x: 0, y: 0))
    #expect(
      KeypointSet.all.symmetricDifference(vector.observed)
        == [.leftFrontShoulder, .rightFrontShoulder, .center, .tailMid1, .tailMid2])
  }

  @Test func visionConfidence() throws {
    var normalizer = PoseNormalizer(order: .vision25)
    let joints: [VisionDogJoint: PosePoint] = [
      .nose: PosePoint(x: 0.1, y: 0.1, confidence: 0.3),
      .neck: PosePoint(x: 0.1, y: 0.1, confidence: 0.29),
      .tailTop: PosePoint(x: 0.1, y: 0.1),
    ]
    let vector = try normalizer.normalize(PoseFrame(timestamp: 0, width: 1, height: 1, visionJoints: joints))
    #expect(vector.observed == [.nose, .tailBase])
  }

  @Test func confidenceIsIgnoredUnlessAskedFor() throws {
    let points = Array(repeating: Optional(PosePoint(x: 0.5, y: 0.5, confidence: 0.1)), count: 24)
    let frame = PoseFrame(timestamp: 0, width: 1, height: 1, space: .normalizedTopLeft, points: points)
    var lenient = PoseNormalizer()
    var strict = PoseNormalizer(minimumConfidence: 0.2)
    #expect(try lenient.normalize(frame).observed == .all)
    #expect(try strict.normalize(frame).observed.isEmpty)
  }

  @Test func visionNeeds25Points() {
    var normalizer = PoseNormalizer(order: .vision25)
    #expect(throws: PoseFrameError.self) { try normalizer.normalize(frame(0, count: 24)) }
  }
}
