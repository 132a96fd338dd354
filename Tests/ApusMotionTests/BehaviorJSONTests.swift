import ApusBase
import Testing

@testable import ApusMotion

@Suite struct BehaviorJSONTests {
  @Test func prediction() {
    let prediction = BehaviorPrediction(
      timestamp: 9.9, frameIndex: 297, labels: ["sit", "leave_it", "a\"\\\n\u{1}é"],
      probabilities: [0.25, 0.5, 5.7676e-6], threshold: 0.7, missingFraction: 0.125, windowSeconds: 9.9)
    let expected =
      #"{"t":9.9,"frame":297,"label":"uncertain","raw_label":"leave_it","confidence":0.5,"probabilities":"#
      + #"{"sit":0.25,"leave_it":0.5,"a\"\\\u000a\u0001é":5.7676e-06},"missing_fraction":0.125,"window_seconds":9.9}"#
    #expect(prediction.jsonLine == expected)
  }

  @Test func outcomes() {
    let tooFew = InsufficientFrames(available: 37, required: 100)
    #expect(tooFew.jsonLine == #"{"insufficient_frames":"37/100","available":37,"required":100}"#)
    #expect(BehaviorEvent.insufficientFrames(tooFew).jsonLine == tooFew.jsonLine)
    let gap = FrameGap(frameIndex: 12, seconds: 2.5, framesDiscarded: 11)
    #expect(BehaviorEvent.gap(gap).jsonLine == #"{"gap_seconds":2.5,"frame":12,"frames_discarded":11}"#)
  }

  @Test func absentIsLeftOut() throws {
    let bare = try BehaviorModelInfo(name: "m", labels: ["a", "b"], trainedClasses: ["b"], windowLength: 3)
    #expect(bare.jsonLine == #"{"name":"m","labels":["a","b"],"trained_classes":["b"],"window_length":3}"#)
    let info = try BehaviorModelInfo(name: "m", labels: ["a"], windowLength: 3, trainingData: "synthetic motion")
    #expect(info.jsonLine.hasSuffix(#","training_data":"synthetic motion"}"#))
  }

  @Test func sensitivity() throws {
    let classifier = try ScriptedClassifier(labels: ["a", "b"], windowLength: 1) { _ in [0.25, 0.75] }
    let report = try classifier.sensitivity(samples: 2)
    #expect(
      report.jsonLine == #"{"samples":2,"maximum_change":0.0,"most_changed_label":"a","predicted_labels":["b"]}"#)
  }

  /// What is written must be JSON, and every number must read back as it was.
  @Test func numbersReadBack() throws {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<500 {
      let values = (0..<3).map { _ in
        abs(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))).remainder(dividingBy: 1)
      }
      guard values.allSatisfy(\.isFinite) else { continue }
      let prediction = BehaviorPrediction(
        timestamp: Double(generator.next()) / 1e9, frameIndex: 1, labels: ["x", "y", "z"], probabilities: values,
        threshold: 0.7, missingFraction: 0, windowSeconds: 0)
      let line = prediction.jsonLine
      var scanner = JSONScanner(Array(line.utf8))
      try scanner.skipValue()
      try scanner.expectEnd()
      for (label, value) in zip(["x", "y", "z"], values) {
        let start = try #require(line.firstRange(of: "\"\(label)\":")?.upperBound)
        let number = line[start...].prefix { $0 != "," && $0 != "}" }
        #expect(Float(number) == value)
      }
    }
  }
}
