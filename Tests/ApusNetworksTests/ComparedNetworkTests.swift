import Apus
import ApusFormats
import ApusGraph
import ApusNetworks
import ApusTestSupport
import Testing

/// Files that PyTorch exported, held against the same networks in Swift (Tests/Fixtures/generate/network_exports.py).
@Suite struct ComparedNetworkTests {
  private func resNet(_ weights: Weights? = nil) throws -> ComparedNetwork {
    try ComparedNetwork(
      ResNet<Float>.self, ResNet<Double>.self,
      weights: weights ?? Weights(path: fixture("networks/resnet.safetensors")))
  }

  private func report(
    _ file: String, _ network: ComparedNetwork, samples: Int = 2
  ) throws -> ModelComparisonReport {
    var comparison = try ModelComparison(ModelFile.open(fixture("networks/\(file)")), against: network)
    let input = try #require(comparison.report.pairing.inputs.first?.name)
    for sample in 0..<samples {
      let images = try Tensor<Float>(generatedImage: "image \(sample)", shape: [1, 3, 48, 64], cell: 8)
      try comparison.run([input: GraphValue(images)], named: "\(sample)")
    }
    return comparison.report
  }

  /// The exporter folded the normalisations, as the layers in Swift do; its names say nothing.
  @Test func exportWithFoldedNormalisationsIsEqual() throws {
    let report = try report("resnet.onnx", resNet())
    #expect(report.isEqual && report.isReferenceInFloat64)
    #expect(report.weights.count == report.pairing.weightCount)
    #expect(report.weights.allSatisfy { $0.comparison.isEqual })
    let output = try #require(report.pairing.values.last)
    #expect(output.name == "classes" && output.referenceName == "logits")
    let modules = Set(report.pairing.values.map(\.referenceName))
    #expect(modules.isSuperset(of: ["relu", "maxpool", "layer1.0", "layer2.0", "layer3.0", "layer4.0", "features"]))
    #expect(try #require(report.outputs.first?.referenceError.largest) < 1e-4)
  }

  /// A program of torch.export has the normalisations by themselves, and the parameters under their own names.
  @Test func programWithNormalisationsIsEqual() throws {
    let report = try report("resnet.pt2", resNet())
    #expect(report.isEqual)
    let kernels = report.weights.filter { $0.pair.referenceName.hasSuffix(".conv1.weight") }
    #expect(kernels.count == 4 && kernels.allSatisfy { $0.comparison.isEqual })
  }

  /// One file has the normalisations folded into its kernels, the other by themselves: no weight is called different.
  @Test func weightsWithAFoldedScaleAreNotAccused() throws {
    let model = try ModelFile.open(fixture("networks/resnet.onnx"))
    var comparison = try ModelComparison(model, against: ModelFile.open(fixture("networks/resnet.pt2")))
    let images = try Tensor<Float>(generatedImage: "image", shape: [1, 3, 48, 64], cell: 8)
    try comparison.run(["images": GraphValue(images)], named: "one")
    let weights = comparison.report.weights
    #expect(comparison.report.isEqual)
    #expect(weights.count { $0.isFolded } > 5)
    #expect(!weights.contains { $0.isDifferent })

    let wrong = try ModelFile.open(fixture("networks/transposed.onnx"))
    let report = try ModelComparison(wrong, against: ModelFile.open(fixture("networks/resnet.pt2"))).report
    #expect(report.weights.count { $0.isFolded } < weights.count { $0.isFolded })
  }

