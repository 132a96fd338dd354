extension Figure {
  /// The figure as a picture.
  ///
  /// - Parameter scale: pixels a unit, 0.1 to 16.
  /// - Throws: ``ImageError`` for a scale out of range, and where there is no room.
  public func image(theme: Theme = .light, scale: Double = 2) throws(ImageError) -> Image<UInt8> {
    guard 0.1...16 ~= scale else {
      throw ImageError(.invalidArgument("a scale of \(scale); 0.1 to 16 was expected"))
    }
    var canvas = try Canvas(
      width: max(1, Int((width * scale).rounded(.up))), height: max(1, Int((height * scale).rounded(.up))),
      color: theme.background)
    for item in items { canvas.draw(item, theme, scale) }
    return canvas.image
  }
}

extension Canvas {
  fileprivate mutating func draw(_ item: Figure.Item, _ theme: Theme, _ scale: Double) {
    func place(_ point: Figure.Point) -> PixelPoint { PixelPoint(x: point.x * scale, y: point.y * scale) }
    switch item {
    case .line(let points, let stroke):
      let color = theme.color(stroke.ink)
      let lines = stroke.dashes.isEmpty ? [points] : Self.dashed(points, stroke.dashes)
      for line in lines { drawPolyline(line.map(place), width: stroke.width * scale, color: color) }
    case .area(let points, let ink, let opacity):
      let alpha = UInt8(max(0, min(255, (opacity * 255).rounded())))
      fillPolygon(points.map(place), color: theme.color(ink).with(alpha: alpha))
    case .disc(let center, let radius, let ink):
      fillCircle(center: place(center), radius: radius * scale, color: theme.color(ink))
    case .text(let text):
      // An em of a screen's font is this much of what ``drawText`` calls a size.
      let size = text.size * scale
      let extent = Self.textSize(text.text, size: size)
      let shift = text.anchor == .start ? 0 : text.anchor == .middle ? extent.width / 2 : extent.width
      var origin = place(text.position)
      if text.isVertical {
        origin.x -= extent.height
        origin.y += shift
      } else {
        origin.x -= shift
        origin.y -= extent.height
      }
      drawText(text.text, at: origin, size: size, color: theme.color(text.ink), isVertical: text.isVertical)
    }
  }

  /// The dashes of a line: pieces of it, by the alternating lengths of dashes and gaps.
  private static func dashed(_ points: [Figure.Point], _ pattern: [Double]) -> [[Figure.Point]] {
    let pattern = pattern.map { max($0, 0.5) }
    guard var last = points.first else { return [] }
    var (pieces, piece, index, left) = ([[Figure.Point]](), [last], 0, pattern[0])
    for next in points.dropFirst() {
      let (dx, dy) = (next.x - last.x, next.y - last.y)
      let length = (dx * dx + dy * dy).squareRoot()
      var done = 0.0
      // A line longer than any picture is not cut into pieces outside of it.
      while length - done > left, length < 1e5 {
        done += left
        let cut = Figure.Point(last.x + dx * done / length, last.y + dy * done / length)
        if index.isMultiple(of: 2) { pieces.append(piece + [cut]) }
        piece = [cut]
        index = (index + 1) % (pattern.count.isMultiple(of: 2) ? pattern.count : 2 * pattern.count)
        left = pattern[index % pattern.count]
      }
      left -= min(left, length - done)
      piece.append(next)
      last = next
    }
    if index.isMultiple(of: 2) { pieces.append(piece) }
    return pieces
  }
}
