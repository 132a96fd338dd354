import ApusTestSupport
import FoundationEssentials
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Small models with expected outputs, written by Tests/Fixtures/generate/onnx_*.py from ONNX Runtime, the standard's
/// reference implementation, NumPy and PyTorch.
@Suite struct FixtureTests {
  @Test(arguments: FixtureCase.all)
  func outputsAreAsExpected(fixture: FixtureCase) throws {
    let test = try fixture.test.get()
    let outcome = test.run()
    #expect(outcome == .passed || outcome == .nondeterministic)
  }

  /// Nothing that rewriting a graph does may change a bit.
  @Test(arguments: FixtureCase.all)
  func outputsAreAsExpectedWithoutRewriting(fixture: FixtureCase) throws {
    var options = InferenceSession.Options()
    options.optimizes = false
    let outcome = try fixture.test.get().run(options: options)
    #expect(outcome == .passed || outcome == .nondeterministic)
  }
}

@Suite struct ConformanceCaseTests {
  @Test func whatIsNotThereIsNotExpected() throws {
    let test = try #require(FixtureCase.all.first).test.get()
    let graph = try test.model().graph
    for index in [-1, graph.outputs.count, .max] { #expect(try test.expected(0, output: index, of: graph) == nil) }
    #expect(try test.inputs(-1, of: graph).isEmpty)
  }
}

/// A case of one of the archives in Tests/Fixtures/onnx.
struct FixtureCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let test: Result<ONNXConformanceCase, any Error>

  /// Every case; one that fails when the archives cannot be read, so that no test passes because there are no cases.
  static let all: [FixtureCase] = {
    let path = fixture("onnx")
    do {
      let archives = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".zip") }.sorted()
      guard !archives.isEmpty else { throw OperatorError("no archive in \(path)") }
      return try archives.flatMap { archive in
        try ONNXConformanceSuite(path: "\(path)/\(archive)").cases.map {
          FixtureCase(testDescription: "\(archive): \($0.name)", test: .success($0))
        }
      }
    } catch {
      return [FixtureCase(testDescription: "\(error)", test: .failure(error))]
    }
  }()
}

extension ConformanceCase {
  /// The inputs of every data set.
  func dataSets(of graph: Graph) throws -> [[String: GraphValue]] {
    try (0..<dataSetCount()).map { try inputs($0, of: graph) }
  }

  /// The outputs for every data set.
  func outputs(options: InferenceSession.Options) throws -> [[String: GraphValue]] {
    let model = try model()
    let session = try InferenceSession(model, options: options)
    return try dataSets(of: model.graph).map { try session.run($0) }
  }
}
