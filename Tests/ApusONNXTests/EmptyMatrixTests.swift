import Apus
import Testing

@testable import ApusGraph

/// Matrices without elements may have 2⁴⁰ rows: no loop goes through them.
@Suite struct EmptyMatrixTests {
  private static let many = 1 << 40

  struct Case: Sendable, CustomTestStringConvertible {
    let type: String
    let shapes: [[Int]]
    /// Nil where the operands do not fit each other, or what belongs to the columns is beyond all memory.
    let result: [Int]?

    var testDescription: String { "\(type) of \(shapes)" }
  }

  static let cases = [
    Case(type: "EyeLike", shapes: [[many, 0]], result: [many, 0]),
    Case(type: "Trilu", shapes: [[many, 0]], result: [many, 0]),
    Case(type: "Trilu", shapes: [[many, 1, 0]], result: [many, 1, 0]),
    Case(type: "Gemm", shapes: [[0, many], [0, many]], result: nil),
    Case(type: "MatMul", shapes: [[0, many], [0, many]], result: nil),
    Case(type: "MatMul", shapes: [[0, 0], [0, many]], result: nil),
    Case(type: "MatMul", shapes: [[0, 1], [3, 2, 1 << 31, 1, 0]], result: [3, 2, 1 << 31, 0, 0]),
    Case(type: "MatMul", shapes: [[many, 3, 0, 3], [many, 3, 3, 0]], result: [many, 3, 0, 0]),
  ]

  @Test(.timeLimit(.minutes(1)), arguments: cases)
  func thatHasNoElementsEndsAtOnce(_ example: Case) throws {
    let operands: [GraphValue?] = try example.shapes.map { GraphValue(try Tensor<Float>(zeros: $0)) }
    guard let result = example.result else {
      #expect(throws: (any Error).self) { try runNode(example.type, operands) }
      return
    }
    #expect(try runNode(example.type, operands).first??.shape == result)
  }
}
