extension Canvas {
  /// How much room a line of text takes: from the left end of its first letter to the right end of its last, and from
  /// the top of its capitals to their base line, which are `size · 0.72`.
  public static func textSize(_ text: String, size: Double) -> (width: Double, height: Double) {
    let unit = size * StrokeFont.scale
    var width = 0.0
    for character in text.unicodeScalars {
      width += StrokeFont.glyph(character).width + StrokeFont.penWidth + StrokeFont.spacing
    }
    return (max(0, width - StrokeFont.spacing) * unit, 10 * unit)
  }

  /// A line of text whose upper left corner is `origin`. Letters are ASCII and ° ± × –; others are empty boxes.
  ///
  /// - Parameter size: pixels from the top of a capital to the bottom of a letter that hangs down, and a little more;
  ///   up to 10,000.
  ///   - isVertical: turned by a quarter against the clock about `origin`, which is its lower left corner then.
  public mutating func drawText(
    _ text: String, at origin: PixelPoint, size: Double, color: PixelColor, isVertical: Bool = false
  ) {
    guard origin.isFinite, size > 0, size <= 10_000 else { return }
    let unit = size * StrokeFont.scale
    // The pen is a pixel wide at least, or small letters would be grey.
    let pen = max(1, StrokeFont.penWidth * unit)
    // Along the line, from the origin.
    var x = StrokeFont.penWidth * unit / 2
    let (start, room) = isVertical ? (Double(height) - origin.y, Double(height)) : (origin.x, Double(width))
    for character in text.unicodeScalars {
      guard start + x < room else { return }
      let glyph = StrokeFont.glyph(character)
      if start + x + (glyph.width + 2) * unit > 0 {
        let lines = glyph.lines.map { line in
          line.map { point in
            let (along, down) = (x + point.x * unit, point.y * unit)
            return isVertical
              ? PixelPoint(x: origin.x + down, y: origin.y - along)
              : PixelPoint(x: origin.x + along, y: origin.y + down)
          }
        }
        drawPolylines(lines, width: pen, color: color)
      }
      x += (glyph.width + StrokeFont.penWidth + StrokeFont.spacing) * unit
    }
  }
}
