import ApusGraph
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

import struct ApusTestSupport.ZipBuilder

@testable import Apus

@Suite struct ConformanceCommandTests {
  private static let x = [-1, 2] as [Float]

  private static func value(_ elements: [Float]) throws -> GraphValue {
    GraphValue(try Tensor(elements, shape: [1, 2]))
  }

  private func withTests(_ body: (TemporaryFolder) throws -> Void) throws {
    try TemporaryFolder.with { folder in
      let tests = TemporaryFolder(url: folder.file("tests"))
      let input = try Self.value(Self.x)
      try tests.conformanceTest("test_right", ModelFixtures.relu, inputs: [input], outputs: [Self.value([0, 2])])
      try tests.conformanceTest("test_wrong", ModelFixtures.relu, inputs: [input], outputs: [Self.value([1, 2])])
      var strange = ModelFixtures.relu
      strange.graph.nodes[0].opType = "Frobnicate"
      try tests.conformanceTest("test_strange", strange, inputs: [input], outputs: [input])
      try body(folder)
    }
  }

  @Test func everyTestHasItsVerdict() throws {
    try withTests { folder in
      let result = try Command.run("conformance", folder.path("tests"), "--json")
      #expect(result.status == 1)
      let report = try result.object
      #expect(report["passed"] as? [String] == ["test_right"])
      #expect(report["wrong"] as? [String] == ["test_wrong"])
      #expect(report["unsupported"] as? [String] == ["test_strange"])
      #expect(report["crashed"] as? [String] == [])
      #expect(report["nondeterministic"] as? [String] == [])
      let text = try Command.run("conformance", folder.path("tests"))
      #expect(text.output.contains("1 of 3 tests pass; 1 wrong, 1 unsupported"))
    }
  }

  @Test func namesMayHoldEndsOfLines() throws {
    try withTests { folder in
      let name = "test_right\nof \"two\" lines"
      try FileManager.default.moveItem(at: folder.file("tests/test_right"), to: folder.file("tests/\(name)"))
      let result = try Command.run("conformance", folder.path("tests"), "--json")
      let report = try result.object
      #expect(report["passed"] as? [String] == [name])
      #expect(report["wrong"] as? [String] == ["test_wrong"] && report["crashed"] as? [String] == [])
    }
  }

  @Test func tolerancesThatCannotBeReadAreSaidToBe() throws {
    try withTests { folder in
      try Data(#"{"rtol": "much"}"#.utf8).write(to: folder.file("tests/test_right/tolerance.json"))
      let report = try Command.run("conformance", folder.path("tests"), "--json").object
      let reason = try #require((report["reasons"] as? [String: String])?["test_right"])
      #expect(
        reason.hasSuffix("test_right/tolerance.json: an object of JSON with the numbers rtol and atol was expected"))
    }
  }

  @Test func testsThatAreReadFromFoldersAloneAreSaidToBe() throws {
    try TemporaryFolder.with { folder in
      try Data(ZipBuilder(["tests/a/test.json": Array("{}".utf8)]).bytes).write(to: folder.file("tests.zip"))
      let result = try Command.run("conformance", folder.path("tests.zip"))
      #expect(result.status == 65 && result.errors.contains("unpack it first"), "\(result.errors)")
    }
  }

  @Test func whatIsUnsupportedAloneIsNoFailure() throws {
    try withTests { folder in
      let tests = folder.path("tests")
      let (strange, none) = (
        try Command.run("conformance", tests, "--filter", "strange"),
        try Command.run("conformance", tests, "--filter", "nothing")
      )
      #expect(strange.status == 0)
      #expect(none.status == 64)
    }
  }

  @Test func theListOfExpectedFailuresMayOnlyShrink() throws {
    try withTests { folder in
      let list = folder.path("list.txt")
      func run(_ text: String) throws -> CommandResult {
        try text.write(toFile: list, atomically: true, encoding: .utf8)
        return try Command.run("conformance", folder.path("tests"), "--expected-failures", list)
      }
      #expect(try run("# known\ntest_wrong\ntest_strange # not there\n").status == 0)
      let unexpected = try run("test_wrong\n")
      #expect(unexpected.status == 1)
      #expect(unexpected.output.contains("test_strange does not pass"))
      let passing = try run("test_wrong\ntest_strange\ntest_right\n")
      #expect(passing.status == 1)
      #expect(passing.output.contains("test_right passes"))
      #expect(try run("test_wrong\ntest_strange\ntest_gone\n").status == 1)
    }
  }

