import Apus
import ApusFormats
import ApusGraph
import ArgumentParser

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what is in a model or a safetensors file.",
    discussion: """
      Of a SAFETENSORS file the header alone is read, so a file of any size is listed at once. The whole header is \
      checked: shapes, element types, offsets that overlap or leave holes.

      Of a MODEL: versions, producer, inputs, outputs, parameters, and its operators, with those that Apus does \
      not have and nodes that cannot be prepared. Functions are written out; subgraphs are counted once. A model that \
      cannot be run is inspected all the same.

      Nothing is run. Where all extents are known or given, multiply-adds (convolutions, matrix products, attention, \
      recurrent networks, Einsum) are counted from shapes; nodes whose shapes depend on values are said to be left out. \
      With --run the model is run on zeros, node by node as the file has it, to count all of them, and as it runs \
      fastest, to measure the memory that its tensors take at most.

      EXAMPLES
        apus inspect model.safetensors --metadata
        apus inspect model.onnx --dim batch=1
        apus inspect model.onnx --dim batch=1 --run --time-limit 60
        apus inspect model.onnx --json | jq '.unsupported[]'
      """)

  @Argument(
    help: "A model (.onnx, .mlpackage, .mlmodel) or a .safetensors file.",
    completion: .file(extensions: ["onnx", "mlpackage", "mlmodel", "safetensors"]))
  var file: String

  @Flag(help: "Print what the writer said of the file, in full.")
  var metadata = false

  @OptionGroup(title: "Models") var dimensions: DimensionOptions

  @OptionGroup(title: "Models") var limits: LimitOptions

  @Flag(name: .customLong("run"), help: "Run the model on zeros to measure what it costs.")
  var isRun = false

  @Flag(help: "Print one line of JSON.")
  var json = false

  func run() throws { try limits.bounded { try inspect() } }

  private func inspect() throws {
    guard try FileFormat(of: file) != .safetensors else {
      let report = try InspectionReport(SafetensorsFile(path: file), path: file)
      return try Output.write(json ? jsonText(report) + "\n" : report.text(withMetadata: metadata))
    }
    let limits = limits.apply()
    var report = try ModelInspection(ModelFile.open(file), path: file)
    try report.findCost(dimensions, isRun: isRun, limits: limits)
    try Output.write(json ? jsonText(report) + "\n" : report.text(withMetadata: metadata))
  }
}
