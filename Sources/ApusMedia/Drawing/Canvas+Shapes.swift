extension Canvas {
  /// A straight line with round ends.
  public mutating func drawLine(from a: PixelPoint, to b: PixelPoint, width: Double, color: PixelColor) {
    drawPolyline([a, b], width: width, color: color)
  }

  /// Lines from each point to the next with round ends and corners, and back to the first when it is closed. Points
  /// that are NaN are gaps.
  public mutating func drawPolyline(
    _ points: [PixelPoint], width: Double, color: PixelColor, isClosed: Bool = false
  ) {
    drawPolylines([isClosed ? points + points.prefix(1) : points], width: width, color: color)
  }

  /// Several polylines as one shape: where they cross they cover no more.
  mutating func drawPolylines(_ lines: [[PixelPoint]], width: Double, color: PixelColor) {
    guard let radius = Self.radius(width), var mask = mask(around: lines.joined().map { $0 }, margin: radius + 1)
    else { return }
    for line in lines {
      if line.count == 1 { mask.addStroke(from: line[0], to: line[0], radius: radius) }
      for (a, b) in zip(line, line.dropFirst()) { mask.addStroke(from: a, to: b, radius: radius) }
    }
    blend(mask, color)
  }

  /// The outline of a box, half of the line outside of it.
  public mutating func drawRectangle(_ box: PixelBox, width: Double, color: PixelColor) {
    guard let radius = Self.radius(width) else { return }
    let outer = box.grown(by: radius)
    let inner = box.grown(by: -radius)
    guard inner.width > 0, inner.height > 0 else { return fillRectangle(outer, color: color) }
    fillPolygons([outer.corners, inner.corners.reversed()], color: color)
  }

  /// The inside of a box, with edges that are smooth where they lie between pixels.
  public mutating func fillRectangle(_ box: PixelBox, color: PixelColor) {
    fillPolygons([box.corners], color: color)
  }

  /// The inside of an outline.
  public mutating func fillPolygon(_ points: [PixelPoint], color: PixelColor) {
    fillPolygons([points], color: color)
  }

  /// The inside of several outlines as one shape; one within another cuts a hole when it runs the other way round.
  public mutating func fillPolygons(_ outlines: [[PixelPoint]], color: PixelColor) {
    guard outlines.allSatisfy({ $0.allSatisfy(\.isFinite) }),
      var mask = mask(around: outlines.joined().map { $0 }, margin: 0)
    else { return }
    mask.addArea(outlines)
    blend(mask, color)
  }

  /// A circular line.
  public mutating func drawCircle(center: PixelPoint, radius: Double, width: Double, color: PixelColor) {
    guard center.isFinite, radius.isFinite, radius > 0, let half = Self.radius(width),
      var mask = mask(around: [center], margin: radius + half + 1)
    else { return }
    mask.addRing(center: center, radius: radius, thickness: 2 * half)
    blend(mask, color)
  }

  /// The inside of a circle.
  public mutating func fillCircle(center: PixelPoint, radius: Double, color: PixelColor) {
    drawPolyline([center], width: 2 * radius, color: color)
  }

  /// Half the width of a line; nil for one that is not drawn.
  private static func radius(_ width: Double) -> Double? {
    width > 0 ? min(width / 2, 1e6) : nil
  }
}

extension PixelBox {
  func grown(by margin: Double) -> PixelBox {
    PixelBox(x0: x0 - margin, y0: y0 - margin, x1: x1 + margin, y1: y1 + margin)
  }

  var corners: [PixelPoint] {
    [PixelPoint(x: x0, y: y0), PixelPoint(x: x1, y: y0), PixelPoint(x: x1, y: y1), PixelPoint(x: x0, y: y1)]
  }
}
