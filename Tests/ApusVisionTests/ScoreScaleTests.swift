import Apus
import ApusGraph
import ApusMedia
import ApusONNX
import ApusTestSupport
import Testing

@testable import ApusVision

/// A network that was exported without its last sigmoid is recognised, and numbers that are neither are refused.
@Suite struct ScoreScaleTests {
  /// YOLOX on 32 × 32 pixels with two classes: 16 + 4 + 1 cells.
  private let decoder: DetectionDecoder

  init() {
    var format = DetectionFormat(layout: .yoloxDecoded, classCount: 2)
    format.scores = .logits
    decoder = DetectionDecoder(format: format, inputWidth: 32, inputHeight: 32)
  }

  private func output(objectness: Float, classes: [Float], elsewhere: Float) throws -> Tensor<Float> {
    var numbers: [Float] = []
    for anchor in 0..<21 {
      numbers += [16, 16, 8, 8] + (anchor == 5 ? [objectness] + classes : [elsewhere, elsewhere, elsewhere])
    }
    return try Tensor(numbers, shape: [1, 21, 7])
  }

  private var letterbox: Letterbox {
    get throws { try Letterbox(imageWidth: 32, imageHeight: 32, width: 32, height: 32) }
  }

  @Test func logitsBecomeProbabilities() throws {
    let found = try decoder.detections(
      in: output(objectness: 2, classes: [-1, 3], elsewhere: -6), letterbox: letterbox)
    #expect(found.count == 1)
    #expect(found.first?.classIndex == 1)
    // σ(2) · σ(3) in NumPy: 0.8807970779778823 · 0.9525741268224334.
    #expect(abs((found.first?.score ?? 0) - 0.83902451) < 1e-6)
  }

  @Test func scoresOutsideOfZeroToOneAreNoProbabilities() throws {
    var format = decoder.format
    format.scores = .probabilities
    let plain = DetectionDecoder(format: format, inputWidth: 32, inputHeight: 32)
    for (objectness, elsewhere) in [(Float(2), Float(-6)), (97, 3)] {
      let numbers = try output(objectness: objectness, classes: [0, 1], elsewhere: elsewhere)
      #expect(throws: DetectorError.self) { try plain.detections(in: numbers, letterbox: letterbox) }
    }
    #expect(throws: DetectorError.self) {
      try decoder.detections(in: output(objectness: 0.9, classes: [0, 1], elsewhere: 0.1), letterbox: letterbox)
    }
  }

  @Test func theRangeSaysTheScale() throws {
    func scale(_ objectness: Float, _ elsewhere: Float) throws -> ScoreScale? {
      try ScoreRange(output(objectness: objectness, classes: [0, 1], elsewhere: elsewhere), in: decoder.format).scale
    }
    #expect(try scale(0.9, 0.01) == .probabilities)
    #expect(try scale(2, -6) == .logits)
    #expect(try scale(0.5, -6) == .logits)
    #expect(try scale(97, 3) == nil)
  }

  /// A "network" that gives the same numbers for any picture, as a file.
  private func file(_ numbers: Tensor<Float>, in folder: TemporaryFolder) throws -> String {
    let boxes = try TensorProto(name: "boxes", value: GraphValue(numbers))
    let type = GraphValueType.tensor(.float, [.size(1), .size(3), .size(32), .size(32)])
    let model = ModelProto(
      producerName: "tests", opsetImports: [OperatorSetID(version: 18)],
      graph: GraphProto(
        name: "graph",
        nodes: [
          NodeProto(name: "pool", opType: "GlobalMaxPool", inputs: ["image"], outputs: ["pooled"]),
          NodeProto(
            name: "sum", opType: "ReduceSum", inputs: ["pooled"], outputs: ["one"],
            attributes: [AttributeProto(name: "keepdims", value: .int(0))]),
          NodeProto(name: "none", opType: "Sub", inputs: ["one", "one"], outputs: ["zero"]),
          NodeProto(name: "exp", opType: "Exp", inputs: ["boxes"], outputs: ["ignored"]),
          NodeProto(name: "add", opType: "Add", inputs: ["zero", "boxes"], outputs: ["output"]),
        ], initializers: [boxes],
        inputs: [ValueInfoProto(name: "image", type: type)],
        outputs: [ValueInfoProto(name: "output", type: .tensor(.float, [.size(1), .size(21), .size(7)]))]))
    return try folder.write(model.encode(), to: "yolox.onnx")
  }

  @Test func anExportWithoutItsSigmoidIsRecognized() throws {
    let folder = try TemporaryFolder()
    let path = try file(output(objectness: 2, classes: [-1, 3], elsewhere: -6), in: folder)
    let picture = try Image<UInt8>(width: 32, height: 32, color: .rgb, samples: [UInt8](repeating: 9, count: 3072))
    let detector = try Detector(path: path)
    #expect(detector.format.scores == .logits)
    let found = try detector.detections(in: picture)
    #expect(found.count == 1)
    #expect(found.allSatisfy { 0...1 ~= $0.score })
    var options = DetectorLoadingOptions()
    options.scores = .probabilities
    #expect(throws: DetectorError.self) { try Detector(path: path, options: options) }
    options.scores = .logits
    #expect(try Detector(path: path, options: options).detections(in: picture) == found)
  }

  @Test func numbersThatAreNothingAreRefused() throws {
    let folder = try TemporaryFolder()
    let path = try file(output(objectness: 97, classes: [40, 3], elsewhere: 3), in: folder)
    #expect(throws: DetectorError.self) { try Detector(path: path) }
  }
}
