import Apus
import ApusMedia
import ApusNetworks
import ApusTestSupport
import FoundationEssentials
import Testing

@testable import ApusVision

/// Outputs of every layout against a plain reading of them in NumPy (`generate/detection.py`).
@Suite struct DetectionDecoderTests {
  struct Case: Decodable {
    enum Confidence: Decodable {
      case all(Float)
      case each([String: Float])

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Float.self) {
          self = .all(value)
        } else {
          self = .each(try container.decode([String: Float].self))
        }
      }
    }
    let layout: String
    let confidence: Confidence
    let overlap: Float
    let agnostic: Bool
    let most: Int
    let classes: Int?
    let dimensions: Int
    let only: [Int]?
  }

  static let file = try? SafetensorsFile(path: fixture("detection.safetensors"))
  static let cases: [String] = (try? allCases().keys.sorted()) ?? []

  static func allCases() throws -> [String: Case] {
    let text = try #require(file?.metadata["cases"])
    return try JSONDecoder().decode([String: Case].self, from: Data(text.utf8))
  }

  static func numbers(_ key: String) throws -> [Int] {
    try JSONDecoder().decode([Int].self, from: Data(try #require(file?.metadata[key]).utf8))
  }

  @Test func thereAreCasesOfEveryLayout() throws {
    #expect(Set(try Self.allCases().values.map(\.layout)) == Set(DetectionLayout.allCases.map(\.rawValue)))
  }

  @Test(arguments: cases) func boxesAreThoseOfAPlainReading(name: String) throws {
    let file = try #require(Self.file)
    let description = try #require(Self.allCases()[name])
    let layout = try #require(DetectionLayout(rawValue: description.layout))
    let expectedPoints = try? file.tensor(named: "\(name)/keypoints", as: Double.self)
    let keypoints = expectedPoints.map {
      YOLOConfiguration.Keypoints(count: $0.shape[1], dimensions: description.dimensions)
    }
    let (input, image) = (try Self.numbers("input"), try Self.numbers("image"))
    let decoder = DetectionDecoder(
      format: DetectionFormat(layout: layout, classCount: description.classes, keypoints: keypoints),
      inputWidth: input[0], inputHeight: input[1])
    var options = DetectionOptions()
    switch description.confidence {
    case .all(let value): options.confidence = value
    case .each(let values):
      for (index, value) in values { options.classConfidences[try #require(Int(index))] = value }
    }
    options.overlap = description.overlap
    options.isClassAgnostic = description.agnostic
    options.maximumCount = description.most
    options.classes = description.only.map(Set.init)
    let isYOLOX = layout == .yolox || layout == .yoloxDecoded
    let letterbox = try Letterbox(
      imageWidth: image[0], imageHeight: image[1], width: input[0], height: input[1],
      placement: isYOLOX ? .topLeft : .centered)

    let found = try decoder.detections(
      in: file.tensor(named: "\(name)/output", as: Float.self), letterbox: letterbox, options: options)

    let boxes = try file.tensor(named: "\(name)/boxes", as: Double.self).elements
    let scores = try file.tensor(named: "\(name)/scores", as: Double.self).elements
    let classes = try file.tensor(named: "\(name)/classes", as: Int64.self).elements
    try #require(found.count == scores.count)
    for (index, detection) in found.enumerated() {
      let box = detection.box
      for (edge, expected) in zip([box.x0, box.y0, box.x1, box.y1], boxes[4 * index..<4 * index + 4]) {
        #expect(abs(edge - expected) < 1e-4)
      }
      #expect(abs(Double(detection.score) - scores[index]) < 1e-6)
      #expect(detection.classIndex == Int(classes[index]))
      if let expectedPoints, let keypoints {
        let values = try expectedPoints.selected(axis: 0, index: index).elements
        for (point, found) in detection.keypoints.enumerated() {
          let first = point * keypoints.dimensions
          #expect(abs(Double(found.x) - values[first]) < 1e-4 && abs(Double(found.y) - values[first + 1]) < 1e-4)
          #expect((found.visibility == nil) == (keypoints.dimensions == 2))
        }
      } else {
        #expect(detection.keypoints.isEmpty)
      }
    }
  }

  @Test func aBoxThatIsNotFiniteIsAnError() throws {
    let decoder = DetectionDecoder(
      format: DetectionFormat(layout: .v8, classCount: 1), inputWidth: 32, inputHeight: 32)
    let letterbox = try Letterbox(imageWidth: 32, imageHeight: 32, width: 32, height: 32)
    for broken in 0..<5 {
      var numbers = [Float](repeating: 10, count: 4 * 21) + [Float](repeating: 0.9, count: 21)
      numbers[broken * 21 + 7] = broken == 2 ? .infinity : .nan
      let output = try Tensor(numbers, shape: [1, 5, 21])
      #expect(throws: DetectorError.self) { try decoder.detections(in: output, letterbox: letterbox) }
    }
  }

  @Test(arguments: [[1, 4, 21], [2, 5, 21], [5, 21], [1, 5, 21, 1], []])
  func anotherShapeIsAnError(shape: [Int]) throws {
    let decoder = DetectionDecoder(
      format: DetectionFormat(layout: .v8, classCount: 1), inputWidth: 32, inputHeight: 32)
    let letterbox = try Letterbox(imageWidth: 32, imageHeight: 32, width: 32, height: 32)
    #expect(throws: DetectorError.self) {
      try decoder.detections(in: Tensor(zeros: shape), letterbox: letterbox)
    }
  }

  @Test func keypointsInALayoutWithoutAnyAreAnError() throws {
    let format = DetectionFormat(layout: .endToEndBatch, classCount: 1, keypoints: .init(count: 2))
    let decoder = DetectionDecoder(format: format, inputWidth: 32, inputHeight: 32)
    let letterbox = try Letterbox(imageWidth: 32, imageHeight: 32, width: 32, height: 32)
    let output = try Tensor<Float>([0, 1, 2, 8, 9, 0, 0.9], shape: [1, 7])
    #expect(throws: DetectorError.self) { try decoder.detections(in: output, letterbox: letterbox) }
  }

  @Test func formatsOutOfRangeAreErrors() throws {
    let letterbox = try Letterbox(imageWidth: 32, imageHeight: 32, width: 32, height: 32)
    func check(
      _ layout: DetectionLayout = .v8, _ shape: [Int] = [1, 8, 21], side: Int = 32,
      _ change: (inout DetectionFormat) -> Void = { _ in }
    ) throws {
      var format = DetectionFormat(layout: layout, classCount: 1)
      change(&format)
      let decoder = DetectionDecoder(format: format, inputWidth: side, inputHeight: side)
      let output = try Tensor<Float>(repeating: 0.5, shape: shape)
      #expect(throws: DetectorError.self) { try decoder.detections(in: output, letterbox: letterbox) }
    }
    for (count, dimensions) in [(1, 0), (1, -1), (1, 1), (1, 4), (-1, 3), (.max, 3), (.max, .max), (1, .max)] {
      try check { $0.keypoints = .init(count: count, dimensions: dimensions) }
    }
    for count in [-1, .min, .max] {
      try check { $0.maskCoefficients = count }
      try check { $0.classCount = count }
      try check(.endToEnd, [1, 21, 6]) { $0.classCount = count }
    }
    for side in [.min, -8, 0, 1 << 62, .max] {
      try check(.yolox, [1, 21, 6], side: side)
    }
  }

  @Test func optionsOutOfRangeAreErrors() {
    func check(_ change: (inout DetectionOptions) -> Void) {
      var options = DetectionOptions()
      change(&options)
      #expect(throws: DetectorError.self) { try options.validate() }
    }
    check { $0.confidence = -0.1 }
    check { $0.confidence = .nan }
    check { $0.overlap = 1.5 }
    check { $0.classConfidences = [3: 2] }
    check { $0.maximumCount = 0 }
    check { $0.candidateLimit = 0 }
  }
}
