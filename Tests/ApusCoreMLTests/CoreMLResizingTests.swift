import Apus
import ApusGraph
import Testing

@testable import ApusCoreML

/// Maps that are made larger and smaller, of extents that are declared and of those that a run says.
@Suite struct CoreMLResizingTests {
  private typealias Operations = CoreMLOperationTests

  /// Two rows of the same numbers.
  private static func rows(_ row: [Float]) throws -> GraphValue {
    try Operations.floats(row + row, [1, 1, 2, row.count])
  }

  /// Element ⌊i · X / N⌋, as coremltools' own tests have it and `torch.nn.functional.interpolate(size=N)`, for a factor of 1.7.
  @Test(arguments: [16, 20], [false, true])
  func nearestGoesByTheExtents(_ width: Int, isOpen: Bool) throws {
    let count = width == 16 ? 27 : 34
    let wanted = (0..<count).map { Float($0 * width / count) }
    func shape(_ width: Int) -> [UInt64?] { isOpen ? [1, 1, 2, nil] : [1, 1, 2, UInt64(width)] }
    let y = try Operations.run(
      "upsample_nearest_neighbor", [("x", shape(width), Self.rows((0..<width).map(Float.init)))],
      ["scale_factor_height": .floats([1], []), "scale_factor_width": .floats([1.7], [])], gives: shape(wanted.count))
    #expect(y.shape == [1, 1, 2, wanted.count])
    #expect(try y.elements == wanted + wanted)
  }

  /// 2 of 14 are the elements 0 and 7, also where 1 / 7 is rounded up.
  @Test(arguments: [false, true])
  func aQuotientOfTheExtentsIsExact(isOpen: Bool) throws {
    func shape(_ width: Int) -> [UInt64?] { isOpen ? [1, 1, 2, nil] : [1, 1, 2, UInt64(width)] }
    let y = try Operations.run(
      "upsample_nearest_neighbor", [("x", shape(14), Self.rows((0..<14).map(Float.init)))],
      ["scale_factor_height": .floats([1], []), "scale_factor_width": .floats([1 / 7], [])], gives: shape(2))
    #expect(try y.elements == [0, 7, 0, 7])
  }

  /// Position i of N reads ⌊i · X / N⌋ also where i / (N / X) is a little less, as at 102 · 129 / 153.
  @Test(arguments: [false, true])
  func nearestOfASizeGoesByTheExtents(isOpen: Bool) throws {
    let y = try Operations.run(
      "resize_nearest_neighbor",
      [("x", isOpen ? [1, 1, 2, nil] : [1, 1, 2, 129], Self.rows((0..<129).map(Float.init)))],
      ["target_size_height": .integers([2], []), "target_size_width": .integers([153], [])], gives: [1, 1, 2, 153])
    let wanted = (0..<153).map { Float($0 * 129 / 153) }
    #expect(try y.elements == wanted + wanted)
  }

  /// What `interpolate(scale_factor=(1, 1.5), mode="bilinear", recompute_scale_factor=True)` makes of squares.
  private static let bilinear: [(isAligned: Bool, [Float])] = [
    (false, [0, 0.5714286, 1.8571432, 4, 7.571429, 12, 16]), (true, [0, 0.6666667, 2, 4, 7.333334, 11.333334, 16]),
  ]

  @Test(arguments: [0, 1], [false, true])
  func bilinearGoesByTheExtents(_ index: Int, isOpen: Bool) throws {
    let (isAligned, wanted) = Self.bilinear[index]
    func shape(_ width: Int) -> [UInt64?] { isOpen ? [1, 1, 2, nil] : [1, 1, 2, UInt64(width)] }
    let y = try Operations.run(
      "upsample_bilinear", [("x", shape(5), Self.rows([0, 1, 4, 9, 16]))],
      [
        "scale_factor_height": .floats([1], []), "scale_factor_width": .floats([1.5], []),
        "align_corners": .integers([isAligned ? 1 : 0], []),
      ], gives: shape(7))
    #expect(y.shape == [1, 1, 2, 7])
    try expect(y, wanted + wanted)
  }

