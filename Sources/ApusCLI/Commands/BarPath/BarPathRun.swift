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
struct BarPathRun<Follower: BarFollower> {
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
    try Self.checkLifts(path, options)
    let source = try ByteInput(path: path, digest: recorder?.digest("input", path))
    var reader = try BarFrameReader(options: options)
    var progress = printer == nil ? ProgressBar(total: source.byteCount) : nil
    defer { progress?.clear() }
    func named(_ error: any Error) -> CommandFailure {
      CommandFailure(.badData, "\(source.name): \(error)" + (follower.frameCount == 0 ? remarkOnText(path) : ""))
    }
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

  /// Says which lifts a file has, of which one was to be chosen, before anything is printed. What else is wrong with the
  /// file is for reading to say.
  private static func checkLifts(_ path: String, _ options: BarReaderOptions) throws {
    guard case .only = options.lift, path != "-" else { return }
    let source = try ByteInput(path: path)
    guard source.byteCount != nil else { return }
    var each = options
    each.lift = .each
    var reader = try BarFrameReader(options: each)
    var names: [String] = []
    func note(_ name: String?) { if let name, names.last != name, !names.contains(name) { names.append(name) } }
    while let chunk = try source.next() {
      reader.append(chunk)
      do {
        while try reader.next() != nil { note(reader.lift) }
      } catch {
        return
      }
    }
    guard names.count > 1 else { return }
    let list = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    throw CommandFailure(
      .badData, "\(path): has \(names.count) lifts (\(list)), and one is measured at a time: --lift-name says which")
  }

  /// Finds the bar in pictures.
  /// - Parameter fitsOutline: whether a plate is as large as its outline, or as the network's box.
  mutating func watch(
    _ pictures: PictureSource, detector: Detector, plates: Set<String>, fitsOutline: Bool
  ) throws {
    var pictures = pictures
    guard pictures.isVideo else {
      throw CommandFailure(.usage, "the frames' times are unknown: --fps or --timestamps says them")
    }
    for name in plates.sorted() where detector.classIndex(named: name) == nil {
      throw CommandFailure(.usage, "--plate-class: the network has no class '\(name)'")
    }
    let options = detector.barOptions(plates: plates, fitsOutline: fitsOutline)
    // A line a frame makes no page, whatever the environment asks for.
    let keepsPictures = printer == nil && results.files.needsPage
    var overlay: BarPathOverlay?
    // Lines that come as frames do show how far it is.
    var progress = printer == nil ? ProgressBar(total: pictures.total) : nil
    defer { progress?.clear() }
    frames: while let event = try pictures.nextEvent() {
      switch event {
      case .skipped(let name, let reason):
        progress?.clear()
        ErrorOutput.write("apus: skipped \(ErrorReport.oneLine("\(name): \(reason)"))\n")
      case .remark(let text):
        progress?.clear()
        ErrorOutput.warning(text)
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
              found, timestamp: time, width: picture.image.width, height: picture.image.height, plates: plates))
        } catch let error as BarFrameError {
          throw CommandFailure(.badData, "\(error)")
        }
        // Once there is a frame to write.
        if overlay == nil {
          overlay = try results.files.overlay.map { try .init(path: $0, settings: follower.settings) }
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

  /// Hands on what was printed, if lines are, and says whether the reader of the output has gone.
  private func isUnread() throws -> Bool {
    guard printer != nil else { return false }
    try Output.flush()
    return Output.isClosed
  }
}

extension BarPathRun where Follower == BarPathStream {
  /// Writes what was asked for.
  /// - Parameter failure: what ended the input early, if something did.
  /// - Throws: that; ``CommandFailure`` where no bar was seen, once that is written.
  func finish(source: String, asJSON: Bool, failure: (any Error)?) throws {
    let result = follower.finish()
    try results.files.writeCharts(BarPathCharts(result).all)
    if let path = results.csv {
      try TextFile.write(result.csv(), to: path)
      try TextFile.write(result.metadataJSON + "\n", to: BarPathOutputOptions.sidecar(of: path))
    }
    let html = try results.files.writeReport(page(of: result, source: source))
    for line in asJSON ? [result.jsonLine] : BarPathText(result).lines { try Output.line(line) }
    let name = ReportOptions.sourceName(source)
    let isEmpty = result.warnings.contains(.noBar)
    let failure = failure ?? (isEmpty ? CommandFailure(.badData, "\(name): \(BarPathWarning.noBar)") : nil)
    try recorder?.finish(result.kept(page: html), failure: failure)
    if let failure { throw failure }
  }

  /// The report, an HTML page.
  private func page(of result: BarPathResult, source: String) throws -> String {
    try BarPathPage(result, source: ReportOptions.sourceName(source), pictures: album.pictures(of: result)).html
  }
}
