import Apus
import ApusGraph
import ApusMedia
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

@Suite struct QuantizeCommandTests {
  private func fixture(_ name: String) -> String {
    packageFolder.appending(path: "Tests/Fixtures/pretrained/\(name)").path(percentEncoded: false)
  }

  @Test func aFolderIsWrittenAndItsCostReported() throws {
    try TemporaryFolder.with { folder in
      let target = folder.path("out")
      let report = try Command.run("quantize", fixture("mobilebert"), target, "--texts", "5", "--json").object
      let scores = try #require(report["scores"] as? [String: Any])
      #expect(scores["texts"] as? Int == 5)
      #expect(try #require(scores["relative_error"] as? Double) < 0.05)
      #expect((report["layers"] as? [[String: Any]])?.count == 4)
      #expect((report["matrices"] as? [[String: Any]])?.count == 25)
      #expect(FileManager.default.fileExists(atPath: "\(target)/config.json"))

      let again = try Command.run("quantize", fixture("mobilebert"), target)
      #expect(again.status == 74)
      #expect(again.errors.contains("--force"))
      let forced = try Command.run("quantize", fixture("mobilebert"), target, "--force")
      #expect(forced.status == 0)
      #expect(forced.output.contains("the three best in"))
      #expect(try Command.run("quantize", target, target, "--force").status == 64)
      #expect(try Command.run("quantize", target, folder.path("other")).status == 65)
      #expect(!FileManager.default.fileExists(atPath: folder.path("other")))
    }
  }

