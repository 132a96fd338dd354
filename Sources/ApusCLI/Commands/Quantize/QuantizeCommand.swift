import Apus
import ApusFormats
import ApusText
import ArgumentParser

struct QuantizeCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "quantize",
    abstract: "Store a language model's matrices in 8 bits, and say what that costs.",
    discussion: """
      Reads a folder of Hugging Face with a BERT or MobileBERT for masked words (config.json and model.safetensors, or \
      several with an index), or a .safetensors file with config.json beside it, and writes a folder with the same \
      network in about a quarter of the memory. Each output of a matrix has a scale of its own; activations stay \
      float32. What belongs to the tokenizer is copied.

      The cost is measured on the prompts of a file, one per line, or else on random texts: the relative error of \
      every matrix, of the output of every layer, and of the scores of all words at one place a text; and for how many \
      texts the three best words are the same. In a prompt [MASK] is the place; without one it is the end.

      OUT must not exist or be empty, unless --force is given.

      Of a model of another format, Core ML or ONNX, there is a report and nothing is written: how its weights are stored \
      (stored as, tensors, numbers, size, bits for each number) and what quantises it. With --json the keys are input, \
      format, weights (form, tensors, elements, bytes, bits) and advice.

      EXAMPLES
        apus quantize mobilebert-uncased mobilebert-int8
        apus quantize model.safetensors out --prompts prompts.txt --json
        apus quantize Words.mlpackage
      """)

  @Argument(
    help: ArgumentHelp("The folder, or its .safetensors file; or a model, for a report.", valueName: "in"),
    completion: .directory)
  var input: String

  @Argument(help: ArgumentHelp("The folder to write; none for a report.", valueName: "out"), completion: .directory)
  var output: String?

  @Option(
    help: ArgumentHelp("Texts to measure the cost on, a line each; needs vocab.txt.", valueName: "file"),
    completion: .file(extensions: ["txt"]))
  var prompts: String?

  @Option(help: ArgumentHelp("How many random texts, where there are no prompts.", valueName: "count"))
  var texts = 32

  @Option(help: ArgumentHelp("The seed of random texts.", valueName: "number"))
  var seed: UInt64 = 1

  @Flag(name: .shortAndLong, help: "Replace what is in OUT.")
  var force = false

  @Flag(help: "Print one line of JSON.")
  var json = false

  func validate() throws {
    guard 0...10_000 ~= texts else { throw ValidationError("--texts: expected 0 to 10000, found \(texts).") }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.reads(input, as: "the input")
    if input.hasSuffix(".safetensors") { files.reads(parentFolder(of: input), as: "the folder of the input,") }
    files.reads(prompts, as: "--prompts")
    files.writes(output, as: "the output", .folder)
    for name in EightBitForm.fileNames { files.writes(output.map { "\($0)/\(name)" }, as: "the output") }
    return files
  }

  func run() throws {
    guard !LanguageModel.isGraph(input) else { return try report() }
    guard let output else {
      throw CommandFailure(.usage, "\(input): the folder to write is missing, apus quantize IN OUT")
    }
    try check(output)
    let folder = try PretrainedFolder(path: input)
    let original = try folder.maskedLanguageModel()
    let samples = try samples(folder, original)

    var progress = ProgressBar(total: folder.weights.names.count + samples.count)
    defer { progress?.clear() }
    let form = try EightBitForm(of: folder) { done, _, name in progress?.update(done, note: ErrorReport.oneLine(name)) }
    let first = folder.weights.names.count
    let quantized = try folder.with(Weights(form.tensors, name: output)).maskedLanguageModel()
    let cost = try QuantizationCost(of: quantized, against: original, on: samples) {
      progress?.update(first + $0, note: "texts")
    }
    try form.write(to: output, from: folder)
    progress?.clear()
    let report = QuantizationReport(input: input, output: output, form: form, cost: cost)
    try Output.write(json ? jsonText(report) + "\n" : report.text)
  }

  /// Says how a model's weights are stored.
  private func report() throws {
    let model = try ModelFile.open(input)
    let report = StoredWeightsReport(input: input, of: model)
    guard output == nil else {
      throw CommandFailure(
        .usage, "\(input): models of this format are not written; without OUT there is a report. \(report.advice)")
    }
    try Output.write(json ? jsonText(report) + "\n" : report.text)
  }

  private func check(_ output: String) throws {
    guard fileExists(output) else { return }
    guard isFolder(output) else { throw CommandFailure(.inputOutput, "\(output): is not a folder") }
    if !force, let names = try? folderNames(at: output), !names.isEmpty {
      throw CommandFailure(.inputOutput, "\(output): is not empty; --force replaces what is there")
    }
  }

  private func samples(
    _ folder: PretrainedFolder, _ model: MaskedLanguageModel<Float>
  ) throws -> [QuantizationCost.Sample] {
    guard let prompts else { return QuantizationCost.samples(count: texts, seed: seed, for: model) }
    var lines = try TextLines(path: prompts)
    var texts: [String] = []
    while let line = try lines.next() { if !line.isEmpty { texts.append(line) } }
    return try QuantizationCost.samples(of: texts, tokenizer: WordPieceTokenizer(folder: folder.path), for: model)
  }
}
