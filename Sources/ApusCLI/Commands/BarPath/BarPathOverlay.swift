import Apus
import ApusMedia
import ApusMotion
import ApusVision

/// Frames with what is known of the bar so far: its way in the last seconds, where it is, its speed, and the lifter.
struct BarPathOverlay {
  private var sink: PictureSink
  private var trail: [(frame: Int, time: Double, point: PixelPoint?)] = []
  private let settings: BarPathSettings

  /// How much of the way is shown, in seconds.
  private static let trailSeconds = 3.0
  private static let oldColor = PixelColor(0x00C2FF)
  private static let newColor = PixelColor(0xFFD60A)

  init(path: String, settings: BarPathSettings) throws {
    sink = try PictureSink(path: path, isSingle: false)
    self.settings = settings
  }

  mutating func add(
    _ picture: SourcePicture, _ update: BarPathUpdate, rate: Y4MHeader.Rate?, people found: [Detection],
    _ detector: Detector
  ) throws {
    // What was taken for the bar and is not leaves no trail.
    for revision in update.revised {
      if let place = trail.lastIndex(where: { $0.frame == revision.frame }) {
        trail[place].point = revision.smoothed.map { PixelPoint(x: $0.x, y: $0.y) }
      }
    }
    trail.append((update.frame, update.timestamp, update.smoothed.map { PixelPoint(x: $0.x, y: $0.y) }))
    trail.removeAll { update.timestamp - $0.time > Self.trailSeconds }
    let people = found.filter { !$0.keypoints.isEmpty && detector.name(ofClass: $0.classIndex) == "person" }
    let largest = people.max { $0.box.area < $1.box.area }
    let scale = settings.exportOverlaySize.scale
    let drawn = largest.map { detector.drawn([$0], on: picture.image, annotationScale: scale) } ?? picture.image
    var canvas = Canvas(drawn)
    canvas.annotationScale = scale
    canvas.drawTrail(trail.map(\.point), from: Self.oldColor, to: Self.newColor)
    if let bar = update.bar {
      canvas.drawCircle(
        center: PixelPoint(x: bar.x, y: bar.y), radius: canvas.lineWidth * 3, width: canvas.lineWidth,
        color: Self.newColor)
    }
    if let text = update.speedText(units: settings.units) { canvas.drawCaption([text], at: PixelPoint(x: 0, y: 0)) }
    canvas.drawCaption(
      ["the bar, and its way just now", "its way \(NumberText.short(Self.trailSeconds)) s ago"],
      at: PixelPoint(x: 0, y: Double(canvas.height)), textSize: canvas.textSize, marks: [Self.newColor, Self.oldColor])
    try sink.write(reduced(canvas.image), name: picture.name, index: picture.index, rate: rate)
  }

  /// The frame no larger than the settings allow, with even sides for those who make a video of it.
  private func reduced(_ image: Image<UInt8>) throws -> Image<UInt8> {
    let scale = Double(settings.exportVideoQuality.shortSide) / Double(min(image.width, image.height))
    guard scale < 1 else { return image }
    func side(_ value: Int) -> Int { max(2, Int((Double(value) * scale / 2).rounded()) * 2) }
    return try image.resized(
      width: side(image.width), height: side(image.height), filter: .antialiasedBilinear)
  }

  func close() throws { try sink.close() }
}
