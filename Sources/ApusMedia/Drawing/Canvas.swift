/// A picture to draw on.
///
/// Coordinates are those of ``Image``: a pixel is a square of side 1, its centre at a half. Lines and edges are
/// smooth, and what lies outside the picture is clipped. A line to a point whose coordinates are NaN, or
/// infinite, is not drawn, nor an area around one.
public struct Canvas: Sendable {
  /// What has been drawn, in red, green and blue.
  public private(set) var image: Image<UInt8>
  /// How large lines and labels are, compared with what suits the picture's size.
  public var annotationScale = 1.0

  /// - Parameter image: the ground; grey becomes red, green and blue, and opacity is laid on white.
  public init(_ image: Image<UInt8>) {
    self.image = image.flattened().rgb()
  }

  /// A ground of one colour.
  /// - Throws: ``ImageError`` for impossible sides.
  public init(width: Int, height: Int, color: PixelColor = .white) throws(ImageError) {
    image = try Image(
      width: width, height: height, color: .rgb, filledWith: [color.red, color.green, color.blue])
  }

  /// Columns of pixels.
  public var width: Int { image.width }
  /// Rows of pixels.
  public var height: Int { image.height }

  /// Lays a colour on what the mask covers.
  mutating func blend(_ mask: CoverageMask, _ color: PixelColor) {
    blend(mask) { _ in color }
  }

  /// The same with a colour for each shade.
  mutating func blend(_ mask: CoverageMask, _ color: (UInt8) -> PixelColor) {
    let table = (0..<(mask.shades.isEmpty ? 1 : 256)).map { color(UInt8($0)) }
    let rowCount = image.rowCount
    image.withUnsafeMutableSamples { samples in
      for row in 0..<mask.height {
        for column in 0..<mask.width {
          let place = row * mask.width + column
          guard mask.coverage[place] > 0 else { continue }
          let color = table[mask.shades.isEmpty ? 0 : Int(mask.shades[place])]
          let share = (Int(mask.coverage[place]) * Int(color.alpha) + 127) / 255
          let target = (mask.y + row) * rowCount + (mask.x + column) * 3
          for (channel, value) in [color.red, color.green, color.blue].enumerated() {
            let mixed = Int(samples[target + channel]) * (255 - share) + Int(value) * share
            samples[target + channel] = UInt8(truncatingIfNeeded: (mixed + 127) / 255)
          }
        }
      }
    }
  }

  func mask(
    around points: some Collection<PixelPoint>, margin: Double, isShaded: Bool = false
  ) -> CoverageMask? {
    CoverageMask(
      around: points, margin: margin, canvasWidth: width, canvasHeight: height, isShaded: isShaded)
  }
}
