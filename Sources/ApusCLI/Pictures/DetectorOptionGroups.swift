import Apus
import ApusMedia
import ApusVision
import ArgumentParser

extension DetectionLayout: ExpressibleByArgument {}
extension ColorOrder: ExpressibleByArgument {}

/// What a network's scores are, or that its numbers shall say it.
enum ScoresArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, logits, probabilities

  var scale: ScoreScale? { ScoreScale(rawValue: rawValue) }
}

/// Width and height, as `640x480`; one number for a square.
struct SizeArgument: ExpressibleByArgument {
  var width: Int
  var height: Int

  static let largestSide = 1 << 16

  init?(argument: String) {
    let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard let width = parts.first ?? nil, let height = parts.last ?? nil, parts.count <= 2,
      1...Self.largestSide ~= width, 1...Self.largestSide ~= height
    else { return nil }
    (self.width, self.height) = (width, height)
  }
}

/// Which network finds objects, and what it wants.
struct DetectorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An .onnx file, a Core ML model or YOLO weights as safetensors, instead of the detector that ships.",
      valueName: "file"),
    completion: .files(.models, .weights))
  var model: String?

  @Option(
    help: ArgumentHelp(
      "How the network's output is laid out, where shapes and metadata do not say: v8, v8-transposed, v5, yolox, "
        + "yolox-decoded, end-to-end, end-to-end-batch, boxes-and-scores.", valueName: "layout"))
  var layout: DetectionLayout?

  @Option(
    help: ArgumentHelp(
      "The network's input, where the model leaves it open; as the file says, or 640.", valueName: "WxH"))
  var size: SizeArgument?

  @Option(
    help: ArgumentHelp("The order of colours that the network wants: rgb, or bgr as for YOLOX.", valueName: "order"))
  var colors: ColorOrder?

  @Option(
    help: ArgumentHelp(
      "The numbers that the network wants: 1 for 0 to 1, 255 for 0 to 255 as for YOLOX.", valueName: "most"))
  var range: Int?

  @Option(
    help: ArgumentHelp(
      "What the network's scores are: probabilities, logits of them, or auto: logits where they leave 0 to 1.",
      valueName: "scale"))
  var scores = ScoresArgument.auto

  @Option(
    help: ArgumentHelp(
      "What the classes are called, a name a line or as JSON, instead of what the model says; 80 classes without names are "
        + "taken for COCO's.", valueName: "file"),
    completion: .files(.labels))
  var labels: String?

  @Flag(
    help:
      "Boxes are turned, the last number of each being its angle, where the model does not say so itself (YOLO-OBB).")
  var rotated = false

  @Option(help: "fast, or exact: what direct evaluation gives, bit for bit.")
  var precision = Execution.Precision.fast

  @OptionGroup var cache: CacheOptions

  /// Adds what is read and written to a plan.
  func plan(_ files: inout FilePlan) {
    if let model {
      files.readsModel(model, as: "--model")
    } else {
      files.readsModel(try? WeightsLocator().path(of: Detector.shippedFile), as: "the detector that ships,")
    }
    files.reads(labels, as: "--labels")
    cache.plan(&files)
  }

  func validate() throws {
    if let range, ![1, 255].contains(range) { throw ValidationError("--range \(range): 1 or 255 was expected.") }
  }

  /// The first option that was given and without which nothing needs a network.
  var named: String? {
    let given: [(String, Bool)] = [
      ("--model", model != nil), ("--layout", layout != nil), ("--size", size != nil), ("--colors", colors != nil),
      ("--range", range != nil), ("--scores", scores != .auto), ("--labels", labels != nil), ("--rotated", rotated),
    ]
    return given.first { $0.1 }?.0
  }

  func detector() throws -> Detector {
    var options = DetectorLoadingOptions()
    options.layout = layout
    options.inputWidth = size?.width
    options.inputHeight = size?.height
    options.colorOrder = colors
    options.wantsBytes = range.map { $0 == 255 }
    options.scores = scores.scale
    options.classNames = try labels.map { try ClassLabels(path: $0).names }
    options.isRotated = rotated ? true : nil
    options.precision = precision
    options.cacheFolder = cache.folder
    let detector =
      if let model {
        try namingModel(model) { try Detector(path: model, options: options) }
      } else {
        try Detector.shipped(options: options)
      }
    try CheckedFiles.current.addData(detector.externalFiles)
    return detector
  }
}

