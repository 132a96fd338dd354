import Apus
import ApusMedia
import ApusMotion

/// A few dozen frames of a video, kept small, for its report: every one in the beginning, every second when there are
/// too many, and so on.
struct FrameAlbum {
  private var frames: [(frame: Int, image: Image<UInt8>)] = []
  private var step = 1

  private static let most = 96

  /// Keeps the frame if it is its turn.
  mutating func add(_ image: Image<UInt8>, frame: Int) {
    guard frame.isMultiple(of: step) else { return }
    if frames.count >= Self.most {
      step *= 2
      frames.removeAll { !$0.frame.isMultiple(of: step) }
      guard frame.isMultiple(of: step) else { return }
    }
    frames.append((frame, ReportPicture.reduced(image)))
  }

  /// The frames nearest to the lowest points of the first repetitions, with the way of the bar drawn on them.
  func pictures(of result: BarPathResult) throws -> [HTMLReport.Picture] {
    try result.reps.prefix(4).compactMap { rep in
      let wanted = result.samples[rep.bottomFrame].frame
      guard let (frame, image) = frames.min(by: { abs($0.frame - wanted) < abs($1.frame - wanted) }) else { return nil }
      let scale = Double(image.width) / (result.width ?? Double(image.width))
      var canvas = Canvas(image)
      let part = result.samples[max(0, rep.startFrame - 1)...rep.endFrame]
      canvas.drawTrail(
        part.map { $0.smoothed.map { PixelPoint(x: $0.x * scale, y: $0.y * scale) } }, from: PixelColor(0x00C2FF),
        to: PixelColor(0xFFD60A))
      return try ReportPicture.make(canvas.image, "rep \(rep.id + 1), frame \(frame)")
    }
  }
}