  /// The same of a layer.
  @Test(arguments: [0, 1], [false, true])
  func bilinearLayersGoByTheExtents(_ index: Int, isOpen: Bool) throws {
    let (isAligned, wanted) = Self.bilinear[index]
    let upsample = layer(
      "up", ["x"], ["y"], 210,
      field(5, 1) + field(6, isAligned ? 1 : 2) + field(7, float: 1) + field(7, float: 1.5))
    let x =
      isOpen
      ? array("x", [1, 2, 8], allowed: ranges([1...1, 2...2, 1...64])) : array("x", [1, 2, 5])
    let session = try InferenceSession(
      readModel(model(500, field(1, upsample) + field(5, 1), inputs: [x], output: array("y", [1, 2, 7]))))
    let row: [Float] = [0, 1, 4, 9, 16]
    let y = try session.run(["x": Operations.floats(row + row, [1, 2, 5])])["y"]
    try expect(#require(y?.tensor(of: Float.self)), wanted + wanted)
  }

  /// A size that the model computes, in each mode; the formulas of coremltools' documentation by hand, of 0, 1, 4, 9:
  /// i · (X - 1) / (N - 1), of one sample (X - 1) / 2; (i + 0.5) · (X - 1) / N.
  @Test(
    arguments: [
      ("STRICT_ALIGN_CORNERS", "LINEAR", 3, [0, 2.5, 9]), ("ALIGN_CORNERS", "LINEAR", 3, [0, 2.5, 9]),
      ("STRICT_ALIGN_CORNERS", "LINEAR", 1, [0]), ("ALIGN_CORNERS", "LINEAR", 1, [2.5]),
      ("OFFSET_CORNERS", "LINEAR", 3, [0.5, 2.5, 6.5]), ("OFFSET_CORNERS", "LINEAR", 1, [2.5]),
      ("ALIGN_CORNERS", "NEAREST_NEIGHBOR", 3, [0, 4, 9]), ("OFFSET_CORNERS", "NEAREST_NEIGHBOR", 3, [1, 4, 9]),
      ("DEFAULT", "LINEAR", 8, [0, 0.5, 1, 2.5, 4, 6.5, 9, 9]),
    ] as [(String, String, Int32, [Float])])
  func sizesMayBeComputed(_ mode: String, _ interpolation: String, _ width: Int32, _ wanted: [Float]) throws {
    let y = try Operations.run(
      "resize",
      [
        ("x", [1, 1, 2, 4], Self.rows([0, 1, 4, 9])), ("shape", [2], GraphValue(Tensor([0, width], shape: [2]))),
      ],
      [
        "resized_dims": .integers([2], []), "sampling_mode": .text(mode), "interpolation_mode": .text(interpolation),
      ], gives: [1, 1, nil, nil])
    #expect(y.shape == [1, 1, 2, Int(width)])
    try expect(y, wanted + wanted)
  }

  private func expect(_ y: Tensor<Float>, _ wanted: [Float]) throws {
    let elements = try y.elements
    #expect(elements.count == wanted.count)
    #expect(zip(elements, wanted).allSatisfy { abs($0 - $1) < 1e-5 }, "\(elements)")
  }

  /// The corners of each map, where nothing says which map a box is for: box n is for map n.
  @Test(arguments: [false, true])
  func boxesAreForMapsInTheirOrder(isOpen: Bool) throws {
    let y = try Operations.run(
      "crop_resize",
      [
        ("x", [2, 1, 4, 4], Operations.floats((0..<32).map(Float.init), [2, 1, 4, 4])),
        ("boxes", isOpen ? [nil, 4] : [2, 4], Operations.floats([0, 0, 3, 3, 0, 0, 3, 3], [2, 4])),
      ],
      [
        "target_height": .integers([2], []), "target_width": .integers([2], []),
        "sampling_mode": .text("ALIGN_CORNERS"),
      ], gives: [isOpen ? nil : 2, 1, 2, 2])
    #expect(try y.elements == [0, 3, 12, 15, 16, 19, 28, 31])
  }
}
