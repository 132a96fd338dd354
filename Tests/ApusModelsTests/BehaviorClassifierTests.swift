import Apus
import ApusModels
import ApusMotion
import Testing

@Suite struct BehaviorClassifierTests {
  private func untrained(
    _ change: (inout [String: AnyTensor]) throws -> Void = { _ in }
  ) throws -> BehaviorClassifier<Float> {
    var tensors = try UntrainedParameters.tensors(network: 1)
    try change(&tensors)
    return try BehaviorClassifier(Weights(tensors, name: "network"), info: BehaviorModelInfo(name: "untrained"))
  }

  @Test func probabilitiesAreDistributions() throws {
    let classifier = try untrained()
    let poses = try Tensor<Float>((0..<2 * 4800).map { Float($0 % 131) / 131 }, shape: [2, 48, 100])
    let probabilities = try classifier(poses)
    #expect(probabilities.shape == [2, 21])
    let elements = try probabilities.elements
    #expect(elements.allSatisfy { $0 >= 0 && $0 <= 1 })
    for row in [elements[..<21], elements[21...]] {
      #expect(abs(row.reduce(0, +) - 1) < 1e-6)
    }
    #expect(try classifier.logits(poses).shape == [2, 21])
  }

  @Test(arguments: [[48, 100], [1, 48, 99], [1, 100, 48], [1, 47, 100], [1, 1, 48, 100], []])
  func posesOfAnotherShapeAreRefused(shape: [Int]) throws {
    let classifier = try untrained()
    let error = try #require(throws: TensorError.self) { try classifier(Tensor<Float>(zeros: shape)) }
    #expect("\(error)".contains("\(shape)"))
    #expect("\(error)".contains("[batch, 48, 100]"))
  }

  @Test func anEmptyBatchGivesAnEmptyResult() throws {
    #expect(try untrained()(Tensor<Float>(zeros: [0, 48, 100])).shape == [0, 21])
  }

  @Test(arguments: UntrainedParameters.shapes.map(\.name))
  func aMissingParameterIsNamed(name: String) throws {
    let error = try #require(throws: WeightsError.self) { try untrained { $0[name] = nil } }
    #expect("\(error)".contains("\"\(name)\""))
  }

  @Test(arguments: UntrainedParameters.shapes.map(\.name))
  func aMisshapenParameterIsNamedWithBothShapes(name: String) throws {
    let error = try #require(throws: WeightsError.self) {
      try untrained { $0[name] = AnyTensor(try Tensor<Float>(zeros: [3, 5])) }
    }
    let expected = try #require(UntrainedParameters.shapes.first { $0.name == name }?.shape)
    #expect("\(error)".contains("\"\(name)\""))
    #expect("\(error)".contains("[3, 5]"))
    #expect("\(error)".contains("\(expected)"))
  }

  @Test func anotherNumberOfLabelsNeedsAnotherLastLayer() throws {
    let info = try BehaviorModelInfo(name: "two", labels: ["sit", "stand"])
    let tensors = try UntrainedParameters.tensors(network: 1)
    #expect(throws: WeightsError.self) { try BehaviorClassifier<Float>(Weights(tensors), info: info) }
  }

  @Test func windowsAreChannelMajorAndBatchesKeepTheirOrder() throws {
    let classifier = try untrained()
    let windows = (0..<2 * 4800).map { Float($0 % 613) / 613 }
    let both = try classifier.probabilities(forWindows: windows, count: 2)
    let first = try classifier.probabilities(forWindow: Array(windows[..<4800]))
    let second = try classifier.probabilities(forWindow: Array(windows[4800...]))
    #expect(both.count == 42)
    for (a, b) in zip(both, first + second) { #expect(abs(a - b) < 1e-6) }
    let direct = try classifier(Tensor<Float>(windows, shape: [2, 48, 100])).elements
    #expect(both == direct)
    #expect(try classifier.probabilities(forWindows: [], count: 0).isEmpty)
    #expect(throws: TensorError.self) { try classifier.probabilities(forWindow: [1, 2, 3]) }
    #expect(throws: TensorError.self) { try classifier.probabilities(forWindows: windows, count: -2) }
  }

  private func shippedClassifier() throws -> BehaviorClassifier<Float> {
    try BehaviorClassifier(path: shipped(BehaviorClassifier<Float>.fileName))
  }

  @Test func theShippedModelSaysWhatItIs() throws {
    let info = try shippedClassifier().modelInfo
    #expect(info.name == "behavior-classifier")
    #expect(info.labels == DogBehavior.labels)
    #expect(info.windowLength == 100)
    #expect(info.trainedClasses.count == 17)
    #expect(info.untrainedClasses == ["stay", "drop", "wait", "leave_it"])
    #expect(info.trainingData?.contains("synthetic") == true)
  }

  @Test(arguments: [
    ["labels": "sit,sit"], ["separable_labels": "fly"], ["labels": "a,b", "separable_labels": "sit"],
  ])
  func labelsThatCannotBeAreRefused(metadata: [String: String]) throws {
    var writer = SafetensorsWriter(metadata: metadata)
    for (name, tensor) in try UntrainedParameters.tensors(network: 1) { try writer.add(tensor, named: name) }
    let bytes = try writer.bytes()
    let file = try bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "odd") }
    let error = try #require(throws: ModelFileError.self) { try BehaviorClassifier<Float>(file) }
    #expect("\(error)".hasPrefix("odd: metadata: "))
  }

  @Test func weightsWithoutMetadataHaveTheUsualLabels() throws {
    var writer = SafetensorsWriter()
    for (name, tensor) in try UntrainedParameters.tensors(network: 1) { try writer.add(tensor, named: name) }
    let bytes = try writer.bytes()
    let file = try bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "plain") }
    let info = try BehaviorClassifier<Float>(file).modelInfo
    #expect(info.labels == DogBehavior.labels)
    #expect(info.trainingData == nil)
  }

  @Test func theShippedModelLooksAtItsInput() throws {
    let found = try shippedClassifier().sensitivity(samples: 64)
    #expect(!found.isConstant)
    #expect(found.maximumChange > 0.5)
  }

  @Test func modelsAreFoundByName() throws {
    #expect(Set(ShippedModel.all.map(\.name)).count == ShippedModel.all.count)
    let model = try #require(ShippedModel.all.first { $0.name == "behavior-classifier" })
    let results = try model.verify(
      weights: shipped(#require(model.weights)), golden: shipped(model.golden),
      tolerance: { $0 == .float64 ? .exact : $1 })
    #expect(results.map { "\($0.output) \($0.dataType)" }.sorted() == [
      "logits float32", "logits float64", "probabilities float32", "probabilities float64",
    ])
    #expect(results.filter { $0.dataType == .float32 }.allSatisfy { $0.isEqual && $0.peerError != nil })
    // No float64 result is the truth bit for bit, so an exact comparison must say that they differ.
    #expect(results.contains { $0.dataType == .float64 && !$0.isEqual && $0.peerError == nil })
  }
}
