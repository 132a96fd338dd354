import Apus
import ApusMotion
import ApusMotionModels
import ApusNetworks
import ArgumentParser

struct BehaviorCommand: TakesSettingsFile, WritesFiles {
  static let settingKeys = [
    "format", "keypointOrder", "inputFps", "width", "height", "space", "map", "individual", "fps", "stride", "missing",
    "threshold", "minConfidence", "maxGap", "mean", "std", "enter", "leave", "minDuration",
  ]

  static let configuration = CommandConfiguration(
    commandName: "behavior",
    abstract: "Tell a dog's behaviour from a stream of poses.",
    discussion: """
      Reads one pose a line, from a file or as a pipe delivers them, and classifies a sliding window of the last 100. \
      The weights that ship learned from synthetic motion, never from a real dog.

      INPUT is JSON Lines or CSV, or what DeepLabCut and SLEAP write; which one is seen from the first line.
        {"t": 0.1, "width": 640, "height": 480, "keypoints": [[x, y], null, …]}
        t,width,height,space,nose_x,nose_y,nose_confidence,left_eye_x,…
      't' is seconds; 'space' is pixel (the default), normalized_topleft or vision; a point is [x, y] or \
      [x, y, confidence], and null where it was not found. The 24 points, in order: nose, left_eye, right_eye, \
      left_ear, right_ear, throat, withers, left_front_shoulder, \
      left_front_elbow, left_front_paw, right_front_shoulder, right_front_elbow, right_front_paw, center, left_hip, \
      left_knee, left_back_paw, right_hip, right_knee, right_back_paw, tail_base, tail_mid_1, tail_mid_2, tail_tip. \
      CSV files of DeepLabCut, CSV and JSON files of SLEAP need --input-fps, --width and --height; names of body parts \
      are matched, --map adds some, and those ignored are listed on standard error.

      OUTPUT is a row for each window; with --json a line of JSON: t, frame, label, raw_label, confidence, \
      probabilities, missing_fraction, window_seconds. A pause of more than a second empties the window and gives a \
      line with gap_seconds. Input that ends before the first full window is an error (65). With --segments it is a \
      row for each stretch of one behaviour, and totals at the end. --csv writes the same rows as a table; --report a \
      page with totals, segments, charts and frames, --charts the same charts as .svg and .png, --overlay every frame \
      with the skeleton and the behaviour, on a plain ground or on the pictures that --frames names. Where the input \
      breaks off with an error, files hold what came before.

      EXAMPLES
        apus behavior poses.jsonl
        apus behavior poses.csv --input-fps 30 --width 640 --height 480
        apus behavior dogDLC.csv --input-fps 30 --width 640 --height 480 --map collar=throat
        pose-source | apus behavior - --json | jq -r .label
        apus behavior poses.jsonl --segments --csv segments.csv
        apus behavior poses.jsonl --report dog.html --charts charts
        apus behavior poses.jsonl --overlay dog.y4m --frames walk.y4m
        apus behavior poses.jsonl --session runs && apus history runs
        apus behavior --sensitivity
      """)

  @Argument(
    help: "A file of poses, or - for standard input.", completion: .file(extensions: ["jsonl", "csv"]))
  var file: String?

  @OptionGroup(title: "Input") var input: PoseInputOptions

  @OptionGroup(title: "Classification") var stream: BehaviorStreamOptions

  @OptionGroup(title: "Segments") var segments: BehaviorSegmentArguments

  @OptionGroup(title: "Results") var results: BehaviorOutputOptions

  @OptionGroup var settings: SettingsFileOption

  @Option(
    help: ArgumentHelp("The weights, a safetensors file.", valueName: "file"),
    completion: .file(extensions: ["safetensors"]))
  var weights: String?

  @Flag(help: "Measure instead how much the answer depends on the pose, on 256 random ones, and end.")
  var sensitivity = false

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  func validate() throws {
    if file == nil, !sensitivity { throw ValidationError("Missing expected argument '<file>', a file or '-'.") }
    if file != nil, sensitivity { throw ValidationError("--sensitivity takes no file.") }
    if sensitivity, segments.segments { throw ValidationError("--sensitivity makes no segments.") }
    if sensitivity, results.areNamed { throw ValidationError("--sensitivity makes no files.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.reads(file, as: "the input")
    files.reads(try? model, as: "--weights")
    stream.plan(&files)
    settings.plan(&files)
    results.plan(&files)
    return files
  }

  /// The weights that were given, or those that ship.
  private var model: String {
    get throws { try WeightsLocator(chosen: weights).path(of: BehaviorClassifier<Float>.fileName) }
  }

  func run() throws {
    let recorder = results.files.kept.recorder(command: "behavior")
    let readerOptions = try input.readerOptions()
    let options = try stream.behaviorOptions(order: readerOptions.order, recorder: recorder)
    let model = try model
    let classifier = try BehaviorModel(path: model)
    guard let file else { return try reportSensitivity(of: classifier) }

    recorder?.set(readerOptions, options, segments.options)
    if let path = settings.settings { _ = recorder?.digest("settings", path) }
    let source = try ByteInput(path: file, digest: recorder?.digest("input", file))
    _ = recorder?.digest("model", model)
    var failure: CommandFailure?
    try RowFile.create(at: results.csv) { rows in
      var session = BehaviorSession(
        source: source, reader: try PoseFrameReader(options: readerOptions),
        stream: try BehaviorStream(classifier: classifier, options: options),
        segmenter: try segments.segmenter(), printer: json ? .json : .text(BehaviorText(info: classifier.modelInfo)),
        files: try BehaviorFiles(
          results, rows: rows, info: classifier.modelInfo, options: options, segments: segments,
          source: ReportOptions.sourceName(file), recorder: recorder))
      failure = try session.run()
    }
    if let failure { throw failure }
  }

  private func reportSensitivity(of classifier: BehaviorModel) throws {
    let found = try classifier.sensitivity()
    if json { return try Output.line(found.jsonLine) }
    let change = NumberText.short(Double(found.maximumChange))
    try Output.line("\(found.samples) random poses, each held for a whole window")
    try Output.line("  largest change of a probability  \(change), of \(found.mostChangedLabel)")
    try Output.line("  labels found                     \(found.predictedLabels.joined(separator: ", "))")
    if found.isConstant { try Output.line("Every pose gets the same label: this model does not look at its input.") }
  }
}
