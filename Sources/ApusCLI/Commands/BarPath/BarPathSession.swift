import Apus
import ApusMedia
import ApusMotion
import ApusMotionModels
import ApusVision

/// What frames are given to.
protocol BarFollower {
  var settings: BarPathSettings { get }
  var frameCount: Int { get }
  mutating func push(_ frame: BarFrame) throws(BarFrameError) -> BarPathUpdate
}

extension BarPathStream: BarFollower {}
extension BarTracker: BarFollower {}

/// Frames in, a lift's analysis out; or, from a tracker, what is known of the bar in each frame.
struct BarPathSession<Follower: BarFollower> {
  var follower: Follower
  let results: BarPathOutputOptions
  /// Keeps the run, where that is wanted.
  let recorder: SessionRecorder?
  private var album = FrameAlbum()

  /// Says what is known of a frame when it has come.
  private let printer: ((BarPathUpdate) throws -> Void)?

  init(
    _ follower: Follower, results: BarPathOutputOptions, recorder: SessionRecorder? = nil,
    printer: ((BarPathUpdate) throws -> Void)? = nil
  ) {
    self.follower = follower
    self.printer = printer
    self.results = results
    self.recorder = recorder
  }

  /// Reads boxes or positions from a file.
  mutating func read(_ path: String, options: BarReaderOptions) throws {
    let source = try ByteInput(path: path, digest: recorder?.digest("input", path))
    var reader = try BarFrameReader(options: options)
    var progress = ProgressBar(total: source.byteCount)
    defer { progress?.clear() }
    func named(_ error: any Error) -> CommandFailure { CommandFailure(.badData, "\(source.name): \(error)") }
    do {
      while let chunk = try source.next() {
        reader.append(chunk)
        while let frame = try reader.next() { _ = try push(frame) }
        if try isUnread() { return }
        progress?.update(source.position, note: "\(follower.frameCount) frames")
      }
      reader.finish()
      while let frame = try reader.next() { _ = try push(frame) }
    } catch let error as BarReadError {
      throw named(error)
    } catch let error as BarFrameError {
      throw named(error)
    }
    if follower.frameCount == 0 { throw CommandFailure(.badData, "\(source.name): there are no frames in it") }
  }

  /// Finds the bar in pictures.
  /// - Parameter fitsOutline: whether a plate is as large as its outline, or as the network's box.
  mutating func watch(
    _ pictures: PictureSource, detector: Detector, plateClass: String, fitsOutline: Bool
  ) throws {
    var pictures = pictures
    guard pictures.isVideo else {
      throw CommandFailure(.usage, "the frames' times are unknown: --fps or --timestamps says them")
    }
    guard detector.classIndex(named: plateClass) != nil else {
      throw CommandFailure(.usage, "--plate-class: the network has no class '\(plateClass)'")
    }
    let options = detector.barOptions(plate: plateClass, fitsOutline: fitsOutline)
    // A line a frame makes no page, whatever the environment asks for.
    let keepsPictures = printer == nil && results.files.needsPage
    var overlay = try results.files.overlay.map { try BarPathOverlay(path: $0, settings: follower.settings) }
    var progress = ProgressBar(total: pictures.total)
    defer { progress?.clear() }
    frames: while let event = try pictures.nextEvent() {
      switch event {
      case .skipped(let name, let reason):
        progress?.clear()
        ErrorOutput.write("apus: skipped \(ErrorReport.oneLine("\(name): \(reason)"))\n")
      case .failed(let error): throw error
      case .picture(let picture):
        guard let time = picture.timestamp else {
          throw CommandFailure(.usage, "the frames' times are unknown: --fps or --timestamps says them")
        }
        let found = try detector.detections(in: picture.image, options: options)
        let update: BarPathUpdate
        do {
          update = try push(
            detector.barFrame(
              found, timestamp: time, width: picture.image.width, height: picture.image.height, plates: [plateClass]))
        } catch let error as BarFrameError {
          throw CommandFailure(.badData, "\(error)")
        }
        if keepsPictures { album.add(picture.image, frame: update.frame) }
        try overlay?.add(picture, update, rate: pictures.rate, people: found, detector)
        if try isUnread() { break frames }
        progress?.update(update.frame + 1, note: "\(update.frame + 1) frames")
      }
    }
    try overlay?.close()
  }

