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
}
