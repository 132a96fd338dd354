import Apus
import ApusMedia
import ApusMotion
import ArgumentParser

struct BarPathCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "barpath",
    abstract: "Follow a barbell through a video: repetitions, range of motion, velocity.",
    discussion: """
      INPUT is a folder or a ZIP archive of frames (with --fps), a YUV4MPEG2 video, or - for one from a pipe; the plate \
      nearest to the lifter's hands and to where it was is followed. With --detections the boxes come from a file instead: lines of \
      'apus detect --json', {"t", "width", "height", "detections": [{"x", "y", "w", "h", "confidence"}], "pose"}, or a \
      table with bar_x and bar_y.

      --lift says what is lifted; auto, the default, goes by the path and says how sure it is. Cleans, snatches and \
      jerks come with their phases, each with heights, times and speeds.

      The scale comes from the plates, which are taken to be 45 cm wide (--plate-cm); velocities are upwards. The \
      camera must stand still, to the side of the bar.

      OUTPUT is a row for each repetition; --json is one object. --csv writes a row for each frame \
      (\(BarPathCSV.header.split(separator: ",").joined(separator: ", "))) and beside it a .json with scale and units; --report a page with charts, --charts the same \
      charts as .svg and .png, --overlay the frames with the bar's way drawn on them.

      EXAMPLES
        apus barpath frames --fps 30 --report squat.html --csv squat.csv --overlay overlay.y4m
        apus barpath frames.zip --fps 30 --json
        ffmpeg -i lift.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | apus barpath - --lift deadlift --json
        apus barpath --detections detections.jsonl --preset several-bars
        apus barpath frames --fps 30 --session runs && apus history runs
        camera | apus barpath - --live --plate-px 110 --json | jq .velocity
        apus barpath --list-settings
      """)

  @Argument(
    help: "A folder or .zip of frames, a .y4m video, or - for standard input.",
    completion: .files(.videos, .archives))
  var input: String?

  @Option(
    help: ArgumentHelp("Boxes or positions in the place of pictures; - for standard input.", valueName: "file"),
    completion: .files(.frames))
  var detections: String?

  @OptionGroup(title: "Analysis") var settings: BarPathSettingOptions

  @OptionGroup(title: "Pictures") var pictures: PictureOptions

  @OptionGroup(title: "Network") var network: DetectorOptions

  @Option(BarReaderOptions.self, "plateClass") var plateClass: SettingArgument?

  @Flag(
    inversion: .prefixedNo,
    help: "Measure plates by their round outline in the picture, rather than by the network's boxes.")
  var outline = true

  @Option(BarReaderOptions.self, "liftName") var liftName: SettingArgument?

  @Option(help: ArgumentHelp("Width and height of frames whose file does not say it.", valueName: "WxH"))
  var frameSize: SizeArgument?

  @OptionGroup(title: "Results") var results: BarPathOutputOptions

  @Flag(
    help: """
      Print a line for each frame as it comes, with place and speed of the bar, and measure nothing: memory does not \
      grow, however long a camera is watched. Speeds are in pixels until options, or half a second of plates, say the \
      scale.
      """)
  var live = false

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if settings.source.listSettings { return }
    guard (input == nil) != (detections == nil) else {
      throw ValidationError("An input, or --detections, was expected: one of both.")
    }
    if live,
      results.csv != nil || results.files.report != nil || results.files.charts != nil
        || results.files.kept.session != nil
    {
      throw ValidationError("--live keeps no frames, which --csv, --report, --charts and --session need.")
    }
    if detections != nil, let option = network.named ?? pictures.named ?? (outline ? nil : "--no-outline") {
      throw ValidationError("\(option) is for pictures, and --detections takes their place.")
    }
    if detections != nil, results.files.overlay != nil { throw ValidationError("--overlay needs pictures to draw on.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.readsPictures(input, as: "the input")
    files.reads(detections, as: "--detections")
    settings.source.plan(&files)
    pictures.plan(&files)
    network.plan(&files)
    results.plan(&files)
    return files
  }

  func run() throws {
    if settings.source.listSettings { return try SettingOptions<BarPathCommandSettings>.writeList(asJSON: json) }
    if live {
      let settings = try effectiveSettings()
      let units = settings.analysis.units
      let printer = { (update: BarPathUpdate) in try Output.line(json ? update.jsonLine : update.line(units: units)) }
      var run = BarPathRun(try BarTracker(settings: settings.analysis), results: results, printer: printer)
      return try feed(&run, settings)
    }
    let recorder = results.files.kept.recorder(command: "barpath")
    let settings = try effectiveSettings(recorder: recorder)
    recorder?.set(settings.analysis)
    var run = BarPathRun(try BarPathStream(settings: settings.analysis), results: results, recorder: recorder)
    var failure: (any Error)?
    do {
      try feed(&run, settings)
    } catch let error where run.follower.frameCount > 1 {
      // What came before an error is kept.
      failure = error
    }
    try run.finish(source: input ?? detections ?? "", asJSON: json, failure: failure)
  }

  private func feed(_ run: inout BarPathRun<some BarFollower>, _ settings: BarPathCommandSettings) throws {
    let recorder = run.recorder
    if let detections {
      recorder?.set(settings.reading)
      try run.read(detections, options: settings.reading)
    } else if let input {
      try checkHoldsPictures(input, otherwise: "--detections")
      var pictures = pictures
      pictures.fps = settings.reading.framesPerSecond
      let source = try PictureSource([input], options: pictures, recorder: recorder)
      let detector = try network.detector()
      defer { network.cache.warn(detector.cacheUse) }
      recorder?.set(detector, network, pictures, plates: settings.reading.plateClasses, fitsOutline: outline)
      try run.watch(source, detector: detector, plates: settings.reading.plateClasses, fitsOutline: outline)
    }
  }

  /// The settings in effect. Two options are those of pictures too, or speak for two settings.
  func effectiveSettings(recorder: SessionRecorder? = nil) throws -> BarPathCommandSettings {
    var others = [plateClass, liftName].compactMap { $0 }
    if let fps = pictures.fps { others.append(SettingArgument("fps", "\(fps)")) }
    if let frameSize {
      others.append(SettingArgument("frameWidth", "\(frameSize.width)"))
      others.append(SettingArgument("frameHeight", "\(frameSize.height)"))
    }
    return try settings.value(others, recorder: recorder)
  }
}
