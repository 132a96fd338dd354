import Foundation
import Testing

/// A converted network with one error in it, beside what PyTorch computed (`Tests/Fixtures/generate/coreml_parity.py`).
@Suite struct CoreMLParityTests {
  private func verdict(_ error: String, _ arguments: String...) throws -> (status: Int32, line: String) {
    let folder = packageFolder.appending(path: "Tests/Fixtures/coreml-parity").path(percentEncoded: false)
    let result = try Command.run(
      ["parity", "\(folder)/\(error).mlpackage", "--expected", "\(folder)/\(error).npz"] + arguments)
    return (result.status, result.lines.last ?? result.errors)
  }

  @Test func theRightConversionIsEqual() throws {
    let (status, line) = try verdict("right")
    #expect(status == 0 && line.contains("all 10 values are within tolerance"), "\(line)")
  }

  /// The layer's own name is what the converter gave it: of a normalisation, and of convolutions with theirs folded in.
  @Test(arguments: [
    ("epsilon", "'input_13' (LayerNormalization)"), ("weight", "'op_41' (Conv)"), ("transposed", "'op_57' (Conv)"),
  ])
  func theWrongLayerIsNamed(_ error: String, _ name: String) throws {
    let (status, line) = try verdict(error)
    #expect(status == 1 && line.contains("this node is wrong: \(name)"), "\(line)")
  }

  /// A layer of sixteen bits whose squares are beyond 65504: not in float32, and so as the file declares it.
  @Test func anOverflowIsWhatTheFileDeclares() throws {
    let exact = try verdict("overflow")
    #expect(exact.status == 0, "\(exact.line)")
    let (status, line) = try verdict("overflow", "--arithmetic", "declared")
    #expect(status == 1 && line.contains("'cast_0' (Cast)") && line.contains("'input_cast_fp16/Mul'"), "\(line)")
  }
}
