import Apus
import Testing

@testable import ApusGraph

/// NonMaxSuppression beside a plain reading of its definition.
@Suite struct BoxSelectionTests {
  /// The boxes chosen, one comparison after the other, in the order of scores, which are all different.
  private func chosen<Scalar: BinaryFloatingPoint>(
    _ boxes: [[Scalar]], _ scores: [Scalar], _ threshold: Scalar
  ) -> [Int64] {
    func overlap(_ a: [Scalar], _ b: [Scalar]) -> Scalar {
      let height = min(a[2], b[2]) - max(a[0], b[0])
      let width = min(a[3], b[3]) - max(a[1], b[1])
      guard width > 0, height > 0 else { return 0 }
      let (first, second) = ((a[3] - a[1]) * (a[2] - a[0]), (b[3] - b[1]) * (b[2] - b[0]))
      return width * height / (first + second - width * height)
    }
    var result: [Int] = []
    for index in scores.indices.sorted(by: { scores[$0] > scores[$1] })
    where !result.contains(where: { overlap(boxes[index], boxes[$0]) > threshold }) {
      result.append(index)
    }
    return result.flatMap { [0, 0, Int64($0)] }
  }

  private func check<Scalar: FloatingPointScalar>(_ type: Scalar.Type, count: Int, threshold: Scalar) throws {
    var generator = SplitMix64(seed: UInt64(count))
    func number(_ range: ClosedRange<Double>) -> Scalar { Scalar(Double.random(in: range, using: &generator)) }
    let boxes = (0..<count).map { _ -> [Scalar] in
      let (y, x) = (number(0...100), number(0...100))
      return [y, x, y + number(1...40), x + number(1...40)]
    }
    let scores = (0..<count).map { _ in number(0...1) }
    try #require(Set(scores.map(Double.init)).count == count)
    let result = try runNode(
      "NonMaxSuppression",
      [
        GraphValue(Tensor(boxes.flatMap { $0 }, shape: [1, count, 4])),
        GraphValue(Tensor(scores, shape: [1, 1, count])), GraphValue(Tensor([Int64(count)], shape: [])),
        GraphValue(Tensor([threshold], shape: [])),
      ])
    let indices = try #require(result[0]?.tensor(of: Int64.self)).elements
    #expect(indices == chosen(boxes, scores, threshold))
    #expect(indices.count > 3)
  }

  @Test(arguments: [40, 500], [0, 0.3, 0.7])
  func boxesAreThoseOfTheDefinition(count: Int, threshold: Double) throws {
    try check(Float.self, count: count, threshold: Float(threshold))
    try check(Double.self, count: count, threshold: threshold)
  }

  /// What is no number meets nothing, wherever it stands beside others.
  @Test func boxesThatAreNoNumbersMeetNothing() throws {
    let box: [Float] = [0, 0, 10, 10]
    let none = [Float](repeating: .nan, count: 4)
    let boxes = [box, none, box, none, box] + [[20, 20, 30, 30]]
    let result = try runNode(
      "NonMaxSuppression",
      [
        GraphValue(Tensor(boxes.flatMap { $0 }, shape: [1, 6, 4])),
        GraphValue(Tensor([0.9, 0.8, 0.7, 0.6, 0.5, 0.4] as [Float], shape: [1, 1, 6])), whole([6]),
        GraphValue(Tensor([Float(0.5)], shape: [])),
      ])
    #expect(try result[0]?.tensor(of: Int64.self)?.elements == [0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, 5])
  }

  /// What coremltools' `TestCropResize.test_builder_to_backend_smoke` holds Core ML to; the other boxes by hand.
  @Test func boxesThatBeginBeyondTheirEndAreTheWholeMap() throws {
    let x = GraphValue(try Tensor<Float>((1...16).map(Float.init), shape: [1, 1, 4, 4]))
    func crop(_ box: [Float], _ attributes: [String: AttributeValue] = [:]) throws -> [Float]? {
      let boxes = GraphValue(try Tensor(box, shape: [1, 4]))
      let shared: [String: AttributeValue] = [
        "height": .int(2), "width": .int(2), "normalized": .int(1),
        "sampling_mode": .string(Array("UNALIGN_CORNERS".utf8)),
      ]
      return try runNode("CropResize", domain: "apus", [x, boxes], opset: 1, shared.merging(attributes) { $1 })[0]?
        .tensor(of: Float.self)?.elements
    }
    #expect(try crop([2, 2, 1, 1]) == [3.5, 5.5, 11.5, 13.5])
    #expect(try crop([0, 0, 1, 1]) == [3.5, 5.5, 11.5, 13.5])
    // Rows exchanged alone, of the columns in the middle.
    #expect(try crop([3, 1, 0, 2], ["normalized": .int(0)]) == [4, 5, 12, 13])
    // No place is outside of the whole map.
    #expect(try crop([2, 2, 1, 1], ["pad_value": .float(-1)]) == [3.5, 5.5, 11.5, 13.5])
    // In other modes the box is taken as it is.
    #expect(try crop([2, 2, 1, 1], ["sampling_mode": .string(Array("ALIGN_CORNERS".utf8))]) == [16, 16, 16, 16])
  }
}
