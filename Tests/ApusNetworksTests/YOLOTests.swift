import ApusTestSupport
import Testing

@testable import Apus
@testable import ApusNetworks

/// Weights of the golden files, which are made by a formula, and changes to them.
private struct Fixture {
  var tensors: [String: AnyTensor]
  var weights: Weights { Weights(tensors) }

  init(_ name: String) throws {
    let golden = try GoldenSamples(path: shipped("reference/golden/\(name).safetensors"))
    let generated = try #require(try golden.generatedWeights)
    tensors = try Dictionary(uniqueKeysWithValues: generated.names.map { ($0, try generated.anyTensor($0)) })
  }

  static func picture(_ batch: Int, _ height: Int, _ width: Int) throws -> Tensor<Float> {
    try Tensor(generatedImage: "test", shape: [batch, 3, height, width], cell: 8)
  }

  /// The message of the error that building throws.
  func refusal(_ configuration: YOLOConfiguration? = nil) throws -> String {
    "\(try #require(throws: (any Error).self) { try YOLO<Float>(weights, configuration: configuration) })"
  }
}

private let names = ["yolov8n", "yolov8n-pose", "yolov8s", "yolov5nu", "yolo11n"]

@Suite struct YOLOTests {
  @Test(arguments: names)
  func emptyBatchesGiveEmptyResults(name: String) throws {
    let network = try YOLO<Float>(Fixture(name).weights)
    let result = try network(Tensor(zeros: [0, 3, 64, 32]))
    #expect(result.shape == [0, network.configuration.outputCount, 32 + 8 + 2])
  }

  @Test(arguments: ["yolov8n-pose", "yolo11n"])
  func everyPictureOfABatchIsOnItsOwn(name: String) throws {
    let network = try YOLO<Float>(Fixture(name).weights)
    let pictures = try Fixture.picture(2, 64, 96)
    let together = try network(pictures)
    for index in 0..<2 {
      let alone = try network(pictures.sliced(axis: 0, from: index, to: index + 1))
      #expect(try together.sliced(axis: 0, from: index, to: index + 1).elements == alone.elements)
    }
  }

