import Apus
import ApusNetworks
import ApusTestSupport
import Testing

@Suite struct ImageClassifierTests {
  private static let architectures: [(parameters: ClassifierParameters, blocks: [Int], features: Int)] = [
    (.resNet(blocks: [2, 1, 1, 1]), [2, 1, 1, 1], 128),
    (.resNet(blocks: [1, 2, 1, 1], isBottleneck: true), [1, 2, 1, 1], 256),
    (.resNet(isBottleneck: true, groups: 4), [1, 1, 1, 1], 256),
  ]

  @Test(arguments: architectures.indices)
  func resNetsAreReadFromTheirWeights(index: Int) throws {
    let (parameters, blocks, features) = Self.architectures[index]
    let network = try ResNet<Float>(parameters.weights)
    #expect(network.blockCounts == blocks)
    #expect(network.featureCount == features)
    #expect(network.classCount == 5)
    let images: Tensor<Float> = try picture(2, 3, 40, 56)
    #expect(try network.features(images).shape == [2, features])
    let truth = try ResNet<Double>(parameters.weights)(images.converted()).elements
    for (found, expected) in zip(try network(images).elements, truth) { #expect(abs(Double(found) - expected) < 1e-4) }
  }

  @Test(arguments: [0.25, 0.75, 1.4])
  func mobileNetsAreReadFromTheirWeights(width: Double) throws {
    let parameters = ClassifierParameters.mobileNetV2(width: width)
    let network = try MobileNetV2<Float>(parameters.weights)
    #expect(network.featureCount == (width > 1 ? 1792 : 1280))
    let images: Tensor<Float> = try picture(1, 3, 48, 40)
    let logits = try network(images)
    #expect(logits.shape == [1, 5])
    let truth = try MobileNetV2<Double>(parameters.weights)(images.converted()).elements
    for (found, expected) in zip(try logits.elements, truth) { #expect(abs(Double(found) - expected) < 1e-4) }

    var stated = ImageClassifierConfiguration()
    stated.widthMultiple = width
    #expect(try MobileNetV2<Float>(parameters.weights, configuration: stated)(images).elements == logits.elements)
    stated.widthMultiple = 0.5
    let error = try #require(throws: WeightsError.self) {
      try MobileNetV2<Float>(parameters.weights, configuration: stated)
    }
    #expect("\(error)".contains("features."))
  }

  @Test func widthsRoundToMultiplesOfEight() {
    #expect([32, 16, 24, 96].map { MobileNetV2Width(1).channels($0) } == [32, 16, 24, 96])
    // 18 would lose more than a tenth at 16; 33.6 loses less at 32.
    #expect([24, 32].map { MobileNetV2Width(0.75).channels($0) } == [24, 24])
    #expect([16, 24].map { MobileNetV2Width(1.4).channels($0) } == [24, 32])
    #expect([16, 32].map { MobileNetV2Width(0.35).channels($0) } == [8, 16])
    #expect(MobileNetV2Width(0.5).lastChannels == 1280)
    #expect(MobileNetV2Width(1.4).lastChannels == 1792)
    for odd in [Double.nan, .infinity, -1, 0, 1e300] { #expect(MobileNetV2Width(odd).channels(32) > 0) }
    #expect(MobileNetV2Width(1).channels(32, multipleOf: 0) == 32)
  }

  @Test func picturesMayHaveAnySize() throws {
    let resNet = try ResNet<Float>(ClassifierParameters.resNet().weights)
    let mobileNet = try MobileNetV2<Float>(ClassifierParameters.mobileNetV2(width: 0.25).weights)
    for (height, width) in [(1, 1), (2, 7), (33, 32), (65, 17)] {
      #expect(try resNet(picture(1, 3, height, width)).shape == [1, 5])
      #expect(try mobileNet(picture(1, 3, height, width)).shape == [1, 5])
    }
  }

  @Test func batchesAreOnePictureAfterTheOther() throws {
    let network = try ResNet<Float>(ClassifierParameters.resNet(isBottleneck: true).weights)
    let images: Tensor<Float> = try picture(3, 3, 32, 32)
    let all = try network(images).elements
    for index in 0..<3 {
      let one = try network(images.sliced(axis: 0, from: index, to: index + 1)).elements
      for (a, b) in zip(one, all[(5 * index)...]) { #expect(abs(a - b) < 1e-5) }
    }
    #expect(try network(picture(0, 3, 32, 32)).shape == [0, 5])
    #expect(try network.features(picture(0, 3, 32, 32)).shape == [0, 256])
    #expect(
      try MobileNetV2<Float>(ClassifierParameters.mobileNetV2(width: 0.25).weights)(picture(0, 3, 8, 8)).shape
        == [0, 5])
  }

  @Test func otherShapesAreRefused() throws {
    let network = try ResNet<Float>(ClassifierParameters.resNet().weights)
    for shape in [[3, 32, 32], [1, 1, 32, 32], [1, 3, 0, 32], [1, 32, 32, 3]] {
      let error = try #require(throws: TensorError.self) { try network(Tensor(zeros: shape)) }
      #expect("\(error)".contains("\(shape)"))
      #expect("\(error)".contains("[batch, 3, height, width]"))
    }
    #expect(throws: TensorError.self) { try network.logits(features: Tensor(zeros: [1, 3])) }
  }

  @Test(arguments: ["conv1.weight", "layer2.0.downsample.0.weight", "layer3.0.bn2.running_var", "fc.weight"])
  func aMissingOrMisshapenParameterIsNamed(name: String) throws {
    var parameters = ClassifierParameters.resNet()
    parameters.list[name] = nil
    let missing = try #require(throws: WeightsError.self) { try ResNet<Float>(parameters.weights) }
    #expect("\(missing)".contains("\"\(name)\""))
    parameters.list[name] = GeneratedParameter(shape: [3, 5, 1], mean: 0, deviation: 1)
    let misshapen = try #require(throws: WeightsError.self) { try ResNet<Float>(parameters.weights) }
    #expect("\(misshapen)".contains("\"\(name)\""))
    #expect("\(misshapen)".contains("[3, 5, 1]"))
  }

  @Test func parametersOfAnotherNetworkAreRefused() throws {
    var parameters = ClassifierParameters.resNet()
    parameters.list["bn1.num_batches_tracked"] = GeneratedParameter(shape: [], mean: 0, deviation: 0)
    #expect(try ResNet<Float>(parameters.weights).classCount == 5)
    parameters.list["layer1.0.se.fc1.weight"] = GeneratedParameter(shape: [4, 16], mean: 0, deviation: 1)
    let error = try #require(throws: WeightsError.self) { try ResNet<Float>(parameters.weights) }
    #expect("\(error)".contains("\"layer1.0.se.fc1.weight\""))
    #expect(throws: WeightsError.self) { try MobileNetV2<Float>(parameters.weights) }
    #expect(throws: WeightsError.self) { try InceptionV3<Float>(parameters.weights) }
  }

  @Test func aConfigurationThatContradictsTheWeightsIsRefused() throws {
    let weights = ClassifierParameters.resNet(blocks: [2, 2, 2, 2]).weights
    let named = try ImageClassifierConfiguration(
      metadata: ["configuration": #"{"architecture": "resnet18", "classes": 5}"#], file: "w")
    #expect(try ResNet<Float>(weights, configuration: named).blockCounts == [2, 2, 2, 2])
    let other = try ImageClassifierConfiguration(
      metadata: ["configuration": #"{"architecture": "resnet50"}"#], file: "w")
    let error = try #require(throws: ModelFileError.self) { try ResNet<Float>(weights, configuration: other) }
    #expect("\(error)".contains("resnet50"))
    let classes = try ImageClassifierConfiguration(metadata: ["configuration": #"{"classes": 7}"#], file: "w")
    let miscounted = try #require(throws: WeightsError.self) { try ResNet<Float>(weights, configuration: classes) }
    #expect("\(miscounted)".contains("\"fc.weight\""))
    for json in ["{", "[]", #"{"classes": "five"}"#] {
      #expect(throws: ModelFileError.self) {
        try ImageClassifierConfiguration(metadata: ["configuration": json], file: "w")
      }
    }
  }

  @Test func whatIsNoNumberStaysNone() throws {
    var parameters = ClassifierParameters.resNet()
    parameters.list["conv1.weight"]?.mean = .nan
    let logits = try ResNet<Float>(parameters.weights)(picture(1, 3, 32, 32)).elements
    #expect(logits.allSatisfy { $0.isNaN })
  }
}
