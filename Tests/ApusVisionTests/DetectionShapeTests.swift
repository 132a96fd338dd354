import Apus
import ApusMedia
import ApusTestSupport
import FoundationEssentials
import Testing

@testable import ApusVision

/// Masks and turned boxes against a plain reading in NumPy and PyTorch (`generate/detection_shapes.py`).
@Suite struct DetectionShapeTests {
  struct Case: Decodable {
    let layout: String
    let classes: Int
    let most: Int
    let overlap: Float
  }

  static let file = try? SafetensorsFile(path: fixture("detection_shapes.safetensors"))

  private func setUp(_ name: String) throws -> (SafetensorsFile, DetectionFormat, DetectionOptions, Letterbox) {
    let file = try #require(Self.file)
    func read<Value: Decodable>(_ key: String, as type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: Data(try #require(file.metadata[key]).utf8))
    }
    let description = try #require(read("cases", as: [String: Case].self)[name])
    let (input, image) = (try read("input", as: [Int].self), try read("image", as: [Int].self))
    let layout = try #require(DetectionLayout(rawValue: description.layout))
    let format = DetectionFormat(layout: layout, classCount: description.classes)
    var options = DetectionOptions()
    options.overlap = description.overlap
    options.maximumCount = description.most
    let letterbox = try Letterbox(imageWidth: image[0], imageHeight: image[1], width: input[0], height: input[1])
    return (file, format, options, letterbox)
  }

  private func check(_ found: [Detection], _ name: String, in file: SafetensorsFile) throws {
    let scores = try file.tensor(named: "\(name)/scores", as: Double.self).elements
    let classes = try file.tensor(named: "\(name)/classes", as: Int64.self).elements
    try #require(found.count == scores.count)
    for (index, detection) in found.enumerated() {
      #expect(abs(Double(detection.score) - scores[index]) < 1e-6)
      #expect(detection.classIndex == Int(classes[index]))
    }
  }

  @Test(arguments: ["masks.v8", "masks.v5", "masks.end-to-end"])
  func masksAreThoseOfAPlainReading(name: String) throws {
    var (file, format, options, letterbox) = try setUp(name)
    let prototypes = try file.tensor(named: "\(name)/prototypes", as: Float.self)
    let output = try file.tensor(named: "\(name)/output", as: Float.self)
    format.maskCoefficients = prototypes.shape[1]
    let decoder = DetectionDecoder(format: format, inputWidth: letterbox.width, inputHeight: letterbox.height)
    let found = try decoder.detections(in: output, prototypes: prototypes, letterbox: letterbox, options: options)
    try check(found, name, in: file)
    let boxes = try file.tensor(named: "\(name)/boxes", as: Double.self).elements
    let changes = Set(try file.tensor(named: "\(name)/masks", as: Int32.self).elements.map(Int.init))
    let doubtful = Set(try file.tensor(named: "\(name)/doubtful", as: Int32.self).elements.map(Int.init))
    var (place, isInside, wrong, area) = (0, false, 0, 0)
    for (index, detection) in found.enumerated() {
      for (edge, expected) in zip(
        [detection.box.x0, detection.box.y0, detection.box.x1, detection.box.y1], boxes[4 * index..<4 * index + 4])
      {
        #expect(abs(edge - expected) < 1e-4)
      }
      let mask = try #require(detection.mask)
      for y in 0..<letterbox.imageHeight {
        for x in 0..<letterbox.imageWidth {
          if changes.contains(place) { isInside.toggle() }
          if mask.contains(x: x, y: y) != isInside, !doubtful.contains(place) { wrong += 1 }
          place += 1
        }
      }
      area += mask.area
      // The outlines have the area of the pixels, and holes take away from it.
      let outlined = mask.outlines.reduce(0) { $0 + signedArea($1) }
      let perimeter = mask.outlines.reduce(0) { $0 + $1.count }
      #expect(abs(outlined - Double(mask.area)) <= 0.03 * Double(mask.area) + Double(perimeter))
    }
    #expect(wrong == 0)
    #expect(area > 500)

    options.includesMasks = false
    let plain = try decoder.detections(in: output, prototypes: prototypes, letterbox: letterbox, options: options)
    #expect(plain.map(\.box) == found.map(\.box) && plain.allSatisfy { $0.mask == nil })
  }

  @Test(arguments: ["turned.v8", "turned.v8-transposed", "turned.end-to-end"])
  func turnedBoxesAreThoseOfAPlainReading(name: String) throws {
    var (file, format, options, letterbox) = try setUp(name)
    format.isRotated = true
    let decoder = DetectionDecoder(format: format, inputWidth: letterbox.width, inputHeight: letterbox.height)
    let found = try decoder.detections(
      in: file.tensor(named: "\(name)/output", as: Float.self), letterbox: letterbox, options: options)
    try check(found, name, in: file)
    let corners = try file.tensor(named: "\(name)/corners", as: Double.self).elements
    for (index, detection) in found.enumerated() {
      let rotated = try #require(detection.rotatedBox)
      #expect(0..<Double.pi / 2 ~= rotated.angle)
      let expected = (0..<4).map { PixelPoint(x: corners[8 * index + 2 * $0], y: corners[8 * index + 2 * $0 + 1]) }
      // Another corner may come first.
      for corner in rotated.corners {
        #expect(expected.contains { abs($0.x - corner.x) < 1e-3 && abs($0.y - corner.y) < 1e-3 })
      }
      let bounds = PixelBox(
        x0: expected.map(\.x).min() ?? 0, y0: expected.map(\.y).min() ?? 0, x1: expected.map(\.x).max() ?? 0,
        y1: expected.map(\.y).max() ?? 0
      ).clipped(width: letterbox.imageWidth, height: letterbox.imageHeight)
      #expect(abs(bounds.x0 - detection.box.x0) < 1e-3 && abs(bounds.y1 - detection.box.y1) < 1e-3)
    }
  }

  private func signedArea(_ points: [PixelPoint]) -> Double {
    zip(points, points.dropFirst() + points.prefix(1)).reduce(0) { $0 + ($1.0.x * $1.1.y - $1.1.x * $1.0.y) / 2 }
  }

  private func mask(_ rows: String...) -> DetectionMask {
    DetectionMask(
      x: 10, y: 20, width: rows[0].count, height: rows.count, pixels: rows.joined().map { $0 == "#" })
  }

  @Test func outlinesGoAroundPixelsAndHoles() {
    #expect(mask("...", "...").outlines.isEmpty)
    #expect(mask("#").outlines.map(signedArea) == [0.5])
    let block = mask("####", "####", "####").outlines
    #expect(block.count == 1 && signedArea(block[0]) > 11 && signedArea(block[0]) <= 12)
    let ring = mask("######", "######", "##..##", "##..##", "######", "######").outlines
    #expect(ring.count == 2)
    #expect(ring.map(signedArea).contains { $0 > 30 } && ring.map(signedArea).contains { $0 < -2 })
    // Pixels that touch at a corner are two things.
    #expect(mask("#.", ".#").outlines.count == 2)
    #expect(mask(".#", "#.").outlines.count == 2)
    #expect(block[0].allSatisfy { (10.0...14).contains($0.x) && (20.0...23).contains($0.y) })
  }

  @Test(arguments: [(Int.min, 0), (.max, 0), (0, .min), (0, .max), (.min, .max), (-3, 0), (-1, 0), (0, 5)])
  func farPixelsAreInNoMask(x: Int, y: Int) {
    for place in [-2, 3] {
      let mask = DetectionMask(x: place, y: place, width: 1, height: 1, pixels: [true])
      #expect(mask.contains(x: place, y: place) && !mask.contains(x: x, y: y))
    }
  }

  @Test func outlinesOfAnyMaskAreClosedAndHaveItsArea() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let pixels = (0..<35).map { _ in Bool.random(using: &random) }
      let mask = DetectionMask(x: 0, y: 0, width: 7, height: 5, pixels: pixels)
      let canvas = (0..<35).map { mask.contains(x: $0 % 7, y: $0 / 7) }
      #expect(canvas == pixels && mask.area == pixels.count { $0 })
      #expect(mask.outlines.allSatisfy { $0.count >= 3 } || mask.area == 0)
      #expect(mask.outlines.isEmpty == (mask.area == 0))
    }
  }

  @Test func overlapOfTurnedBoxesIsOneForTheSameAndNothingFarAway() {
    let box = RotatedBox(centerX: 10, centerY: 20, width: 8, height: 4, angle: 0.3)
    #expect(abs(box.probabilisticOverlap(box) - 1) < 1e-6)
    #expect(abs(box.probabilisticOverlap(box.canonical) - 1) < 1e-6)
    var other = box
    other.angle += .pi / 2
    #expect(box.probabilisticOverlap(other) < 0.9)
    #expect(abs(other.canonical.angle - 0.3) < 1e-12 && other.canonical.width == 4)
    other.centerX = 1000
    #expect(box.probabilisticOverlap(other) < 1e-3)
    other.width = 0
    #expect(box.probabilisticOverlap(other) == 0)
  }

  @Test func prototypesOfAnotherShapeAndNumbersThatAreNotFiniteAreErrors() throws {
    var format = DetectionFormat(layout: .v8, classCount: 1)
    let letterbox = try Letterbox(imageWidth: 32, imageHeight: 32, width: 32, height: 32)
    func found(_ last: Float, _ prototypes: Tensor<Float>?) throws -> [Detection] {
      let numbers = [Float](repeating: 16, count: 4 * 21) + [Float](repeating: 0.9, count: 21)
      let output = try Tensor(numbers + [Float](repeating: last, count: 21), shape: [1, 6, 21])
      return try DetectionDecoder(format: format, inputWidth: 32, inputHeight: 32)
        .detections(in: output, prototypes: prototypes, letterbox: letterbox)
    }
    format.maskCoefficients = 1
    let maps = try Tensor<Float>([Float](repeating: 1, count: 64), shape: [1, 1, 8, 8])
    #expect(try found(1, maps).first?.mask?.area == 256)
    #expect(try found(-1, maps).first?.mask?.area == 0)
    #expect(throws: DetectorError.self) { try found(.nan, maps) }
    #expect(throws: DetectorError.self) { try found(1, maps.reshaped([1, 64])) }
    // As many maps as coefficients.
    #expect(throws: DetectorError.self) { try found(1, maps.reshaped([1, 4, 4, 4])) }
    format.maskCoefficients = 0
    #expect(throws: DetectorError.self) { try found(1, maps) }
    format.maskCoefficients = 2
    #expect(throws: DetectorError.self) { try found(1, maps) }
    (format.maskCoefficients, format.isRotated) = (0, true)
    #expect(try found(0.5, nil).first?.rotatedBox?.angle == 0.5)
    #expect(throws: DetectorError.self) { try found(.infinity, nil) }
  }
}