  @Test func threadsChangeNothing() throws {
    let network = try YOLO<Float>(Fixture("yolo11n").weights)
    let picture = try Fixture.picture(1, 96, 64)
    let results = try [1, 2, 5].map { threads in try Execution.with(threads: threads) { try network(picture).elements }
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test(arguments: [[1, 3, 40, 64], [1, 3, 64, 33], [1, 3, 0, 32], [1, 3, 32, 0]])
  func sizesThatDoNotFitTheStride(shape: [Int]) throws {
    let network = try YOLO<Float>(Fixture("yolov8n").weights)
    let error = try #require(throws: TensorError.self) { try network(Tensor(zeros: shape)) }
    #expect("\(error)".contains("\(shape[2]) high and \(shape[3]) wide") && "\(error)".contains("32"))
  }

  @Test(arguments: [[1, 4, 64, 64], [3, 64, 64], [1, 3, 64, 64, 1]])
  func shapesThatAreNoPictures(shape: [Int]) throws {
    let network = try YOLO<Float>(Fixture("yolov8n").weights)
    let error = try #require(throws: TensorError.self) { try network(Tensor(zeros: shape)) }
    #expect("\(error)".contains("\(shape)") && "\(error)".contains("[batch, 3, height, width]"))
  }

  @Test func nanWeightsGiveNaN() throws {
    var fixture = try Fixture("yolov8n")
    let name = "model.0.conv.weight"
    fixture.tensors[name] = AnyTensor(try Tensor<Float>(repeating: .nan, shape: [16, 3, 3, 3]))
    let result = try YOLO<Float>(fixture.weights)(Fixture.picture(1, 32, 64))
    #expect(try result.elements.allSatisfy(\.isNaN))
  }

  /// A copy between the layouts would cost more than some of the layers. The first layer, which reads three channels,
  /// is free to choose.
  @Test(arguments: names)
  func mapsStayChannelBlocked(name: String) throws {
    let network = try YOLO<Float>(Fixture(name).weights)
    let (maps, activations) = try Activations.recording { try network.maps(of: Fixture.picture(1, 64, 64)) }
    #expect(maps.boxes.allSatisfy { $0.layout == .channelBlocked })
    #expect(activations.names.count > 15)
    for name in activations.names where name != "model.0" {
      #expect(try activations[name]?.tensor(as: Float.self)?.layout == .channelBlocked, "\(name)")
    }
  }

  @Test(arguments: ["yolov8n", "yolo11n"])
  func normalisationsFoldedBefore(name: String) throws {
    var fixture = try Fixture(name)
    let picture = try Fixture.picture(1, 64, 32).converted(to: Double.self)
    let expected = try YOLO<Double>(fixture.weights)(picture)
    func wide(_ name: String) throws -> Tensor<Double> { try #require(fixture.tensors[name]).converted() }
    for name in fixture.tensors.keys where name.hasSuffix(".bn.running_var") {
      let (bn, conv) = (String(name.dropLast(12)), String(name.dropLast(14)) + "conv")
      let scale = try wide("\(bn).weight") / (wide("\(bn).running_var") + 1e-3).sqrt()
      let bias = try wide("\(bn).bias") - wide("\(bn).running_mean") * scale
      let weight = try wide("\(conv).weight") * scale.reshaped([scale.count, 1, 1, 1])
      for kind in ["weight", "bias", "running_mean", "running_var"] { fixture.tensors["\(bn).\(kind)"] = nil }
      fixture.tensors["\(conv).weight"] = AnyTensor(weight)
      fixture.tensors["\(conv).bias"] = AnyTensor(bias)
    }
    #expect(!fixture.tensors.keys.contains { $0.contains(".bn.") })
    let tolerance = Tolerance(relative: 1e-9, absolute: 1e-9)
    let result = try YOLO<Double>(fixture.weights)(picture)
    #expect(try Comparison(actual: result, expected: expected, tolerance: tolerance).isEqual)
  }

  @Test func aDistributionsBinsMayStandForOtherDistances() throws {
    var fixture = try Fixture("yolov8n")
    let picture = try Fixture.picture(1, 32, 32)
    let usual = try YOLO<Float>(fixture.weights)(picture)
    let doubled = try Tensor<Float>((0..<16).map { Float(2 * $0) }, shape: [1, 16, 1, 1])
    fixture.tensors["model.22.dfl.conv.weight"] = AnyTensor(doubled)
    let result = try YOLO<Float>(fixture.weights)(picture)
    let (size, twice) = (try usual.sliced(axis: 1, from: 2, to: 4) * 2, try result.sliced(axis: 1, from: 2, to: 4))
    #expect(try Comparison(actual: twice, expected: size).isEqual)
  }
}

@Suite struct YOLOConfigurationTests {
  @Test(arguments: names)
  func theNetworkIsToldFromTheWeights(name: String) throws {
    let golden = try GoldenSamples(path: shipped("reference/golden/\(name).safetensors"))
    let stated = try YOLOConfiguration(metadata: golden.metadata, file: golden.name)
    let weights = try #require(try golden.generatedWeights)
    #expect(try YOLOConfiguration(inferredFrom: weights) == stated)
  }

  @Test func contradictionsNameTheParameter() throws {
    let fixture = try Fixture("yolov8n")
    #expect(
      try fixture.refusal(YOLOConfiguration(generation: .v8, size: .n, classes: 3))
        .contains("model.22.cv3.0.0.conv.weight"))
    #expect(try fixture.refusal(YOLOConfiguration(generation: .v8, size: .s)).contains("model.0.conv.weight"))
    #expect(try fixture.refusal(YOLOConfiguration(generation: .v11, size: .n)).contains("model.2."))
    let poses = YOLOConfiguration.Keypoints(count: 17)
    #expect(
      try fixture.refusal(YOLOConfiguration(generation: .v8, size: .n, keypoints: poses)).contains("model.22.cv4.0."))
  }

  @Test func whatTheNetworkDoesNotHaveIsRefused() throws {
    let pose = try Fixture("yolov8n-pose")
    #expect(
      try pose.refusal(YOLOConfiguration(generation: .v8, size: .n, classes: 1)).contains("model.22.cv4.0.0.bn.bias"))
    var deeper = try Fixture("yolov8n")
    deeper.tensors["model.0.bn.num_batches_tracked"] = AnyTensor(try Tensor<Int64>([7], shape: []))
    _ = try YOLO<Float>(deeper.weights)
    deeper.tensors["model.2.m.1.cv1.conv.weight"] = AnyTensor(try Tensor<Float>(zeros: [16, 16, 3, 3]))
    #expect(try deeper.refusal().contains("model.2.m.1.cv1.conv.weight"))
  }

