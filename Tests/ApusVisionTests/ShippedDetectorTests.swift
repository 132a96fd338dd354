import Apus
import ApusMedia
import ApusTestSupport
import FoundationEssentials
import Testing

@testable import ApusVision

/// The detector that ships, from the file of a picture to its boxes, against PyTorch (`Weights/detector/training/fixtures.py`).
///
/// Half of the pictures have the network's size. The others are resized, to the byte nearest to the exact value on both
/// sides: single bytes next to a half may differ, and change no score by 1e-4.
@Suite struct ShippedDetectorTests {
  struct Expected: Decodable {
    struct Picture: Decodable {
      let width: Int
      let height: Int
      let boxes: [[Double]]
      let scores: [Double]
      let classes: [Int]
      let keypoints: [[[Double]]]
    }
    let side: Int
    let confidence: Float
    let overlap: Float
    let pictures: [String: Picture]
  }

  static func expected() throws -> Expected {
    let path = fixture("detector/expected.json")
    let bytes = try MappedFile(path: path).withUnsafeBytes { Data($0) }
    return try JSONDecoder().decode(Expected.self, from: bytes)
  }

  @Test func boxesAreThoseOfPyTorch() throws {
    let expected = try Self.expected()
    #expect(expected.pictures.count == 50)
    var loading = DetectorLoadingOptions()
    (loading.inputWidth, loading.inputHeight) = (expected.side, expected.side)
    loading.precision = .exact
    let detector = try Detector(path: shipped(Detector.shippedFile), options: loading)
    var options = DetectionOptions()
    options.confidence = expected.confidence
    options.overlap = expected.overlap
    var count = 0
    for (name, picture) in expected.pictures.sorted(by: { $0.key < $1.key }) {
      let image = try ImageFile.read(path: fixture("detector/\(name)"))
      try #require((image.width, image.height) == (picture.width, picture.height))
      let found = try detector.detections(in: image, options: options)
      try #require(found.count == picture.scores.count, "\(name)")
      for (index, detection) in found.enumerated() {
        let box = picture.boxes[index]
        let theirs = PixelBox(x0: box[0], y0: box[1], x1: box[2], y1: box[3])
        #expect(detection.classIndex == picture.classes[index], "\(name) \(index)")
        let score = abs(Double(detection.score) - picture.scores[index])
        #expect(score < 1e-4, "\(name) \(index)")
        #expect(detection.box.intersectionOverUnion(theirs) >= 0.999, "\(name) \(index)")
        for (point, expected) in zip(detection.keypoints, picture.keypoints[index]) {
          let (dx, dy) = (Double(point.x) - expected[0], Double(point.y) - expected[1])
          #expect((dx * dx + dy * dy).squareRoot() < 0.05, "\(name) \(index)")
          #expect(abs(Double(point.visibility ?? 0) - expected[2]) < 1e-3, "\(name) \(index)")
        }
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test func itSaysWhatItFinds() throws {
    let detector = try Detector(path: shipped(Detector.shippedFile))
    #expect(detector.classNames == ["plate", "bar_end", "person"])
    #expect(detector.format.layout == .v8 && detector.format.classCount == 3)
    #expect(detector.format.keypoints == .init(count: 17, dimensions: 3) && detector.format.keypointClasses == [2])
    #expect((detector.input.width, detector.input.height) == (704, 704))
  }
}
