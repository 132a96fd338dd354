import Testing

@testable import ApusMotion

@Suite struct BehaviorCSVTests {
  @Test func predictions() {
    let prediction = BehaviorPrediction(
      timestamp: 9.9, frameIndex: 297, labels: ["sit", "a,\"b\""], probabilities: [0.25, 0.5], threshold: 0.7,
      missingFraction: 0.125, windowSeconds: 9.9)
    #expect(
      BehaviorCSV.predictionHeader(labels: prediction.labels)
        == #"t,frame,label,raw_label,confidence,missing_fraction,window_seconds,p_sit,"p_a,""b""""#)
    #expect(BehaviorCSV.row(prediction) == #"9.9,297,uncertain,"a,""b""",0.5,0.125,9.9,0.25,0.5"#)
  }

  @Test func segments() {
    let segment = BehaviorSegment(label: "leave_it", start: 1, end: 3.5, predictions: 25, meanConfidence: 0.75)
    #expect(BehaviorCSV.segmentHeader == "label,start,end,seconds,mean_confidence,predictions")
    #expect(BehaviorCSV.row(segment) == "leave_it,1.0,3.5,2.5,0.75,25")
  }

  @Test func bonesStepOverWhatIsMissing() {
    func bones(_ keypoints: DogKeypoint...) -> [[DogKeypoint]] {
      DogKeypoint.bones(among: KeypointSet(keypoints)).map { [$0.0, $0.1] }
    }
    #expect(DogKeypoint.bones(among: .all).count == 7 + 2 + 2 + 3 + 3 + 3 + 3)
    #expect(bones(.throat, .tailBase, .tailTip) == [[.throat, .tailBase], [.tailBase, .tailTip]])
    #expect(bones(.leftFrontElbow, .leftFrontPaw, .rightFrontPaw) == [[.leftFrontElbow, .leftFrontPaw]])
    #expect(Set(DogKeypoint.chains.joined()) == Set(DogKeypoint.allCases))
    #expect(DogKeypoint.leftEye.side == .left && DogKeypoint.rightBackPaw.side == .right)
    #expect(DogKeypoint.tailTip.side == .middle)
  }

  @Test func pointsInPixels() {
    var points = [PosePoint?](repeating: nil, count: 24)
    points[0] = PosePoint(x: 0.5, y: 0.25)
    points[1] = PosePoint(x: 2, y: 0.25)
    let frame = PoseFrame(timestamp: 0, width: 200, height: 400, space: .vision, points: points)
    let found = PoseNormalizer().pixelPositions(in: frame)
    #expect(found[0] == PosePoint(x: 100, y: 300))
    #expect(found[1] == nil && found[2] == nil, "far outside, and not found")
    #expect(PoseNormalizer(order: .vision25).pixelPositions(in: frame).allSatisfy { $0 == nil })
  }
}
