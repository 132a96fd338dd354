import Apus
import ApusMotion
import ApusMotionModels
import ApusNetworks
import ApusTestSupport
import Testing

@Suite struct BehaviorModelTests {
  @Test func windowsAreChannelMajorAndBatchesKeepTheirOrder() throws {
    let classifier = try BehaviorModel(
      Weights(UntrainedParameters.tensors(network: 1)), info: BehaviorModelInfo(name: "untrained"))
    let windows: [Float] = (0..<2 * 4800).map { Float($0 % 613) / 613 }
    let both = try classifier.probabilities(forWindows: windows, count: 2)
    let first = try classifier.probabilities(forWindow: Array(windows[..<4800]))
    let second = try classifier.probabilities(forWindow: Array(windows[4800...]))
    #expect(both.count == 42)
    for (a, b) in zip(both, first + second) { #expect(abs(a - b) < 1e-6) }
    let direct = try classifier.network(Tensor<Float>(windows, shape: [2, 48, 100])).elements
    #expect(both == direct)
    #expect(try classifier.probabilities(forWindows: [], count: 0).isEmpty)
    #expect(throws: MotionConfigurationError.wrongWindowSize(found: 3, expected: 4800)) {
      try classifier.probabilities(forWindow: [1, 2, 3])
    }
    for count in [-2, .min, .max] {
      #expect(throws: MotionConfigurationError.invalidWindowCount(count)) {
        try classifier.probabilities(forWindows: windows, count: count)
      }
    }
  }

  @Test(arguments: [1, 99, 101, 65_536]) func aWindowThatTheNetworkDoesNotHaveIsRefused(length: Int) throws {
    let info = try BehaviorModelInfo(name: "untrained", windowLength: length)
    #expect(throws: MotionConfigurationError.wrongWindowSize(found: 48 * length, expected: 4800)) {
      try BehaviorModel(Weights(UntrainedParameters.tensors(network: 1)), info: info)
    }
  }

  private func shippedModel() throws -> BehaviorModel {
    try BehaviorModel(path: shipped(BehaviorClassifier<Float>.shippedFile))
  }

  @Test func theShippedModelSaysWhatItIs() throws {
    let info = try shippedModel().modelInfo
    #expect(info.name == "behavior-classifier")
    #expect(info.labels == DogBehavior.labels)
    #expect(info.windowLength == 100 && info.framesPerSecond == 10)
    #expect(info.trainedClasses.count == 17)
    #expect(info.untrainedClasses == ["stay", "drop", "wait", "leave_it"])
    #expect(info.trainingData?.contains("synthetic") == true)
  }

  @Test(arguments: [
    ["labels": "sit,sit"], ["separable_labels": "fly"], ["labels": "a,b", "separable_labels": "sit"],
    ["frames_per_second": "0"], ["frames_per_second": "fast"],
  ])
  func labelsThatCannotBeAreRefused(metadata: [String: String]) throws {
    var writer = SafetensorsWriter(metadata: metadata)
    for (name, tensor) in try UntrainedParameters.tensors(network: 1) { try writer.add(tensor, named: name) }
    let bytes = try writer.bytes()
    let file = try bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "odd") }
    let error = try #require(throws: ModelFileError.self) { try BehaviorModel(file) }
    #expect("\(error)".hasPrefix("odd: metadata: "))
  }

  @Test func weightsWithoutMetadataHaveTheUsualLabels() throws {
    var writer = SafetensorsWriter()
    for (name, tensor) in try UntrainedParameters.tensors(network: 1) { try writer.add(tensor, named: name) }
    let bytes = try writer.bytes()
    let file = try bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "plain") }
    let info = try BehaviorModel(file).modelInfo
    #expect(info.labels == DogBehavior.labels)
    #expect(info.trainingData == nil)
  }

  @Test func theShippedModelLooksAtItsInput() throws {
    let found = try shippedModel().sensitivity(samples: 64)
    #expect(!found.isConstant)
    #expect(found.maximumChange > 0.5)
  }
}
