import Testing

@testable import ApusVision

@Suite struct DetectionFormatTests {
  /// What is recognised of outputs for an input of 640 × 640, which has 8400 cells.
  private func recognized(
    _ shapes: [Int]..., metadata: [String: String] = [:], hasExponential: Bool = false, stated: DetectionLayout? = nil,
    isRotated: Bool? = nil
  ) throws -> DetectionFormat {
    let outputs = DetectorOutputs(
      outputs: shapes.enumerated().map { ("output\($0)", $1) }, inputWidth: 640, inputHeight: 640,
      metadata: try DetectorMetadata(metadata), hasExponential: hasExponential, isRotated: isRotated)
    return try DetectionFormat.recognized(outputs, stated: stated).format
  }

  private let two = ["names": "{0: 'plate', 1: \"lifter's bar\"}"]

  @Test func layoutsAreToldByTheirShapes() throws {
    #expect(try recognized([1, 84, 8400]) == DetectionFormat(layout: .v8, classCount: 80))
    #expect(try recognized([1, 25200, 85]) == DetectionFormat(layout: .v5, classCount: 80))
    #expect(try recognized([1, 8400, 85]) == DetectionFormat(layout: .yolox, classCount: 80))
    #expect(try recognized([1, 8400, 85], hasExponential: true).layout == .yoloxDecoded)
    #expect(try recognized([1, 300, 6]) == DetectionFormat(layout: .endToEnd, classCount: nil))
    #expect(try recognized([17, 7]) == DetectionFormat(layout: .endToEndBatch, classCount: nil))
    // Four steps, 8 to 64 pixels.
    #expect(try recognized([1, 84, 8500]).layout == .v8)
    // Beside maps that are not read.
    #expect(try recognized([1, 3, 80, 80, 85], [1, 25200, 85]).layout == .v5)
  }

  @Test func metadataDecideBetweenRowsAndColumns() throws {
    #expect(try recognized([1, 8400, 6], metadata: two) == DetectionFormat(layout: .v8Transposed, classCount: 2))
    #expect(try recognized([1, 8400, 7], metadata: two) == DetectionFormat(layout: .yolox, classCount: 2))
  }

  @Test func posesAndMasksTakeTheirShareOfTheNumbers() throws {
    let pose = try recognized(
      [1, 56, 8400], metadata: ["names": "['person']", "kpt_shape": "[17, 3]", "task": "pose"])
    #expect(pose == DetectionFormat(layout: .v8, classCount: 1, keypoints: .init(count: 17, dimensions: 3)))
    let masks = try recognized([1, 38, 8400], [1, 32, 160, 160], metadata: two.merging(["task": "segment"]) { $1 })
    var expected = DetectionFormat(layout: .v8, classCount: 2)
    expected.maskCoefficients = 32
    #expect(masks == expected)
    // Without the metadata the prototypes show it; without the prototypes there are boxes alone.
    #expect(try recognized([1, 38, 8400], [1, 32, 160, 160]) == expected)
    #expect(try recognized([1, 38, 8400], metadata: two.merging(["task": "segment"]) { $1 }).maskCoefficients == 0)
    #expect(try recognized([1, 25200, 117], [1, 32, 160, 160]).classCount == 80)
    #expect(try recognized([1, 300, 38], [1, 32, 160, 160]).layout == .endToEnd)
    // Maps that are no prototypes: three of them, another size, of a network without masks.
    #expect(try recognized([1, 84, 8400], [1, 32, 80, 80], [1, 32, 40, 40]).classCount == 80)
    #expect(try recognized([1, 84, 8400], [1, 32, 100, 90]).classCount == 80)
    #expect(try recognized([1, 84, 8400], [1, 80, 160, 160]) == DetectionFormat(layout: .v8, classCount: 80))
  }

  @Test func turnedBoxesHaveANumberMore() throws {
    let metadata = two.merging(["task": "obb"]) { $1 }
    let turned = try recognized([1, 7, 8400], metadata: metadata)
    #expect(turned.isRotated && turned.layout == .v8 && turned.classCount == 2)
    #expect(try recognized([1, 300, 7], metadata: metadata).layout == .endToEnd)
    #expect(try recognized([1, 8400, 7], metadata: metadata).layout == .v8Transposed)
    #expect(try recognized([1, 20, 8400], isRotated: true).classCount == 15)
    #expect(try !recognized([1, 20, 8400]).isRotated)
    #expect(throws: DetectorError.self) { try recognized([1, 6, 8400], metadata: metadata) }
  }

