import Apus

/// The runs of RLE4 and RLE8: a count and a colour, or 0 and what to do.
enum BMPRuns {
  /// The colour of each pixel, rows from top to bottom.
  static func decode(_ header: BMPHeader) throws(ImageError) -> [UInt8] {
    var indices = [UInt8](repeating: 0, count: header.width * header.height)
    let source = header.pixels
    var position = 0
    // y counts from below.
    var (x, y) = (0, 0)
    func next() throws(ImageError) -> Int {
      guard position < source.count else { throw ImageError(.truncated("its runs of pixels"), format: .bmp) }
      position += 1
      return Int(source[position - 1])
    }
    func put(_ index: Int) throws(ImageError) {
      guard y < header.height else { throw bmpError("runs of pixels beyond the last row") }
      if x < header.width { indices[(header.height - 1 - y) * header.width + x] = UInt8(truncatingIfNeeded: index) }
      x += 1
    }
    /// Pixel `number` of a run; in RLE4 a byte holds two of them.
    func index(_ byte: Int, _ number: Int) -> Int {
      guard header.bits == 4 else { return byte }
      return number % 2 == 0 ? byte >> 4 : byte & 15
    }
    while true {
      let (count, value) = (try next(), try next())
      guard count == 0 else {
        for number in 0..<count { try put(index(value, number)) }
        continue
      }
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return indices
      case 2:
        x += try next()
        y += try next()
      default:
        // As many colours as they are, filled up to two bytes.
        let bytes = (value * header.bits).dividedRoundingUp(by: 8)
        var byte = 0
        for number in 0..<value {
          if header.bits == 8 || number % 2 == 0 { byte = try next() }
          try put(index(byte, number))
        }
        if bytes % 2 == 1 { _ = try next() }
      }
    }
  }
}