  /// The kernel of layer2.0.conv2 has height and width exchanged.
  @Test func nodeWithATransposedKernelIsFound() throws {
    let report = try report("transposed.onnx", resNet())
    #expect(!report.isEqual)
    let parity = try #require(report.firstDifferent?.parity)
    guard case .wrong(let first, _) = parity.verdict else {
      Issue.record("verdict \(parity.verdict)")
      return
    }
    let node = parity.nodes[first]
    #expect(
      ([node.name] + node.suspects).contains { $0.hasPrefix("/layer2/layer2.0/conv2/") },
      "\(node.name), \(node.suspects)"
    )
    #expect(!([node.name] + node.suspects).contains { $0.hasPrefix("/layer3/") })
    // Of all weights it alone has no counterpart, in no order of axes that the others have.
    #expect(report.pairing.unpairedWeights.count == 1 && report.weights.allSatisfy { $0.comparison.isEqual })
  }

  /// One element of one parameter of the network in Swift.
  @Test func parameterThatDiffersIsNamed() throws {
    let file = try SafetensorsFile(path: fixture("networks/resnet.safetensors"))
    var tensors: [String: AnyTensor] = [:]
    for name in file.tensorNames { tensors[name] = try file.anyTensor(named: name) }
    let bias: Tensor<Float> = try file.tensor(named: "fc.bias")
    var elements = try bias.elements
    elements[7] += 0.25
    tensors["fc.bias"] = AnyTensor(try Tensor(elements, shape: bias.shape))
    let report = try report("resnet.onnx", resNet(Weights(tensors)))
    let different = report.weights.filter { !$0.comparison.isEqual }
    #expect(different.map(\.pair.referenceName) == ["fc.bias"])
    #expect(different.first?.comparison.differences?.largestAbsolute?.index == [7])
    let parity = try #require(report.firstDifferent?.parity)
    guard case .wrong(let first, let count) = parity.verdict else {
      Issue.record("verdict \(parity.verdict)")
      return
    }
    #expect(count == 1 && "\(parity.nodes[first].operatorName)" == "Gemm")
  }

  /// The shipped weights, as they were exported where they were trained.
  @Test func behaviorClassifierIsItsExport() throws {
    let shippedModel = try #require(ShippedModel.all.first { $0.name == "behavior-classifier" })
    let (weights, metadata) = try shippedModel.parameters()
    let network = try ComparedNetwork(
      shippedModel.single, shippedModel.double, weights: weights, metadata: metadata)
    var comparison = try ModelComparison(
      ModelFile.open(shipped("behavior/shipped/behavior-classifier.onnx")), against: network)
    let golden = try shippedModel.goldenSamples()
    for name in golden.sampleNames.prefix(2) {
      let poses: Tensor<Float> = try golden.inputs(of: name).single()
      try comparison.run(["pose_sequence": GraphValue(poses)], named: name)
    }
    let report = comparison.report
    #expect(report.isEqual)
    let modules = Set(report.pairing.values.map(\.referenceName))
    #expect(modules.isSuperset(of: ["encoder.2", "encoder.5", "encoder.8", "fc_mu"]))
  }

  /// A network of texts, whose inputs but one may be left out, with weights made by a formula.
  @Test func programOfATextModelIsEqual() throws {
    let bert = try #require(ShippedModel.all.first { $0.name == "bert-sequence" })
    let (weights, metadata) = try bert.parameters()
    let network = try ComparedNetwork(bert.single, bert.double, weights: weights, metadata: metadata)
    var comparison = try ModelComparison(ModelFile.open(fixture("networks/bert.pt2")), against: network)
    #expect(comparison.report.pairing.inputs.map(\.referenceName) == ["input_ids"])
    let input = try #require(comparison.report.pairing.inputs.first?.name)
    let ids: Tensor<Int64> = try bert.goldenSamples().inputs(of: "sentences").tensor("input_ids")
    try comparison.run([input: GraphValue(ids)])
    #expect(comparison.report.isEqual)
    #expect(comparison.report.pairing.values.contains { $0.referenceName == "bert.encoder.layer.1" })
    #expect(comparison.report.weights.allSatisfy { $0.comparison.isEqual })
  }

  @Test func inputsThatTheNetworkDoesNotTakeAreRefused() throws {
    #expect(throws: GraphError.self) {
      try ModelComparison(ModelFile.open(shipped("behavior/shipped/behavior-classifier.onnx")), against: resNet())
    }
  }
}
