import Apus
import ApusMotion
import ArgumentParser

extension KeypointOrder: ExpressibleByArgument {}

extension ImageSpace: ExpressibleByArgument {}

/// How poses are written down, as the command line spells it.
enum PoseFormatArgument: String, CaseIterable, ExpressibleByArgument {
  case auto, jsonl, csv, dlc, sleap

  init(_ format: PoseFormat) { self = Self.allCases.first { $0.format == format } ?? .auto }

  var format: PoseFormat {
    switch self {
    case .auto: .automatic
    case .jsonl: .jsonLines
    case .csv: .csv
    case .dlc: .deepLabCut
    case .sleap: .sleap
    }
  }
}

extension MissingPolicy: ExpressibleByArgument {
  /// Reads `zero` or `hold:N`; nil for anything else.
  public init?(argument: String) { self.init(argument) }
}

/// What the lines of a pose file hold and what they omit.
struct PoseInputOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How poses are written down.", valueName: "format"))
  var format = PoseFormatArgument.auto

  @Option(
    help: ArgumentHelp(
      """
      Which points a frame has: cvat (those above), stanford-extra (passed on by position), dog-pose-24 \
      (StanfordExtra, moved to the points of the same meaning), vision-25 (Apple Vision).
      """,
      valueName: "order"))
  var keypointOrder = KeypointOrder.cvat

  @Option(help: ArgumentHelp("Frames per second, for frames without 't'.", valueName: "rate"))
  var inputFps: Double?

  @Option(help: ArgumentHelp("The image's width, for frames without 'width'.", valueName: "pixels"))
  var width: Double?

  @Option(help: ArgumentHelp("The image's height, for frames without 'height'.", valueName: "pixels"))
  var height: Double?

  @Option(
    help: ArgumentHelp(
      "Space of frames without 'space'; pixel, for the order vision-25 vision.",
      valueName: "space"))
  var space: ImageSpace?

  @Option(
    help: ArgumentHelp(
      "A body part of a DeepLabCut or SLEAP file, and the point it is; may be given again.",
      valueName: "theirs=ours"))
  var map: [String] = []

  @Option(help: ArgumentHelp("Which animal of a DeepLabCut or SLEAP file to read.", valueName: "name"))
  var individual: String?

  /// The names of ``map``.
  private func names() throws -> [String: String] {
    var names: [String: String] = [:]
    for pair in map {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, names.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw ValidationError("--map \(pair): expected THEIRS=OURS, each of theirs once.")
      }
    }
    return names
  }

  func readerOptions() throws -> PoseReaderOptions {
    var options = PoseReaderOptions()
    options.format = format.format
    options.names = try names()
    options.individual = individual
    options.order = keypointOrder
    options.framesPerSecond = inputFps
    options.width = width
    options.height = height
    options.space = space ?? keypointOrder.defaultSpace
    try options.validate()
    return options
  }
}

/// How predictions become segments.
struct BehaviorSegmentArguments: ParsableArguments {
  @Flag(help: "Print stretches of one behaviour, and totals, instead of a row for each window.")
  var segments = false

  @Option(help: ArgumentHelp("A segment begins at this confidence or more; 0 to 1.", valueName: "confidence"))
  var enter: Float = 0.7

  @Option(help: ArgumentHelp("A segment goes on at this confidence or more.", valueName: "confidence"))
  var leave: Float = 0.5

  @Option(
    help: ArgumentHelp(
      "A behaviour lasts this long before it begins a segment, and is gone this long before it ends.",
      valueName: "seconds"))
  var minDuration = 0.5

  var options: BehaviorSegmentOptions {
    var options = BehaviorSegmentOptions()
    (options.enter, options.leave, options.minimumDuration) = (enter, leave, minDuration)
    return options
  }

  func segmenter() throws -> BehaviorSegmenter? {
    segments ? try BehaviorSegmenter(options: options) : nil
  }
}

/// Where results of a behaviour go.
struct BehaviorOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A row a prediction, with all probabilities; with --segments a row a segment.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @OptionGroup var files: ReportOptions

  @OptionGroup var frames: FrameOptions

  func validate() throws { try frames.validate(with: files) }

  /// Adds what is read and written to a plan.
  func plan(_ plan: inout FilePlan) {
    plan.writes(csv, as: "--csv")
    files.plan(&plan)
    frames.plan(&plan)
  }

  /// Whether anything goes to a file, so that the input is read to its end even if the output is not.
  var areWanted: Bool { csv != nil || files.needsCourse || files.overlay != nil }

  /// Whether an option, and not the environment alone, asks for a file.
  var areNamed: Bool {
    [csv, files.report, files.charts, files.overlay, files.kept.session].contains { $0 != nil }
  }
}

/// How a stream of poses is classified.
struct BehaviorStreamOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Frames per second to use; others are skipped. 0 uses every frame.", valueName: "rate"))
  var fps = 10.0

  @Option(help: ArgumentHelp("Classify at every n-th frame once the window is full.", valueName: "n"))
  var stride = 1

  @Option(
    help: ArgumentHelp(
      "What takes the place of a point not found: zero, or hold:N, its last place for N frames.",
      valueName: "policy"))
  var missing = MissingPolicy.zero

  @Option(help: ArgumentHelp("A lower confidence is called uncertain; 0 to 1.", valueName: "confidence"))
  var threshold: Float = 0.7

  @Option(help: ArgumentHelp("Points of lower confidence count as not found.", valueName: "confidence"))
  var minConfidence: Double?

  @Option(help: ArgumentHelp("A longer pause between frames empties the window. 0 never does.", valueName: "seconds"))
  var maxGap = 1.0

  @Option(
    help: ArgumentHelp("48 means to subtract, a file of numbers; needs --std.", valueName: "file"), completion: .file())
  var mean: String?

  @Option(
    help: ArgumentHelp("48 standard deviations to divide by, a file of numbers; needs --mean.", valueName: "file"),
    completion: .file())
  var std: String?

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) {
    files.reads(mean, as: "--mean")
    files.reads(std, as: "--std")
  }

  func validate() throws {
    if (mean == nil) != (std == nil) { throw ValidationError("--mean and --std need each other.") }
  }

  func behaviorOptions(order: KeypointOrder, recorder: SessionRecorder?) throws -> BehaviorOptions {
    var options = BehaviorOptions()
    options.order = order
    options.missing = missing
    options.minimumConfidence = minConfidence
    options.framesPerSecond = fps == 0 ? nil : fps
    options.stride = stride
    options.threshold = threshold
    options.maximumGap = maxGap == 0 ? nil : maxGap
    if let mean, let std {
      options.standardization = try Standardization(
        meanText: Self.text(mean, digest: recorder?.digest("mean", mean)),
        stdText: Self.text(std, digest: recorder?.digest("std", std)))
    }
    try options.validate()
    return options
  }

  /// 48 numbers need no more than this.
  private static let textLimit = 1 << 16

  private static func text(_ path: String, digest: InputDigest?) throws -> String {
    String(decoding: try ByteInput(path: path, digest: digest).readAll(limit: textLimit), as: UTF8.self)
  }
}
