import Apus
import ApusModels
import ApusMotion
import ArgumentParser

struct BehaviorCommand: ParsableCommand {
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
      are matched, --map adds some, and those left out are listed on standard error.

      OUTPUT is a row for each window; with --json a line of JSON: t, frame, label, raw_label, confidence, \
      probabilities, missing_fraction, window_seconds. A pause of more than a second empties the window and gives a \
      line with gap_seconds. Input that ends before the first full window is an error (65). With --segments it is a \
      row for each stretch of one behaviour, and totals at the end.

      EXAMPLES
        apus behavior poses.jsonl
        apus behavior poses.csv --input-fps 30 --width 640 --height 480
        apus behavior dogDLC.csv --input-fps 30 --width 640 --height 480 --map collar=throat
        pose-source | apus behavior - --json | jq -r .label
        apus behavior poses.jsonl --segments
        apus behavior --sensitivity
      """)

  @Argument(
    help: "A file of poses, or - for standard input.", completion: .file(extensions: ["jsonl", "csv"]))
  var file: String?

  @OptionGroup(title: "Input") var input: PoseInputOptions

  @OptionGroup(title: "Classification") var stream: BehaviorStreamOptions

  @OptionGroup(title: "Segments") var segments: BehaviorSegmentArguments

  @Option(
    help: ArgumentHelp("The weights, a safetensors file.", valueName: "file"),
    completion: .file(extensions: ["safetensors"]))
  var weights: String?

  @Flag(help: "Measure instead how much the answer depends on the pose, on 256 random ones, and end.")
  var sensitivity = false

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  func validate() throws {
    if file == nil, !sensitivity { throw ValidationError("Missing expected argument '<file>', a file or '-'.") }
    if file != nil, sensitivity { throw ValidationError("--sensitivity takes no file.") }
    if sensitivity, segments.segments { throw ValidationError("--sensitivity makes no segments.") }
  }

  func run() throws {
    let readerOptions = try input.readerOptions()
    let options = try stream.behaviorOptions(order: readerOptions.order)
    let classifier = try BehaviorClassifier<Float>.shipped(weights: weights)
    guard let file else { return try reportSensitivity(of: classifier) }

    let source = try ByteInput(path: file)
    var session = BehaviorSession(
      source: source, reader: try PoseFrameReader(options: readerOptions),
      stream: try BehaviorStream(classifier: classifier, options: options),
      segmenter: try segments.segmenter(), printer: json ? .json : .text(BehaviorText(info: classifier.modelInfo)))
    try session.run()
  }

  private func reportSensitivity(of classifier: BehaviorClassifier<Float>) throws {
    let found = try classifier.sensitivity()
    if json { return try Output.line(found.jsonLine) }
    let change = NumberText.short(Double(found.maximumChange))
    try Output.line("\(found.samples) random poses, each held for a whole window")
    try Output.line("  largest change of a probability  \(change), of \(found.mostChangedLabel)")
    try Output.line("  labels found                     \(found.predictedLabels.joined(separator: ", "))")
    if found.isConstant { try Output.line("Every pose gets the same label: this model does not look at its input.") }
  }
}

/// Reads poses to their end, and prints what they are told to be as soon as it is known.
private struct BehaviorSession {
  enum Printer {
    case json
    case text(BehaviorText)
  }

  let source: ByteInput
  var reader: PoseFrameReader
  var stream: BehaviorStream
  /// Where segments are wanted instead of predictions.
  var segmenter: BehaviorSegmenter?
  var printer: Printer
  var progress: ProgressBar?
  private var hasNotedNames = false

  init(
    source: ByteInput, reader: PoseFrameReader, stream: BehaviorStream, segmenter: BehaviorSegmenter?,
    printer: Printer
  ) {
    self.source = source
    self.reader = reader
    self.stream = stream
    self.segmenter = segmenter
    self.printer = printer
    progress = ProgressBar(total: source.byteCount)
  }

  mutating func run() throws {
    defer { progress?.clear() }
    while let chunk = try source.next() {
      reader.append(chunk)
      try takeFrames()
      // Whoever follows a live stream sees a row as soon as its frame is there.
      try Output.flush()
      if Output.isClosed { return }
      let (position, frames) = (source.position, stream.frameCount)
      progress?.update(position, note: "\(frames) frames")
    }
    reader.finish()
    try takeFrames()
    progress?.clear()
    try finish()
  }

  private mutating func takeFrames() throws {
    do {
      while let frame = try reader.next() {
        if !hasNotedNames { noteNames() }
        let gaps = stream.gapCount
        let prediction = try stream.push(frame)
        if stream.gapCount > gaps, let gap = stream.lastGap { try write(.gap(gap)) }
        if let prediction { try write(.prediction(prediction)) }
      }
    } catch let error as PoseReadError {
      throw CommandFailure(.badData, "\(source.name): \(error)")
    } catch let error as PoseFrameError {
      throw CommandFailure(.badData, "\(source.name): \(error)")
    }
  }

  /// Says which body parts of the file are left out.
  private mutating func noteNames() {
    hasNotedNames = true
    guard let names = reader.keypointNames, !names.unknown.isEmpty else { return }
    progress?.clear()
    let text = "left out, being no keypoints: \(names.unknown.joined(separator: ", ")) (--map THEIRS=OURS)"
    let line = ErrorReport.oneLine("\(source.name): \(text)")
    ErrorOutput.write(Terminal.error.styled("apus:", .yellow) + " " + line + "\n")
  }

  private mutating func finish() throws {
    let summary = stream.summary
    if summary.predictions == 0, let tooFew = summary.insufficientFrames {
      if case .json = printer { try Output.line(tooFew.jsonLine) }
      var message = "\(source.name): \(tooFew)"
      if summary.frames > summary.accepted {
        message += " (\(summary.frames) were read; --fps \(rate) leaves that many)"
      }
      throw CommandFailure(.badData, message)
    }
    if let segment = segmenter?.finish() { try write(segment) }
    switch (printer, segmenter) {
    case (.json, nil): break
    case (.json, let segmenter?): try write([segmenter.totalsJSONLine])
    case (.text(let text), nil): try write(text.footer(summary))
    case (.text(let text), let segmenter?): try write(text.footer(segmenter.totals))
    }
  }

  private var rate: String { stream.options.framesPerSecond.map { NumberText.short($0) } ?? "0" }

  private mutating func write(_ event: BehaviorEvent) throws {
    if segmenter != nil {
      if let segment = segmenter?.push(event) { try write(segment) }
      if case .prediction = event { return }
    }
    switch printer {
    case .json: try write([event.jsonLine])
    case .text(var text):
      try write(text.rows(for: event))
      printer = .text(text)
    }
  }

  private mutating func write(_ segment: BehaviorSegment) throws {
    switch printer {
    case .json: try write([segment.jsonLine])
    case .text(var text):
      try write(text.rows(for: segment))
      printer = .text(text)
    }
  }

  private mutating func write(_ lines: [String]) throws {
    if lines.isEmpty { return }
    progress?.clear()
    for line in lines { try Output.line(line) }
  }
}
