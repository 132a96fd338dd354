// What was found in a picture, drawn into it: boxes with labels, skeletons, paths.

extension Canvas {
  /// How wide lines are that can be seen in a picture of this size: two pixels, or three thousandths of its mean side.
  public var lineWidth: Double { max(2, Double(width + height) / 2 * 0.003) * annotationScale }

  /// The size of text that can be read in a picture of this size.
  public var textSize: Double { max(11, Double(width + height) / 2 * 0.018) * annotationScale }

  /// A box with a label on a ground of its colour: above the box, or in it where there is no room. The label is moved
  /// to stay in the picture.
  public mutating func drawBox(
    _ box: PixelBox, label: String = "", color: PixelColor, lineWidth: Double? = nil, textSize: Double? = nil
  ) {
    guard box.corners.allSatisfy(\.isFinite) else { return }
    let line = lineWidth ?? self.lineWidth
    drawRectangle(box, width: line, color: color)
    guard !label.isEmpty else { return }
    let size = textSize ?? self.textSize
    guard let ground = labelBox(label, for: box, lineWidth: line, textSize: size) else { return }
    fillRectangle(ground, color: color)
    drawText(
      label, at: PixelPoint(x: ground.x0 + 0.25 * size, y: ground.y0 + 0.24 * size), size: size,
      color: color.textColor)
  }

  /// Where the label of a box goes; nil for one that is not drawn.
  func labelBox(_ label: String, for box: PixelBox, lineWidth: Double, textSize: Double) -> PixelBox? {
    guard textSize > 0, textSize <= 10_000, lineWidth > 0 else { return nil }
    let labelWidth = Self.textSize(label, size: textSize).width + 0.5 * textSize
    let labelHeight = 1.25 * textSize
    let half = min(lineWidth, 1e6) / 2
    let left = (box.x0 - half).rounded()
    let x = max(0, min(left, Double(width) - labelWidth))
    let above = (box.y0 - half).rounded() - labelHeight
    let lowest = Double(height) - labelHeight
    let y = max(0, min(above >= 0 ? above : (box.y0 - half).rounded(), lowest))
    return PixelBox(x0: x, y0: y, x1: x + labelWidth, y1: y + labelHeight)
  }

  /// A skeleton: a line for each edge between two points that there are, and a disc for each point.
  ///
  /// - Parameters:
  ///   - points: nil for one that was not found.
  ///   - edges: pairs of places in `points`; those that name no point are left out.
  ///   - color: of the edge or the point with this number.
  public mutating func drawSkeleton(
    points: [PixelPoint?], edges: [(Int, Int)], lineWidth: Double? = nil, color: (Int) -> PixelColor
  ) {
    let line = lineWidth ?? self.lineWidth
    for (index, edge) in edges.enumerated() {
      guard points.indices.contains(edge.0), points.indices.contains(edge.1), let a = points[edge.0],
        let b = points[edge.1]
      else { continue }
      drawLine(from: a, to: b, width: line, color: color(index))
    }
    for (index, point) in points.enumerated() {
      guard let point else { continue }
      fillCircle(center: point, radius: 1.5 * line, color: .white)
      fillCircle(center: point, radius: 1.1 * line, color: color(index))
    }
  }

  /// A path whose colour goes from that of its first point to that of its last one, smoothly; nil points are gaps.
  public mutating func drawTrail(
    _ points: [PixelPoint?], from oldest: PixelColor, to newest: PixelColor, lineWidth: Double? = nil
  ) {
    let radius = (lineWidth ?? self.lineWidth) / 2
    guard radius > 0, radius <= 1e6,
      var mask = mask(around: points.compactMap { $0 }, margin: radius + 1, isShaded: true)
    else { return }
    let last = max(1, points.count - 1)
    for (index, (a, b)) in zip(points, points.dropFirst()).enumerated() {
      guard let a, let b else { continue }
      mask.addStroke(from: a, to: b, radius: radius, shade: UInt8((index + 1) * 255 / last))
    }
    blend(mask) { oldest.mixed(with: newest, at: Double($0) / 255) }
  }
}
