/// What the numbers of a pixel stand for.
public enum ColorModel: String, Sendable, Hashable, CaseIterable {
  case gray
  /// Grey and opacity.
  case grayAlpha
  /// Red, green, blue.
  case rgb
  /// Red, green, blue and opacity, the colours not multiplied by it.
  case rgba

  /// Numbers per pixel.
  public var channels: Int {
    switch self {
    case .gray: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// Whether the last channel is opacity.
  public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
  /// Whether there is one channel of brightness instead of three of colour.
  public var isGray: Bool { self == .gray || self == .grayAlpha }
}
