import Apus
import ApusGraph
import ApusONNX
import ArgumentParser

struct ReduceCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "reduce",
    abstract: "Cut a model down to the smallest part that still differs from a reference.",
    discussion: """
      Looks for a difference as 'apus parity' does and writes the nodes that make it as a model of their own, with the \
      reference's values for their inputs and output beside it: what to attach to a report. When a node differs by \
      itself, that node is the part, with the nodes before it up to values that the reference has. When none does, it is \
      as few nodes as amplify rounding beyond the tolerance. A value of the reference that does not fit the model, \
      as 'apus parity' says it, is never the part. What was written is read again and must still differ.

      The values are a safetensors file, or, where --data ends in '/', a folder of .pb files in the layout of the ONNX \
      backend tests, which holds every type there is.

      Of a Core ML model, and of a program of torch.export, the part is an .onnx model too, with weights in full; where it \
      needs an operator that the standard does not have, nothing is written and the operator is named.

      Ends with 0 when a part was written, with 1 when nothing differs.

      EXAMPLES
        apus reduce model.onnx --expected reference.safetensors --output small.onnx
        apus parity small.onnx --expected small.safetensors
      """)

  @Argument(
    help: "The model: .onnx, .mlpackage, .mlmodel or .pt2.",
    completion: .files(.models))
  var model: String

  @OptionGroup var parity: ParityOptions

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The model to write.", valueName: "file"),
    completion: .file(extensions: ["onnx"]))
  var output: String

  @Option(
    help: ArgumentHelp(
      "Where the values go; by default beside the model, as .safetensors.", valueName: "file or folder/"))
  var data: String?

  @Flag(help: "Print one line of JSON.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    files.reads(model, as: "the model")
    parity.plan(&files)
    files.writes(output, as: "--output", endings: FileKind.writtenModels.extensions)
    values.plan(&files)
    return files
  }

  private var values: ReducedValues { ReducedValues(path: data ?? ReducedValues.path(besideModel: output)) }

  func validate() throws { try parity.validateReference() }

  func run() throws { try parity.limits.bounded { try reduce() } }

  private func reduce() throws {
    let model = try openModel(self.model, arithmetic: parity.arithmetic.arithmetic)
    try parity.arithmetic.check([model])
    let check = try ParityCheck(model, options: parity.options())
    for makeCase in try parity.cases(of: model) {
      let dataSet = try makeCase()
      let report = try check.run(dataSet.inputs, reference: dataSet.reference)
      guard let part = try check.reduction(of: dataSet.inputs, reference: dataSet.reference, report: report) else {
        continue
      }
      try write(part, check.options, of: model)
      return
    }
    try Output.line(json ? jsonText(["equal": true]) : "nothing differs; nothing was written")
    throw CommandStatus.different
  }

  private func write(_ part: ParityReduction, _ options: ParityCheck.Options, of model: any GraphModel) throws {
    let file = model as? ONNXModel
    // What other formats have of weights, blocks and tables, the standard may not have.
    let part = try file == nil ? part.foldingConstants() : part
    try CheckedFiles.current.addData(model.externalFiles)
    try values.check(part)
    do {
      try ModelProto(part, of: file?.proto).writeChecked(to: output)
    } catch GraphError.graph(let reason) {
      let nodes = part.nodes.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (part.nodes.count > 8 ? ", …" : "")
      throw CommandFailure(
        .badData,
        "\(self.model): \(reason); the part is \(nodes): 'apus run --fetch' writes the values around them")
    }
    try values.write(part)
    let written = try ONNXModel(path: output)
    let (inputs, outputs) = try values.read(for: written)
    guard try part.stillDiffers(written, inputs: inputs, outputs: outputs, options: options) else {
      throw CommandFailure(.software, "\(output): what was written no longer differs; please report it")
    }
    let result = Result(
      model: output, values: values.path, kind: part.kind, nodes: part.nodes, of: model.graph.nodes.count,
      difference: part.difference)
    try Output.write(json ? jsonText(result) + "\n" : result.text)
  }

  private struct Result: Encodable {
    var model: String
    var values: String
    var kind: ParityReduction.Kind
    var nodes: [String]
    var of: Int
    var difference: ValueDifference

    var text: String {
      let count = nodes.count == 1 ? "1 node" : "\(nodes.count) nodes"
      var lines = ["\(model): \(count) of \(of), with values in \(values)"]
      lines += nodes.prefix(12).map { "  " + ErrorReport.oneLine($0) }
      if nodes.count > 12 { lines.append("  … \(nodes.count - 12) more") }
      lines.append(remark)
      lines += "\(difference.text)".split(separator: "\n").map { "  " + $0 }
      return lines.map { $0 + "\n" }.joined()
    }

    private var remark: String {
      switch kind {
      case .isolated: "still different on the reference's own inputs:"
      case .cumulative where nodes.count == 1: "right by itself, but it amplifies what rounding its inputs costs:"
      case .cumulative: "each is right by itself; together they amplify rounding beyond the tolerance:"
      }
    }
  }
}
