import Apus
import ApusMedia

/// What the keypoints of a recording are drawn on: the pictures that they were found in, or a plain ground of their
/// size.
///
/// The pictures of a folder are those of the frames in order. Those of a video are found by the numbers that frames
/// have, or else by their times, of which the nearest is taken, so that keypoints of every third picture find theirs.
/// Numbers count first, as the times of a video are those of a steady rate.
struct FrameGround {
  /// A picture to draw on.
  struct Place {
    let canvas: Canvas
    /// Pixels of the canvas to one of the recording.
    var scale: Double
    /// The picture's file.
    var name: String?

    /// The picture with what `draw` draws on it.
    func drawn(annotationScale: Double = 1, _ draw: (inout Canvas) -> Void) -> Image<UInt8> {
      var canvas = canvas
      canvas.annotationScale = annotationScale
      draw(&canvas)
      return canvas.image
    }
  }

  private let path: String?
  private var source: PictureSource?
  private var current: SourcePicture?
  /// Read to know whether it is nearer.
  private var following: SourcePicture?
  /// That of the last frame with one; numbers that do not increase are no numbers of pictures.
  private var lastNumber = -1

  /// Plain grounds with shorter sides are drawn larger: a recording in fractions may say that it is one pixel wide.
  private static let smallestSide = 320.0
  /// No camera gives larger frames, and no screen shows more pixels. Plain grounds of more pixels than that are drawn
  /// smaller: what a recording says of its size costs it nothing, and would be written for each of its frames.
  private static let largestSide = 16384.0
  private static let mostPixels = 3840.0 * 2160
  private static let limits = ImageLimits.default

  /// - Parameter recorder: is given the pictures.
  init(_ options: FrameOptions, recorder: SessionRecorder? = nil) throws {
    path = options.frames
    source = try path.map { path in
      try PictureSource([path], limits: Self.limits, areFrames: true) { recorder?.digest("frames", $0) }
    }
  }

  /// Compares how many pictures there are with how many frames, where both are known. More pictures are a warning.
  /// - Throws: ``CommandFailure`` for a folder with fewer pictures than frames.
  func check(frameCount: Int) throws {
    guard let path, let total = source?.total else { return }
    guard total >= frameCount else { throw Self.tooFew(path, total, frameCount) }
    if total > frameCount {
      ErrorOutput.warning("\(path): \(total) pictures for \(frameCount) frames; the last are ignored")
    }
  }

  /// The ground of a frame. Frames must be asked for in order, and may be skipped.
  ///
  /// - Parameters: the frame's place in the recording, the number of its picture where that is known, its time, and its
  ///   size in pixels.
  mutating func place(
    forFrame index: Int, number: Int? = nil, at time: Double, width: Double, height: Double
  ) throws -> Place {
    guard let path, source != nil else { return try Self.plain(width: width, height: height) }
    if current == nil { current = try nextPicture() }
    let number = source?.isVideo == true ? number.flatMap { $0 > lastNumber ? $0 : nil } : nil
    lastNumber = number ?? lastNumber
    try advance(to: number, frame: index, at: time)
    guard let picture = current else { throw CommandFailure(.badData, "\(path): there are no pictures in it") }
    if let number {
      guard picture.index == number else {
        throw CommandFailure(
          .badData,
          "\(path): there is no picture \(number), that of frame \(index); there are "
            + "\(CountText.counted(picture.index + 1, "picture")), and the first is 0")
      }
    } else if let own = picture.timestamp {
      guard abs(own - time) <= tolerance else {
        throw CommandFailure(
          .badData,
          "\(path): there is no picture at \(NumberText.short(time, digits: 6)) s, the time of frame \(index); "
            + "the nearest is at \(NumberText.short(own, digits: 6)) s")
      }
    } else if picture.index < index {
      throw Self.tooFew(path, picture.index + 1, index + 1)
    }
    let (across, down) = (Double(picture.image.width) / width, Double(picture.image.height) / height)
    guard abs(across - down) <= 0.01 * max(across, down) else {
      throw CommandFailure(
        .badData,
        "\(picture.name ?? path): a picture of \(picture.image.width) × \(picture.image.height) pixels; "
          + "the keypoints of frame \(index) are of one of \(Self.size(width, height))")
    }
    return Place(canvas: Canvas(picture.image), scale: across, name: picture.name)
  }

  /// Reads on to the picture with a number; without one to that nearest in time, or that of the same place.
  private mutating func advance(to number: Int?, frame index: Int, at time: Double) throws {
    func isBefore(_ picture: SourcePicture) -> Bool {
      if let number { return picture.index < number }
      return picture.timestamp.map { $0 < time } ?? (picture.index < index)
    }
    while let picture = current, isBefore(picture) {
      if following == nil { following = try nextPicture() }
      guard let next = following else { break }
      if number == nil, let own = picture.timestamp, let other = next.timestamp, abs(own - time) <= abs(other - time) {
        break
      }
      (current, following) = (next, nil)
    }
  }

  /// Half the time between two pictures of the video, and a little.
  private var tolerance: Double {
    guard let rate = source?.rate else { return 0 }
    return 0.5 * Double(rate.seconds) / Double(rate.frames) + 1e-3
  }

  private mutating func nextPicture() throws -> SourcePicture? {
    while let event = try source?.nextEvent() {
      switch event {
      case .picture(let picture): return picture
      case .remark(let text): ErrorOutput.warning(text)
      case .skipped(let name, let reason): ErrorOutput.warning("skipped \(name): \(reason)")
      // Which picture belongs to which frame would not be known any longer.
      case .failed(let error): throw error
      }
    }
    return nil
  }

  private static func plain(width: Double, height: Double) throws -> Place {
    guard max(width, height) <= largestSide else {
      throw CommandFailure(
        .badData,
        "frames of \(size(width, height)) pixels cannot be drawn; sides of \(Int(largestSide)) pixels are the "
          + "most")
    }
    let scale = min(max(1, smallestSide / max(width, height)), (mostPixels / (width * height)).squareRoot())
    let (across, down) = ((width * scale).rounded(), (height * scale).rounded())
    // Dark, as the colours of skeletons are made for photographs.
    let canvas = try Canvas(width: max(1, Int(across)), height: max(1, Int(down)), color: Theme.dark.background)
    return Place(canvas: canvas, scale: scale, name: nil)
  }

  private static func size(_ width: Double, _ height: Double) -> String {
    "\(NumberText.short(width, digits: 6)) × \(NumberText.short(height, digits: 6))"
  }

  private static func tooFew(_ path: String, _ pictures: Int, _ frames: Int) -> CommandFailure {
    CommandFailure(
      .badData, "\(path): \(CountText.counted(pictures, "picture")) for \(CountText.counted(frames, "frame")) or more")
  }
}
