import Apus
import ApusGraph
import Testing

@testable import ApusCoreML

/// Operations of ML programs that the tests of coremltools do not have, or not in this way.
@Suite struct CoreMLOperationTests {
  /// What a program of one operation gives, FLOAT.
  static func run(
    _ type: String, _ inputs: [(parameter: String, shape: [UInt64?], value: GraphValue)],
    _ constants: [String: ProgramValue], gives shape: [UInt64?], opset: String = "CoreML7"
  ) throws -> Tensor<Float> {
    let ports = inputs.map { input in
      ProgramPort(name: input.parameter, shape: input.shape, isInteger: input.value.elementType == .int32)
    }
    let y = ProgramPort(name: "y", shape: shape)
    let names = Dictionary(uniqueKeysWithValues: ports.map { ($0.name, $0.name) })
    let bytes = programModel(
      inputs: ports, [operation(type, names, constants, gives: [y])], outputs: [y], opset: opset)
    let values = Dictionary(uniqueKeysWithValues: inputs.map { ($0.parameter, $0.value) })
    let result = try InferenceSession(readModel(bytes)).run(values)["y"]
    return try #require(result?.tensor(of: Float.self))
  }

  static func floats(_ values: [Float], _ shape: [Int]) throws -> GraphValue {
    GraphValue(try Tensor(values, shape: shape))
  }

  /// Four boxes of which the second overlaps the first and has the better score; two classes.
  private static let boxes: [[Float]] = [[0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 1, 1], [9, 9, 1, 1]]
  private static let scores: [[Float]] = [[0.9, 0], [0, 0.95], [0.3, 0.1], [0.1, 0.1]]

  /// Since iOS 17 boxes are the last axis of inputs and outputs.
  @Test(arguments: ["CoreML6", "CoreML7", "CoreML8"])
  func boxesAreWhereTheVersionHasThem(_ opset: String) throws {
    let areLast = opset != "CoreML6"
    func placed(_ rows: [[Float]]) throws -> Tensor<Float> {
      let table = try Tensor(rows.flatMap { $0 }, shape: [1, rows.count, rows[0].count])
      return try areLast ? table.permuted([0, 2, 1]) : table
    }
    let (boxes, scores) = try (placed(Self.boxes), placed(Self.scores))
    let chosen = try (placed(Array(Self.boxes[1...])), placed(Array(Self.scores[1...])))
    func port(_ name: String, _ tensor: Tensor<Float>) -> ProgramPort {
      ProgramPort(name: name, shape: tensor.shape.map { UInt64($0) })
    }
    var outputs = [
      port("b", chosen.0), port("s", chosen.1), ProgramPort(name: "i", shape: [1, 3], isInteger: true),
    ]
    if !areLast { outputs.append(ProgramPort(name: "n", shape: [1], isInteger: true)) }
    let suppression = operation(
      "non_maximum_suppression", ["boxes": "boxes", "scores": "scores"],
      ["iou_threshold": .floats([0.5], []), "max_boxes": .integers([3], [])], gives: outputs)
    let session = try InferenceSession(
      readModel(
        programModel(
          inputs: [port("boxes", boxes), port("scores", scores)], [suppression], outputs: outputs, opset: opset)))
    let results = try session.run(["boxes": GraphValue(boxes), "scores": GraphValue(scores)])
    for (name, wanted) in [("b", chosen.0), ("s", chosen.1)] {
      let found = try #require(results[name]?.tensor(of: Float.self))
      #expect(found.shape == wanted.shape)
      #expect(try found.elements == wanted.elements)
    }
    #expect(try results["i"]?.tensor(of: Int32.self)?.elements == [1, 2, 3])
  }

  /// 1, 2, 3 two apart, each as 1, 10, 100 times itself: 1, 10, 102, 20, 203, 30, 300. SAME padding is cut off on both
  /// sides, none at the end.
  @Test(
    arguments: [
      ("same", [10, 102, 20, 203, 30]), ("same", [10, 102, 20, 203]), ("same_lower", [102, 20, 203, 30]),
      ("same", [1, 10, 102, 20, 203, 30, 300, 0]), ("valid", [1, 10, 102, 20, 203]),
    ] as [(String, [Float])])
  func transposedConvolutionsGiveTheShapeAskedFor(_ padding: String, _ wanted: [Float]) throws {
    let count = UInt64(wanted.count)
    let y = try Self.run(
      "conv_transpose", [("x", [1, 1, 3], Self.floats([1, 2, 3], [1, 1, 3]))],
      [
        "weight": .floats([1, 10, 100], [1, 1, 3]), "strides": .integers([2], [1]), "pad_type": .text(padding),
        "output_shape": .integers([1, 1, wanted.count], [3]),
      ], gives: [1, 1, count])
    #expect(try y.elements == wanted)
  }

