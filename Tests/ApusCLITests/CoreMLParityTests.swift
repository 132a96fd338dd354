import ApusTestSupport
import Foundation
import Testing

/// A converted network with one error in it, beside what PyTorch computed (`Tests/Fixtures/generate/coreml_parity.py`).
@Suite struct CoreMLParityTests {
  private func verdict(
    _ error: String, _ arguments: String..., in fixtures: String = "coreml-parity"
  ) throws -> (status: Int32, line: String) {
    let folder = fixture(fixtures)
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
    #expect(status == 1 && line.contains("this file and the reference part at \(name)"), "\(line)")
  }

  /// What coremltools 9.0 converts to something else (`generate/coreml_conversion_errors.py`). The name is that of the value
  /// that the layer of PyTorch has in the file; a roll that went wrong reads beyond its axis.
  @Test(arguments: [
    ("atan2", "part at 'op_8' (Add)"), ("pow", "this file and the reference part at 'op_8' (Pow)"),
    ("roll", "'gather_0' (Gather) cannot be run"), ("reciprocal", "part at 'op_11' (Reciprocal)"),
  ])
  func errorsOfTheConverterAreNamed(_ operation: String, _ text: String) throws {
    let (status, line) = try verdict(operation, in: "coreml-conversion")
    #expect(status == 1 && line.contains(text), "\(line)")
  }

  /// The converter has the least number for an infinity, which a limit hides behind it.
  @Test func anotherConstantOfAMaskIsSetApart() throws {
    let folder = fixture("coreml-conversion")
    let result = try Command.run(["parity", "\(folder)/triu.mlpackage", "--expected", "\(folder)/triu.npz"])
    #expect(result.status == 0)
    #expect(result.lines.contains { $0.contains("'sub_0' (Sub)") && $0.contains("another constant") })
  }

  /// A layer of sixteen bits whose squares are beyond 65504: not in float32, and so as the file declares it.
  @Test func anOverflowIsWhatTheFileDeclares() throws {
    let exact = try verdict("overflow")
    #expect(exact.status == 0, "\(exact.line)")
    let (status, line) = try verdict("overflow", "--arithmetic", "declared")
    #expect(status == 1 && line.contains("'cast_0' (Cast)") && line.contains("'input_cast_fp16/Mul'"), "\(line)")
  }
}
