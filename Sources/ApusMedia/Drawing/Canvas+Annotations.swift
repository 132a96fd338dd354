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
    drawLabel(label, for: box, color: color, lineWidth: line, textSize: textSize ?? self.textSize)
  }

  /// A closed outline with a label, which stands as if it were that of the upright box around it.
  public mutating func drawOutline(_ corners: [PixelPoint], label: String = "", color: PixelColor) {
    guard !corners.isEmpty, corners.allSatisfy(\.isFinite) else { return }
    drawPolyline(corners, width: lineWidth, color: color, isClosed: true)
    let (x, y) = (corners.map(\.x), corners.map(\.y))
    let box = PixelBox(x0: x.min() ?? 0, y0: y.min() ?? 0, x1: x.max() ?? 0, y1: y.max() ?? 0)
    drawLabel(label, for: box, color: color, lineWidth: lineWidth, textSize: textSize)
  }

  private mutating func drawLabel(
    _ label: String, for box: PixelBox, color: PixelColor, lineWidth: Double, textSize size: Double
  ) {
    guard !label.isEmpty, let ground = labelBox(label, for: box, lineWidth: lineWidth, textSize: size) else { return }
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
  ///   - edges: pairs of places in `points`; those that name no point are ignored.
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

  /// Lines of text on a dark ground, which is moved to stay in the picture.
  ///
  /// - Parameters:
  ///   - origin: the ground's upper left corner.
  ///   - textSize: nil takes 1.3 times that of the picture.
  ///   - marks: a legend's colours, each before its line.
  public mutating func drawCaption(
    _ lines: [String], at origin: PixelPoint, color: PixelColor = .white, textSize: Double? = nil,
    marks: [PixelColor] = []
  ) {
    let size = textSize ?? self.textSize * 1.3
    var room = Self.captionSize(lines, textSize: size)
    guard origin.isFinite, room.width > 0 else { return }
    let indent = marks.isEmpty ? 0 : size
    room.width += indent
    let (x, y) = (
      max(0, min(origin.x, Double(width) - room.width)), max(0, min(origin.y, Double(height) - room.height))
    )
    fillRectangle(
      PixelBox(x0: x, y0: y, x1: x + room.width, y1: y + room.height), color: PixelColor.black.with(alpha: 176))
    let margin = size * 0.4
    let letters = Self.textSize("A", size: size).height
    for (index, line) in lines.enumerated() {
      let top = y + margin + Double(index) * size * 1.15
      if marks.indices.contains(index) {
        fillRectangle(
          PixelBox(x0: x + margin, y0: top, x1: x + margin + 0.6 * size, y1: top + letters), color: marks[index])
      }
      drawText(line, at: PixelPoint(x: x + margin + indent, y: top), size: size, color: color)
    }
  }

  /// How much room ``drawCaption(_:at:color:textSize:)`` takes; none without text.
  public static func captionSize(_ lines: [String], textSize: Double) -> (width: Double, height: Double) {
    guard let longest = lines.map({ Self.textSize($0, size: textSize).width }).max(), longest > 0 else { return (0, 0) }
    let letters = Self.textSize("A", size: textSize).height
    return (longest + 0.8 * textSize, letters + 0.8 * textSize + Double(lines.count - 1) * textSize * 1.15)
  }

  /// A straight line of dashes. One of more than ten thousand dashes is drawn without gaps.
  public mutating func drawDashedLine(
    from a: PixelPoint, to b: PixelPoint, width: Double, dash: Double, color: PixelColor
  ) {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let length = (dx * dx + dy * dy).squareRoot()
    guard dash > 0, length.isFinite, length > 0 else { return }
    guard length / dash < 20_000 else { return drawLine(from: a, to: b, width: width, color: color) }
    let dashes = stride(from: 0, to: length, by: 2 * dash).map { start in
      [start, min(start + dash, length)].map { PixelPoint(x: a.x + dx * $0 / length, y: a.y + dy * $0 / length) }
    }
    drawPolylines(dashes, width: width, color: color)
  }
}
