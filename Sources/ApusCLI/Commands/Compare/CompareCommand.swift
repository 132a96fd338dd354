import Apus
import ApusGraph
import ArgumentParser

struct CompareCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare the tensors of two files, element by element.",
    discussion: """
      ACTUAL is judged by EXPECTED: an element passes when |actual - expected| ≤ atol + rtol · |expected|. \
      Tolerances default to those of torch.testing.assert_close for the element type: float16 1e-3/1e-5, bfloat16 \
      1.6e-2/1e-5, float32 1.3e-6/1e-5, float64 1e-7/1e-7, integers exact. NaN agrees with NaN.

      Files are .npy, .npz and .safetensors, folders of .npy files, which a metadata.json may name, and what Polygraphy \
      saved as JSON; of several iterations the tensors are INDEX/NAME. Tensors are matched by name; a name that only one file has is a difference. Two files of one tensor each need \
      no name in common.

      Ends with 0 when everything is equal, with 1 when something is different.

      EXAMPLES
        apus compare ours.npz theirs.npz
        apus compare coreml.npz golden.safetensors --atol 1e-4 --names 'output.*'
        apus compare a.npz b.npz --names var_123=probabilities --json
        apus compare dump/ reference.safetensors --report difference.html
      """)

  @Argument(
    help: "The file or folder to judge.", completion: .files(.tensors))
  var actual: String

  @Argument(
    help: "The file or folder with what it should hold.",
    completion: .files(.tensors))
  var expected: String

  @OptionGroup var tolerance: ToleranceOptions

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Look at these tensors only. '*' stands for any characters; 'a=b' holds a against the expected b.",
      valueName: "name"))
  var names: [String] = []

  @Flag(help: "Compare values whatever the element types are.")
  var anyDtype = false

  @Flag(help: "List tensors that are equal too, however many there are.")
  var all = false

  @Option(
    help: ArgumentHelp("A page for a browser: the verdict, and every tensor to look up.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?

  @Flag(help: "Print one line of JSON.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    for (path, role) in [(actual, "the file to judge"), (expected, "the expected file")] {
      files.reads(path, as: role, endings: [".npy", ".json"], depth: 1)
    }
    files.writes(report, as: "--report", endings: FileKind.pages.extensions)
    return files
  }

  func run() throws {
    let (actualFile, expectedFile) = (try TensorFile(path: actual), try TensorFile(path: expected))
    guard !actualFile.names.isEmpty || !expectedFile.names.isEmpty else {
      throw CommandFailure(.badData, "\(actual) and \(expected): hold no tensors; some were expected")
    }
    let pairing = TensorPairing(actual: actualFile.names, expected: expectedFile.names, patterns: names)
    if let pattern = pairing.unmatched.first {
      throw CommandFailure(.usage, "--names \(pattern): neither file has such a tensor")
    }
    var found = ComparisonReport(
      actual: actual, expected: expected, missing: pairing.missing, unexpected: pairing.unexpected)
    var profiles: [String: ErrorProfile] = [:]
    for pair in pairing.pairs {
      let (a, e) = (try actualFile.tensor(pair.actual), try expectedFile.tensor(pair.expected))
      let comparison = try Comparison(
        actual: a, expected: e, tolerance: tolerance.tolerance(for: a.dataType, e.dataType), checksDataType: !anyDtype)
      found.add(comparison, named: pair.name)
      if report != nil { profiles[pair.name] = try ErrorProfile(.tensor(a), .tensor(e)) }
    }
    if let report { try TextFile.write(ComparisonPage(found, profiles: profiles).html, to: report) }
    try Output.write(json ? jsonText(found) + "\n" : found.text(listsAll: all))
    if !found.isEqual { throw CommandStatus.different }
  }
}

/// `--rtol` and `--atol`.
struct ToleranceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Relative tolerance. The default depends on the element type.", valueName: "number"))
  var rtol: Double?

  @Option(help: ArgumentHelp("Absolute tolerance. The default depends on the element type.", valueName: "number"))
  var atol: Double?

  func validate() throws {
    for (name, value) in [("rtol", rtol), ("atol", atol)] {
      if let value, !(value >= 0 && value.isFinite) {
        throw ValidationError("--\(name) \(value): a finite number not below 0 was expected.")
      }
    }
  }

  /// The default of the two types, with what was given in its place.
  func tolerance(for a: DataType, _ b: DataType) -> Tolerance {
    replacing(.standard(for: a, b))
  }

  func replacing(_ standard: Tolerance) -> Tolerance {
    Tolerance(relative: rtol ?? standard.relative, absolute: atol ?? standard.absolute)
  }
}
