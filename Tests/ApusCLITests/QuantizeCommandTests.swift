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

      let again = try Command.run(arguments + ["--range", "99.9"])
      #expect(again.status == 0)
      #expect(again.output.contains("4 of 4 layers in 8 bits"))
      #expect(again.output.contains("levels by 99.9 %, from 6 samples"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["out.onnx"])
      #expect(try Command.run("run", target, "--random", "1").status == 0)
      let already = try Command.run("quantize", target, folder.path("twice.onnx"), "--calibrate", samples)
      #expect(already.status == 65)
      #expect(already.errors.contains("nothing to quantise") && already.errors.contains("already"))
      #expect(!already.errors.contains("malformed"))
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

  @Test func calibrationThatMakesNoSenseIsRefused() throws {
    try TemporaryFolder.with { (folder) throws in
      let target = folder.path("out.onnx")
      func status(_ arguments: String...) throws -> Int32 {
        try Command.run(["quantize", network, target] + arguments).status
      }
      #expect(try status("--calibrate", "/nowhere") == 66)
      #expect(try status("--calibrate", network) == 65)
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
