import Apus
import ApusMotion
import ArgumentParser

struct ArmDriftCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "arm-drift",
    abstract: "Measure how two arms are held out, from keypoints.",
    discussion: """
      Reads wrists and shoulders frame by frame, ten seconds or more, and estimates a level from 0 to 4 as item 5 of \
      the NIH stroke scale has them: how far the heights of the wrists differ, and whether an arm sinks.

      \(ArmDriftNotice.disclaimer)

      INPUT is JSON, in one of these forms; each may be the text in 'body' of {"statusCode", "headers", "body"}.
        {"fps", "width", "height", "coordinate_space", "frames": [{"t", "keypoints"}, …]}
        {"width", "height", "coordinate_space", "keypoints_history": [{"timestamp", "keypoints"}, …]}
        {"t", "width", "height", "coordinate_space", "keypoints"}, a frame a line
        {"t", "width", "height", "detections": [{"class": "person", "score", "keypoints"}]}, a frame a line
      't' is seconds; 'coordinate_space' is pixel, normalized_topleft or vision; 'keypoints' is \
      {"left_wrist": {"x": …, "y": …, "confidence": …}, "right_wrist": …, "left_shoulder": …, \
      "right_shoulder": …}, in detections the 17 points [x, y, v] of COCO.

      OUTPUT is for reading; with --json one object. A recording that shows too little for a level has status \
      insufficient_data, no level, and ends with 65. --report writes a page with charts and frames, --charts the same \
      charts as .svg and .png, --overlay every frame with both arms, the horizontal through the shoulders and the \
      angles, on a plain ground or on the pictures that --frames names.

      EXAMPLES
        apus arm-drift keypoints.json
        apus arm-drift frames.jsonl --width 720 --height 1280 --space vision
        apus pose arms.y4m --model yolo11n-pose.onnx | apus arm-drift - --json | jq .left.drift_deg
        apus arm-drift keypoints.json --mode legacy --csv angles.csv
        apus arm-drift keypoints.json --report arms.html --charts charts --theme dark
        apus arm-drift keypoints.json --overlay arms.y4m --frames recording.y4m
        apus arm-drift keypoints.json --session runs && apus history runs
        apus arm-drift --list-settings
      """)

  @Argument(
    help: "A file of keypoints, or - for standard input.", completion: .file(extensions: ["json", "jsonl"]))
  var file: String?

  @OptionGroup(title: "Settings") var settings: ArmDriftSettingOptions

  @Flag(help: "Print JSON.")
  var json = false

  @Option(
    help: ArgumentHelp("Write angles and asymmetry, a row a frame.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @OptionGroup(title: "Report") var results: ReportOptions

  @OptionGroup(title: "Report") var frames: FrameOptions

  func validate() throws {
    if file == nil, !settings.source.listSettings { throw ValidationError.missingFile }
    try frames.validate(with: results)
  }

  var files: FilePlan {
    var files = FilePlan()
    files.reads(file, as: "the input")
    settings.source.plan(&files)
    files.writes(csv, as: "--csv")
    results.plan(&files)
    frames.plan(&files)
    return files
  }

  func run() throws {
    if settings.source.listSettings { return try SettingOptions<ArmDriftCommandSettings>.writeList(asJSON: json) }
    guard let file else { throw ValidationError.missingFile }
    try checkHoldsPoses(file, model: "yolo11n-pose.onnx")
    let recorder = results.kept.recorder(command: "arm-drift")
    let settings = try settings.value(recorder: recorder)
    recorder?.set(settings)
    let source = try ByteInput(path: file, digest: recorder?.digest("input", file))
    let recording: ArmRecording
    do {
      recording = try ArmRecording(json: source.readAll(limit: ArmRecording.byteLimit), options: settings.reading)
    } catch let error as ArmDriftError {
      if json { try Output.line(error.json) }
      throw CommandFailure(.badData, "\(source.name): \(error)" + (error.frameIndex == nil ? remarkOnText(file) : ""))
    }
    let samples = ArmSamples(recording)
    let result = ArmDriftAnalysis.analyze(recording, settings: settings.analysis, samples: samples)
    if json { try Output.line(result.json) }
    if case .measured(let measurement) = result, !json {
      for line in ArmDriftText(measurement).lines { try Output.line(line) }
    }
    // Also without a level: an older table would look like this recording's.
    if let csv { try TextFile.write(samples.csv, to: csv) }
    let page = try write(result, of: file, recording, samples, recorder)
    var failure: CommandFailure?
    if case .insufficientData(let reason) = result { failure = .init(.badData, "\(source.name): \(reason)") }
    try recorder?.finish(result.kept(page: page), failure: failure)
    if let failure { throw failure }
  }

  /// Writes page, charts and overlay; also of a recording without a level, which they show to have none.
  /// - Returns: the page.
  private func write(
    _ result: ArmDriftResult, of file: String, _ recording: ArmRecording, _ samples: ArmSamples,
    _ recorder: SessionRecorder?
  ) throws -> String {
    let pictures = try ArmDriftPictures(recording: recording, samples: samples, result: result)
      .draw(frames: frames, results: results, recorder: recorder)
    let charts = ArmDriftCharts(result, of: recording, samples: samples)
    try results.writeCharts(charts.all)
    return try results.writeReport(
      ArmDriftPage(result, charts: charts, source: ReportOptions.sourceName(file), pictures: pictures).html)
  }
}
