/// How a pixel of a resized picture is made of the pixels at its place.
public enum ResizeFilter: String, Sendable, Hashable, CaseIterable {
  /// The pixel at its centre: Pillow's `NEAREST`.
  case nearest
  /// The weighted mean of the two by two around its centre: OpenCV's `INTER_LINEAR`, PyTorch's `bilinear`. A much
  /// smaller picture is ragged, for most pixels then have no part in it.
  case bilinear
  /// The same of the four by four, with the cubic of a = −¾: OpenCV's `INTER_CUBIC`, PyTorch's `bicubic`.
  case cubic
  /// The mean of all that it covers, the middle weighted most: Pillow's `BILINEAR`, PyTorch's `bilinear` with
  /// `antialias`.
  case antialiasedBilinear = "antialias"
  /// The same with the cubic of a = −½, which is sharper: Pillow's `BICUBIC`, PyTorch's `bicubic` with `antialias`.
  case antialiasedBicubic = "bicubic"
  /// The same with a sine under a sine of a third of its frequency, which is sharper still: Pillow's `LANCZOS`.
  case lanczos
  /// The plain mean of all that it covers: Pillow's `BOX`.
  case box
}

extension ResizeFilter {
  /// How far the filter reaches, in pixels of the larger picture's grid, when it widens with the scale.
  var support: Double? {
    switch self {
    case .nearest, .bilinear, .cubic: nil
    case .box: 0.5
    case .antialiasedBilinear: 1
    case .antialiasedBicubic: 2
    case .lanczos: 3
    }
  }

  /// The weight at a distance.
  func weight(_ distance: Double) -> Double {
    let x = abs(distance)
    switch self {
    case .nearest, .box: return distance > -0.5 && distance <= 0.5 ? 1 : 0
    case .bilinear, .antialiasedBilinear: return x < 1 ? 1 - x : 0
    case .cubic: return Self.cubic(x, -0.75)
    case .antialiasedBicubic: return Self.cubic(x, -0.5)
    case .lanczos: return distance >= -3 && distance < 3 ? Self.sinc(x) * Self.sinc(x / 3) : 0
    }
  }

  private static func cubic(_ x: Double, _ a: Double) -> Double {
    if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0
  }

  private static func sinc(_ x: Double) -> Double {
    if x == 0 { return 1 }
    let angle = x * Double.pi
    return sine(angle) / angle
  }
}
