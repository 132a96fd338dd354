import ApusTestSupport
import Foundation
import Testing

@testable import Apus

@Suite struct VerifyCommandTests {
  @Test func whatShipsIsVerified() throws {
    let result = try Command.run("verify")
    #expect(result.status == 0)
    #expect(result.output.contains("outputs agree"))
    #expect(!result.output.contains("✗"))
    let report = try Command.run("verify", "--json").object
    #expect(report["equal"] as? Bool == true)
    let results = try #require(report["results"] as? [[String: Any]])
    #expect(Set(results.compactMap { $0["dtype"] as? String }) == ["float32", "float64"])
    #expect(results.count > 4)
    let trained = results.filter { $0["model"] as? String == "behavior-classifier" }
    #expect(trained.count == 4)
    #expect(trained.allSatisfy { ($0["summary"] as? [String: Any])?["samples"] as? Int ?? 0 >= 17 })
  }

  // Where a processor lacks a variant, a test of the environment sees the warning.
  @Test(arguments: Execution.availableVariants.map(\.rawValue))
  func everyKernelVariantAgrees(variant: String) throws {
    for model in ["behavior-classifier", "yolov8n-pose", "mobilebert-small", "gru"] {
      for blas in [[:], ["APUS_BLAS": "none"]] {
        let environment = blas.merging(["APUS_KERNELS": variant]) { $1 }
        #expect(try Command.run("verify", "--model", model, environment: environment).status == 0, "\(model)")
      }
    }
  }

  @Test func fastAlgorithmsAreVerifiedToo() throws {
    func errors(_ precision: String) throws -> [Double] {
      let result = try Command.run("verify", "--model", "yolov8n-pose", "--precision", precision, "--json")
      #expect(result.status == 0)
      let rows = try #require(try result.object["results"] as? [[String: Any]])
      let summaries = rows.compactMap { $0["summary"] as? [String: Any] }
      return summaries.compactMap { ($0["largest_absolute"] as? [String: Any])?["value"] as? Double }
    }
    let (exact, fast) = (try errors("exact"), try errors("fast"))
    #expect(exact.count > 4 && exact.count == fast.count)
    // Winograd's convolution was used, in float32 only.
    #expect(exact != fast)
    #expect(try Command.run("verify", "--precision", "rough").status == 64)
  }

  @Test func differencesEndWithOneAndAreShown() throws {
    let exact = try Command.run("verify", "--rtol", "0", "--atol", "0")
    #expect(exact.status == 1)
    #expect(exact.output.contains("largest absolute"))

    // Golden values that another network computed.
    try TemporaryFolder.with { folder in
      let file = try SafetensorsFile(path: shipped("behavior/samples/golden.safetensors"))
      let input: Tensor<Float> = try file.tensor(named: "input.sit")
      let other: Tensor<Double> = try file.tensor(named: "output.logits.down")
      let golden = try folder.safetensors(
        "golden", [("input.sit", AnyTensor(input)), ("output.logits.sit", AnyTensor(other))])
      let result = try Command.run("verify", "--model", "behavior-classifier", "--golden", golden)
      #expect(result.status == 1)
      #expect(result.output.contains("worst in sit"))

      let unknown = try folder.safetensors(
        "unknown", [("input.sit", AnyTensor(input)), ("output.scores.sit", AnyTensor(other))])
      let refused = try Command.run("verify", "--model", "behavior-classifier", "--golden", unknown)
      #expect(refused.status == 65)
      #expect(refused.errors.contains("scores"))

      let misshapen = try folder.safetensors(
        "misshapen", [("input.sit", AnyTensor(other)), ("output.logits.sit", AnyTensor(other))])
      #expect(try Command.run("verify", "--model", "behavior-classifier", "--golden", misshapen).status == 65)
      let empty = try folder.safetensors("empty", [("x", AnyTensor(other))])
      #expect(try Command.run("verify", "--model", "behavior-classifier", "--golden", empty).status == 65)
    }
  }

  @Test func argumentsAreChecked() throws {
    #expect(try Command.run("verify", "--model", "other").status == 64)
    #expect(try Command.run("verify", "--weights", "x").status == 64)
    #expect(try Command.run("verify", "--model", "behavior-classifier", "--weights", "/nowhere").status == 66)
  }

  @Test func theDemoIsOnePageAndAllIsWell() throws {
    let result = try Command.run("demo")
    #expect(result.status == 0)
    #expect(result.lines.count <= 55)
    #expect(result.output.contains("kernels"))
    #expect(result.output.contains("walking-missing-points"))
    #expect(result.output.contains("synthetic"))
    let report = try Command.run("demo", "--json").object
    #expect(report["equal"] as? Bool == true)
    #expect(try #require(report["clips"] as? [[String: Any]]).count >= 17)
    let arms = try #require(report["arms"] as? [[String: Any]])
    #expect(arms.compactMap { $0["made_drift_deg"] as? Double } == [0, 16])
  }

  @Test func theDoctorNamesWhatRuns() throws {
    let environment = ["APUS_KERNELS": "baseline", "APUS_THREADS": "1"]
    let report = try Command.run("doctor", "--json", environment: environment).object
    #expect(Set(report.keys) == ["processor", "kernels", "blas", "threads", "warnings"])
    #expect((report["kernels"] as? [String: Any])?["selected"] as? String == "baseline")
    #expect(report["threads"] as? Int == 1)
    let none = try Command.run("doctor", "--json", environment: ["APUS_BLAS": "none"]).object
    #expect(none["blas"] is NSNull)
    let text = try Command.run("doctor")
    #expect(text.status == 0)
    for word in ["processor", "kernels", "threads", "BLAS"] { #expect(text.output.contains(word)) }
  }
}
