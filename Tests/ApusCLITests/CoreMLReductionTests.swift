import ApusTestSupport
import Foundation
import Testing

@testable import Apus

/// Parts of Core ML models, which are written as ONNX models.
@Suite struct CoreMLReductionTests {
  private static func fixture(_ name: String) -> String {
    packageFolder.appending(path: "Tests/Fixtures/coreml/\(name)").path(percentEncoded: false)
  }

  /// What the model computes for the fixture's inputs, one value doubled.
  private func reference(_ name: String, doubling wrong: String, others: [String], in folder: TemporaryFolder) throws
    -> [String]
  {
    let result = try Command.run(
      [
        "run", Self.fixture("\(name)/model.mlpackage"), "--input", Self.fixture("\(name)/inputs.npz"), "--output",
        folder.path("values"),
      ] + (others + [wrong]).flatMap { ["--fetch", $0] })
    #expect(result.status == 0, "\(result.errors)")
    let path = folder.path("values/\(wrong).npy")
    let value = try #require(try NPYFile.read(path: path).tensor(as: Float.self))
    try NPYFile.write(AnyTensor(Tensor(value.elements.map { $0 * 2 }, shape: value.shape)), toPath: path)
    return (others + [wrong]).map { "\($0)=\(folder.path("values/\($0).npy"))" }
  }

  @Test(arguments: [("program-layers", "linear", ["mean"], 2), ("program-compressed", "scaled", [], 2)])
  func aPartIsWrittenAsONNX(_ name: String, _ wrong: String, _ others: [String], _ nodeLimit: Int) throws {
    try TemporaryFolder.with { folder in
      let values = try reference(name, doubling: wrong, others: others, in: folder)
      let (model, inputs) = (Self.fixture("\(name)/model.mlpackage"), Self.fixture("\(name)/inputs.npz"))
      let result = try Command.run(
        ["reduce", model, "--inputs", inputs, "--output", folder.path("part.onnx"), "--json", "--expected"] + values)
      #expect(result.status == 0, "\(result.errors)")
      // Weights in blocks are in full here, and no node is left of how they were made.
      #expect(try #require(try result.object["nodes"] as? [String]).count <= nodeLimit, "\(result.output)")
      let again = try Command.run("parity", folder.path("part.onnx"), "--expected", folder.path("part.safetensors"))
      #expect(again.status == 1, "\(again.output)\(again.errors)")
    }
  }

  @Test func aPartThatTheStandardCannotSayIsRefused() throws {
    try TemporaryFolder.with { folder in
      let values = try reference("program-while", doubling: "result", others: [], in: folder)
      let test = Self.fixture("program-while")
      let result = try Command.run(
        [
          "reduce", test + "/model.mlpackage", "--inputs", test + "/inputs.npz", "--output", folder.path("part.onnx"),
          "--expected",
        ] + values)
      #expect(result.status == 65, "\(result.output)")
      #expect(result.errors.contains("has graphs of its own"), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("part.onnx")))
    }
  }
}
