import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Attributes and operands that make no sense are refused with a sentence; nothing traps, and nothing is computed for
/// ever.
@Suite struct SpatialRefusalTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable () throws -> Void

    init(
      _ name: String, _ type: String, _ inputs: @autoclosure @escaping @Sendable () throws -> [GraphValue?],
      opset: Int = 21,
      _ attributes: [String: AttributeValue] = [:]
    ) {
      testDescription = name
      run = { _ = try runNode(type, inputs(), opset: opset, attributes) }
    }
  }

  private static func text(_ text: String) -> AttributeValue { .string(Array(text.utf8)) }
  private static let large = Int64.max
  private static let kernel: [String: AttributeValue] = ["kernel_shape": .ints([2, 2])]

  @Sendable private static func zeros(_ shapes: [Int]...) throws -> [GraphValue?] {
    try shapes.map { GraphValue(try Tensor<Float>(zeros: $0)) }
  }

  static let convolutions = [
    Refusal("channels that do not fit", "Conv", try zeros([1, 3, 5, 5], [4, 2, 3, 3])),
    Refusal("a weight of another rank", "Conv", try zeros([1, 3, 5], [4, 3, 3, 3])),
    Refusal("a weight without a window", "Conv", try zeros([1, 3, 5], [4, 3])),
    Refusal("an empty window", "Conv", try zeros([1, 3, 5], [4, 3, 0])),
    Refusal("a window larger than the map", "Conv", try zeros([1, 3, 5], [4, 3, 9])),
    Refusal("a bias of another length", "Conv", try zeros([1, 3, 5], [4, 3, 3], [3])),
    Refusal("groups that do not divide", "Conv", try zeros([1, 4, 5], [3, 2, 3]), ["group": .int(2)]),
    Refusal("no group", "Conv", try zeros([1, 4, 5], [3, 2, 3]), ["group": .int(0)]),
    Refusal("groups beyond all bounds", "Conv", try zeros([1, 4, 5], [3, 2, 3]), ["group": .int(large)]),
    Refusal("negative padding", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["pads": .ints([-1, 0])]),
    Refusal("padding beyond all bounds", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["pads": .ints([large, large])]),
    Refusal("padding for other axes", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["pads": .ints([1, 1, 1])]),
    Refusal("no stride", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["strides": .ints([0])]),
    Refusal("dilation beyond all bounds", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["dilations": .ints([large])]),
    Refusal("unknown padding", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["auto_pad": text("SAME")]),
    Refusal("another window", "Conv", try zeros([1, 3, 5], [4, 3, 3]), ["kernel_shape": .ints([2])]),
    Refusal("integers", "Conv", [try .whole([1]), try .whole([1])]),
    Refusal(
      "an output beyond memory", "ConvTranspose", try zeros([1, 1, 3, 3], [1, 1, 2, 2]),
      ["strides": .ints([1 << 31, 1 << 31])]),
    Refusal(
      "an output of given size beyond memory", "ConvTranspose", try zeros([1, 1, 3, 3], [1, 1, 2, 2]),
      ["output_shape": .ints([1 << 31, 1 << 31])]),
    Refusal("padding of everything", "ConvTranspose", try zeros([1, 1, 3], [1, 1, 2]), ["pads": .ints([9, 9])]),
    Refusal(
      "an image that blocks do not fill", "Col2Im",
      [
        try zeros([1, 4, 9])[0], try .whole([5, 5]), try .whole([2, 2]),
      ]),
    Refusal(
      "an image beyond memory", "Col2Im",
      [
        try zeros([1, 4, 9])[0], try .whole([1 << 31, 1 << 31]), try .whole([2, 2]),
      ]),
    Refusal(
      "a block beyond all bounds", "Col2Im",
      [
        try zeros([1, 4, 9])[0], try .whole([5, 5]), try .whole([large, 2]),
      ]),
    Refusal("offsets of another shape", "DeformConv", try zeros([1, 1, 4, 4], [1, 1, 2, 2], [1, 8, 2, 2])),
    Refusal(
      "a state of another length", "CausalConvWithState",
      [
        try zeros([1, 2, 5])[0], try zeros([2, 1, 3])[0], nil, try zeros([1, 2, 1])[0],
      ], opset: 27),
    Refusal(
      "a state after an unknown function", "CausalConvWithState", try zeros([1, 2, 5], [2, 1, 3]), opset: 27,
      ["activation": text("relu")]),
  ]

  static let pools = [
    Refusal("no window", "MaxPool", try zeros([1, 1, 4, 4])),
    Refusal("a window of another rank", "MaxPool", try zeros([1, 1, 4]), kernel),
    Refusal("a window beyond all bounds", "AveragePool", try zeros([1, 1, 4]), ["kernel_shape": .ints([large])]),
    Refusal(
      "windows beyond memory", "MaxPool", try zeros([1, 1, 4, 4]),
      kernel.merging(["pads": .ints([1 << 31, 1 << 31, 1 << 31, 1 << 31])]) { $1 }),
    Refusal("maxima of 32 bits", "MaxPool", [GraphValue(try Tensor<Int32>(zeros: [1, 1, 4, 4]))], kernel),
    Refusal("no order", "LpPool", try zeros([1, 1, 4, 4]), kernel.merging(["p": .int(0)]) { $1 }),
    Refusal("no positions", "GlobalAveragePool", try zeros([1, 3])),
    Refusal("maxima of nothing", "GlobalMaxPool", try zeros([1, 3, 0])),
    Refusal(
      "a place outside", "MaxUnpool",
      [
        try zeros([1, 1, 1, 1])[0], GraphValue(try Tensor<Int64>([4], shape: [1, 1, 1, 1])),
      ], kernel),
    Refusal(
      "a place before", "MaxUnpool",
      [
        try zeros([1, 1, 1, 1])[0], GraphValue(try Tensor<Int64>([-1], shape: [1, 1, 1, 1])),
      ], kernel),
    Refusal(
      "a region of no sample", "MaxRoiPool",
      [
        try zeros([1, 1, 4, 4])[0], GraphValue(try Tensor<Float>([1, 0, 0, 2, 2], shape: [1, 5])),
      ], ["pooled_shape": .ints([2, 2])]),
    Refusal(
      "a sample without number", "MaxRoiPool",
      [
        try zeros([1, 1, 4, 4])[0], GraphValue(try Tensor<Float>([.nan, 0, 0, 2, 2], shape: [1, 5])),
      ], ["pooled_shape": .ints([2, 2])]),
    Refusal(
      "a region without end", "RoiAlign",
      [
        try zeros([1, 1, 4, 4])[0], GraphValue(try Tensor<Float>([0, 0, .infinity, 2], shape: [1, 4])), try .whole([0]),
      ]),
    Refusal(
      "a region with samples beyond all bounds", "RoiAlign",
      [
        try zeros([1, 1, 4, 4])[0], GraphValue(try Tensor<Float>([0, 0, 1e9, 1e9], shape: [1, 4])), try .whole([0]),
      ]),
  ]

  static let products = [
    Refusal("rows that do not meet", "MatMul", try zeros([2, 3], [2, 3])),
    Refusal("a single value", "MatMul", try zeros([], [2, 3])),
    Refusal("batches that do not meet", "MatMul", try zeros([2, 3, 4], [3, 4, 5])),
    Refusal("two types of integers", "MatMul", [try .whole([1]), GraphValue(try Tensor<Int32>([1]))]),
    Refusal("Booleans", "MatMul", [GraphValue(try Tensor([true])), GraphValue(try Tensor([true]))]),
    Refusal("bytes", "MatMul", try zeros([2, 3], [2, 2, 2, 3])),
    Refusal("three axes", "Gemm", try zeros([1, 2, 3], [3, 4])),
    Refusal("a summand that is larger", "Gemm", try zeros([2, 3], [3, 4], [5, 2, 4])),
    Refusal("no equation", "Einsum", try zeros([2, 3])),
    Refusal("two arrows", "Einsum", try zeros([2, 3]), ["equation": text("ij->ji->ij")]),
    Refusal("a digit", "Einsum", try zeros([2, 3]), ["equation": text("i1->i1")]),
    Refusal("a result from nowhere", "Einsum", try zeros([2, 3]), ["equation": text("ij->ik")]),
    Refusal("terms for other inputs", "Einsum", try zeros([2, 3]), ["equation": text("ij,jk->ik")]),
    Refusal("extents that differ", "Einsum", try zeros([2, 3], [4, 5]), ["equation": text("ij,jk->ik")]),
    Refusal("a diagonal of sides that differ", "Einsum", try zeros([4, 1]), ["equation": text("ii->i")]),
    Refusal("two points", "Einsum", try zeros([2, 3]), ["equation": text("..ij->ij")]),
  ]

  static let others = [
    Refusal("parameters of other channels", "BatchNormalization", try zeros([1, 3, 2], [2], [2], [2], [2])),
    Refusal(
      "groups that do not divide channels", "GroupNormalization", try zeros([1, 3, 2], [3], [3]),
      ["num_groups": .int(2)]),
    Refusal("no number of groups", "GroupNormalization", try zeros([1, 3, 2], [3], [3])),
    Refusal("statistics of no type", "LayerNormalization", try zeros([2, 3], [3]), ["stash_type": .int(0)]),
    Refusal("an axis out of range", "LayerNormalization", try zeros([2, 3], [3]), ["axis": .int(2)]),
    Refusal("a scale that is larger", "LayerNormalization", try zeros([2, 3], [4, 2, 3])),
    Refusal("an absurd axis", "RMSNormalization", try zeros([2, 3], [3]), opset: 23, ["axis": .int(.min)]),
    Refusal("order three", "LpNormalization", try zeros([2, 3]), ["p": .int(3)]),
    Refusal("no neighbours", "LRN", try zeros([1, 2, 3, 3]), ["size": .int(0)]),
    Refusal("neither scales nor sizes", "Resize", try zeros([1, 1, 2, 2])),
    Refusal(
      "scales for other axes", "Resize", [try zeros([1, 1, 2, 2])[0], nil, GraphValue(try Tensor<Float>([2, 2]))]),
    Refusal("a scale of nothing", "Resize", [try zeros([2])[0], nil, GraphValue(try Tensor<Float>([0]))]),
    Refusal("a scale without end", "Resize", [try zeros([2])[0], nil, GraphValue(try Tensor<Float>([.infinity]))]),
    Refusal("an output beyond memory", "Resize", [try zeros([2, 2])[0], nil, nil, try .whole([1 << 31, 1 << 31])]),
    Refusal("a negative size", "Resize", [try zeros([2])[0], nil, nil, try .whole([-1])]),
    Refusal("something from nothing", "Resize", [try zeros([0])[0], nil, nil, try .whole([3])]),
    Refusal(
      "texts between texts", "Resize",
      [
        .strings(try StringTensor(["a", "b"], shape: [2])), nil, GraphValue(try Tensor<Float>([2])),
      ], ["mode": text("linear")]),
    Refusal("a grid of other axes", "GridSample", try zeros([1, 1, 3, 3], [1, 2, 2, 3])),
    Refusal("a matrix of other axes", "AffineGrid", [try zeros([1, 2, 3])[0], try .whole([1, 1, 2, 2, 2])]),
    Refusal("a grid beyond memory", "AffineGrid", [try zeros([1, 2, 3])[0], try .whole([1, 1, 1 << 31, 1 << 31])]),
    Refusal("channels that are not blocks", "DepthToSpace", try zeros([1, 6, 2, 2]), ["blocksize": .int(2)]),
    Refusal("rows that are not blocks", "SpaceToDepth", try zeros([1, 1, 3, 2]), ["blocksize": .int(2)]),
    Refusal("blocks beyond all bounds", "DepthToSpace", try zeros([1, 4, 2, 2]), ["blocksize": .int(large)]),
    Refusal("scores of other boxes", "NonMaxSuppression", try zeros([1, 5, 4], [1, 1, 6])),
  ]

  @Test(arguments: convolutions + pools + products + others)
  func isRefused(refusal: Refusal) {
    #expect(throws: (any Error).self) { try refusal.run() }
  }

  /// NaNs go anywhere but out of bounds.
  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
  func positionsWithoutPlaceAreSampledWithoutATrap(number: Float) throws {
    let x = try GraphValue.noise([1, 2, 4, 5])
    let grid = GraphValue(try Tensor(repeating: number, shape: [1, 2, 2, 2]))
    for mode in ["nearest", "linear", "cubic"] {
      for padding in ["zeros", "border", "reflection"] {
        let attributes = ["mode": Self.text(mode), "padding_mode": Self.text(padding)]
        #expect(try runNode("GridSample", [x, grid], opset: 22, attributes)[0]?.shape == [1, 2, 2, 2])
      }
    }
    let regions = GraphValue(try Tensor(repeating: number, shape: [1, 4]))
    let boxes = GraphValue(try Tensor(repeating: number, shape: [1, 3, 4]))
    let scores = GraphValue(try Tensor(repeating: number, shape: [1, 1, 3]))
    _ = try? runNode("RoiAlign", [x, regions, .whole([0])])
    _ = try runNode("NonMaxSuppression", [boxes, scores, .whole([3])])
    let offsets = GraphValue(try Tensor(repeating: number, shape: [1, 8, 3, 4]))
    #expect(try runNode("DeformConv", [x, .noise([1, 2, 2, 2]), offsets], opset: 22)[0]?.shape == [1, 1, 3, 4])
  }

  /// Of thirty million rows of points six lie on the map; the others are zeros, of which nothing is kept.
  @Test(arguments: [("avg", -2e-7), ("max", 0)] as [(String, Float)])
  func regionsFarLargerThanTheirMap(mode: String, expected: Float) throws {
    let x = GraphValue(try Tensor<Float>(repeating: -1, shape: [1, 1, 6, 8]))
    let region = GraphValue(try Tensor<Float>([0, 0, 2, 3e7], shape: [1, 4]))
    let attributes = ["mode": Self.text(mode), "coordinate_transformation_mode": Self.text("output_half_pixel")]
    guard case .tensor(.float32(let y)) = try runNode("RoiAlign", [x, region, .whole([0])], attributes)[0] else {
      throw OperatorError("the result is not FLOAT")
    }
    #expect(try y.elements == [expected])
  }

  /// As many points on one axis as fit no integer, and none on the other.
  @Test(arguments: [[0, 0, 0, 1e24], [0, 0, 1e24, 0], [0, 0, -1, 1e24], [0, 0, 1e24, -1]] as [[Float]])
  func regionsWithoutAPointAreZeros(edges: [Float]) throws {
    let region = GraphValue(try Tensor(edges, shape: [1, 4]))
    for mode in ["avg", "max"] {
      let results = try runNode(
        "RoiAlign", [.noise([1, 2, 6, 8]), region, .whole([0])], opset: 16, ["mode": Self.text(mode)])
      guard case .tensor(.float32(let y)) = results[0] else { throw OperatorError("the result is not FLOAT") }
      #expect(try y.elements == [0, 0])
    }
  }
}
