import Apus
import ApusONNX
import ArgumentParser

struct ConformanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance",
    abstract: "Run a folder of tests in the layout of the ONNX backend test suite.")

  @Argument(help: "A folder with a folder for each test.", completion: .directory)
  var folder: String

  @Option(help: "Only tests whose name contains this.")
  var filter = ""

  func run() throws {
    var counts: [String: Int] = [:]
    for test in try ConformanceSuite(path: folder).cases where filter.isEmpty || test.name.contains(filter) {
      let outcome = test.run()
      switch outcome {
      case .passed: counts["passed", default: 0] += 1
      case .nondeterministic: counts["nondeterministic", default: 0] += 1
      case .wrong(let reason):
        counts["wrong", default: 0] += 1
        try Output.write("WRONG \(test.name): \(reason)\n")
      case .unsupported(let reason):
        counts["unsupported", default: 0] += 1
        try Output.write("unsupported \(test.name): \(reason)\n")
      }
    }
    try Output.write("\(counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))\n")
  }
}
