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

      Where all extents are known or given, the model is run on zeros, node by node as the file has it, to count \
      multiply-adds (convolutions, matrix products, attention, recurrent networks, Einsum), and as it runs fastest, \
      to measure the memory that its tensors take at most. --no-run leaves that out.

      EXAMPLES
        apus inspect model.safetensors --metadata
        apus inspect model.onnx --dim batch=1
        apus inspect model.onnx --json | jq '.unsupported[]'
      """)

  @Argument(help: "An .onnx or a .safetensors file.", completion: .file(extensions: ["onnx", "safetensors"]))
  var file: String

  @Flag(help: "Print what the writer said of the file, in full.")
  var metadata = false

  @OptionGroup(title: "Models") var dimensions: DimensionOptions

  @OptionGroup(title: "Models") var limits: LimitOptions

  @Flag(name: .customLong("run"), inversion: .prefixedNo, help: "Run the model once to see what it costs.")
  var isRun = true

  @Flag(help: "Print one line of JSON.")
  var json = false

  func run() throws {
    guard try FileFormat(of: file) != .safetensors else {
      let report = try InspectionReport(SafetensorsFile(path: file), path: file)
      return try Output.write(json ? jsonText(report) + "\n" : report.text(withMetadata: metadata))
    }
    var report = ModelInspection(try ModelFile.open(file), path: file)
    let limits = limits.apply()
    if isRun { try report.measure(dimensions, limits: limits) }
    try Output.write(json ? jsonText(report) + "\n" : report.text(withMetadata: metadata))
  }
}
