import Apus
import ApusGraph
import Foundation
import Testing

@testable import ApusCoreML

/// Models of coremltools with answers that NumPy computed (`Tests/Fixtures/generate/coreml_models.py`).
@Suite struct CoreMLCaseTests {
  static let names = [
    "program-layers", "program-layers-half", "program-while", "program-state", "program-state-blocks",
    "program-compressed", "program-compressed-older", "network-layers", "network-names", "network-pictures",
    "network-classes", "network-loops", "network-kinds", "network-axes", "program-kinds", "classic-pipeline",
    "classic-trees",
  ]

  @Test(arguments: names, CoreMLArithmetic.allCases)
  func answersAreThoseOfNumPy(_ name: String, _ arithmetic: CoreMLArithmetic) throws {
    let test = try CoreMLConformanceCase(path: coreMLFixture(name), arithmetic: arithmetic)
    #expect(test.run() == .passed)
    var plain = InferenceSession.Options()
    plain.optimizes = false
    plain.plansMemory = false
    #expect(test.run(options: plain) == .passed)
  }

  @Test func everyFixtureIsATest() throws {
    let suite = try #require(try CoreMLConformanceCase.suite(path: coreMLFixture()))
    #expect(suite.map(\.name) == Self.names.sorted())
  }

  /// An answer that is not right must not pass: the states of calls are in the wrong order here.
  @Test func aWrongAnswerIsFound() throws {
    try withCopy(of: "program-state") { folder in
      let files = FileManager.default
      try files.moveItem(atPath: folder + "/expected_1.npz", toPath: folder + "/kept.npz")
      try files.moveItem(atPath: folder + "/expected_2.npz", toPath: folder + "/expected_1.npz")
      try files.moveItem(atPath: folder + "/kept.npz", toPath: folder + "/expected_2.npz")
      guard case .wrong = try CoreMLConformanceCase(path: folder).run() else {
        Issue.record("a wrong answer passes")
        return
      }
    }
  }

  @Test func whatIsNotThereIsNotExpected() throws {
    for test in try #require(try CoreMLConformanceCase.suite(path: coreMLFixture())) {
      let graph = try test.model().graph
      for index in [-1, graph.outputs.count, .max] { #expect(try test.expected(0, output: index, of: graph) == nil) }
      #expect(throws: CoreMLError.self) { try test.inputs(-1, of: graph) }
      #expect(throws: CoreMLError.self) { try test.expected(.min, output: 0, of: graph) }
    }
  }

  @Test(arguments: [
    (#"{"calls": 3, "rows": 5}"#, 15), (#"{"calls": -3, "rows": 0}"#, 1),
    (#"{"calls": 1000, "rows": 1000}"#, 1_000_000),
    (#"{"calls": 1000001}"#, nil), (#"{"calls": 4294967296, "rows": 4294967296}"#, nil),
    (#"{"calls": 9223372036854775807, "rows": 2}"#, nil),
  ])
  func whatATestSaysOfItsLengthIsChecked(settings: String, count: Int?) throws {
    try withCopy(of: "program-state") { folder in
      try Data(settings.utf8).write(to: URL(filePath: folder + "/test.json"))
      let test = try CoreMLConformanceCase(path: folder)
      guard let count else {
        #expect(throws: CoreMLError.self) { try test.dataSetCount() }
        return
      }
      #expect(try test.dataSetCount() == count)
    }
  }

  @Test func everyRegisteredOperationIsRead() throws {
    let text = try String(contentsOf: URL(filePath: coreMLFixture("operations.txt")), encoding: .utf8)
    let registered = text.split(separator: "\n").map(String.init)
    #expect(registered.count > 160)
    #expect(Set(registered).subtracting(ProgramBuilder.operationNames) == [])
  }
}

/// Tests written for another runtime, in a folder beside other models: see docs/coreml.md.
private let externalCases: [String] = {
  guard let folder = ProcessInfo.processInfo.environment["APUS_EXTERNAL_MODELS"] else { return [] }
  return ["coreml", "coreml_cases/mil", "coreml_cases/nn"].map { "\(folder)/\($0)" }.filter {
    FileManager.default.fileExists(atPath: $0)
  }
}()

@Suite(.enabled(if: !externalCases.isEmpty, "needs coreml in APUS_EXTERNAL_MODELS"))
struct ExternalCoreMLTests {
  /// All but one in fifty; docs/coreml.md says which are known to differ, and why.
  @Test(arguments: externalCases)
  func mostTestsPass(_ path: String) throws {
    let suite = try #require(try CoreMLConformanceCase.suite(path: path))
    var wrong: [String] = []
    for test in suite {
      switch test.run() {
      case .passed, .nondeterministic: break
      case .wrong(let reason), .unsupported(let reason): wrong.append("\(test.name): \(reason)")
      }
    }
    #expect(wrong.count * 50 <= suite.count, "\(wrong.joined(separator: "\n"))")
  }
}
