import Apus
import ApusMotion

/// Reads poses to their end, and prints each result as soon as it is known.
struct BehaviorRun {
  enum Printer {
    case json
    case text(BehaviorText)
  }

  let path: String
  let source: ByteInput
  var reader: PoseFrameReader
  var stream: BehaviorStream
  /// Where segments are wanted instead of predictions.
  var segmenter: BehaviorSegmenter?
  var printer: Printer
  var files: BehaviorFiles
  private var progress: ProgressBar?
  private var hasNotedNames = false
  private var hasNotedRate = false
  /// What is wrong with the input from here on.
  private var broken: CommandFailure?
  /// Lines of the input so far.
  private var lineCount = 0

  init(
    path: String, source: ByteInput, reader: PoseFrameReader, stream: BehaviorStream, segmenter: BehaviorSegmenter?,
    printer: Printer, files: BehaviorFiles
  ) {
    self.path = path
    self.source = source
    self.reader = reader
    self.stream = stream
    self.segmenter = segmenter
    self.printer = printer
    self.files = files
    progress = ProgressBar(total: source.byteCount)
  }

  /// - Returns: the error that the input broke off with, where files keep what came before it.
  mutating func toTheEnd() throws -> CommandFailure? {
    defer { progress?.clear() }
    guard try readAll() else { return nil }
    progress?.clear()
    if let broken, !files.areWanted || stream.predictionCount == 0 { throw broken }
    try finish(isWhole: broken == nil)
    try files.close(stream.summary, failure: broken)
    return broken
  }

  /// - Returns: false where it ended early, as the rest is not wanted.
  private mutating func readAll() throws -> Bool {
    while let chunk = try source.next() {
      reader.append(chunk)
      lineCount += chunk.count { $0 == 0x0A }
      try takeFrames()
      // A live stream shows a row as soon as its frame is there.
      try files.flush()
      try Output.flush()
      if broken != nil { return true }
      if Output.isClosed, !files.areWanted { return false }
      let (position, frames) = (source.position, stream.frameCount)
      progress?.update(position, note: "\(frames) frames")
    }
    reader.finish()
    try takeFrames()
    return true
  }

  private mutating func takeFrames() throws {
    do {
      while let frame = try reader.next() {
        if !hasNotedNames { noteNames() }
        let gaps = stream.gapCount
        let prediction = try stream.push(frame)
        if stream.gapCount > gaps, let gap = stream.lastGap { try write(.gap(gap)) }
        if let prediction {
          noteRate(prediction)
          try write(.prediction(prediction))
        }
        try files.add(frame, prediction: prediction, isAfterGap: stream.gapCount > gaps, stream: stream)
      }
    } catch let error as PoseReadError {
      let remark = stream.frameCount > 0 ? "" : missingOptions(error) ?? remarkOnText(path)
      broken =
        try labels(headerLines: reader.lineNumber - 1) ?? CommandFailure(.badData, "\(source.name): \(error)\(remark)")
    } catch let error as PoseFrameError {
      broken = CommandFailure(.badData, "\(source.name): \(error)")
    }
  }

  /// What a table of another program lacks, all at once; nil where it is something else that is missing.
  private func missingOptions(_ error: PoseReadError) -> String? {
    guard reader.keypointNames != nil, case .row(.missingField) = error.reason else { return nil }
    let options = reader.options
    let given: [(String, Bool)] = [
      ("--input-fps", options.framesPerSecond != nil), ("--width", options.width != nil),
      ("--height", options.height != nil),
    ]
    let missing = given.filter { !$0.1 }.map(\.0)
    guard let last = missing.last else { return nil }
    let list = missing.count > 1 ? missing.dropLast().joined(separator: ", ") + " and " + last : last
    return "; such a file does not say the times of its frames and the size of its pictures: \(list) "
      + (missing.count > 1 ? "do" : "does")
  }

  /// What to say of a table of labels, which breaks off at its first row for want of times.
  private mutating func labels(headerLines: Int) throws -> CommandFailure? {
    guard reader.isOfPictures, reader.options.framesPerSecond == nil, stream.frameCount == 0,
      let required = stream.summary.insufficientFrames?.required
    else { return nil }
    while let chunk = try source.next() { lineCount += chunk.count { $0 == 0x0A } }
    let count = max(1, lineCount - headerLines)
    return CommandFailure(
      .badData,
      "\(source.name): \(CountText.counted(count, "labelled still")); \(required) consecutive poses "
        + "are needed: let DeepLabCut analyse the video (deeplabcut.analyze_videos with save_as_csv=True) and give its table"
    )
  }

  /// Says which body parts of the file are ignored.
  private mutating func noteNames() {
    hasNotedNames = true
    guard let names = reader.keypointNames else {
      if reader.options.names.isEmpty { return }
      progress?.clear()
      return ErrorOutput.warning("\(source.name): --map has no effect: its keypoints have the order's own names")
    }
    guard !names.unknown.isEmpty else { return }
    progress?.clear()
    let text = "ignored: unknown keypoints \(names.unknown.joined(separator: ", ")) (--map THEIRS=OURS)"
    ErrorOutput.warning("\(source.name): \(text)")
  }

  /// Says once that poses come at a rate that the model did not learn.
  private mutating func noteRate(_ prediction: BehaviorPrediction) {
    guard !hasNotedRate, let rate = prediction.unlearnedRate else { return }
    hasNotedRate = true
    progress?.clear()
    ErrorOutput.warning("\(source.name): \(rate)")
  }

  /// - Parameter isWhole: whether the input was read to its end; totals are of the whole.
  private mutating func finish(isWhole: Bool) throws {
    let summary = stream.summary
    if summary.predictions == 0, let tooFew = summary.insufficientFrames {
      if case .json = printer { try Output.line(tooFew.jsonLine) }
      var message = "\(source.name): \(tooFew)"
      if summary.frames > summary.accepted {
        message += " (\(summary.frames) were read; --fps \(rate) leaves that many)"
      }
      if let gap = stream.lastGap {
        message +=
          " since a pause of \(NumberText.fixed(gap.seconds, decimals: 1)) s before frame \(gap.frameIndex), "
          + "which emptied the window (--max-gap)"
      }
      throw CommandFailure(.badData, message)
    }
    if let segment = segmenter?.finish() { try write(segment) }
    guard isWhole else { return }
    switch (printer, segmenter) {
    case (.json, nil): break
    case (.json, let segmenter?): try write([segmenter.totalsJSONLine])
    case (.text(let text), nil): try write(text.footer(summary))
    case (.text(let text), let segmenter?): try write(text.footer(segmenter.totals))
    }
  }

  private var rate: String { stream.settings.framesPerSecond.map { NumberText.short($0) } ?? "0" }

  private mutating func write(_ event: BehaviorEvent) throws {
    try files.add(event)
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
    try files.add(segment)
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
