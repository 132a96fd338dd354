import Apus
import ApusMedia
import ArgumentParser

/// A picture to be looked at.
struct SourcePicture {
  /// Its file; nil for standard input.
  var name: String?
  /// Its number among all, from 0.
  var index: Int
  /// Seconds, where pictures follow each other in time.
  var timestamp: Double?
  var image: Image<UInt8>
}

/// How pictures are read.
struct PictureOptions: ParsableArguments {
  @OptionGroup var pixelLimit: PixelLimitOptions

  @Option(
    help: ArgumentHelp(
      "The time of each frame, a line each: seconds, or milliseconds as 'timecode format v2' has them.",
      valueName: "file"),
    completion: .file())
  var timestamps: String?

  @Option(
    help: ArgumentHelp("Frames per second, of a folder or archive that holds the frames of a video.", valueName: "rate")
  )
  var fps: Double?

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) { files.reads(timestamps, as: "--timestamps") }

  /// The first option that was given and is of pictures alone.
  var named: String? {
    timestamps != nil ? "--timestamps" : pixelLimit.maxPixels != ImageLimits.default.pixels ? "--max-pixels" : nil
  }

  func validate() throws {
    if let fps {
      guard fps.isFinite, fps > 0 else { throw ValidationError("--fps \(fps): a number above 0 was expected.") }
      guard timestamps == nil else { throw ValidationError("--fps and --timestamps exclude each other.") }
    }
  }

  var limits: ImageLimits { pixelLimit.limits }
}

/// Pictures one after the other: from files, from folders and ZIP archives of them, from videos as `.y4m`, from a pipe
/// that brings a picture or a video.
struct PictureSource {
  enum Event {
    case picture(SourcePicture)
    /// A file that is not a picture.
    case skipped(name: String, reason: String)
    /// A picture that cannot be read, one of several.
    case failed(any Error)
    /// What is not as it should be, and ends nothing.
    case remark(String)
  }

  private enum Entry {
    case file(String)
    case member(ImageArchive.Picture, of: ImageArchive)
    case video(ByteInput, Y4MReader, first: [UInt8])
    /// What came through a pipe, which has a path unless it is standard input.
    case bytes(String, path: String?, [UInt8])
    case skipped(String, String)
  }

  /// How many pictures there are, where that is known.
  private(set) var total: Int?
  /// Whether they are frames that follow each other in time.
  let isVideo: Bool
  /// Frames per second: as stated, by the times of the frames, or as the video says; nil where nothing does.
  var rate: Y4MHeader.Rate? { statedRate ?? headerRate }
  private let statedRate: Y4MHeader.Rate?
  private var headerRate: Y4MHeader.Rate?
  /// The files of the pictures, as far as they are known before they are read.
  var names: [String] {
    entries.compactMap {
      switch $0 {
      case .file(let path): path
      case .member(let picture, _): picture.path
      case .video, .bytes, .skipped: nil
      }
    }
  }
  private var entries: [Entry] = []
  private var remarks: [String] = []
  private var next = 0
  private var hasEnded = false
  private let limits: ImageLimits
  private let times: TimestampFile?
  private let fps: Double?

  /// - Throws: ``CommandFailure`` and ``FileError`` for inputs that are not there; ``VideoError`` for times that make
  ///   no sense.
  init(_ paths: [String], options: PictureOptions, recorder: SessionRecorder? = nil) throws {
    if let path = options.timestamps { _ = recorder?.digest("timestamps", path) }
    try self.init(
      paths, limits: options.limits, times: options.timestamps.map { try TimestampFile(path: $0) }, fps: options.fps
    ) { recorder?.digest("input", $0) }
  }

  /// - Parameters:
  ///   - times: when each frame was.
  ///   - fps: frames per second, of pictures without `times`.
  ///   - areFrames: whether single pictures are all the frames of a video, as they are with `fps`.
  ///   - digest: is asked for every path, and gets what is read of files and pipes here.
  init(
    _ paths: [String], limits: ImageLimits, times: TimestampFile? = nil, fps: Double? = nil, areFrames: Bool = false,
    digest: (String) -> InputDigest? = { _ in nil }
  ) throws {
    self.limits = limits
    self.times = times
    self.fps = fps
    statedRate = try fps.map { try .init(nearest: $0) } ?? times.flatMap { try .init(of: $0.seconds) }
    for path in paths {
      entries += try Self.entries(path, limits: limits, isAlone: paths.count == 1, digest: digest(path))
    }
    let hasVideo = entries.contains { if case .video = $0 { true } else { false } }
    if hasVideo, entries.count > 1 {
      throw CommandFailure(.usage, "a video must be the only input")
    }
    isVideo = hasVideo || times != nil || fps != nil
    total = hasVideo ? nil : entries.count { if case .skipped = $0 { false } else { true } }
    if total == 0, paths.count == 1, let path = paths.first {
      throw CommandFailure(.badData, "\(path): there are no pictures in this \(isFolder(path) ? "folder" : "archive")")
    }
    if let doubt = times?.doubt { remarks.append("--timestamps: \(doubt)") }
    if fps != nil || areFrames, let gap = PictureGap(names) {
      remarks.append(paths.count == 1 ? "\(paths[0]): \(gap)" : "\(gap)")
    }
  }

