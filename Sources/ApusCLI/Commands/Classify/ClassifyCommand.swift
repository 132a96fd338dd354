import Apus
import ApusMedia
import ApusVision
import ArgumentParser

struct ClassifyCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: "Say what pictures show, or what kind of text a text is, with any classifier.",
    discussion: """
      PICTURES. MODEL is an .onnx file, a Core ML model, safetensors of a ResNet, MobileNetV2 or InceptionV3 with \
      torchvision's names, or a folder of Hugging Face or timm with one of them. How it wants its pictures is read from its \
      metadata, from the graph's first operators, or from preprocessor_config.json or timm's config.json beside it; where \
      nothing says it, ImageNet's mean and deviation are assumed, and standard error says so. What its classes are called \
      is read from the model, from config.json beside it (id2label), or is ImageNet's where there are 1000 (1001 with a \
      background).

      TEXTS. MODEL is a folder of Hugging Face with a BERT or one of its kin that classifies texts or tokens: config.json, \
      vocab.txt, and model.onnx or, of BERT and MobileBERT, model.safetensors; or such a file. --text gives a text; an \
      input is then a file with a text a line, or - for standard input. A text that is too long is cut, and the answer says so.

      OUTPUT is the --top likeliest classes of each input. With --json it is a line of JSON for each: image (and frame, t) or \
      text, classes (class, class_id, probability), top, preprocessing, note. A classifier of tokens gives entities (class, \
      text, start, end in bytes, probability: their mean) and tokens in place of classes.

      --jsonl answers requests until there are no more, as a child of another program: a line in, {"id", "path"}, {"id", \
      "base64"} or {"id", "text"}, and a line out with the same id, in the same order. What goes wrong is a line with "error", \
      and the next one is read.

      EXAMPLES
        apus classify photo.jpg --model mobilenet_v2.onnx
        apus classify photos --model flowers.onnx --labels flowers.txt --json
        apus classify --text "What a lovely day" --model distilbert-sst2
        apus classify reviews.txt --model bert-folder --json > reviews.jsonl
      """)

  @Argument(
    help: "Pictures, a folder or .zip of them, a .y4m video; files of texts; or - for standard input.",
    completion: .files(.pictures, .videos, .archives, .texts))
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      "The classifier: .onnx, .mlpackage, .mlmodel, .pt2, .safetensors, or a folder.", valueName: "model"),
    completion: .file())
  var model: String

  @Option(
    help: ArgumentHelp(
      "A text; - for standard input, a text a line. May be repeated.", valueName: "text"))
  var text: [String] = []

  @Option(help: ArgumentHelp("The most classes that are listed of an input.", valueName: "n"))
  var top = 5

  @OptionGroup(title: "Network") var network: ClassifierOptions

  @Option(
    help: ArgumentHelp(
      "Of texts: the vocabulary, a vocab.txt or the folder that has it; that beside the model.", valueName: "file"),
    completion: .files(.texts))
  var vocab: String?

  @OptionGroup(title: "Pictures") var pictures: PictureOptions

  @OptionGroup(title: "Requests") var requests: RequestOptions

  @Flag(help: "Print JSON, one object an input.")
  var json = false

  func validate() throws {
    if requests.jsonl != nil {
      guard inputs.isEmpty, text.isEmpty else { throw ValidationError("--jsonl takes no other input and no --text.") }
    } else if inputs.isEmpty, text.isEmpty {
      throw ValidationError("Missing expected argument '<inputs> ...', pictures, or '--text <text>'.")
    }
    guard top > 0 else { throw ValidationError("--top \(top): a number above 0 was expected.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    for input in inputs { files.reads(input, as: "the input") }
    if text.contains("-") { files.reads("-", as: "--text") }
    files.readsModel(model, as: "--model")
    files.reads(vocab, as: "--vocab")
    network.plan(&files)
    pictures.plan(&files)
    files.reads(requests.jsonl, as: "--jsonl")
    return files
  }

  func run() throws {
    let file = try modelFile(model)
    let readsTexts = !text.isEmpty || vocab != nil || TextModel.hasVocabulary(beside: file)
    try readsTexts ? classifyTexts(file) : classifyPictures(file)
  }

  // MARK: - Pictures

  private func classifyPictures(_ file: String) throws {
    let classifier = try namingModel(file) { try PictureClassifier(path: file, options: network.options) }
    try CheckedFiles.current.addData(classifier.externalFiles)
    network.warn(of: classifier.preparation, model)
    defer { network.cache.warn(classifier.cacheUse) }
    func report(_ picture: SourcePicture, isVideo: Bool) throws -> ClassificationReport {
      let found = try classifier(picture.image)
      var report = ClassificationReport(found, most: top)
      report.describe(picture, isVideo: isVideo)
      report.explain(found, classifier.preparation)
      return report
    }
    if requests.jsonl != nil {
      return try requests.serve("classify", model: file, PictureRequest.self) { request, number in
        try jsonText(report(request.picture(number, limits: pictures.limits), isVideo: false))
      }
    }
    var source = try PictureSource(inputs, options: pictures)
    let isSingle = source.total.map { $0 <= 4 } ?? false
    var unread = UnreadPictures()
    var progress = ProgressBar(total: source.total)
    defer { progress?.clear() }
    while let picture = try source.nextPicture(&unread, clearing: &progress) {
      progress?.clear()
      try write(report(picture, isVideo: source.isVideo), asRows: isSingle)
      if source.total == nil { try Output.flush() }
      progress?.update(picture.index + 1, note: "\(picture.index + 1) pictures")
    }
    try unread.check()
  }

  // MARK: - Texts

  private func classifyTexts(_ file: String) throws {
    let model = try TextModel(path: file, vocabulary: vocab, network)
    defer { network.cache.warn(model.cacheUse) }
    if requests.jsonl != nil {
      return try requests.serve("classify", model: file, PictureRequest.self) { request, _ in
        try report(request.requiredText(), model).json
      }
    }
    for text in text where text != "-" { try write(report(text, model), asRows: true) }
    for path in inputs + (text.contains("-") ? ["-"] : []) {
      var lines = try TextLines(path: path)
      while !Output.isClosed, let line = try lines.next() { try write(report(line, model), asRows: false) }
    }
  }

  private func report(_ text: String, _ model: TextModel) throws -> any AnswerReport {
    let found = try model(text)
    switch found.answer {
    case .text(let prediction):
      var report = ClassificationReport(prediction, most: top)
      report.text = text
      report.note = found.note
      return report
    case .tokens(let tokens): return TokenReport(text: text, tokens: tokens, note: found.note)
    }
  }

  private func write(_ report: any AnswerReport, asRows: Bool) throws {
    if json { return try Output.line(report.json) }
    for line in asRows ? report.rows : [report.line] { try Output.line(line) }
  }
}

/// What is said of one input.
protocol AnswerReport: Encodable {
  /// For people, of one input of few.
  var rows: [String] { get }
  /// All of it in a line, of one input of many.
  var line: String { get }
}

extension AnswerReport {
  /// A line of JSON.
  var json: String { get throws { try jsonText(self) } }
}
