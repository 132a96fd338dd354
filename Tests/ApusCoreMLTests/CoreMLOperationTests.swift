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
}