  @Test func boxesAndScoresAreTwoOutputs() throws {
    func recognized(
      _ outputs: [(name: String, shape: [Int])], _ metadata: [String: String] = [:], stated: DetectionLayout? = nil
    ) throws -> (format: DetectionFormat, outputs: [String]) {
      try DetectionFormat.recognized(
        DetectorOutputs(
          outputs: outputs, inputWidth: 640, inputHeight: 640, metadata: try DetectorMetadata(metadata),
          hasExponential: false), stated: stated)
    }
    // As many boxes as were found in a picture of nothing; seven classes are not the columns of another layout.
    let found = try recognized([("confidence", [0, 7]), ("coordinates", [0, 4])])
    #expect(found.format == DetectionFormat(layout: .boxesAndScores, classCount: 7))
    #expect(found.outputs == ["coordinates", "confidence"])
    #expect(
      try recognized([("raw_confidence", [9, 4]), ("raw_coordinates", [9, 4])]).outputs[0] == "raw_coordinates")
    // Other names may mean other boxes.
    let nameless: [(name: String, shape: [Int])] = [("a", [9, 2]), ("b", [9, 4])]
    #expect(throws: DetectorError.self) { try recognized(nameless) }
    #expect(try recognized(nameless, stated: .boxesAndScores).outputs == ["b", "a"])
    #expect(throws: DetectorError.self) {
      try recognized([("confidence", [9, 3]), ("coordinates", [9, 4])], two)
    }
    #expect(throws: DetectorError.self) { try recognized([("confidence", [9, 3]), ("coordinates", [8, 4])]) }
  }

  @Test func whatFitsNothingIsRefused() {
    for shape in [[1, 8400], [1, 84, 8399], [2, 84, 8400], [1, 4, 8400], [8400], [1, 8400, 5]] {
      #expect(throws: DetectorError.self) { try recognized(shape) }
    }
    // The names say two classes, the shape 80.
    #expect(throws: DetectorError.self) { try recognized([1, 84, 8400], metadata: two) }
    // Two outputs that could both be it.
    #expect(throws: DetectorError.self) { try recognized([1, 84, 8400], [1, 25200, 85]) }
  }

  @Test func aStatedLayoutIsHeldToTheShapes() throws {
    #expect(try recognized([1, 8400, 85], stated: .v8Transposed).classCount == 81)
    #expect(try recognized([1, 8400, 85], stated: .yoloxDecoded).layout == .yoloxDecoded)
    #expect(throws: DetectorError.self) { try recognized([1, 84, 8400], stated: .v5) }
  }

  @Test func metadataAreReadAsPythonAndAsJSON() throws {
    let python = try DetectorMetadata([
      "names": "{1: 'it\\'s', 0: \"a, b\"}", "imgsz": "[480, 640]", "kpt_shape": "(4, 2)", "task": "pose",
    ])
    #expect(python.names == ["a, b", "it's"])
    #expect((python.imageHeight, python.imageWidth) == (480, 640))
    #expect(python.keypoints == .init(count: 4, dimensions: 2))
    let json = try DetectorMetadata(["names": #"{"0": "x", "1": "y"}"#, "imgsz": "320"])
    #expect(json.names == ["x", "y"])
    #expect((json.imageHeight, json.imageWidth) == (320, 320))
  }

  /// As Python's `repr` and `json.dumps` write the same names.
  @Test(arguments: [
    #"{0: 'Hündin', 1: 'café\xa0x', 2: 'a"b\'c\\d', 3: '😀\x07\u200b\U000e0001', 4: 't\tn\nr\rq'}"#,
    #"{"0": "H\u00fcndin", "1": "caf\u00e9\u00a0x", "2": "a\"b'c\\d", "3": "\ud83d\ude00\u0007\u200b\udb40\udc01", "#
      + #""4": "t\tn\nr\rq"}"#,
  ])
  func namesHaveTheCharactersThatEscapesMean(names: String) throws {
    #expect(
      try DetectorMetadata(["names": names]).names == [
        "H\u{fc}ndin", "caf\u{e9}\u{a0}x", #"a"b'c\d"#, "\u{1F600}\u{7}\u{200b}\u{E0001}", "t\tn\nr\rq",
      ])
  }

  @Test(arguments: [
    #"\"#, #"\d"#, #"\x"#, #"\x4"#, #"\x4g"#, #"\u12"#, #"\ud83d"#, #"\ud83d\u0041"#, #"\ude00"#, #"\U0011ffff"#,
    #"\U0000d83d"#, #"\U1F600"#,
  ])
  func escapesThatMeanNoCharacterAreRefused(escape: String) {
    for names in ["['a\(escape)']", "{0: \"\(escape)\"}", "['\(escape)"] {
      #expect(throws: DetectorError.self, "\(names)") { try DetectorMetadata(["names": names]) }
    }
  }

  @Test(arguments: [
    ("names", "{0: 'a', 2: 'b'}"), ("names", "{0: 'a', 0: 'b'}"), ("names", "{0: 'a'"), ("names", "{0: a}"),
    ("names", "7"), ("names", "{'x': 'a'}"), ("imgsz", "[]"), ("imgsz", "[0]"), ("imgsz", "[1, 2, 3]"),
    ("imgsz", "99999999999999999999"), ("kpt_shape", "[17]"), ("kpt_shape", "[17, 4]"), ("task", "depth"),
    ("task", "classify"),
  ])
  func metadataThatMakeNoSenseAreRefused(key: String, value: String) {
    #expect(throws: DetectorError.self) { try DetectorMetadata([key: value]) }
  }
}
