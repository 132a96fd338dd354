import Apus
import ApusMedia
import ArgumentParser

struct DetectCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Find objects, their outlines, and people's joints, in pictures and videos.",
    discussion: """
      Without --model the detector that ships finds plates, bar ends and people in a gym; it has learned from rendered \
      scenes alone. Any YOLO (v5, v8, 11 and their kin, YOLOX), as .onnx or Core ML, finds what it was trained for: \
      boxes, poses, masks (-seg), turned boxes (-obb).

      INPUT is one or more pictures (PNG, JPEG, BMP, PPM), a folder or a ZIP archive of them, or a video as YUV4MPEG2; \
      - reads a picture or a video from a pipe. Other files of a folder or archive are named and skipped.

      OUTPUT is a row for each object, or for each picture where there are many; with --json a line of JSON for each \
      picture: image, frame, t, width, height, detections (class, class_id, score, box as left, top, right, bottom in \
      pixels, keypoints as x, y, visibility; of masks polygons, lists of x, y, holes running the other way, and \
      mask_area in pixels; of turned boxes corners and angle in degrees, clockwise). --save writes the pictures with \
      all that drawn on them: to a file, to a folder for several, to a video when the name ends in .y4m.

      --jsonl answers requests until there are no more, as a child of another program: a line in, {"id", "path"} or {"id", \
      "base64"}, and a line out with the same id, in the same order. What goes wrong is a line with "error", and the next one \
      is read.

      EXAMPLES
        apus detect photo.jpg --save boxes.png
        apus detect photos --model yolov8n.onnx --classes person,dog --json
        apus detect street.jpg --model yolov8n-seg.onnx --save outlines.png
        ffmpeg -i lift.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | apus detect - --json > detections.jsonl
        apus detect --jsonl - < requests.jsonl > answers.jsonl
      """)

  @Argument(
    help: "Pictures, a folder or .zip of them, a .y4m video, or - for standard input.",
    completion: .files(.pictures, .videos, .archives))
  var inputs: [String] = []

  @OptionGroup(title: "Network") var network: DetectorOptions

  @OptionGroup(title: "Boxes") var boxes: BoxOptions

  @OptionGroup(title: "Pictures") var pictures: PictureOptions

  @OptionGroup(title: "Requests") var requests: RequestOptions

  @Option(
    help: ArgumentHelp("Where pictures with boxes on them go: a file, a folder, or a .y4m video.", valueName: "out"),
    completion: .file())
  var save: String?

  @Flag(help: "Say on standard error how the network is read.")
  var verbose = false

  @Flag(help: "Print JSON, one object a picture.")
  var json = false

  func validate() throws {
    if requests.jsonl != nil {
      guard inputs.isEmpty, save == nil else { throw ValidationError("--jsonl takes no other input and no --save.") }
    } else if inputs.isEmpty {
      throw ValidationError("Missing expected argument '<inputs> ...', pictures or '-'.")
    }
  }

  var files: FilePlan {
    var files = FilePlan()
    for input in inputs { files.readsPictures(input, as: "the input") }
    network.plan(&files)
    pictures.plan(&files)
    files.reads(requests.jsonl, as: "--jsonl")
    files.writesPictures(save, as: "--save", .pictureOrPictures)
    return files
  }

  func run() throws {
    let detector = try network.detector()
    defer {
      network.cache.warn(detector.cacheUse)
      if verbose, let use = detector.cacheUse { ErrorOutput.write("apus: \(ErrorReport.oneLine(use.summary))\n") }
    }
    let options = try boxes.options(of: detector)
    if network.model == nil {
      ErrorOutput.write(
        "apus: the detector that ships looks for \(ErrorReport.oneLine(detector.knownClasses)); --model takes another\n"
      )
    }
    if verbose { ErrorOutput.write("apus: \(ErrorReport.oneLine(detector.summary))\n") }
    if requests.jsonl != nil {
      return try requests.serve("detect", model: detector.file, PictureRequest.self) { request, number in
        let picture = try request.picture(number, limits: pictures.limits)
        let found = try detector.detections(in: picture.image, options: options)
        return try jsonText(DetectionReport(picture, found, by: detector))
      }
    }
    var source = try PictureSource(inputs, options: pictures)
    var sink: PictureSink?
    let names = source.names
    var progress = ProgressBar(total: source.total)
    defer { progress?.clear() }
    let isSingle = source.total.map { $0 <= 4 } ?? false
    var unread = UnreadPictures()
    while let picture = try source.nextPicture(&unread, clearing: &progress) {
      // Once there is a picture to write.
      if sink == nil {
        sink = try save.map { try PictureSink(path: $0, isSingle: source.total == 1, names: names) }
      }
      let found = try detector.detections(in: picture.image, options: options)
      let report = DetectionReport(picture, found, by: detector)
      progress?.clear()
      if json {
        try Output.line(jsonText(report))
      } else {
        for line in isSingle ? report.rows : [report.line] { try Output.line(line) }
      }
      // The reader of a live stream sees a picture's objects as soon as they are found.
      if source.total == nil { try Output.flush() }
      try sink?.write(
        detector.drawn(found, on: picture.image), name: picture.name, index: picture.index, rate: source.rate)
      let done = picture.index + 1 + unread.skipped
      progress?.update(done, note: source.total.map { "\(done) of \($0) pictures" } ?? "\(done) pictures")
    }
    try sink?.close()
    try unread.check()
  }
}