/// Which boxes are reported.
struct BoxOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The score that a box must exceed, as the model says or 0.25; or CLASS=SCORE for one class, may be repeated.",
      valueName: "score"))
  var confidence: [String] = []

  @Option(
    name: .customLong("iou"),
    help: ArgumentHelp(
      "Of two boxes of a class that overlap more than this, the one with the lower score is dropped; as the model says, "
        + "or 0.45.", valueName: "overlap"))
  var overlap: Float?

  @Option(name: .customLong("max"), help: ArgumentHelp("The most boxes of a picture.", valueName: "n"))
  var maximumCount = 300

  @Option(help: ArgumentHelp("The classes to report, by name or number, separated by commas.", valueName: "list"))
  var classes: String?

  @Option(
    help: ArgumentHelp(
      "Classes of round things, as --classes: their boxes are fitted to the outline in the picture.",
      valueName: "list"))
  var round: String?

  @Flag(help: "Let boxes of different classes compete as well.")
  var agnostic = false

  func validate() throws {
    _ = try confidences
    if let overlap, !(0...1 ~= overlap) { throw ValidationError("--iou \(overlap): 0 to 1 was expected.") }
    guard maximumCount > 0 else { throw ValidationError("--max \(maximumCount): a number above 0 was expected.") }
  }

  /// The confidence of all classes, and those of single ones by the name that was given.
  private var confidences: (all: Float?, byClass: [(name: String, value: Float)]) {
    get throws {
      var (all, byClass): (Float?, [(String, Float)]) = (nil, [])
      for text in confidence {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard let value = parts.last.flatMap({ Float($0) }), 0...1 ~= value, parts.count <= 2 else {
          throw ValidationError("--confidence \(text): a number from 0 to 1, or CLASS=NUMBER, was expected.")
        }
        if parts.count == 2 { byClass.append((String(parts[0]), value)) } else { all = value }
      }
      return (all, byClass)
    }
  }

  func options(of detector: Detector) throws -> DetectionOptions {
    var options = detector.defaultOptions
    let confidences = try confidences
    options.confidence = confidences.all ?? options.confidence
    for (name, value) in confidences.byClass {
      options.classConfidences[try Self.index(of: name, in: detector, option: "--confidence")] = value
    }
    options.overlap = overlap ?? options.overlap
    options.maximumCount = maximumCount
    options.isClassAgnostic = agnostic
    options.classes = try classes.map { try Self.indices(of: $0, in: detector, option: "--classes") }
    options.roundClasses = try round.map { try Self.indices(of: $0, in: detector, option: "--round") } ?? []
    try options.validate()
    return options
  }

  private static func indices(of list: String, in detector: Detector, option: String) throws -> Set<Int> {
    let names = list.split(separator: ",", omittingEmptySubsequences: false)
    return Set(try names.map { try index(of: String($0), in: detector, option: option) })
  }

  private static func index(of name: String, in detector: Detector, option: String) throws -> Int {
    let name = name.trimmingSpaces
    if let index = detector.classIndex(named: name) { return index }
    if let index = Int(name), index >= 0, detector.format.classCount.map({ index < $0 }) ?? true { return index }
    let nearest = nearestName(to: name, in: detector.classNames).map { "did you mean '\($0)'?" }
    let names = detector.classNames
    let more = names.count > 8 ? ", … (\(names.count) in all)" : ""
    let known = names.isEmpty ? "the model names none" : "it has " + names.prefix(8).joined(separator: ", ") + more
    throw CommandFailure(.usage, "\(option): the model has no class '\(name)'; \(nearest ?? known)")
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
