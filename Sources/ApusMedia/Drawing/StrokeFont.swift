import ApusPlatform

/// The letters of ``Canvas/drawText(_:at:size:color:)``: lines for a round pen, drawn at any size.
///
/// Coordinates are in tenths of a capital's height: capitals reach from 0 down to the base line at 10, small letters
/// from 3.4, and what hangs down ends at 13.2. A letter is written as commands with numbers:
///
///     m x y               lift the pen and go to x, y
///     l x y               draw a line to x, y
///     c a b x y           draw a curve to x, y, bent towards a, b
///     o x y p q a b       draw the ellipse about x, y of half axes p and q, from angle a to angle b in degrees;
///                         0 is on the right, 90 below
///     . x y               a dot
enum StrokeFont {
  struct Glyph: Sendable {
    var lines: [[PixelPoint]]
    /// From the first to the last column, without the pen's width.
    var width: Double
  }

  /// Tenths of a capital's height in a size of 1.
  static let scale = 0.072
  /// The pen's width, and what is between two letters besides.
  static let penWidth = 1.3
  static let spacing = 1.5

  /// The letter, or an empty box for one that there is not.
  static func glyph(_ character: Unicode.Scalar) -> Glyph { glyphs[character] ?? missing }

  private static let missing = glyph("m 0 0 l 4.6 0 l 4.6 10 l 0 10 l 0 0", width: 4.6)

  private static let glyphs: [Unicode.Scalar: Glyph] = {
    var result: [Unicode.Scalar: Glyph] = [:]
    for (character, width, strokes) in letters { result[character] = glyph(strokes, width: width) }
    return result
  }()

  private static func glyph(_ strokes: String, width: Double) -> Glyph {
    var lines: [[PixelPoint]] = []
    var command: Character = " "
    var numbers: [Double] = []
    func draw(to point: PixelPoint) {
      if lines.isEmpty { lines.append([]) }
      lines[lines.count - 1].append(point)
    }
    for token in strokes.split(separator: " ") {
      guard let number = Double(token) else {
        command = token.first ?? " "
        numbers = []
        continue
      }
      numbers.append(number)
      let n = numbers
      switch (command, n.count) {
      case ("m", 2): lines.append([PixelPoint(x: n[0], y: n[1])])
      case (".", 2): lines.append([PixelPoint(x: n[0], y: n[1])])
      case ("l", 2): draw(to: PixelPoint(x: n[0], y: n[1]))
      case ("c", 4):
        guard let start = lines.last?.last else { continue }
        for step in 1...12 {
          let t = Double(step) / 12
          let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
          draw(to: PixelPoint(x: a * start.x + b * n[0] + c * n[2], y: a * start.y + b * n[1] + c * n[3]))
        }
      case ("o", 6):
        let steps = max(2, Int(abs(n[5] - n[4]) / 10))
        for step in 0...steps {
          let angle = (n[4] + (n[5] - n[4]) * Double(step) / Double(steps)) * Double.pi / 180
          draw(to: PixelPoint(x: n[0] + n[2] * cos(angle), y: n[1] + n[3] * sin(angle)))
        }
      default: continue
      }
    }
    return Glyph(lines: lines, width: width)
  }
}
