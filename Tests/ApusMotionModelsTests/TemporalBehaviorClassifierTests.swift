import Apus
import ApusMotion
import ApusMotionModels
import ApusNetworks
import ApusTestSupport
import Foundation
import Testing

@Suite struct TemporalBehaviorClassifierTests {
  /// Writes a file of the parameters, and reads the classifier from it.
  private func classifier(
    _ parameters: ClassifierParameters, metadata: [String: String]
  ) throws -> TemporalBehaviorClassifier {
    var writer = SafetensorsWriter(metadata: metadata)
    for name in parameters.list.keys.sorted() {
      let tensor: Tensor<Float> = try parameters.weights.tensor(name)
      try writer.add(tensor, named: name)
    }
    let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).safetensors")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(writer.bytes()).write(to: url)
    return try TemporalBehaviorClassifier(path: url.path(percentEncoded: false))
  }

  private var metadata: [String: String] {
    ["labels": "sit,stand", "window_length": "12", "configuration": #"{"pooling": "mean"}"#]
  }

  @Test(arguments: [3, 4, 0])
  func streamsRunIt(gates: Int) throws {
    let parameters =
      gates == 0
      ? tcnParameters(features: 48, classes: 2) : recurrentParameters(gates: gates, features: 48, classes: 2)
    let classifier = try classifier(parameters, metadata: metadata)
    #expect(classifier.labels == ["sit", "stand"])
    var options = BehaviorSettings()
    options.framesPerSecond = nil
    var stream = try BehaviorStream(classifier: classifier, settings: options)
    for frame in 0..<14 {
      let y = Double(frame) * 5
      let points = (0..<24).map { point in PosePoint(x: Double(point) * 3, y: y) }
      _ = try stream.push(PoseFrame(timestamp: Double(frame) / 10, width: 100, height: 100, points: points))
    }
    #expect(stream.predictionCount == 3)
    let windows: [Float] = (0..<2 * 48 * 12).map { Float($0 % 101) / 101 }
    let both = try classifier.probabilities(forWindows: windows, count: 2)
    #expect(both.count == 4)
    for (a, b) in zip(both, try classifier.probabilities(forWindow: Array(windows[..<576]))) {
      #expect(abs(a - b) < 1e-6)
    }
    #expect(throws: MotionConfigurationError.wrongWindowSize(found: 2, expected: 576)) {
      try classifier.probabilities(forWindow: [1, 2])
    }
    #expect(try classifier.probabilities(forWindows: [], count: 0).isEmpty)
  }

  @Test func aDescriptionThatDoesNotFitIsRefused() throws {
    let parameters = tcnParameters(features: 48, classes: 2)
    for (key, value) in [
      ("labels", "sit"), ("labels", "sit,sit"), ("window_length", "many"), ("window_length", "0"),
      ("configuration", "{"), ("configuration", #"{"pooling": "median"}"#),
    ] {
      #expect(throws: ModelFileError.self) {
        try classifier(parameters, metadata: metadata.merging([key: value]) { _, new in new })
      }
    }
    #expect(throws: ModelFileError.self) {
      try classifier(tcnParameters(features: 6, classes: 2), metadata: metadata)
    }
  }
}
