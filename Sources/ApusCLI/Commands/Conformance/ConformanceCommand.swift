import Apus
import ApusFormats
import ApusGraph
import ArgumentParser

struct ConformanceCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "conformance",
    abstract: "Run tests of models: those of the ONNX standard, of Core ML, of torch.export.",
    discussion: """
      PATH is a folder, or a ZIP archive of one, with a folder for each test: model.onnx, and test_data_set_0, \
      test_data_set_1, … with input_0.pb, output_0.pb and so on. A tolerance.json may give rtol and atol; they are \
      1e-3 and 1e-7 without. Tests/Fixtures/generate/onnx_node_tests.py writes the standard's own.

      A test of a Core ML model is a folder with model.mlpackage or model.mlmodel, inputs.npz, expected.npz and \
      test.json (docs/coreml.md); one of a program of torch.export likewise, with model.pt2 (docs/torch.md). These are \
      read from folders alone.

      Tests run one after another in a process of their own; one that ends the process, or takes longer than \
      --time-limit, counts as crashed. Of models whose outputs depend on chance, types, shapes and kinds of numbers \
      are compared.

      Ends with 0 when nothing is wrong and nothing crashed; what is unsupported does not count. With \
      --expected-failures a test that does not pass must be in that list, and one that is in it must not pass. \
      Ends with 1 when something is not as it should be.

      EXAMPLES
        apus conformance nodes
        apus conformance nodes --filter conv --json | jq .wrong
        apus conformance nodes --document docs/conformance.md
      """)

  @Argument(
    help: ArgumentHelp("A folder, or a ZIP archive of one, with a folder for each test.", valueName: "path"),
    completion: .directory)
  var path: String

  @Option(help: ArgumentHelp("Only tests whose names contain this.", valueName: "text"))
  var filter: String?

  @Option(
    help: ArgumentHelp("Write a page of Markdown that says which tests pass.", valueName: "file"),
    completion: .file(extensions: ["md"]))
  var document: String?

  @Option(
    help: ArgumentHelp("Tests that are known not to pass, a name per line.", valueName: "file"),
    completion: .files(.texts))
  var expectedFailures: String?

  @Option(help: ArgumentHelp("How long one test may take.", valueName: "seconds"))
  var timeLimit = 60

  @Flag(help: "Print one line of JSON.")
  var json = false

  /// What the command's own other process is started with.
  @Flag(help: .hidden)
  var worker = false

  func validate() throws {
    guard 1...86_400 ~= timeLimit else { throw ValidationError("--time-limit \(timeLimit): 1 to 86400 was expected.") }
    if document != nil, filter != nil { throw ValidationError("--document describes all tests; it takes no --filter.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    // Of what lies in the folder itself, beside the folders of the tests, this alone is read.
    let folder = path
    files.reads(path, as: "the tests", depth: 8) { file in
      let name = file.dropFirst(folder.count).drop { $0 == "/" }
      return name.contains("/") || name == "standard.json"
    }
    files.reads(expectedFailures, as: "--expected-failures")
    files.writes(document, as: "--document")
    return files
  }

  func run() throws {
    let suite = try ConformanceSuite(path: path)
    if worker { return try ConformanceRunner.work(on: suite) }
    let names = suite.cases.map(\.name)
    let wanted = names.filter { name in filter.map { name.contains($0) } ?? true }
    guard !names.isEmpty else {
      if let archive = try? ZipArchive(MappedFile(path: path)),
        archive.entries.contains(where: { $0.name.hasSuffix("/test.json") })
      {
        throw CommandFailure(
          .badData, "\(path): holds tests of Core ML or torch.export, which are read from a folder; unpack it first")
      }
      throw CommandFailure(
        .badData, "\(path): holds no tests; folders with a model.onnx or a test.json in each were expected")
    }
    guard !wanted.isEmpty else {
      throw CommandFailure(.usage, "--filter \(filter ?? ""): no test of \(names.count) has such a name")
    }
    let expected = try expectedFailures.map { try ExpectedFailures(path: $0) }
    var runner = ConformanceRunner(path: path, timeLimit: .seconds(timeLimit))
    var progress = ProgressBar(total: wanted.count)
    defer { progress?.clear() }
    var results: [ConformanceResult] = []
    for (index, name) in wanted.enumerated() {
      progress?.update(index, note: ErrorReport.oneLine(name))
      results.append(try runner.run(name))
    }
    progress?.clear()
    let report = ConformanceReport(results, contradictions: expected?.contradictions(results, all: Set(names)))
    if let document {
      let page = ConformanceDocument(report: report, suite: suite, reasons: expected?.reasons ?? [:])
      try TextFile.write(page.text, to: document)
    }
    try Output.write(json ? jsonText(report) + "\n" : report.text())
    if !report.isGood { throw CommandStatus.different }
  }
}
