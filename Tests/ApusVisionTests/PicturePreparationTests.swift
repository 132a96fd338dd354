import Apus
import ApusGraph
import ApusMedia
import ApusONNX
import ApusTestSupport
import Testing

@testable import ApusVision

/// How a picture becomes a model's input is found wherever it is written.
@Suite struct PicturePreparationTests {
  /// A classifier that ends as all do, and begins with `nodes`, of which the last gives `scaled`.
  static func classifier(
    _ nodes: [NodeProto] = [], constants: [(String, [Float])] = [], metadata: [(String, String)] = [],
    classes: Int = 120, side: Int = 32
  ) throws -> ModelProto {
    let last = nodes.isEmpty ? "image" : "scaled"
    let all =
      nodes + [
        NodeProto(name: "pool", opType: "GlobalAveragePool", inputs: [last], outputs: ["pooled"]),
        NodeProto(name: "flat", opType: "Flatten", inputs: ["pooled"], outputs: ["features"]),
        NodeProto(name: "head", opType: "MatMul", inputs: ["features", "weight"], outputs: ["classes"]),
      ]
    var initializers = try constants.map { name, values in
      try TensorProto(name: name, value: GraphValue(Tensor(values, shape: values.count == 3 ? [3, 1, 1] : [])))
    }
    initializers.append(try TensorProto(name: "weight", value: GraphValue(Tensor<Float>(zeros: [3, classes]))))
    var model = ModelProto(
      producerName: "tests", opsetImports: [OperatorSetID(version: 18)],
      graph: GraphProto(
        name: "graph", nodes: all, initializers: initializers,
        inputs: [
          ValueInfoProto(name: "image", type: .tensor(.float, [.size(1), .size(3), .size(side), .size(side)]))
        ], outputs: [ValueInfoProto(name: "classes", type: .tensor(.float, [.size(1), .size(classes)]))]))
    model.metadata = metadata.map { StringStringEntry(key: $0.0, value: $0.1) }
    return model
  }

  private func preparation(
    of model: ModelProto, beside files: [String: String] = [:], options: PictureClassifier.Options = .init()
  ) throws -> PicturePreparation {
    let folder = try TemporaryFolder()
    let path = try folder.write(model.encode(), to: "model.onnx")
    for (name, text) in files { _ = try folder.write(Array(text.utf8), to: name) }
    return try BreedClassifier(path: path, options: options).preparation
  }

  @Test func aSilentModelIsAssumedToWantImageNet() throws {
    let found = try preparation(of: Self.classifier())
    #expect(found.isAssumed)
    #expect(found.input.normalization == .imageNet)
  }