  @Test func whatCannotBeReadIsRefused() throws {
    try TemporaryFolder.with { (folder) throws in
      let target = folder.path("out")
      #expect(try Command.run("quantize", "/nowhere", target).status == 66)
      #expect(try Command.run("quantize", fixture("bert-classifier"), target).status == 65)
      #expect(try Command.run("quantize", fixture("bert"), target, "--prompts", "/nowhere").status == 66)
      #expect(try Command.run("quantize", fixture("bert"), "/nowhere/out").status == 74)
      #expect(try Command.run("quantize", fixture("bert"), target, "--texts", "-1").status == 64)
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }

  private var network: String { graphFixture("network.onnx") }
  private var samples: String { graphFixture("samples.npy") }

  private func graphFixture(_ name: String) -> String {
    packageFolder.appending(path: "Tests/Fixtures/quantization/\(name)").path(percentEncoded: false)
  }

  @Test func aGraphIsQuantisedAsSamplesAskFor() throws {
    try TemporaryFolder.with { (folder) throws in
      let target = folder.path("out.onnx")
      let arguments = ["quantize", network, target, "--calibrate", samples]
      let report = try Command.run(arguments + ["--keep", "first", "--json"]).object
      #expect(report["samples"] as? Int == 6)
      #expect(report["probes"] as? Int == 4)
      #expect(report["range"] as? String == "least-error")
      let layers = try #require(report["layers"] as? [[String: Any]])
      #expect(layers.map { $0["quantized"] as? Bool } == [false, true, true, true])
      let outputs = try #require(report["outputs"] as? [[String: Any]])
      #expect(outputs.map { $0["name"] as? String } == ["logits"])
      #expect(try #require(outputs[0]["relative_error"] as? Double) < 0.02)

      let again = try Command.run(arguments + ["--range", "99.99"])
      #expect(again.status == 0)
      #expect(again.output.contains("4 of 4 layers in 8 bits"))
      #expect(again.output.contains("levels by 99.99 %, from 6 samples"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["out.onnx"])
      #expect(try Command.run("run", target, "--random", "1").status == 0)
      let already = try Command.run("quantize", target, folder.path("twice.onnx"), "--calibrate", samples)
      #expect(already.status == 65)
      #expect(already.errors.contains("nothing to quantise") && already.errors.contains("already"))
      #expect(!already.errors.contains("malformed"))
    }
  }

  /// As every file of version 3 has them: weights that are inputs too.
  @Test func samplesWithoutANameAreForTheInputWithoutADefault() throws {
    try TemporaryFolder.with { (folder) throws in
      let weight = try GraphValue(Tensor<Float>((0..<12).map { Float($0) - 5 }, shape: [4, 3]))
      let model = try folder.onnx(
        "defaults",
        ModelFixtures.model(
          [NodeProto(name: "layer", opType: "MatMul", inputs: ["x", "w"], outputs: ["y"])],
          inputs: [
            ModelFixtures.tensor("x", [.symbol("n"), .size(4)]), ModelFixtures.tensor("w", [.size(4), .size(3)]),
          ],
          outputs: [ModelFixtures.tensor("y", [.symbol("n"), .size(3)])],
          initializers: [TensorProto(name: "w", value: weight)]))
      let samples = folder.path("samples.npy")
      try NPYFile.write(
        AnyTensor(Tensor((0..<24).map { Float($0 * 7 % 11) }, shape: [6, 4])), toPath: samples)
      let arguments = ["quantize", model, folder.path("out.onnx"), "--json", "--calibrate"]
      let report = try Command.run(arguments + [samples])
      #expect(report.status == 0, "\(report.errors)")
      #expect(try report.object["samples"] as? Int == 6)
    }
  }

  /// A loop in a function has a graph that is not the file's, as those of Core ML models have.
  @Test func whatCannotBeWrittenIsRefusedBeforeSamplesAreLookedAt() throws {
    try TemporaryFolder.with { (folder) throws in
      var model = try ModelFixtures.model(
        [
          NodeProto(name: "layer", opType: "MatMul", inputs: ["x", "w"], outputs: ["a"]),
          NodeProto(name: "turns", opType: "Repeat", domain: "own", inputs: ["count", "a"], outputs: ["y"]),
        ],
        inputs: [
          ModelFixtures.tensor("x", [.symbol("n"), .size(2)]), ModelFixtures.tensor("count", of: .int64, []),
        ], outputs: [ModelFixtures.tensor("y", [.symbol("n"), .size(2)])],
        initializers: [TensorProto(name: "w", value: GraphValue(Tensor<Float>([1, 2, 3, 4], shape: [2, 2])))])
      model.opsetImports.append(OperatorSetID(domain: "own", version: 1))
      model.functions = [
        FunctionProto(
          name: "Repeat", domain: "own", inputs: ["count", "x"], outputs: ["y"], nodes: ModelFixtures.loop.graph.nodes,
          opsetImports: [OperatorSetID(version: 18)])
      ]
      // They name no input, which would be said next.
      let result = try Command.run(
        "quantize", folder.onnx("turns", model), folder.path("out.onnx"), "--calibrate", samples)
      #expect(result.status == 65)
      #expect(result.errors.contains("not supported") && result.errors.contains("'turns/loop'"), "\(result.errors)")
      #expect(!result.errors.contains("malformed"))
    }
  }

  @Test func withoutSamplesTheyAreAskedFor() throws {
    let report = try Command.run("quantize", network)
    let advice = try #require(report.output.ranges(of: "--calibrate samples").first)
    let other = try #require(report.output.ranges(of: "quantize_dynamic").first)
    #expect(advice.lowerBound < other.lowerBound)
    let missing = try Command.run("quantize", network, "/nowhere/out.onnx")
    #expect(missing.status == 64 && missing.errors.contains("--calibrate"))
    #expect(!missing.errors.contains("\\n") && !missing.errors.contains("quantize_dynamic"), "\(missing.errors)")
  }

  /// YOLOX of 32 pixels and two classes, which takes bytes, blue first: the objectness of each of the 16 cells of 8 pixels
  /// is the mean of the blue in it, the class is always the first, and the box is the cell.
  private func blueFinder() throws -> ModelProto {
    var weight = [Float](repeating: 0, count: 7 * 3 * 64)
    for index in 0..<64 { weight[4 * 3 * 64 + index] = 1 / (64 * 255) }
    func constant(_ name: String, _ numbers: [Float], _ shape: [Int]) throws -> TensorProto {
      try TensorProto(name: name, value: GraphValue(Tensor(numbers, shape: shape)))
    }
    return try ModelFixtures.model(
      [
        NodeProto(
          name: "cells", opType: "Conv", inputs: ["images", "weight", "bias"], outputs: ["maps"],
          attributes: [AttributeProto(name: "strides", value: .ints([8, 8]))]),
        NodeProto(name: "flat", opType: "Reshape", inputs: ["maps", "shape"], outputs: ["small"]),
        NodeProto(
          name: "all", opType: "Concat", inputs: ["small", "large"], outputs: ["columns"],
          attributes: [AttributeProto(name: "axis", value: .int(2))]),
        NodeProto(
          name: "turned", opType: "Transpose", inputs: ["columns"], outputs: ["output"],
          attributes: [AttributeProto(name: "perm", value: .ints([0, 2, 1]))]),
      ], inputs: [ModelFixtures.tensor("images", [.size(1), .size(3), .size(32), .size(32)])],
      outputs: [ModelFixtures.tensor("output", [.size(1), .size(21), .size(7)])],
      initializers: [
        constant("weight", weight, [7, 3, 8, 8]), constant("bias", [0.5, 0.5, 0, 0, 0, 1, 0], [7]),
        constant("large", [Float](repeating: 0, count: 35), [1, 7, 5]),
        TensorProto(name: "shape", value: GraphValue(Tensor([Int64(1), 7, 16]))),
      ])
  }

  /// Red, with a blue cell in the corner.
  private func corner(_ folder: TemporaryFolder) throws -> String {
    var samples: [UInt8] = []
    for y in 0..<32 { for x in 0..<32 { samples += x < 8 && y < 8 ? [0, 0, 255] : [255, 0, 0] } }
    try ImageFile.write(
      Image<UInt8>(width: 32, height: 32, color: .rgb, samples: samples), to: folder.path("corner.png"))
    return folder.path("corner.png")
  }

  @Test func aDetectorIsShownPicturesAsDetectShowsThem() throws {
    try TemporaryFolder.with { (folder) throws in
      let (model, picture) = (try folder.onnx("yolox", blueFinder()), try corner(folder))
      let target = folder.path("out.onnx")
      let arguments = ["quantize", model, target, "--calibrate", picture]
      let result = try Command.run(arguments + ["--json"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      let preprocessing = try #require(try result.object["preprocessing"] as? String)
      #expect(preprocessing.contains("32 × 32, BGR, 0 to 255, letterbox-top-left"), "\(preprocessing)")
      #expect(preprocessing.contains("YOLOX"))
      let counts = ["pictures": 1, "matched": 1, "missed": 0, "added": 0]
      #expect(try result.object["detections"] as? [String: Int] == counts)
      let found = try Command.run("detect", picture, "--model", target, "--json").object
      let boxes = try #require(found["detections"] as? [[String: Any]]).compactMap { $0["box"] as? [Double] }
      #expect(boxes.count == 1)
      for (side, expected) in zip(boxes.first ?? [], [0, 0, 8, 8] as [Double]) { #expect(abs(side - expected) < 0.1) }

      // Between 0 and 1 there is no blue that it knows.
      let wrong = try Command.run(arguments + ["--pixels", "1"])
      #expect(wrong.status == 0 && wrong.errors.contains("finds nothing in these pictures"), "\(wrong.errors)")
      #expect(wrong.output.contains("0 to 1") && wrong.output.contains("as stated"), "\(wrong.output)")
      let stretched = try Command.run(arguments + ["--fit", "stretch"])
      #expect(stretched.status == 64 && stretched.errors.contains("keep their proportions"), "\(stretched.errors)")
    }
  }

  @Test func whatAModelWantsIsNotGuessed() throws {
    try TemporaryFolder.with { (folder) throws in
      let arguments = ["quantize", network, folder.path("out.onnx"), "--calibrate", try corner(folder)]
      let silent = try Command.run(arguments)
      #expect(silent.status == 64 && silent.errors.contains("--mean") && silent.errors.contains("--pixels"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("out.onnx")))
      let stated = try Command.run(arguments + ["--pixels", "255", "--colors", "bgr", "--fit", "stretch", "--json"])
      #expect(
        try stated.object["preprocessing"] as? String == "13 × 12, BGR, 0 to 255, stretch (as stated)",
        "\(stated.errors)")
      #expect(try stated.object["detections"] == nil)
      let usual = try Command.run(arguments + ["--mean", "0.5,0.5,0.5", "--std", "0.5,0.5,0.5"])
      #expect(usual.output.contains("13 × 12, RGB, -1 to 1, center-crop (as stated)"), "\(usual.output)")
      #expect(try Command.run(arguments + ["--pixels", "255", "--mean", "0,0,0"]).status == 64)
      #expect(try Command.run(arguments + ["--pixels", "128"]).status == 64)
    }
  }

  @Test func calibrationThatMakesNoSenseIsRefused() throws {
    try TemporaryFolder.with { (folder) throws in
      let target = folder.path("out.onnx")
      func status(_ arguments: String...) throws -> Int32 {
        try Command.run(["quantize", network, target] + arguments).status
      }
      #expect(try status("--calibrate", "/nowhere") == 66)
      #expect(try status("--calibrate", network, "--pixels", "255") == 65)
      #expect(try status("--calibrate", samples, "--keep", "frist") == 64)
      #expect(try status("--calibrate", samples, "--range", "10") == 64)
      #expect(try status("--calibrate", samples, "--tolerance", "nan") == 64)
      #expect(try status("--calibrate", samples, "--probes", "0") == 64)
      #expect(try Command.run("quantize", network, "--calibrate", samples).status == 64)
      #expect(try Command.run("quantize", network, samples, "--calibrate", samples, "--force").status == 64)
      #expect(try Command.run("quantize", fixture("bert"), target, "--calibrate", samples).status == 64)
      #expect(try Command.run("quantize", network, "/nowhere/out.onnx", "--calibrate", samples).status == 74)
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }
}
