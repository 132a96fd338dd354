import Apus
import ApusFormats
import ApusGraph
import FoundationEssentials

/// What became of one conformance test.
struct ConformanceResult: Codable {
  enum Outcome: String, Codable, CaseIterable {
    case passed, wrong, unsupported, crashed, nondeterministic

    var isPassed: Bool { self == .passed || self == .nondeterministic }
  }

  var name: String
  /// The operator that the test is about, and the version of the operators in its model; `?` and 0 when unknown.
  var subject = "?"
  var opset = 0
  var outcome = Outcome.crashed
  var reason = ""
}

/// Runs conformance tests in another process, so that one that ends it, or never ends, is one test and not the end.
struct ConformanceRunner {
  let path: String
  let timeLimit: Duration

  private var worker: WorkerProcess?

  init(path: String, timeLimit: Duration) {
    self.path = path
    self.timeLimit = timeLimit
  }

  /// Runs the test called `name`.
  mutating func run(_ name: String) throws -> ConformanceResult {
    var result = ConformanceResult(name: name)
    let worker = try self.worker ?? WorkerProcess(arguments: ["conformance", path, "--worker"])
    self.worker = worker
    // A name may hold what ends a line.
    worker.send(try jsonText(name))
    // First what the test is about, then what became of it.
    for _ in 0..<2 {
      switch worker.receive(within: timeLimit) {
      case .line(let line):
        result = try JSONDecoder().decode(ConformanceResult.self, from: Data(line.utf8))
      case .ended(let how):
        self.worker = nil
        result.reason = "the process \(how)"
        return result
      case .tooLate:
        worker.end()
        self.worker = nil
        result.reason = "it took longer than \(timeLimit.components.seconds) s"
        return result
      }
    }
    return result
  }

  /// What the other process does: reads names of tests, a string of JSON a line, and answers with two lines for each.
  static func work(on suite: ConformanceSuite) throws {
    let cases = Dictionary(suite.cases.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    WorkerProcess.endWithParent()
    while let line = readLine() {
      let name = try JSONDecoder().decode(String.self, from: Data(line.utf8))
      guard let test = cases[name] else { throw CommandFailure(.usage, "no test is named '\(name)'") }
      var result = ConformanceResult(name: name)
      if let subject = try? test.subject() {
        (result.subject, result.opset) = ("\(subject.operator)", subject.opset)
      }
      try Output.line(try jsonText(result))
      try Output.flush()
      switch test.run() {
      case .passed: result.outcome = .passed
      case .nondeterministic: result.outcome = .nondeterministic
      case .wrong(let reason): (result.outcome, result.reason) = (.wrong, reason)
      case .unsupported(let reason): (result.outcome, result.reason) = (.unsupported, reason)
      }
      try Output.line(try jsonText(result))
      try Output.flush()
    }
  }
}
