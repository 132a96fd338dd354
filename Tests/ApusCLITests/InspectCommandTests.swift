import Foundation
import Testing

@testable import Apus

@Suite struct InspectCommandTests {
  private func withFile(_ body: (String) throws -> Void) throws {
    try TemporaryFolder.with { folder in
      try body(
        folder.safetensors(
          "model",
          [
            ("encoder.weight", AnyTensor(try Tensor<Float>(zeros: [2, 3]))),
            ("steps", AnyTensor(try Tensor<Int64>([1]))),
            ("odd\u{1B}[31m", AnyTensor(try Tensor<Bool>([true]))),
          ], metadata: ["labels": String(repeating: "label,", count: 40), "by": "me"]))
    }
  }

  @Test func listsTensorsAndTotals() throws {
    try withFile { path in
      let result = try Command.run("inspect", path)
      #expect(result.status == 0)
      #expect(result.lines.contains { $0.hasPrefix("  encoder.weight") && $0.hasSuffix("float32  [2, 3]  24 B") })
      #expect(result.output.contains("3 tensors, 8 elements, 33 B"))
      #expect(result.output.contains("label…"))
      // Names from a file must not drive the terminal.
      #expect(!result.output.contains("\u{1B}"))
      #expect(try Command.run("inspect", path, "--metadata").output.contains(String(repeating: "label,", count: 40)))
    }
  }

  @Test func jsonHasEveryTensor() throws {
    try withFile { path in
      let report = try Command.run("inspect", path, "--json").object
      #expect(report["bytes"] as? Int == 33)
      #expect(report["elements"] as? Int == 8)
      #expect((report["metadata"] as? [String: String])?["by"] == "me")
      let tensors = try #require(report["tensors"] as? [[String: Any]])
      let weight = try #require(tensors.first { $0["name"] as? String == "encoder.weight" })
      #expect(weight["dtype"] as? String == "float32")
      #expect(weight["shape"] as? [Int] == [2, 3])
      #expect(weight["bytes"] as? Int == 24)
    }
  }

  @Test func aFileThatIsNotSafetensorsIsBadData() throws {
    try TemporaryFolder.with { folder in
      try Data("hello, world".utf8).write(to: folder.file("x.safetensors"))
      let result = try Command.run("inspect", folder.path("x.safetensors"))
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
      #expect(result.errors.hasPrefix("apus: "))
      #expect(try Command.run("inspect", folder.path("absent")).status == 66)
      #expect(try Command.run("inspect", folder.url.path(percentEncoded: false)).status == 66)
    }
  }
}