  private mutating func push(_ frame: BarFrame) throws -> BarPathUpdate {
    let update = try follower.push(frame)
    try printer?(update)
    return update
  }

  /// Hands on what was printed, if lines are, and says whether their reader has gone.
  private func isUnread() throws -> Bool {
    guard printer != nil else { return false }
    try Output.flush()
    return Output.isClosed
  }
}

extension BarPathSession where Follower == BarPathStream {
  /// Writes what was asked for.
  /// - Parameter failure: what ended the input early, if something did.
  func finish(source: String, asJSON: Bool, failure: (any Error)?) throws {
    let result = follower.finish()
    if let path = results.csv {
      try TextFile.write(result.csv(), to: path)
      try TextFile.write(result.metadataJSON + "\n", to: BarPathOutputOptions.sidecar(of: path))
    }
    let html = try results.files.writeReport(page(of: result, source: source))
    try results.files.writeCharts(BarPathCharts(result).all)
    for line in asJSON ? [result.jsonLine] : BarPathText(result).lines { try Output.line(line) }
    try recorder?.finish(result.kept(page: html), failure: failure)
  }

  /// The report, an HTML page.
  private func page(of result: BarPathResult, source: String) throws -> String {
    try BarPathReport(result, source: ReportOptions.sourceName(source), pictures: album.pictures(of: result)).html
  }

}

extension BarPathUpdate {
  /// One line for people: time, place, speed, and whether the bar moves.
  func line(units: BarUnits) -> String {
    let time = NumberText.fixed(timestamp, decimals: 2) + " s"
    guard let bar else { return "\(time)  –" }
    let place = "\(NumberText.fixed(bar.x, decimals: 1)), \(NumberText.fixed(bar.y, decimals: 1)) px"
    return ([time, place, speedText(units: units) ?? "–"] + (isMoving ? ["moving"] : [])).joined(separator: "  ")
  }

  /// The speed upwards, in pixels where there is no scale; nil where there is none.
  func speedText(units: BarUnits) -> String? {
    velocity.map(units.velocityText) ?? pixelVelocity.map { NumberText.fixed($0, decimals: 0) + " px/s" }
  }
}

/// What `apus barpath` says, for people.
struct BarPathText {
  private let result: BarPathResult

  init(_ result: BarPathResult) { self.result = result }

  var lines: [String] {
    let terminal = Terminal.output
    var lines: [String] = []
    var table = TextTable(alignments: [.right, .right, .right, .right, .right, .right, .right])
    if !result.reps.isEmpty {
      table.add(
        ["rep", "start", "range", "mean up", "highest up", "down", "sideways"].map { terminal.styled($0, .dim) })
    }
    for rep in result.reps {
      table.add(
        "\(rep.id + 1)", NumberText.fixed(rep.startTime, decimals: 2) + " s", result.lengthText(rep.rom),
        result.velocityText(rep.meanConcentricVelocity), result.velocityText(rep.peakConcentricVelocity),
        rep.eccentricDuration.map { NumberText.fixed($0, decimals: 2) + " s" } ?? "–",
        result.lengthText(rep.xDeviation))
    }
    lines += table.lines.map { "  " + $0 }
    let summary = result.summary
    var line =
      "\(summary.repCount) \(summary.repCount == 1 ? "repetition" : "repetitions") in \(result.samples.count) frames"
    if summary.repCount > 0 {
      line +=
        "; mean range \(result.lengthText(summary.averageRom)), mean concentric velocity "
        + result.velocityText(summary.averageMeanConcentricVelocity)
      if let best = summary.bestRep, summary.repCount > 1 { line += ", fastest rep \(best + 1)" }
    }
    lines += (lines.isEmpty ? [] : [""]) + [line]
    lines += result.warnings.map { terminal.styled("! ", .yellow) + "\($0)" }
    return lines
  }
}