  /// Of seven numbers an end-to-end detector makes a box.
  @Test(arguments: [7, 120]) func classifiersAreFedAsSuch(classes: Int) throws {
    let model = try ONNXModel(Self.classifier(classes: classes))
    let silent = try #require(try PictureFeed(model, file: "/nowhere/model.onnx"))
    #expect(silent.detector == nil && silent.preparation.isAssumed && silent.preparation.input.fit == .centerCrop)
    var stated = PictureStatement(normalization: .bytes)
    (stated.order, stated.fit) = (.bgr, .stretch)
    let found = try #require(try PictureFeed(model, file: "/nowhere/model.onnx", stated: stated)).preparation
    #expect(found.origin == .stated && found.input.normalization == .bytes)
    #expect(found.input.order == .bgr && found.input.fit == .stretch)
    #expect(throws: PictureModelError.self) {
      try PictureFeed(model, file: "/nowhere/model.onnx", stated: PictureStatement(width: 31, height: 32))
    }
    #expect(throws: DetectorError.self) { try PictureFeed(model, file: "/nowhere/model.onnx", layout: .v8) }
  }

  @Test func ultralyticsClassifiersTakeZeroToOne() throws {
    let metadata = [("author", "Ultralytics"), ("task", "classify"), ("imgsz", "[32, 32]"), ("names", "{0: 'a'}")]
    let found = try preparation(of: Self.classifier(metadata: metadata))
    #expect(found.input.normalization == .unit)
    #expect(found.input.fit == .centerCrop)
    #expect(found.origin == .metadata("Ultralytics, classify"))
  }

  @Test(
    "the standard's entries",
    arguments: [
      ("NominalRange_0_255", ImageNormalization.bytes), ("Normalized_0_1", .unit), ("Normalized_1_1", .signed),
      ("NominalRange_16_235", ImageNormalization(divisor: 255.0 / 219, mean: [-16, -16, -16])),
    ])
  func imageEntriesAreHeeded(range: String, expected: ImageNormalization) throws {
    let metadata = [("Image.NominalPixelRange", range), ("Image.BitmapPixelFormat", "Bgr8")]
    let found = try preparation(of: Self.classifier(metadata: metadata))
    #expect(found.input.normalization == expected)
    #expect(found.input.order == .bgr)
    #expect(!found.isAssumed)
  }

  static func node(_ type: String, _ inputs: [String], _ output: String) -> NodeProto {
    NodeProto(name: type + output, opType: type, inputs: inputs, outputs: [output])
  }

  @Test func aGraphThatNormalizesBytesTakesBytes() throws {
    // Keras: x / 127.5 − 1.
    let keras = try preparation(
      of: Self.classifier(
        [Self.node("Mul", ["image", "f"], "a"), Self.node("Sub", ["a", "one"], "scaled")],
        constants: [("f", [Float(1) / 127.5]), ("one", [1])]))
    #expect(keras.input.normalization == .bytes)
    #expect(keras.origin == .graph("Mul, Sub"))
    // Caffe: the means of blue, green and red subtracted.
    let caffe = try preparation(
      of: Self.classifier(
        [Self.node("Sub", ["image", "m"], "scaled")], constants: [("m", [103.939, 116.779, 123.68])]))
    #expect(caffe.input.normalization == .bytes)
    #expect(caffe.input.order == .bgr)
    let divided = try preparation(
      of: Self.classifier([Self.node("Div", ["image", "f"], "scaled")], constants: [("f", [255])]))
    #expect(divided.input.normalization == .bytes)
  }

  @Test func aGraphThatNormalizesFractionsTakesFractions() throws {
    let torch = try preparation(
      of: Self.classifier(
        [Self.node("Sub", ["image", "m"], "a"), Self.node("Div", ["a", "d"], "scaled")],
        constants: [("m", [0.485, 0.456, 0.406]), ("d", [0.229, 0.224, 0.225])]))
    #expect(torch.input.normalization == .unit)
    #expect(torch.input.order == .rgb)
    let batch = Self.node("BatchNormalization", ["image", "s", "b", "m", "v"], "scaled")
    let vector = { (name: String, values: [Float]) in
      try TensorProto(name: name, value: GraphValue(Tensor(values)))
    }
    var model = try Self.classifier([batch])
    model.graph.initializers += [
      try vector("s", [1, 1, 1]), try vector("b", [0, 0, 0]), try vector("m", [120, 115, 100]),
      try vector("v", [4000, 4000, 4000]),
    ]
    #expect(try preparation(of: model).input.normalization == .bytes)
  }

  @Test func aGraphThatSaysNothingIsNotBelieved() throws {
    // Numbers around zero may have been anything before.
    let scaled = try preparation(
      of: Self.classifier([Self.node("Mul", ["image", "f"], "scaled")], constants: [("f", [0.5])]))
    #expect(scaled.isAssumed)
  }

  @Test func aConfigurationBesideTheModelIsRead() throws {
    let vit = """
      {"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
       "resample": 2, "size": {"height": 224, "width": 224}, "image_processor_type": "ViTImageProcessor"}
      """
    let stretched = try preparation(of: Self.classifier(), beside: ["preprocessor_config.json": vit])
    #expect(stretched.input.normalization == .signed)
    #expect(stretched.input.fit == .stretch)
    #expect(stretched.origin == .configuration("preprocessor_config.json"))
    let clip = """
      {"crop_size": 224, "do_center_crop": true, "image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.3, 0.4],
       "resample": 3, "size": 256}
      """
    let cut = try preparation(of: Self.classifier(), beside: ["preprocessor_config.json": clip]).input
    #expect(cut.normalization == ImageNormalization(mean: [0.4, 0.5, 0.6], deviation: [0.2, 0.3, 0.4]))
    #expect((cut.fit, cut.cropFraction, cut.filter) == (.centerCrop, 0.875, .antialiasedBicubic))
    let timm = """
      {"architecture": "resnet18", "pretrained_cfg": {"input_size": [3, 224, 224], "crop_pct": 0.95,
       "interpolation": "bicubic", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "classifier": "fc"}}
      """
    let other = try preparation(of: Self.classifier(), beside: ["config.json": timm])
    #expect(other.input.normalization == .signed)
    #expect(other.input.cropFraction == 0.95)
    // A text model's configuration says nothing of pictures.
    #expect(try preparation(of: Self.classifier(), beside: ["config.json": #"{"model_type": "bert"}"#]).isAssumed)
  }

  /// What transformers' image processors and timm's transforms make of a picture (`generate/picture_configurations.py`).
  @Test(arguments: try configurationNames())
  func configurationsMeanWhatTheirAuthorsMean(name: String) throws {
    let file = try Self.configurations()
    let text = try #require(file.metadata[name])
    let expected = try file.tensor(named: name, as: Float.self)
    let picture = try file.tensor(named: "picture", as: UInt8.self)
    let image = try Image<UInt8>(
      width: picture.shape[1], height: picture.shape[0], color: .rgb, samples: picture.elements)
    let side = try #require(file.metadata[name + ".side"].flatMap { Int($0) })
    let found = try preparation(
      of: Self.classifier(side: side),
      beside: [name.hasPrefix("timm") ? "config.json" : "preprocessor_config.json": text])
    #expect(found.unheeded == [] && !found.isAssumed)
    let pixels = try found.input.tensor(image).elements
    // A level or two, for Pillow resamples bytes in an order that depends on the picture.
    let tolerance = 2.01 / (255 * (found.input.normalization.deviation.min() ?? 1))
    let (count, step) = (expected.shape[2], side / 8)
    for (place, value) in try expected.elements.enumerated() {
      let (channel, row, column) = (place / (count * count), place / count % count * step, place % count * step)
      let pixel = pixels[(channel * side + row) * side + column]
      #expect(abs(pixel - value) < tolerance, "\(channel), \(row), \(column): \(pixel), and \(value)")
    }
  }

  private static func configurations() throws -> SafetensorsFile {
    try SafetensorsFile(path: fixture("picture_configurations.safetensors"))
  }

  private static func configurationNames() throws -> [String] {
    try configurations().tensorNames.filter { $0 != "picture" }.sorted()
  }

  @Test(
    "keys that change pixels and are not heeded are named",
    arguments: [
      (#""do_pad": true"#, ["do_pad"]), (#""do_pad": false, "size_divisor": null"#, []),
      (#""size_divisor": 32"#, ["size_divisor"]), (#""resample": 5"#, ["resample 5"]),
      (#""image_processor_type": "DonutImageProcessor""#, ["image_processor_type DonutImageProcessor"]),
      (#""size": {"longest_edge": 32}"#, ["size"]), (#""size": {"shortest_edge": 32, "longest_edge": 64}"#, ["size"]),
      (#""do_resize": false, "size": {"longest_edge": 32}"#, []),
    ])
  func operationsThatAreNotDoneAreNamed(keys: String, expected: [String]) throws {
    let text = #"{"image_mean": [0, 0, 0], \#(keys)}"#
    let found = try preparation(of: Self.classifier(), beside: ["preprocessor_config.json": text])
    #expect(found.unheeded == expected)
    #expect((found.doubt == nil) == expected.isEmpty)
    // Whoever says what becomes of a picture does not need it said.
    let folder = try TemporaryFolder()
    let path = try folder.write(try Self.classifier().encode(), to: "model.onnx")
    _ = try folder.write(Array(text.utf8), to: "preprocessor_config.json")
    var stated = PictureStatement()
    stated.fit = .stretch
    let feed = try #require(try PictureFeed(ONNXModel(path: path), file: path, stated: stated))
    #expect(feed.preparation.unheeded == [])
  }

  @Test func numbersThatAreMissingAreAssumed() throws {
    let text = #"{"image_processor_type": "ViTImageProcessor", "do_normalize": true, "size": 32}"#
    #expect(try preparation(of: Self.classifier(), beside: ["preprocessor_config.json": text]).isAssumed)
  }

  @Test(arguments: [#"{"crop_mode": "border"}"#, #"{"crop_pct": 1.5}"#])
  func otherFramesOfTIMMAreRefused(keys: String) throws {
    #expect(throws: PictureModelError.self) {
      try preparation(of: Self.classifier(), beside: ["config.json": #"{"pretrained_cfg": \#(keys)}"#])
    }
  }

  @Test(
    "a configuration that cannot be read is no silence",
    arguments: [
      "{", #"{"image_mean": [1, 2], "image_std": [1, 1, 1]}"#, #"{"image_mean": [0, 0, 0], "image_std": [0, 1, 1]}"#,
      #"{"image_mean": [0, 0, 0], "rescale_factor": 0}"#,
      #"{"image_mean": [0, 0, 0], "size": {"width": 99999999, "height": 1}}"#,
      #"{"image_mean": [0, 0, 0], "size": 32, "crop_pct": 0}"#,
      #"{"image_mean": [0, 0, 0], "size": 32, "crop_pct": -1}"#,
      #"{"image_mean": [0, 0, 0], "do_center_crop": true, "size": {"width": 40, "height": 30}, "crop_size": 20}"#,
      #"{"image_mean": [0, 0, 0], "do_center_crop": true, "size": {"width": 30, "height": 30}, "crop_size": 40}"#,
    ])
  func brokenConfigurationsAreErrors(text: String) throws {
    #expect(throws: PictureModelError.self) {
      try preparation(of: Self.classifier(), beside: ["preprocessor_config.json": text])
    }
  }

  @Test func theCallerKnowsBest() throws {
    var options = PictureClassifier.Options()
    options.normalization = .signed
    let found = try preparation(
      of: Self.classifier(metadata: [("author", "Ultralytics"), ("task", "classify")]), options: options)
    #expect(found.origin == .stated)
    #expect(found.input.normalization == .signed)
  }

  @Test func aFlatAnswerIsDoubted() throws {
    let flat = try BreedPrediction(classes: [Float](repeating: 0, count: 1000))
    #expect(flat.isFlat)
    var classes = [Float](repeating: 0, count: 1000)
    classes[207] = 20
    #expect(try !BreedPrediction(classes: classes).isFlat)
  }

  @Test func aShareOfTheMiddleIsCut() throws {
    var input = ImageInput(width: 224, height: 224, fit: .centerCrop, filter: .antialiasedBicubic)
    input.cropFraction = 0.875
    // 256 of 256 rows become 224: the part around the middle.
    #expect(try input.visibleBox(imageWidth: 512, imageHeight: 256) == PixelBox(x0: 144, y0: 16, x1: 368, y1: 240))
  }
}
