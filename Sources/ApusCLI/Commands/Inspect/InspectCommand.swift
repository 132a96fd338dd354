import Apus
import ApusGraph
import ApusMedia
import ArgumentParser

struct InspectCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what a file is, what is in it, and what to do with it.",
    discussion: """
      Of a SAFETENSORS file the header alone is read, so a file of any size is listed at once. The whole header is \
      checked: shapes, element types, offsets that overlap or leave holes. NumPy's .npy and .npz are listed likewise.

      Of a MODEL: versions, producer, inputs, outputs, parameters, and its operators, with those that Apus does \
      not have and nodes that cannot be prepared. Functions are written out; subgraphs are counted once. A model that \
      cannot be run is inspected all the same.

      Nothing is run. Where all extents are known or given, multiply-adds (convolutions, matrix products, attention, \
      recurrent networks, Einsum) are counted from shapes; nodes whose shapes depend on values are said to be left out. \
      With --run the model is run on zeros, node by node as the file has it, to count all of them, and as it runs \
      fastest, to measure the memory that its tensors take at most. With --optimized its operators are counted three \
      times: as the file has them, and as they run with --precision exact and with fast.

      Any other file or folder is named by its content, with what leads on from there: TensorFlow Lite, PyTorch, \
      Keras, GGUF, a folder of Hugging Face, pictures, videos. With --json: path, format_name, what, facts, advice. A \
      file that is broken, or of no known format, ends with status 65.

      EXAMPLES
        apus inspect model.safetensors --metadata
        apus inspect pose_landmarker.task
        apus inspect model.onnx --dim batch=1
        apus inspect model.onnx --dim batch=1 --run --time-limit 60
        apus inspect model.onnx --optimized
        apus inspect model.onnx --json | jq '.unsupported[]'
      """)

  @Argument(
    help: "A model (.onnx, .mlpackage, .mlmodel, .pt2), a .safetensors, .npy or .npz file, or anything else.",
    completion: .file())
  var file: String

  @Flag(help: "Print what the writer said of the file, in full.")
  var metadata = false

  @OptionGroup(title: "Models") var dimensions: DimensionOptions

  @OptionGroup(title: "Models") var limits: LimitOptions

  @Flag(name: .customLong("run"), help: "Run the model on zeros to measure what it costs.")
  var isRun = false

  @Flag(help: "Say what becomes of the model's operators before they run.")
  var optimized = false

  @Flag(help: "Print one line of JSON.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    // Texts in a folder say nothing of what it is.
    files.readsModel(file, as: "the file") { path in
      (try? FileFormat(of: path)).map { ![.text, .json, .unknown].contains($0) } ?? false
    }
    return files
  }

  func run() throws { try limits.bounded { try inspect() } }

  private func inspect() throws {
    if let other = OtherFile.media(file) ?? OtherFile.pictures(file) {
      return try writeOther(other, other.text)
    }
    let ending = FileKind.fileExtension(file)
    let isNamedAsPicture = ending == "bmp" || ImageFile.writableExtensions.contains(ending)
    switch try format() {
    // Damaged, and its reader says where. The mark of BMP begins a field of ONNX as well.
    case .onnx where isNamedAsPicture, .unknown where isNamedAsPicture:
      _ = try ImageFile.contents(path: file)
      throw CommandFailure(.badData, "\(file): is no picture; one was expected from its name")
    case .safetensors:
      let report = try InspectionReport(SafetensorsFile(path: file), path: file)
      try writeOther(report, report.text(withMetadata: metadata))
    case .npy, .npz:
      let report = try format() == .npy ? InspectionReport(npy: file) : InspectionReport(npz: file)
      try writeOther(report, report.text(withMetadata: metadata))
    // What is named as a model and shows none is damaged, and its reader says where.
    case .onnx, .coreMLModel, .coreMLPackage, .torchExport:
      let limits = limits.apply()
      var report = try ModelInspection(openModel(file), path: file)
      try report.findCost(dimensions, isRun: isRun, limits: limits)
      if optimized { try report.findRewriting() }
      try write(report, report.text(withMetadata: metadata))
    case .unknown:
      throw CommandFailure(.badData, "\(file): is \(FileFormat.unknown); \(Self.expected) was expected")
    // Not the file that was meant.
    case .gitLFSPointer, .markup: _ = try openModel(file)
    case let format
    where [.text, .json, .zip].contains(format) && Self.endings.contains(FileKind.fileExtension(file)):
      throw FileFormatError(path: file, found: format, purpose: .model)
    case let format:
      let other = try OtherFile(format, path: file)
      try writeOther(other, other.text)
    }
  }

  private func format() throws -> FileFormat {
    do {
      return try FileFormat(of: file)
    } catch let error as FileError {
      guard case .isDirectory = error else { throw error }
      throw CommandFailure(
        .badData,
        "\(file): is a folder of no kind that Apus knows; a Core ML package, a folder of Hugging Face or one of "
          + "pictures was expected")
    }
  }

  private static let expected =
    "a model (.onnx, .mlpackage, .mlmodel, .pt2), a .safetensors, .npy or .npz file, a picture or a video"

  /// Of names whose files are never plain text.
  private static let endings = [
    "onnx", "ort", "safetensors", "npy", "npz", "mlmodel", "pt", "pt2", "pth", "tflite", "task", "gguf", "keras", "h5",
  ]

  /// Writes what is known of anything but a model.
  private func writeOther(_ report: some Encodable, _ text: @autoclosure () -> String) throws {
    let given = [("--dim", !dimensions.assignments.isEmpty), ("--run", isRun), ("--optimized", optimized)]
    if let (option, _) = given.first(where: \.1) {
      throw CommandFailure(.usage, "\(option) is for models, and \(file) is none that Apus runs")
    }
    try write(report, text())
  }

  private func write(_ report: some Encodable, _ text: @autoclosure () -> String) throws {
    try Output.write(json ? jsonText(report) + "\n" : text())
  }
}
