import Apus
import ApusMotion
import ApusMotionModels
import ApusNetworks
import ArgumentParser

struct BehaviorCommand: WritesFiles {
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
        apus behavior --list-settings
      """)

  @Argument(
    help: "A file of poses, or - for standard input.", completion: .files(.frames))
  var file: String?

  @OptionGroup(title: "Settings") var settings: BehaviorSettingOptions

  @OptionGroup(title: "Results") var results: BehaviorOutputOptions

  @Option(
    help: ArgumentHelp("The weights, a safetensors file.", valueName: "file"),
    completion: .files(.weights))
  var weights: String?

  @Flag(help: "Measure instead how much the answer depends on the pose, on 256 random ones, and end.")
  var sensitivity = false

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  func validate() throws {
    if settings.source.listSettings { return }
    if file == nil, !sensitivity { throw ValidationError.missingFile }
    if file != nil, sensitivity { throw ValidationError("--sensitivity takes no file.") }
    if sensitivity, settings.segments.segments { throw ValidationError("--sensitivity makes no segments.") }
    if sensitivity, results.areNamed { throw ValidationError("--sensitivity makes no files.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.reads(file, as: "the input")
    files.reads(try? model, as: "--weights")
    settings.plan(&files)
    results.plan(&files)
    return files
  }

  /// The weights that were given, or those that ship.
  private var model: String {
    get throws { try WeightsLocator(chosen: weights).path(of: BehaviorClassifier<Float>.shippedFile) }
  }

  func run() throws {
    if settings.source.listSettings { return try SettingOptions<BehaviorCommandSettings>.writeList(asJSON: json) }
    let recorder = results.files.kept.recorder(command: "behavior")
    let values = try settings.value(recorder: recorder)
    let analysis = try values.analysis(recorder: recorder)
    let model = try model
    let classifier = try BehaviorModel(path: model)
    guard let file else { return try writeSensitivity(of: classifier) }

    try checkHoldsPoses(file, model: "dog-pose.onnx")
    recorder?.set(values.reading, analysis)
    let source = try ByteInput(path: file, digest: recorder?.digest("input", file))
    _ = recorder?.digest("model", model)
    var failure: CommandFailure?
    try RowFile.create(at: results.csv) { rows in
      let makesSegments = settings.segments.segments
      var run = BehaviorRun(
        path: file, source: source, reader: try PoseFrameReader(options: values.reading),
        stream: try BehaviorStream(classifier: classifier, settings: analysis),
        segmenter: makesSegments ? try BehaviorSegmenter(settings: analysis.segments) : nil,
        printer: json ? .json : .text(BehaviorText(info: classifier.modelInfo)),
        files: try BehaviorFiles(
          results, rows: rows, info: classifier.modelInfo, settings: analysis, isOfSegments: makesSegments,
          source: ReportOptions.sourceName(file), recorder: recorder))
      failure = try run.toTheEnd()
    }
    if let failure { throw failure }
  }

  private func writeSensitivity(of classifier: BehaviorModel) throws {
    let found = try classifier.sensitivity()
    if json { return try Output.line(found.jsonLine) }
    let change = NumberText.short(Double(found.maximumChange))
    try Output.line("\(found.samples) random poses, each held for a whole window")
    try Output.line("  largest change of a probability  \(change), of \(found.mostChangedLabel)")
    try Output.line("  labels found                     \(found.predictedLabels.joined(separator: ", "))")
    if found.isConstant { try Output.line("Every pose gets the same label: this model does not look at its input.") }
  }
}