  @Test func thePageAboutCoreMLHasItsReasons() throws {
    try TemporaryFolder.with { folder in
      let tests = fixture("coreml")
      try FileManager.default.createDirectory(at: folder.file("tests"), withIntermediateDirectories: true)
      for (name, source) in [("right", "network-layers"), ("wrong", "network-names")] {
        try FileManager.default.copyItem(
          at: URL(filePath: "\(tests)/\(source)"), to: folder.file("tests/\(name)"))
      }
      try Data([0xFF]).write(to: folder.file("tests/wrong/model.mlmodel"))
      try "wrong # its model is damaged\n".write(toFile: folder.path("list.txt"), atomically: true, encoding: .utf8)
      let result = try Command.run(
        "conformance", folder.path("tests"), "--expected-failures", folder.path("list.txt"), "--document",
        folder.path("page.md"))
      let page = try String(contentsOf: folder.file("page.md"), encoding: .utf8)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(page.contains("**1 of 2 tests pass.**"), "\(page)")
      #expect(page.contains("its model is damaged"), "\(page)")
      #expect(page.contains("| FLOAT32 | 1e-4 | 2 |"), "\(page)")
    }
  }

  @Test func theDocumentIsTheSameEachTime() throws {
    try withTests { folder in
      try Data(#"{"onnx": "1.2.3"}"#.utf8).write(to: folder.file("tests/standard.json"))
      for name in ["a.md", "b.md"] {
        #expect(try Command.run("conformance", folder.path("tests"), "--document", folder.path(name)).status == 1)
      }
      let text = try String(contentsOf: folder.file("a.md"), encoding: .utf8)
      #expect(try String(contentsOf: folder.file("b.md"), encoding: .utf8) == text)
      #expect(text.contains("version 1.2.3"))
      #expect(text.contains("| Relu | 2 | 1 | 0 | 18 |"))
      #expect(text.contains("`test_wrong`: wrong"))
    }
  }

  /// A test that goes on for hours: a million turns over a megabyte.
  private func withEndlessTest(_ body: (TemporaryFolder) throws -> Void) throws {
    try withTests { folder in
      let (count, x) = (try Tensor<Int64>([1_000_000], shape: []), try Tensor<Float>(zeros: [1 << 20]))
      try TemporaryFolder(url: folder.file("tests")).conformanceTest(
        "test_endless", ModelFixtures.loop, inputs: [GraphValue(count), GraphValue(x)], outputs: [GraphValue(x)])
      try body(folder)
    }
  }

  @Test func aTestThatTakesTooLongCountsAsCrashed() throws {
    try withEndlessTest { folder in
      let result = try Command.run("conformance", folder.path("tests"), "--time-limit", "1", "--json")
      #expect(result.status == 1)
      #expect(try result.object["crashed"] as? [String] == ["test_endless"])
      // Those after it ran all the same.
      #expect(try result.object["passed"] as? [String] == ["test_right"])
    }
  }

  #if os(Linux)
    @Test func aTestThatEndsItsProcessCountsAsCrashed() throws {
      try withEndlessTest { folder in
        let process = Command.process(["conformance", folder.path("tests"), "--json"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let children = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
        var worker: Int32?
        while worker == nil, process.isRunning {
          let text = (try? String(contentsOfFile: children, encoding: .utf8)) ?? ""
          worker = text.split(separator: " ").first.flatMap { Int32($0) }
        }
        // It has no other test to be at for long; the first of all is this one.
        kill(try #require(worker), SIGSEGV)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let report = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(report["crashed"] as? [String] == ["test_endless"])
        #expect((report["reasons"] as? [String: String])?["test_endless"]?.contains("signal 11") == true)
        #expect(report["passed"] as? [String] == ["test_right"])
      }
    }

    @Test func theOtherProcessEndsWithTheCommand() throws {
      try withEndlessTest { folder in
        let process = Command.process(["conformance", folder.path("tests"), "--json"])
        process.standardOutput = Pipe()
        try process.run()
        let children = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
        var worker: Substring?
        while worker == nil, process.isRunning {
          worker = try? String(contentsOfFile: children, encoding: .utf8).split(separator: " ").first
        }
        let state = "/proc/\(try #require(worker))/stat"
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // A test that goes on for hours is over soon. What nobody waits for may stay, as a zombie.
        var isOver = false
        for _ in 0..<1000 where !isOver {
          let text = (try? String(contentsOfFile: state, encoding: .utf8)) ?? ""
          isOver = text.split(separator: ") ").last.map { $0.hasPrefix("Z") } ?? true
          if !isOver { usleep(10_000) }
        }
        #expect(isOver)
      }
    }
  #endif

  @Test func foldersWithoutTestsAreRefused() throws {
    try TemporaryFolder.with { folder in
      let empty = try Command.run("conformance", folder.url.path(percentEncoded: false))
      #expect(empty.status == 65)
      #expect(empty.errors.contains("holds no tests"))
      #expect(try Command.run("conformance", folder.path("absent")).status == 66)
      let file = try folder.npy("file", [1] as [Float], shape: [1])
      #expect(try Command.run("conformance", file).status == 66)
      #expect(try Command.run("conformance", folder.path("absent.zip")).status == 66)
    }
  }

  @Test func theFixturesOfTheGraphPass() throws {
    let archive = fixture("onnx/core.zip")
    let result = try Command.run("conformance", archive)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }
}