  @Test func weightsOfNoKnownNetwork() throws {
    var fixture = try Fixture("yolov8n")
    fixture.tensors["model.0.conv.weight"] = AnyTensor(try Tensor<Float>(zeros: [24, 3, 3, 3]))
    #expect(try fixture.refusal().contains("\"model.0.conv.weight\" has the shape [24, 3, 3, 3]"))
    fixture.tensors = fixture.tensors.filter { !$0.key.contains(".cv2.0.2.") }
    #expect(try fixture.refusal().contains("model.22.cv2.0.2.weight"))
    fixture.tensors = [:]
    #expect(try fixture.refusal().contains("known network"))
  }

  @Test func keypointsFromTheNumberOfOutputs() throws {
    var fixture = try Fixture("yolov8n-pose")
    func inferred(_ outputs: Int, _ dimensions: Int? = nil) throws -> YOLOConfiguration.Keypoints? {
      fixture.tensors["model.22.cv4.0.2.weight"] = AnyTensor(try Tensor<Float>(zeros: [outputs, 51, 1, 1]))
      return try YOLOConfiguration(inferredFrom: fixture.weights, keypointDimensions: dimensions).keypoints
    }
    #expect(try inferred(34) == .init(count: 17, dimensions: 2))
    #expect(try inferred(12) == .init(count: 4, dimensions: 3))
    #expect(try inferred(12, 2) == .init(count: 6, dimensions: 2))
    for (outputs, dimensions) in [(1, nil), (34, 3), (51, 2), (0, nil)] as [(Int, Int?)] {
      let error = try #require(throws: YOLOConfigurationError.self) { try inferred(outputs, dimensions) }
      #expect("\(error)".contains("model.22.cv4.0.2.weight"))
    }
  }

  @Test(arguments: [0, -1, .max])
  func numbersOutOfRange(number: Int) {
    #expect(throws: YOLOConfigurationError.self) {
      try YOLOConfiguration(generation: .v8, size: .n, classes: number)
    }
    for keypoints in [YOLOConfiguration.Keypoints(count: number), .init(count: 17, dimensions: number)] {
      #expect(throws: YOLOConfigurationError.self) {
        try YOLOConfiguration(generation: .v8, size: .n, keypoints: keypoints)
      }
    }
  }

  @Test(arguments: [
    "{", "{}", #"{"generation":"v8","size":"q","classes":80}"#, #"{"generation":"v8","size":"n","classes":-1}"#,
  ])
  func metadataThatCannotBeRead(json: String) {
    #expect(throws: ModelFileError.self) { try YOLOConfiguration(metadata: ["configuration": json], file: "file") }
  }
}

@Suite struct YOLODecodingTests {
  /// Certain distances, and every cell's box known.
  @Test func boxesAndKeypoints() throws {
    let configuration = try YOLOConfiguration(
      generation: .v8, size: .n, classes: 1, keypoints: .init(count: 1, dimensions: 2))
    let distances = [1, 2, 3, 4]
    var (boxes, scores, points): ([Tensor<Double>], [Tensor<Double>], [Tensor<Double>]) = ([], [], [])
    for size in [[4, 8], [2, 4], [1, 2]] {
      let bins: [Double] = distances.flatMap { distance in (0..<16).map { $0 == distance ? 1000.0 : 0.0 } }
      boxes.append(try Tensor(bins, shape: [1, 64, 1, 1]).expanded(to: [1, 64] + size))
      scores.append(try Tensor(zeros: [1, 1] + size))
      points.append(try Tensor([0.25, 0.5], shape: [1, 2, 1, 1]).expanded(to: [1, 2] + size))
    }
    let maps = YOLOMaps(
      boxes: boxes, scores: scores, keypoints: points, configuration: configuration,
      distances: try Tensor(range: 16).reshaped([16, 1]))
    let result = try maps.predictions()
    #expect(result.shape == [1, 7, 32 + 8 + 2])
    // Row 1, column 3 of the map with steps of 16 pixels.
    let anchor = 32 + 4 + 3
    let column: [Double] = try (0..<7).map { try result.element(0, $0, anchor) }
    // In cells: the centre (3.5, 1.5) moved by half of what right and lower sides are further away; twice the point, from the
    // corner (3, 1).
    let expected: [Double] = [72, 40, 64, 96, 0.5, 56, 32]
    #expect(column == expected)
  }
}
