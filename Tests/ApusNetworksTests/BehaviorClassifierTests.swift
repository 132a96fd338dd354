import Apus
import ApusNetworks
import ApusTestSupport
import Testing

@Suite struct BehaviorClassifierTests {
  private func untrained(
    _ change: (inout [String: AnyTensor]) throws -> Void = { _ in }
  ) throws -> BehaviorClassifier<Float> {
    var tensors = try UntrainedParameters.tensors(network: 1)
    try change(&tensors)
    return try BehaviorClassifier(Weights(tensors, name: "network"))
  }

  @Test func probabilitiesAreDistributions() throws {
    let classifier = try untrained()
    let numbers = (0..<2 * 4800).map { index in Float(index % 131) / 131 }
    let poses = try Tensor(numbers, shape: [2, 48, 100])
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
    let tensors = try UntrainedParameters.tensors(network: 1)
    #expect(throws: WeightsError.self) { try BehaviorClassifier<Float>(Weights(tensors), labelCount: 2) }
  }

  @Test func modelsAreFoundByName() throws {
    #expect(Set(ShippedModel.all.map(\.name)).count == ShippedModel.all.count)
    let model = try #require(ShippedModel.all.first { $0.name == "behavior-classifier" })
    let results = try model.verify(
      weights: shipped(#require(model.weights)), golden: shipped(model.golden),
      tolerance: { $0 == .float64 ? .exact : $1 })
    #expect(
      results.map { "\($0.output) \($0.dataType)" }.sorted() == [
        "logits float32", "logits float64", "probabilities float32", "probabilities float64",
      ])
    #expect(results.filter { $0.dataType == .float32 }.allSatisfy { $0.isEqual && $0.peerError != nil })
    // No float32 result equals the float64 one bit for bit, so an exact comparison must say that they differ.
    #expect(results.contains { $0.dataType == .float64 && !$0.isEqual && $0.peerError == nil })
  }
}
