import ApusTestSupport
import Foundation
import Testing

@testable import Apus

/// Parts of programs of torch.export, which are written as ONNX models.
@Suite struct TorchReductionTests {
  @Test func aPartIsWrittenAsONNX() throws {
    try TemporaryFolder.with { folder in
      let model = fixture("networks/resnet.pt2")
      let images = try Tensor<Float>(generatedImage: "reduced", shape: [1, 3, 48, 64], cell: 8)
      let inputs = try folder.safetensors("inputs", [("images", AnyTensor(images))])
      let run = try Command.run(
        "run", model, "--input", inputs, "--fetch", "adaptive_avg_pool2d", "--fetch", "linear", "--output",
        folder.path("values"))
      #expect(run.status == 0, "\(run.errors)")
      let path = folder.path("values/linear.npy")
      let value = try #require(try NPYFile.read(path: path).tensor(as: Float.self))
      try NPYFile.write(AnyTensor(Tensor(value.elements.map { $0 * 2 }, shape: value.shape)), toPath: path)
      let result = try Command.run(
        "reduce", model, "--inputs", inputs, "--output", folder.path("part.onnx"), "--json", "--expected",
        folder.path("values"))
      #expect(result.status == 0, "\(result.errors)")
      #expect(try #require(try result.object["nodes"] as? [String]).last == "fc/linear")
      let again = try Command.run("parity", folder.path("part.onnx"), "--expected", folder.path("part.safetensors"))
      #expect(again.status == 1, "\(again.output)\(again.errors)")
    }
  }
}
