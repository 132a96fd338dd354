import ApusGraph
import ApusONNX
import Foundation
import Testing

@testable import Apus

@Suite struct InspectModelTests {
  @Test func aModelIsDescribed() throws {
    try TemporaryFolder.with { folder in
      let path = try folder.onnx("product", ModelFixtures.product)
      let result = try Command.run("inspect", path, "--dim", "n=2", "--json")
      #expect(result.status == 0, "\(result.errors)")
      let report = try result.object
      #expect(report["opsets"] as? [String: Int] == ["ai.onnx": 18])
      #expect(report["producer"] as? String == "tests")
      let parameters = try #require(report["parameters"] as? [String: Any])
      #expect(parameters["elements"] as? Int == 12)
      #expect(parameters["bytes"] as? Int == 12)
      let input = try #require((report["inputs"] as? [[String: Any]])?.first)
      #expect(input["type"] as? String == "UINT8[n, 3]")
      #expect((input["shape"] as? [Any])?.first as? String == "n")
      // [2, 3] by [3, 4].
      #expect((report["multiply_adds"] as? [String: Any])?["total"] as? Int == 24)
      // At least the output: eight integers of four bytes.
      #expect(report["peak_memory_bytes"] as? Int ?? 0 >= 32)
      #expect(report["runnable"] as? Bool == true)
    }
  }

  @Test func costsNeedExtentsAndCanBeOmitted() throws {
    try TemporaryFolder.with { folder in
      let path = try folder.onnx("product", ModelFixtures.product)
      let open = try Command.run("inspect", path, "--json").object
      #expect(open["multiply_adds"] == nil)
      #expect((open["warnings"] as? [String])?.contains { $0.contains("--dim 'n=…'") } == true)
      let left = try Command.run("inspect", path, "--dim", "n=2", "--no-run", "--json").object
      #expect(left["multiply_adds"] == nil)
      #expect((left["warnings"] as? [String])?.isEmpty == true)
      #expect(try Command.run("inspect", path, "--dim", "q=2").status == 64)
    }
  }

  @Test func modelsThatCannotRunAreInspectedAllTheSame() throws {
    try TemporaryFolder.with { folder in
      let model = ModelFixtures.model(
        [
          NodeProto(name: "strange", opType: "Frobnicate", inputs: ["x"], outputs: ["z"]),
          NodeProto(
            name: "bad", opType: "Concat", inputs: ["z"], outputs: ["y"],
            attributes: [AttributeProto(name: "axis", value: .string(Array("one".utf8)))]),
        ], inputs: [ModelFixtures.tensor("x", [.size(1)])], outputs: [ModelFixtures.tensor("y", [.size(1)])])
      let path = try folder.onnx("strange", model)
      let report = try Command.run("inspect", path, "--json").object
      #expect(report["unsupported"] as? [String] == ["Frobnicate"])
      #expect((report["refused"] as? [[String: Any]])?.first?["node"] as? String == "bad")
      #expect(report["runnable"] as? Bool == false)
      let text = try Command.run("inspect", path)
      #expect(text.status == 0)
      #expect(text.output.contains("Frobnicate") && text.output.contains("'axis'"))
    }
  }

  @Test func subgraphsAreCounted() throws {
    try TemporaryFolder.with { folder in
      let report = try Command.run("inspect", folder.onnx("loop", ModelFixtures.loop), "--json").object
      #expect(report["subgraphs"] as? Int == 1)
      #expect(report["nodes"] as? Int == 3)
    }
  }
}