  /// The same of a layer.
  @Test(
    arguments: [
      (0, [10, 102, 20, 203, 30]), (0, [10, 102, 20, 203]), (1, [102, 20, 203, 30]),
    ] as [(UInt64, [Float])])
  func transposedLayersGiveTheShapeAskedFor(_ asymmetry: UInt64, _ wanted: [Float]) throws {
    let kernel = field(90, [1, 10, 100].flatMap { field(1, float: $0) })
    let count = UInt64(wanted.count)
    let parameters =
      field(1, 1) + field(2, 1) + field(10, 1) + field(20, 1) + field(20, 3) + field(30, 1) + field(30, 2)
      + field(51, field(1, asymmetry)) + field(60, 1) + kernel + field(100, 1) + field(100, count)
    let network = field(1, layer("up", ["x"], ["y"], 100, parameters)) + field(5, 1)
    let session = try InferenceSession(
      readModel(model(500, network, inputs: [array("x", [1, 1, 3])], output: array("y", [1, 1, count]))))
    let y = try session.run(["x": Self.floats([1, 2, 3], [1, 1, 3])])["y"]
    #expect(try y?.tensor(of: Float.self)?.elements == wanted)
  }

  /// A beginning that counts from behind, and what is to be taken up to the end or beyond it.
  @Test(
    arguments: [
      (-2, 2, [8, 9]), (-2, -1, [8, 9]), (-3, 2, [7, 8]), (-1, 3, [9]), (1, 2, [6, 7]), (0, 0, []),
    ] as [(Int32, Int32, [Float])])
  func partsBeginAnywhere(_ begin: Int32, _ size: Int32, _ wanted: [Float]) throws {
    let y = try Self.run(
      "slice_by_size",
      [
        ("x", [5], Self.floats([5, 6, 7, 8, 9], [5])), ("begin", [1], GraphValue(Tensor([begin], shape: [1]))),
        ("size", [1], GraphValue(Tensor([size], shape: [1]))),
      ], [:], gives: [nil])
    #expect(try y.elements == wanted)
  }

  /// scale · (code - zero point), where one of the two is for all columns.
  @Test(
    arguments: [
      (.floats([0.5], []), .bytes([1, 2, 3], [3]), [0, 0, 0, 5, 10, 15]),
      (.floats([0.5, 1, 2], [3]), .bytes([1], []), [0, 1, 4, 5, 21, 64]),
    ] as [(ProgramValue, ProgramValue, [Float])])
  func scalesAndZeroPointsMayBeForAll(_ scale: ProgramValue, _ zeroPoint: ProgramValue, _ wanted: [Float]) throws {
    let y = ProgramPort(name: "y", shape: [2, 3])
    let weights =
      operation("constexpr_affine_dequantize", [:], [:], gives: [y])
      + attributes([
        "quantized_data": .bytes([1, 2, 3, 11, 22, 33], [2, 3]), "scale": scale, "zero_point": zeroPoint,
        "axis": .integers([1], []),
      ])
    let x = ProgramPort(name: "x", shape: [1])
    let session = try InferenceSession(readModel(programModel(inputs: [x], [weights], outputs: [y])))
    let result = try session.run(["x": Self.floats([0], [1])])["y"]
    #expect(try result?.tensor(of: Float.self)?.elements == wanted)
  }

  /// What is there divided by the updates, integers towards zero as `real_div` divides them.
  @Test(arguments: [("scatter", [2]), ("scatter_along_axis", [2]), ("scatter_nd", [2, 1])] as [(String, [Int])])
  func integersAreDividedInPlace(_ type: String, _ shape: [Int]) throws {
    func port(_ name: String, _ shape: [Int]) -> ProgramPort {
      ProgramPort(name: name, shape: shape.map { UInt64($0) }, isInteger: true)
    }
    let inputs = [port("data", [4]), port("indices", shape), port("updates", [2])]
    let names = Dictionary(uniqueKeysWithValues: inputs.map { ($0.name, $0.name) })
    let y = port("y", [4])
    let division = operation(type, names, ["mode": .text("div")], gives: [y])
    let session = try InferenceSession(readModel(programModel(inputs: inputs, [division], outputs: [y])))
    let result = try session.run([
      "data": GraphValue(Tensor([20, -7, 9, 8] as [Int32], shape: [4])),
      "indices": GraphValue(Tensor([1, 3] as [Int32], shape: shape)),
      "updates": GraphValue(Tensor([2, 3] as [Int32], shape: [2])),
    ])["y"]
    #expect(try result?.tensor(of: Int32.self)?.elements == [20, -3, 9, 2])
  }
}
