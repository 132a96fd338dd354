import Apus
import ApusNetworks
import ArgumentParser

struct VerifyCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Hold models against their golden outputs.",
    discussion: """
      Runs a model on inputs whose outputs are known, in float32 and in float64, and compares. Without arguments: \
      every model that ships, with its own weights, and every network that Apus knows, with weights made by a formula; \
      the golden outputs are what PyTorch computed in float64.

      A golden file is a safetensors file with tensors input.SAMPLE and output.NAME.SAMPLE, and perhaps \
      output32.NAME.SAMPLE, what another runtime makes of it in float32; its largest error is printed beside ours.

      Tolerances default to rtol 1e-5, atol 5e-5 for float32, ten times as much with --precision fast, and to 1e-12 for \
      float64; atol to as many times more as an output's RMS is above 5. Ends with 0 when everything is within them, \
      with 1 when something is not.

      EXAMPLES
        apus verify
        apus verify --rtol 0 --atol 1e-6 --json
        apus verify --model behavior-classifier --weights w.safetensors
        apus verify --model yolov8n --precision fast
      """)

  @Option(
    help: ArgumentHelp("One model: \(Self.modelNames).", valueName: "name"),
    completion: .list(ShippedModel.all.map(\.name)))
  var model: String?

  @Option(
    help: ArgumentHelp("Other weights than those that ship; needs --model.", valueName: "file"),
    completion: .files(.weights))
  var weights: String?

  @Option(
    help: ArgumentHelp("Other golden outputs than those that ship; needs --model.", valueName: "file"),
    completion: .files(.weights))
  var golden: String?

  @Option(help: "How float32 is computed: exact, or fast, which allows Winograd's convolution and longer sums.")
  var precision = Execution.Precision.exact

  @OptionGroup var tolerance: ToleranceOptions

  @Flag(help: "Print one line of JSON.")
  var json = false

  private static let modelNames = ShippedModel.all.map(\.name).joined(separator: ", ")

  func validate() throws {
    if model == nil, weights != nil || golden != nil { throw ValidationError("--weights and --golden need --model.") }
    if let model, !ShippedModel.all.contains(where: { $0.name == model }) {
      throw ValidationError("No model is named '\(model)'; there is \(Self.modelNames).")
    }
  }

  var files: FilePlan {
    var files = FilePlan()
    for model in models {
      for path in model.files(weights: weights, golden: golden) { files.reads(path, as: "the data of \(model.name),") }
    }
    return files
  }

  private var models: [ShippedModel] { ShippedModel.all.filter { model == nil || $0.name == model } }

  func run() throws {
    let models = models
    var progress = ProgressBar(total: models.count)
    defer { progress?.clear() }
    var results: [Verification] = []
    for (index, model) in models.enumerated() {
      progress?.update(index, note: model.name)
      results += try Execution.with(precision: precision) {
        try model.verify(weights: weights, golden: golden) { tolerance.replacing(widened($1, for: $0)) }
      }
    }
    progress?.clear()
    let report = VerificationReport(results, precision: precision)
    try Output.write(json ? jsonText(report) + "\n" : report.text)
    if !report.isEqual { throw CommandStatus.different }
  }

  /// Fast algorithms may cost a digit.
  private func widened(_ tolerance: Tolerance, for dataType: DataType) -> Tolerance {
    guard precision == .fast, dataType == .float32 else { return tolerance }
    return Tolerance(relative: 10 * tolerance.relative, absolute: 10 * tolerance.absolute)
  }
}

extension Execution.Precision: ExpressibleByArgument {}
