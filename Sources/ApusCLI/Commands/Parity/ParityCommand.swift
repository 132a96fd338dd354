import Apus
import ApusFormats
import ApusGraph
import ArgumentParser

struct ParityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parity",
    abstract: "Find the layer where a model stops computing what another runtime computed.",
    discussion: """
      Runs the model node by node beside values that another runtime wrote, matched by name \
      (Weights/reference/onnx_reference.py writes them from ONNX Runtime, torch_reference.py from PyTorch, \
      coreml_reference.py for models that coremltools converted). Each node is run twice: on the reference's values \
      for its inputs, which gives its own, isolated error, and in Apus' run from the inputs on, which gives the \
      cumulative one. A node beyond the tolerance in isolation computes something else than the reference; one \
      beyond it only cumulatively inherits an error.

      A reference may have been recorded elsewhere than this file computes: before a normalisation was folded into a \
      convolution, or after a value was overwritten in place. Where the nodes after such a value have the reference's \
      values on what this file computes in its place, and not on it, the report says that the reference's value does not \
      fit this file; it is counted apart, and is no difference.

      TOLERANCES
        An isolated element passes when |actual - expected| ≤ rtol · |expected| + (4 + √K / 2) · u · scale, with rtol \
      1.3e-6 for FLOAT, 1e-3 for FLOAT16, 1.6e-2 for BFLOAT16, 1e-12 for DOUBLE, u the type's rounding (2⁻²⁴ for \
      FLOAT), K the number of terms an element adds up, and the scale that of the largest element, or of the \
      terms. Why: terms that cancel leave an error proportional to the terms and not to the result, and it grows with \
      the square root of their number. There is no absolute constant: a wrong epsilon shows in a layer of small values too.
        Cumulatively every node before has rounded: rtol 1e-3 and 1e-4 of the largest element for FLOAT; behind a node \
      that quantises, two levels of 255.
        Integers are exact. Levels that a quantising node rounds may be off by one in 1 % of the elements: that is \
      reported and no difference, unless --atol is given.
        --rtol and --atol take the place of the two parts everywhere.

      Values between nodes that the file lacks are not checked; the nodes around them are judged together, and may differ \
      by what rounding alone makes of them, which is measured in DOUBLE. Bodies of \
      If, Loop and Scan are not looked into. Ends with 0 when everything is within the tolerances, with 1 when \
      something is not.

      EXAMPLES
        apus parity model.onnx --expected reference.safetensors
        apus parity model.onnx --inputs inputs.npz --expected outputs.npz --float64
        apus parity model.onnx --inputs test_data_set_0 --expected test_data_set_0 --all
        apus parity model.onnx --expected reference.safetensors --json | jq .data_sets[0].first_difference
      """)

  @OptionGroup var parity: ParityOptions

  @Flag(help: "Also compute in DOUBLE, node by node and as a whole, and say which side is closer to that.")
  var float64 = false

  @Flag(help: "List every node.")
  var all = false

  @Option(help: ArgumentHelp("List at most so many nodes.", valueName: "n"))
  var top = 24

  @Flag(help: "Print one line of JSON.")
  var json = false

  func validate() throws {
    guard top >= 0 else { throw ValidationError("--top \(top): a number not below 0 was expected.") }
    try parity.validateReference()
  }

  func run() throws { try parity.limits.bounded { try check() } }

  private func check() throws {
    let model = try ModelFile.open(parity.model, arithmetic: parity.arithmetic.arithmetic)
    let check = try ParityCheck(model, options: parity.options(computesTruth: float64))
    var results = ParityResults(model: parity.model)
    for makeCase in try parity.cases(of: model) {
      let dataSet = try makeCase()
      var progress = ProgressBar(total: model.graph.nodes.count)
      defer { progress?.clear() }
      let report = try check.run(dataSet.inputs, reference: dataSet.reference) { progress?.update($0, note: "nodes") }
      guard report.verdict != .nothingChecked else { throw nothingChecked(dataSet, report, model) }
      results.add(report, named: dataSet.name)
    }
    try Output.write(json ? jsonText(results) + "\n" : results.text(listsAll: all, limit: top))
    if !results.isEqual { throw CommandStatus.different }
  }

  private func nothingChecked(_ dataSet: ParityOptions.Case, _ report: ParityReport, _ model: any GraphModel)
    -> CommandFailure
  {
    if report.nodes.contains(where: { $0.status == .random }) {
      return CommandFailure(
        .badData, "\(dataSet.name): every value in it depends on chance; there is nothing to compare")
    }
    let outputs = model.graph.outputs.map { "'\(model.graph.values[$0].name)'" }.prefix(3).joined(separator: ", ")
    let names = report.unknownNames.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return CommandFailure(
      .badData,
      "\(dataSet.name): no value in it is named as one that the model computes, such as \(outputs)"
        + (names.isEmpty ? "" : "; it has \(names)"))
  }
}