  private static func entries(
    _ path: String, limits: ImageLimits, isAlone: Bool, digest: InputDigest?
  ) throws -> [Entry] {
    if path != "-", isFolder(path) {
      let folder = try ImageFolder(path: path)
      return folder.pictures.map { Entry.file($0.path) } + folder.skipped.map { Entry.skipped($0.name, $0.reason) }
    }
    let input = try ByteInput(path: path, digest: digest)
    var first: [UInt8] = []
    let magic = Array("YUV4MPEG2".utf8)
    while first.count < ForeignMedia.beginning, let chunk = try input.next() { first += chunk }
    if first.isEmpty, isAlone { throw CommandFailure(.badData, "\(input.name): is empty") }
    if let video = first.withUnsafeBytes({ ForeignMedia.video($0) }) {
      throw CommandFailure(
        .badData,
        "\(input.name): \(video); videos are read as ffmpeg hands over their frames: "
          + "\(ForeignMedia.videoCommand(path)) | \(CommandLineText.reading("-", insteadOf: path))")
    }
    let isFile = path != "-" && input.byteCount != nil
    // Its directory is at the end, so that it cannot come through a pipe.
    if isFile, isArchive(first) {
      let archive = try ImageArchive(path: path)
      return archive.pictures.map { Entry.member($0, of: archive) }
        + archive.skipped.map { Entry.skipped($0.name, $0.reason) }
    }
    if first.starts(with: magic) { return [.video(input, Y4MReader(limits: limits), first: first)] }
    if isFile { return [.file(path)] }
    let bytes = try input.readAll(after: first, limit: pipeLimit)
    return [.bytes(input.name, path: path == "-" ? nil : path, bytes)]
  }

  /// Whether a file begins with an entry of a ZIP archive, or with the end of one that is empty.
  private static func isArchive(_ beginning: [UInt8]) -> Bool {
    beginning.starts(with: "PK\u{3}\u{4}".utf8) || beginning.starts(with: "PK\u{5}\u{6}".utf8)
  }

  /// The most bytes of a picture that comes through a pipe.
  private static let pipeLimit = 1 << 30

  /// What comes next; nil at the end.
  ///
  /// A picture that cannot be read is an error where it is the only one, and an event where there are others.
  mutating func nextEvent() throws -> Event? {
    let limits = limits
    if let remark = remarks.popLast() { return .remark(remark) }
    while let entry = entries.first {
      switch entry {
      case .skipped(let name, let reason):
        entries.removeFirst()
        return .skipped(name: name, reason: reason)
      case .file(let path):
        entries.removeFirst()
        return try read(name: path) { try ImageFile.read(path: path, limits: limits) }
      case .member(let picture, let archive):
        entries.removeFirst()
        return try read(name: picture.path) { try archive.read(picture, limits: limits) }
      case .bytes(let name, let path, let bytes):
        entries.removeFirst()
        return try read(name: path) {
          do {
            return try bytes.withUnsafeBytes { try ImageFile.decode($0, limits: limits) }.upright
          } catch let error as ImageError {
            throw CommandFailure(.badData, "\(name): \(error)")
          }
        }
      case .video(let input, var reader, let first):
        if let frame = try Self.frame(of: input, &reader, first) {
          headerRate = reader.header?.rate
          entries[0] = .video(input, reader, first: [])
          return .picture(try picture(nil, frame.image, time: frame.time))
        }
        entries.removeFirst()
        if next == 0 { throw CommandFailure(.badData, "\(input.name): there are no frames in it") }
      }
    }
    return surplus.map { .remark($0) }
  }

  /// What is said at the end of times that belong to no frame; once.
  private var surplus: String? {
    mutating get {
      guard let times, times.seconds.count > next, !hasEnded else { return nil }
      hasEnded = true
      return "--timestamps: \(CountText.counted(times.seconds.count, "time")) for \(CountText.counted(next, "frame")); "
        + "the last are ignored"
    }
  }

  private mutating func read(name: String?, _ body: () throws -> Image<UInt8>) throws -> Event {
    do {
      return .picture(try picture(name, body(), time: nil))
    } catch  where total ?? 1 > 1 && !(error is CommandFailure) {
      // The place in time of a frame stays its own.
      next += 1
      return .failed(error)
    }
  }

  private mutating func picture(_ name: String?, _ image: Image<UInt8>, time: Double?) throws -> SourcePicture {
    let index = next
    next += 1
    if let times, !times.seconds.indices.contains(index) {
      throw CommandFailure(.badData, "--timestamps: there are \(times.seconds.count) times, and more frames")
    }
    return SourcePicture(
      name: name, index: index, timestamp: times?.seconds[index] ?? fps.map { Double(index) / $0 } ?? time, image: image
    )
  }

  private static func frame(
    of input: ByteInput, _ reader: inout Y4MReader, _ first: [UInt8]
  ) throws -> VideoFrame? {
    if !first.isEmpty { reader.append(first) }
    do {
      while true {
        if let frame = try reader.next() { return frame }
        guard let chunk = try input.next() else { break }
        reader.append(chunk)
      }
      reader.end()
      return try reader.next()
    } catch var error as VideoError {
      error.file = error.file ?? input.name
      throw error
    }
  }
}
