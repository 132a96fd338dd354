import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What PyTorch's exporters write, and what PyTorch gives for it.
@Suite struct ExportedSpellingTests {
  /// 0, 1, 2, … resized along one axis.
  private func resized(
    _ count: Int, _ attributes: [String: String], scale: Float? = nil, size: Int? = nil, version: Int = 18,
    producer: String = "pytorch"
  ) throws -> [Float] {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(1), .size(count)])
    if let scale { try graph.constant("scales", GraphValue(Tensor([1, 1, scale], shape: [3]))) }
    if let size { try graph.constant("sizes", GraphValue(Tensor([1, 1, Int64(size)], shape: [3]))) }
    // Version 11 cannot leave the region out.
    if version < 13 { try graph.constant("roi", GraphValue(Tensor([Float](), shape: [0]))) }
    let roi = version < 13 ? "roi" : ""
    graph.node(
      "Resize", size == nil ? ["x", roi, "scales"] : ["x", roi, "", "sizes"], ["y"],
      attributes.mapValues { .string(Array($0.utf8)) })
    let session = try InferenceSession(graph.model(outputs: ["y"], version: version, producer: producer))
    let x = try Tensor((0..<count).map(Float.init), shape: [1, 1, count])
    let y = try #require(try session.run(["x": GraphValue(x)])["y"])
    guard case .tensor(.float32(let tensor)) = y else { return [] }
    return try tensor.elements
  }

  private static let floor = [
    "mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor",
  ]

  /// `F.interpolate(x, scale_factor=1/3)`: in any other precision than that of the scale, 3 over a third is less than 9.
  @Test func `every third element is every third element`() throws {
    #expect(try resized(30, Self.floor, scale: 1.0 / 3) == stride(from: 0, to: 30, by: 3).map(Float.init))
    #expect(try resized(63, Self.floor, scale: 1.0 / 6) == stride(from: 0, to: 60, by: 6).map(Float.init))
  }

  @Test(arguments: [(14, 18), (70, 90), (100, 60), (7, 31)])
  func `neighbours between sizes are those of whole numbers`(old: Int, new: Int) throws {
    #expect(try resized(old, Self.floor, size: new) == (0..<new).map { Float($0 * old / new) })
  }

  /// PyTorch and ONNX Runtime divide by the length that the result has, 15 − 1; the standard's evaluator, and its tests, by
  /// 9 · 1.7 − 1.
  @Test(arguments: [11, 12, 13, 18])
  func `aligned corners meet whole lengths in models of PyTorch`(version: Int) throws {
    let aligned = ["mode": "linear", "coordinate_transformation_mode": "align_corners"]
    let found = try resized(9, aligned, scale: 1.7, version: version)
    #expect(zip(found, (0..<15).map { Float($0) * 8 / 14 }).allSatisfy { abs($0 - $1) < 1e-5 } && found.count == 15)
    let others = try resized(9, aligned, scale: 1.7, version: version, producer: "another")
    #expect(zip(others, (0..<15).map { Float($0) * 8 / 14.3 }).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(try resized(9, aligned, scale: 2) == resized(9, aligned, size: 18))
  }

  /// `torch.onnx.export(dynamo=False)` writes signals without an axis of parts.
  @Test func `a real signal may lack the axis of its parts`() throws {
    func spectrum(_ shape: [Int]) throws -> (shape: [Int], numbers: [Float]) {
      var graph = SmallGraph()
      graph.input("x", shape.map { .size($0) })
      try graph.constant("step", GraphValue(Tensor([Int64(4)], shape: [])))
      try graph.constant("window", GraphValue(Tensor((0..<8).map { Float($0 + 1) / 8 }, shape: [8])))
      graph.node("STFT", ["x", "step", "window"], ["y"])
      let session = try InferenceSession(graph.model(outputs: ["y"], version: 17))
      let x = try Tensor((0..<48).map { Float($0 * 7 % 11) }, shape: shape)
      guard case .tensor(.float32(let y))? = try session.run(["x": GraphValue(x)])["y"] else { return ([], []) }
      return (y.shape, try y.elements)
    }
    let bare = try spectrum([2, 24])
    #expect(bare.shape == [2, 5, 5, 2])
    #expect(bare.numbers == (try spectrum([2, 24, 1])).numbers)
  }
}
