/// What a colour of a figure is for. Which one it is depends on the ``Theme``.
public enum Ink: Sendable, Hashable {
  /// The ground of the figure.
  case background
  /// Text, axes.
  case foreground
  /// Text that may stand back: ticks, captions.
  case secondary
  /// Lines behind the data.
  case grid
  /// A ground behind a part of the data.
  case band
  /// Data, the first to the last of ``Theme/series``; higher numbers begin again.
  case series(Int)
}

/// The colours of figures. Those of text and of data are at a contrast of 4.5 : 1 or more to the background (WCAG 2.2).
public struct Theme: Sendable, Hashable {
  /// `light` or `dark`.
  public let name: String
  /// The ground of the figure.
  public let background: PixelColor
  /// Text and axes.
  public let foreground: PixelColor
  /// Text that may stand back: ticks, captions.
  public let secondary: PixelColor
  /// Lines behind the data.
  public let grid: PixelColor
  /// The ground behind a part of the data.
  public let band: PixelColor
  /// Data; eight colours, of which further series begin again.
  public let series: [PixelColor]

  /// Dark text and colours on white.
  public static let light = Theme(
    name: "light", background: PixelColor(0xFFFFFF), foreground: PixelColor(0x1B1F24),
    secondary: PixelColor(0x57606A), grid: PixelColor(0xE1E4E8), band: PixelColor(0xEEF4FB),
    series: [0x0B5CAD, 0xB3371E, 0x1A7340, 0x7A3E9D, 0x8A5A00, 0x0A7A82, 0xA82B6B, 0x4D5B00].map { PixelColor($0) })

  /// Light text and colours on a ground near black.
  public static let dark = Theme(
    name: "dark", background: PixelColor(0x14171A), foreground: PixelColor(0xE9ECEF),
    secondary: PixelColor(0xA3ACB5), grid: PixelColor(0x2F353B), band: PixelColor(0x1D2733),
    series: [0x6CB6FF, 0xFF9A85, 0x7EE0A0, 0xD2A8FF, 0xF2CC60, 0x66D9E0, 0xFF9BCB, 0xC5D86D].map { PixelColor($0) })

  /// ``light`` and ``dark``.
  public static let all: [Theme] = [light, dark]

  /// The colour for a purpose; numbers of series beyond the last begin again.
  public func color(_ ink: Ink) -> PixelColor {
    switch ink {
    case .background: background
    case .foreground: foreground
    case .secondary: secondary
    case .grid: grid
    case .band: band
    case .series(let index): series[((index % series.count) + series.count) % series.count]
    }
  }
}

extension Ink {
  /// The name of the style sheet's variable.
  var variable: String {
    switch self {
    case .background: "--background"
    case .foreground: "--foreground"
    case .secondary: "--secondary"
    case .grid: "--grid"
    case .band: "--band"
    case .series(let index):
      "--series-\(((index % Theme.light.series.count) + Theme.light.series.count) % Theme.light.series.count)"
    }
  }

  /// Every one of them, data colours included.
  static var all: [Ink] {
    [.background, .foreground, .secondary, .grid, .band] + Theme.light.series.indices.map(Ink.series)
  }
}

extension PixelColor {
  /// `#rrggbb`, without opacity.
  public var hexText: String {
    let digits = Array("0123456789abcdef")
    return "#" + [red, green, blue].map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
  }
}
