import Apus
import ApusMedia
import FoundationEssentials

/// Where pictures that were drawn on go: one file, a folder with a file for each, or a video.
struct PictureSink {
  private enum Kind {
    case file(String)
    case folder(OutputFolder)
    case video(ByteOutput)
  }

  private let kind: Kind
  private var writer: Y4MWriter?
  private var used: Set<String> = []

  /// - Parameters:
  ///   - path: a name that ends in `.y4m`; a folder, which is made if there is none; or, for one picture, a file.
  ///   - isSingle: whether there will be one picture only.
  ///   - names: the files that pictures are read from, where they are known: that none of them is written over is
  ///     checked before the first is written.
  /// - Throws: ``CommandFailure`` where several pictures would go to the name of one.
  init(path: String, isSingle: Bool, names: [String] = []) throws {
    if Self.isVideo(path) {
      kind = .video(try ByteOutput(path: path))
    } else if FileKind.ending(of: path) != nil, !isFolder(path) {
      guard isSingle else {
        throw CommandFailure(
          .usage, "\(path): would be one picture, and several are to be written; a folder or a .y4m file was expected")
      }
      kind = .file(path)
    } else {
      kind = .folder(try OutputFolder(path: path))
      var trial = self
      for (index, name) in names.enumerated() { _ = try trial.file(name, index) }
    }
  }

  /// - Throws: ``CommandFailure`` for a name with an ending by which nothing here is written.
  static func checkEnding(_ path: String, option: String, of endings: Endings) throws {
    guard !isVideo(path), let ending = FileKind.ending(of: path) else { return }
    let pictures = ImageFile.writableExtensions
    if endings == .pictureOrPictures, pictures.contains(ending) { return }
    let expected = endings == .pictures ? "" : "a picture (\(pictures.map { "." + $0 }.joined(separator: ", "))), "
    throw CommandFailure(
      .usage, "\(option) \(path): .\(ending) is not written; \(expected)a folder or a .y4m video was expected")
  }

  /// Whether a video goes to `path`, all in one file.
  static func isVideo(_ path: String) -> Bool { path.lowercased().hasSuffix(".y4m") || path == "-" }

  /// - Parameters:
  ///   - name: the file that the picture was read from.
  ///   - rate: frames per second, for a video.
  mutating func write(_ image: Image<UInt8>, name: String?, index: Int, rate: Y4MHeader.Rate?) throws {
    switch kind {
    case .file(let path): try ImageFile.write(image, to: path)
    case .folder: if let file = try file(name, index) { try ImageFile.write(image, to: file) }
    case .video(let output):
      if writer == nil {
        let writer = try Y4MWriter(
          width: image.width, height: image.height, rate: rate ?? Y4MHeader.Rate(frames: 30, seconds: 1))
        try output.write(writer.firstLine)
        self.writer = writer
      }
      if let writer { try output.write(writer.frame(image)) }
    }
  }

  /// Ends the video.
  func close() throws {
    if case .video(let output) = kind { try output.close() }
  }

  /// Where a picture goes in the folder, if pictures go to one.
  private mutating func file(_ name: String?, _ index: Int) throws -> String? {
    guard case .folder(let folder) = kind else { return nil }
    return try folder.file(fileName(name, index) + ".png")
  }

  /// The name of the picture's own file without its ending, or its number; never that of another one.
  private mutating func fileName(_ name: String?, _ index: Int) -> String {
    let own = name?.split(separator: "/").last.map(String.init)
    let stem = own.flatMap { own in own.lastIndex(of: ".").map { String(own[..<$0]) } ?? own } ?? ""
    let number = String(index)
    let base = stem.isEmpty ? String(repeating: "0", count: max(0, 6 - number.count)) + number : stem
    var (candidate, copy) = (base, 2)
    while !used.insert(candidate).inserted {
      candidate = "\(base)-\(copy)"
      copy += 1
    }
    return candidate
  }
}

// MARK: - Plans

extension PictureSink {
  /// What names of outputs may end in.
  enum Endings: Sendable {
    /// Those of pictures one after the other: a video, or a folder.
    case pictures
    /// The same, or that of a picture alone.
    case pictureOrPictures
  }
}

extension FilePlan {
  /// - Parameters:
  ///   - path: where pictures that were drawn on go.
  ///   - role: the option that names it.
  ///   - endings: what the name may end in. What may be a picture alone may be a video on standard output too.
  mutating func writesPictures(_ path: String?, as role: String, _ endings: PictureSink.Endings) {
    guard let path else { return }
    let isFile = PictureSink.isVideo(path) || endings == .pictureOrPictures && !isFolder(path)
    var output = Output(
      path: path, role: role, kind: isFile ? .file : .folder, mayBeStandardOutput: endings == .pictureOrPictures)
    output.checkName = { try PictureSink.checkEnding(path, option: role, of: endings) }
    writes(output)
  }
}
