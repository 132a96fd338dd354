import ApusBase
import Testing

@testable import ApusMotion

@Suite struct BehaviorModelInfoTests {
  @Test func labels() {
    let documented = """
      sit, down, stand, stay, lying, heel, come, fetch, drop, wait, leave_it, walking, trotting, running, jumping, \
      spinning, rolling, playing, alert, sniffing, looking
      """
    #expect(DogBehavior.labels.joined(separator: ", ") == documented)
  }

  @Test func trainedClasses() throws {
    let info = try BehaviorModelInfo(name: "original", trainedClasses: ["stand", "sit", "down"])
    #expect(info.trainedClasses == ["sit", "down", "stand"])
    #expect(info.untrainedClasses.count == 18)
    #expect(try BehaviorModelInfo(name: "ours").untrainedClasses.isEmpty)
  }

  @Test func refusals() {
    #expect(throws: MotionConfigurationError.noLabels) { try BehaviorModelInfo(name: "", labels: []) }
    #expect(throws: MotionConfigurationError.duplicateLabel("a")) {
      try BehaviorModelInfo(name: "", labels: ["a", "b", "a"])
    }
    #expect(throws: MotionConfigurationError.unknownTrainedClass("c")) {
      try BehaviorModelInfo(name: "", labels: ["a", "b"], trainedClasses: ["c"])
    }
    #expect(throws: MotionConfigurationError.windowLengthOutOfRange(0)) {
      try BehaviorModelInfo(name: "", windowLength: 0)
    }
    #expect(throws: MotionConfigurationError.invalidFrameRate(0)) {
      try BehaviorModelInfo(name: "", framesPerSecond: 0)
    }
  }
}

@Suite struct BehaviorClassifyingTests {
  @Test func batchesRunOneAfterTheOther() throws {
    let classifier = try ScriptedClassifier(labels: ["a", "b"], windowLength: 2) { [$0[0], $0[95]] }
    let windows = (0..<3 * 96).map { Float($0) }
    #expect(try classifier.probabilities(forWindows: windows, count: 3) == [0, 95, 96, 191, 192, 287])
    #expect(try classifier.probabilities(forWindows: [], count: 0).isEmpty)
  }

  @Test(arguments: [2, 4, -3, Int.max])
  func batchesOfAnotherSize(count: Int) throws {
    let classifier = try ScriptedClassifier(labels: ["a"], windowLength: 2) { _ in [1] }
    #expect(throws: MotionConfigurationError.self) {
      try classifier.probabilities(forWindows: [Float](repeating: 0, count: 288), count: count)
    }
  }
}

@Suite struct BehaviorSensitivityTests {
  @Test func aConstantModelIsFoundOut() throws {
    let report = try ScriptedClassifier(confidence: 0.996, label: 2).sensitivity(samples: 40)
    #expect(report.maximumChange == 0)
    #expect(report.predictedLabels == ["stand"])
    #expect(report.isConstant)
    #expect(report.samples == 40)
  }

  @Test func aModelThatLooksIsSeenTo() throws {
    // Uniform coordinates: over 200 poses nearly all of 0...1 is met.
    let classifier = try ScriptedClassifier(labels: ["low", "high"], windowLength: 5) { [1 - $0[0], $0[0]] }
    let report = try classifier.sensitivity(samples: 200, seed: 7)
    #expect(report.maximumChange > 0.9 && report.maximumChange < 1)
    #expect(report.predictedLabels == ["low", "high"])
    #expect(!report.isConstant)
  }

  @Test func posesAreStillAndInTheImage() throws {
    let classifier = try ScriptedClassifier(labels: ["a"], windowLength: 4) { window in
      for feature in 0..<48 {
        let row = window[feature * 4..<(feature + 1) * 4]
        #expect(Set(row).count == 1)
        #expect(row.allSatisfy { (0..<1).contains($0) })
      }
      return [1]
    }
    _ = try classifier.sensitivity(samples: 17)
  }

  @Test func theSameSeedGivesTheSameReport() throws {
    let classifier = try ScriptedClassifier(labels: ["a", "b"], windowLength: 3) { [$0[30], 1 - $0[30]] }
    #expect(try classifier.sensitivity(samples: 33, seed: 5) == classifier.sensitivity(samples: 33, seed: 5))
    #expect(
      try classifier.sensitivity(samples: 33, seed: 5).maximumChange
        != classifier.sensitivity(samples: 33, seed: 6).maximumChange)
  }

  @Test func tooFewSamples() throws {
    #expect(throws: MotionConfigurationError.invalidSampleCount(1)) {
      try ScriptedClassifier(confidence: 1).sensitivity(samples: 1)
    }
  }

  @Test(arguments: [Int.min, -1, .max])
  func impossibleNumbersOfWindowsAreSaid(count: Int) throws {
    let classifier = try ScriptedClassifier(confidence: 1)
    #expect(throws: MotionConfigurationError.invalidWindowCount(count)) {
      try classifier.probabilities(forWindows: [], count: count)
    }
    #expect(throws: MotionConfigurationError.wrongWindowSize(found: 0, expected: 4800)) {
      try classifier.probabilities(forWindows: [], count: 1)
    }
    #expect(try classifier.probabilities(forWindows: [], count: 0).isEmpty)
  }

  /// The first numbers of SplitMix64 from seed 0, as published with the generator.
  @Test func generator() {
    var generator = SplitMix64(seed: 0)
    #expect(
      [generator.next(), generator.next(), generator.next()]
        == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F])
  }
}
