import ApusBase
import ApusMedia

extension Canvas {
  /// A person's left is this colour in every picture, and right the other one.
  static let leftColor = PixelColor(0x00C2FF)
  static let rightColor = PixelColor(0xFF9500)

  /// What a frame of a recording measures: both arms, the horizontal through each shoulder, and how far each arm is
  /// below it.
  ///
  /// - Parameters:
  ///   - frame: its place in the recording.
  ///   - scale: pixels of this picture to one of the recording.
  public mutating func drawArms(of samples: ArmSamples, frame: Int, scale: Double = 1) {
    guard samples.samples.indices.contains(frame) else { return }
    let sample = samples.samples[frame]
    func place(_ keypoint: ArmKeypoint) -> PixelPoint? {
      samples.position(of: keypoint, inFrame: frame).map { PixelPoint(x: $0.x * scale, y: $0.y * scale) }
    }
    if let left = place(.leftShoulder), let right = place(.rightShoulder) {
      drawLine(from: left, to: right, width: lineWidth, color: .white)
    }
    var labels: [(text: String, place: PixelPoint, color: PixelColor)] = []
    for arm in [
      (
        name: "left", shoulder: ArmKeypoint.leftShoulder, elbow: ArmKeypoint.leftElbow, wrist: ArmKeypoint.leftWrist,
        angle: sample.measures?.leftAngle, color: Self.leftColor
      ), ("right", .rightShoulder, .rightElbow, .rightWrist, sample.measures?.rightAngle, Self.rightColor),
    ] {
      let (shoulder, wrist) = (place(arm.shoulder), place(arm.wrist))
      if let shoulder, let wrist { drawAngle(at: shoulder, to: wrist, color: arm.color) }
      let points = [shoulder, place(arm.elbow), wrist].compactMap { $0 }
      drawSkeleton(points: points, edges: (1..<max(points.count, 1)).map { ($0 - 1, $0) }, lineWidth: 1.6 * lineWidth) {
        _ in arm.color
      }
      if let wrist, let angle = arm.angle {
        labels.append(("\(arm.name) \(NumberText.fixed(angle, decimals: 1))°", wrist, arm.color))
      }
    }
    drawLabels(labels)
    let time = "\(NumberText.fixed(sample.timestamp, decimals: 2)) s"
    drawCaption(sample.measures == nil ? [time, "not measured"] : [time], at: PixelPoint(x: 0, y: 0))
  }

  /// The horizontal through a shoulder on the side of its wrist, and what is between it and the arm.
  private mutating func drawAngle(at shoulder: PixelPoint, to wrist: PixelPoint, color: PixelColor) {
    let (dx, dy) = (wrist.x - shoulder.x, wrist.y - shoulder.y)
    let length = (dx * dx + dy * dy).squareRoot()
    guard length > 0 else { return }
    let side: Double = dx < 0 ? -1 : 1
    // Between the two directions, at about equal angles.
    let fan = (0...16).map { step in
      let part = Double(step) / 16
      let (x, y) = (side * (1 - part) + dx / length * part, dy / length * part)
      let norm = max((x * x + y * y).squareRoot(), 1e-9)
      return PixelPoint(x: shoulder.x + x / norm * length * 0.45, y: shoulder.y + y / norm * length * 0.45)
    }
    fillPolygon([shoulder] + fan, color: color.with(alpha: 90))
    drawDashedLine(
      from: shoulder, to: PixelPoint(x: shoulder.x + side * length * 1.08, y: shoulder.y), width: lineWidth * 0.75,
      dash: lineWidth * 3, color: color)
  }

  /// Below the wrists, or above those that are near the lower edge; the second below the first where both are at one
  /// place.
  private mutating func drawLabels(_ labels: [(text: String, place: PixelPoint, color: PixelColor)]) {
    var taken: PixelBox?
    for label in labels {
      let size = textSize * 1.15
      let room = Self.captionSize([label.text], textSize: size)
      let x = max(0, min(label.place.x - room.width / 2, Double(width) - room.width))
      let below = label.place.y + 6 * lineWidth
      var y = below + room.height <= Double(height) ? below : label.place.y - 6 * lineWidth - room.height
      if let taken, x < taken.x1, x + room.width > taken.x0, y < taken.y1, y + room.height > taken.y0 {
        y = taken.y1 + room.height <= Double(height) ? taken.y1 : taken.y0 - room.height
      }
      drawCaption([label.text], at: PixelPoint(x: x, y: y), color: label.color, textSize: size)
      taken = PixelBox(x0: x, y0: y, x1: x + room.width, y1: y + room.height)
    }
  }
}
