/// A colour to draw with: red, green, blue, and how much it covers.
public struct PixelColor: Sendable, Hashable {
  /// 0 to 255, as sRGB encodes it.
  public var red: UInt8
  /// 0 to 255, as sRGB encodes it.
  public var green: UInt8
  /// 0 to 255, as sRGB encodes it.
  public var blue: UInt8
  /// 0 is invisible, 255 covers what was there.
  public var alpha: UInt8

  /// A colour by its channels; opaque unless `alpha` says otherwise.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// `0xRRGGBB`, opaque.
  public init(_ hexadecimal: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: hexadecimal >> 16), green: UInt8(truncatingIfNeeded: hexadecimal >> 8),
      blue: UInt8(truncatingIfNeeded: hexadecimal))
  }

  /// `0x000000`, opaque.
  public static let black = PixelColor(0x000000)
  /// `0xFFFFFF`, opaque.
  public static let white = PixelColor(0xFFFFFF)

  /// The same colour, covering so much.
  public func with(alpha: UInt8) -> PixelColor {
    PixelColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Black or white, whichever is easier to read on this colour.
  public var textColor: PixelColor {
    let luma = Int(red) * 299 + Int(green) * 587 + Int(blue) * 114
    return luma > 140_000 ? .black : .white
  }

  /// The colour between this one, at 0, and another, at 1.
  public func mixed(with other: PixelColor, at share: Double) -> PixelColor {
    let share = share > 0 ? min(share, 1) : 0
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8(max(0, min(255, (Double(a) + (Double(b) - Double(a)) * share).rounded())))
    }
    return PixelColor(
      red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue),
      alpha: mix(alpha, other.alpha))
  }

  /// The colour that marks a class; twenty classes have colours of their own, then they begin again.
  public static func palette(forClass index: Int) -> PixelColor {
    let place = index % colors.count
    return colors[place < 0 ? place + colors.count : place]
  }

  /// Far from each other, and none of them grey, brown or dark, as photographs are.
  private static let colors: [PixelColor] = [
    0xFF3B30, 0x00C2FF, 0xFFD60A, 0x34C759, 0xBF5AF2, 0xFF9500, 0x0A6CFF, 0xFF2D9B, 0x00E5B0, 0xB4E600,
    0x7A5CFF, 0xFF8A80, 0x00A86B, 0x9AD7FF, 0xE000E0, 0xFFF59D, 0xFF6A3D, 0x5CFF5C, 0xD9A7FF, 0x00FFFF,
  ].map { PixelColor($0) }
}

/// A point of a picture, in pixels from the upper left corner.
public struct PixelPoint: Sendable, Hashable {
  /// Pixels to the right of the picture's left edge.
  public var x: Double
  /// Pixels down from the picture's upper edge.
  public var y: Double

  /// A point in or outside a picture; the centre of the first pixel is at (0.5, 0.5).
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  var isFinite: Bool { x.isFinite && y.isFinite }
}
