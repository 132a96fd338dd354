import Apus
import ApusFormats
import ApusGraph
import ApusONNX
import ApusText
import ArgumentParser

struct QuantizeCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "quantize",
    abstract: "Put a model into 8 bits, and say what that costs.",
    discussion: """
      Reads a folder of Hugging Face with a BERT or MobileBERT for masked words (config.json and model.safetensors, or \
      several with an index), or a .safetensors file with config.json beside it, and writes a folder with the same \
      network in about a quarter of the memory. Each output of a matrix has a scale of its own; activations stay \
      float32. What belongs to the tokenizer is copied.

      The cost is measured on the prompts of a file, one per line, or else on random texts: the relative error of \
      every matrix, of the output of every layer, and of the scores of all words at one place a text; and for how many \
      texts the three best words are the same. In a prompt [MASK] is the place; without one it is the end.

      That folder must not exist or be empty, unless --force is given.

      Any other model (ONNX, Core ML, PyTorch's .pt2) is quantised statically with --calibrate, and OUT is an .onnx of \
      the standard's operators: convolutions and products compute in integers of 8 bits, weights with a scale for each \
      output, activations with levels that the samples have shown to fit. Samples are pictures or arrays by the names of \
      the inputs, a sample in each row; some hundred usual ones do. Pictures are prepared as 'detect' or 'pose' prepares \
      them if the model is a detector, as 'classify' if it gives a number for each class, else as 'run'; where nothing says \
      which numbers it wants, --mean and --std, or --pixels, must. Each layer is measured alone: those that the outputs \
      suffer from most stay in floats until --tolerance is kept. Depthwise convolutions stay in floats always: they wait \
      for memory. Of a detector it is said as well how many of the objects in the first hundred pictures are found again. \
      With --json the keys are input, output, bytes_before, \
      bytes_after, samples, probes, range, tolerance, relative_error, layers (name, operator, shape, weight_error, \
      relative_error, quantized), exceptions (name, operator, reason), outputs (name, relative_error), preprocessing, and of a detector detections (pictures, \
      matched, missed, added).

      Without --calibrate and OUT there is a report on such a model and nothing is written: how its weights are stored \
      (stored as, tensors, numbers, size, bits for each number) and what else quantises it. With --json the keys are input, \
      format, weights (form, tensors, elements, bytes, bits) and advice.

      EXAMPLES
        apus quantize mobilebert-uncased mobilebert-int8
        apus quantize model.safetensors out --prompts prompts.txt --json
        apus quantize detector.onnx detector-int8.onnx --calibrate photos/
        apus quantize classifier.onnx small.onnx --calibrate photos/ --mean 0.5,0.5,0.5 --std 0.5,0.5,0.5
        apus quantize model.onnx small.onnx --calibrate samples.npz --tolerance 0.02 --json
        apus quantize Words.mlpackage
      """)

  @Argument(
    help: ArgumentHelp("The folder, or its .safetensors file; or a model, for a report.", valueName: "in"),
    completion: .directory)
  var input: String

  @Argument(
    help: ArgumentHelp("The folder or .onnx to write; none for a report.", valueName: "out"), completion: .file())
  var output: String?

  @OptionGroup(title: "Static quantisation") var calibration: CalibrationOptions

  @OptionGroup(title: "Pictures") var pictures: CalibrationPictureOptions

  @Option(
    help: ArgumentHelp("Texts to measure the cost on, a line each; needs vocab.txt.", valueName: "file"),
    completion: .files(.texts))
  var prompts: String?

  @Option(help: ArgumentHelp("How many random texts, where there are no prompts.", valueName: "count"))
  var texts = 32

  @Option(help: ArgumentHelp("The seed of random texts.", valueName: "number"))
  var seed: UInt64 = 1

  @Flag(name: .shortAndLong, help: "Replace what is in OUT, a folder.")
  var force = false

  @Flag(help: "Print one line of JSON.")
  var json = false

  func validate() throws {
    guard 0...10_000 ~= texts else { throw ValidationError("--texts: expected 0 to 10000, found \(texts).") }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.readsModel(input, as: "the input")
    if input.hasSuffix(".safetensors") { files.reads(parentFolder(of: input), as: "the folder of the input,") }
    files.reads(prompts, as: "--prompts")
    guard calibration.samples.isEmpty else {
      for path in calibration.samples { files.reads(path, as: "--calibrate") }
      files.writes(output, as: "the output", endings: FileKind.writtenModels.extensions)
      return files
    }
    files.writes(output, as: "the output", .folder)
    for name in EightBitForm.fileNames { files.writes(output.map { "\($0)/\(name)" }, as: "the output") }
    return files
  }

  func run() throws {
    guard !LanguageModel.isGraph(input) else { return try calibration.samples.isEmpty ? report() : quantizeGraph() }
    guard calibration.samples.isEmpty else {
      throw CommandFailure(
        .usage,
        "--calibrate is for models as graphs (.onnx, .mlpackage, .mlmodel, .pt2); \(input) is a folder of weights")
    }
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

  /// Quantises a model as samples ask for it.
  private func quantizeGraph() throws {
    guard let output else {
      throw CommandFailure(.usage, "\(input): the .onnx to write is missing, apus quantize IN OUT.onnx --calibrate …")
    }
    guard !isFolder(output) else { throw CommandFailure(.inputOutput, "\(output): is a folder; an .onnx was expected") }
    let model = try openModel(input)
    var quantization = try StaticQuantization(model, rangeRule: calibration.range.rule)
    try checkThatItCanBeWritten(quantization.unquantized, model)
    try calibration.check(quantization)
    var samples = try CalibrationSamples(calibration.samples, for: model, file: input, pictures)

    var progress = ProgressBar(total: samples.total)
    defer { progress?.clear() }
    var probes: [[String: GraphValue]] = []
    while let sample = try samples.next(clearing: &progress) {
      progress?.update(quantization.sampleCount, note: "looking at samples")
      try quantization.observe(sample)
      if probes.count < calibration.probes { probes.append(sample) }
    }
    progress?.clear()
    guard quantization.sampleCount > 0 else {
      throw CommandFailure(
        .badData, "--calibrate: there are no samples in \(calibration.samples.joined(separator: ", "))")
    }
    let choice = try quantization.choice(
      probes: probes, tolerance: calibration.tolerance, keeping: Set(calibration.keep)
    ) { done, total in
      if done == 0 { progress = ProgressBar(total: total) }
      progress?.update(done, note: "measuring layers")
    }
    progress?.clear()
    let quantized = try quantization.model(choice.layers)
    let agreement = try samples.agreement(of: quantized)
    try ModelProto(quantized, of: (model as? ONNXModel)?.proto).writeChecked(to: output)
    var report = StaticQuantizationReport(
      input: input, output: output,
      bytes: (model.graph.constantByteCount, try ModelFile.open(output).graph.constantByteCount), probes: probes.count,
      range: calibration.range.text, tolerance: calibration.tolerance, of: quantization, choice)
    report.preprocessing = samples.preparation?.summary
    report.detections = agreement
    if let warning = report.warning { ErrorOutput.warning(warning) }
    try Output.write(json ? jsonText(report) + "\n" : report.text)
    try samples.unread.check()
  }

  /// Finds before hours of samples, and not after them, what no .onnx can say.
  private func checkThatItCanBeWritten(_ unquantized: any GraphModel, _ model: any GraphModel) throws {
    do {
      _ = try ModelProto(unquantized, of: (model as? ONNXModel)?.proto)
    } catch GraphError.graph(let reason) {
      throw CommandFailure(.badData, "\(input): quantising it is not supported: \(reason)")
    }
  }

  /// Says how a model's weights are stored.
  private func report() throws {
    guard output == nil else {
      throw CommandFailure(
        .usage,
        "\(input): samples are missing, of what the model is for: apus quantize IN OUT.onnx --calibrate PATH, pictures or "
          + "arrays; without OUT there is a report")
    }
    let report = StoredWeightsReport(input: input, of: try openModel(input))
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
