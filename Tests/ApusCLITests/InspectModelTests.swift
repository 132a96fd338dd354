import ApusGraph
import ApusONNX
import Foundation
import Testing

@testable import Apus

@Suite struct InspectModelTests {
  @Test func aModelIsDescribed() throws {
    try TemporaryFolder.with { folder in
      let path = try folder.onnx("product", ModelFixtures.product)
      let result = try Command.run("inspect", path, "--dim", "n=2", "--run", "--json")
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

  @Test func costsNeedExtents() throws {
    try TemporaryFolder.with { folder in
      let path = try folder.onnx("product", ModelFixtures.product)
      let open = try Command.run("inspect", path, "--json").object
      #expect(open["multiply_adds"] == nil)
      #expect((open["warnings"] as? [String])?.contains { $0.contains("--dim 'n=…'") } == true)
      let still = try Command.run("inspect", path, "--dim", "n=2", "--json").object
      // [2, 3] by [3, 4], from shapes alone.
      #expect((still["multiply_adds"] as? [String: Any])?["total"] as? Int == 24)
      #expect(still["peak_memory_bytes"] == nil)
      #expect((still["warnings"] as? [String])?.isEmpty == true)
      #expect(try Command.run("inspect", path, "--dim", "n=2").output.contains("not measured; --run does"))
      #expect(try Command.run("inspect", path, "--dim", "q=2").status == 64)
    }
  }

  /// Sigmoid and Mul become a part of the product with `exact` and `fast`, under the name that each has for it.
  @Test func rewritingIsShown() throws {
    try TemporaryFolder.with { folder in
      let weight = try TensorProto(name: "w", value: GraphValue(Tensor<Float>([1, 2, 3, 4], shape: [2, 2])))
      var model = ModelFixtures.model(
        [
          NodeProto(name: "same", opType: "Identity", inputs: ["x"], outputs: ["v"]),
          NodeProto(name: "product", opType: "Gemm", inputs: ["v", "w"], outputs: ["sum"]),
          NodeProto(name: "gate", opType: "Sigmoid", inputs: ["sum"], outputs: ["gate"]),
          NodeProto(name: "gated", opType: "Mul", inputs: ["sum", "gate"], outputs: ["y"]),
        ], inputs: [ModelFixtures.tensor("x", [.size(3), .size(2)])],
        outputs: [ModelFixtures.tensor("y", [.size(3), .size(2)])])
      model.graph.initializers = [weight]
      let path = try folder.onnx("gated", model)
      #expect(try Command.run("inspect", path, "--json").object["optimized"] == nil)
      let entries = try #require(
        try Command.run("inspect", path, "--optimized", "--json").object["optimized"] as? [[String: Any]])
      func counts(_ name: String, _ activation: String? = nil) -> [Int?] {
        let entry = entries.first { $0["operator"] as? String == name && $0["activation"] as? String == activation }
        return ["nodes", "exact", "fast"].map { entry?[$0] as? Int }
      }
      #expect(counts("Identity") == [1, 0, 0])
      #expect(counts("Gemm") == [1, 0, 0])
      #expect(counts("Gemm", "sigmoidProduct") == [0, 1, 0])
      #expect(counts("Gemm", "silu") == [0, 0, 1])
      let text = try Command.run("inspect", path, "--optimized").output
      #expect(text.contains("as it runs") && text.contains("Gemm, silu"))
    }
  }

  /// A model that never ends is inspected, and run only when that is asked for.
  @Test func modelsAreNotRun() throws {
    try TemporaryFolder.with { folder in
      var model = ModelFixtures.loop
      model.graph.inputs.removeFirst()
      model.graph.initializers = [try TensorProto(name: "count", value: GraphValue(Tensor([Int64.max], shape: [])))]
      let path = try folder.onnx("endless", model)
      let result = try Command.run("inspect", path, "--dim", "n=2", "--loop-limit", "\(Int.max)")
      #expect(result.status == 0, "\(result.errors)")
      for arguments in [["inspect", path, "--run"], ["run", path, "--random", "1"]] {
        let late = try Command.run(
          arguments + ["--dim", "n=2", "--loop-limit", "\(Int.max)", "--time-limit", "0.3"])
        #expect(late.status == 75, "\(late.errors)")
        #expect(late.errors.contains("--time-limit") && late.errors.contains("0.3 s"))
      }
      for wrong in ["0", "-1", "nan", "1e10", "soon"] {
        #expect(try Command.run("run", path, "--random", "1", "--time-limit", wrong).status == 64)
      }
    }
  }

  /// Nodes whose shapes depend on values, or that a loop runs, are not counted without a run; that is said.
  @Test func whatShapesDoNotTellIsSaidToBeLeftOut() throws {
    try TemporaryFolder.with { folder in
      let model = ModelFixtures.model(
        [
          NodeProto(name: "where", opType: "NonZero", inputs: ["x"], outputs: ["found"]),
          NodeProto(
            name: "cast", opType: "Cast", inputs: ["found"], outputs: ["rows"],
            attributes: [AttributeProto(name: "to", value: .int(1))]),
          NodeProto(name: "known", opType: "MatMul", inputs: ["x", "x"], outputs: ["square"]),
          NodeProto(
            name: "unknown", opType: "Gemm", inputs: ["rows", "rows"], outputs: ["y"],
            attributes: [AttributeProto(name: "transB", value: .int(1))]),
        ], inputs: [ModelFixtures.tensor("x", [.size(3), .size(3)])],
        outputs: [
          ModelFixtures.tensor("square", [.size(3), .size(3)]), ModelFixtures.tensor("y", [.size(2), .size(2)]),
        ])
      let path = try folder.onnx("values", model)
      let counts = try #require(try Command.run("inspect", path, "--json").object["multiply_adds"] as? [String: Any])
      #expect(counts["total"] as? Int == 27 && counts["unknown_nodes"] as? Int == 1)
      #expect(try Command.run("inspect", path).output.contains("1 node left out"))
      let run = try #require(
        try Command.run("inspect", path, "--run", "--json").object["multiply_adds"] as? [String: Any])
      #expect(run["unknown_nodes"] as? Int == 0)
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
