import Apus
import ApusMedia
import ApusMotion

/// The frames of a stream of poses, drawn as they come: every one for an overlay, and for a page the frame of each
/// behaviour that was the surest.
struct BehaviorPictures {
  private var ground: FrameGround
  private var sink: OverlaySink?
  private let normalizer: PoseNormalizer
  private let wantsPictures: Bool
  /// What was said last, until a pause.
  private var latest: BehaviorPrediction?
  private var surest: [String: Sure] = [:]

  private struct Sure {
    var confidence: Float
    var time: Double
    var image: Image<UInt8>
  }

  /// A frame takes the place of the surest so far when it is surer by this much.
  private static let step: Float = 0.02
  /// The most pictures of a page.
  private static let most = 8

  /// - Returns: nil where nothing is to be drawn.
  init?(
    frames: FrameOptions, results: ReportOptions, settings: BehaviorSettings, recorder: SessionRecorder?
  ) throws {
    guard results.overlay != nil || results.needsPage else { return nil }
    ground = try FrameGround(frames, recorder: recorder)
    sink = try results.overlay.map { try OverlaySink(path: $0) }
    wantsPictures = results.needsPage
    normalizer = PoseNormalizer(
      order: settings.order, range: settings.range, minimumConfidence: settings.minimumConfidence)
  }

  /// - Parameter prediction: what this frame gave, if it gave anything.
  mutating func add(_ frame: PoseFrame, prediction: BehaviorPrediction?, isAfterGap: Bool, stream: BehaviorStream)
    throws
  {
    if isAfterGap { latest = nil }
    latest = prediction ?? latest
    let isSurest = wantsPictures && prediction.map(isSurest) ?? false
    guard sink != nil || isSurest else { return }
    let index = stream.frameCount - 1
    let place = try ground.place(
      forFrame: index, number: frame.pictureNumber, at: frame.timestamp, width: frame.width, height: frame.height)
    let points = normalizer.pixelPositions(in: frame)
    let lines = caption(stream) + ["\(NumberText.fixed(frame.timestamp, decimals: 2)) s"]
    func drawn(_ annotationScale: Double = 1) -> Image<UInt8> {
      place.drawn(annotationScale: annotationScale) { canvas in
        canvas.drawDog(points, scale: place.scale)
        canvas.drawCaption(lines, at: PixelPoint(x: 0, y: 0))
      }
    }
    if sink != nil { try sink?.write(drawn(), name: place.name, index: index, time: frame.timestamp) }
    if isSurest, let prediction {
      surest[prediction.rawLabel] = Sure(
        confidence: prediction.confidence, time: frame.timestamp,
        image: ReportPicture.reduced(drawn(ReportPicture.annotationScale)))
    }
  }

  /// Ends the overlay.
  /// - Parameter frameCount: how many frames there were.
  mutating func close(frameCount: Int) throws {
    try ground.check(frameCount: frameCount)
    try sink?.close()
  }

  /// A picture of each behaviour that came to a segment, the one with the most seconds first.
  func pictures(of result: BehaviorResult) throws -> [HTMLReport.Picture] {
    try result.totals.compactMap { total in surest[total.label].map { (total.label, $0) } }.prefix(Self.most).map {
      label, sure in
      let confidence = NumberText.fixed(Double(sure.confidence), decimals: 2)
      return try ReportPicture.make(
        sure.image, "\(label) \(confidence), at \(NumberText.fixed(sure.time, decimals: 1)) s")
    }
  }

  private func isSurest(_ prediction: BehaviorPrediction) -> Bool {
    guard prediction.label != BehaviorPrediction.uncertain else { return false }
    return surest[prediction.rawLabel].map { prediction.confidence > $0.confidence + Self.step } ?? true
  }

  private func caption(_ stream: BehaviorStream) -> [String] {
    guard let latest else { return ["pose \(stream.buffer.count) of \(stream.buffer.capacity)"] }
    let confidence = NumberText.fixed(Double(latest.confidence), decimals: 2)
    return latest.label == latest.rawLabel
      ? ["\(latest.label) \(confidence)"] : [latest.label, "\(latest.rawLabel) \(confidence)"]
  }
}
