/// What a coordinate is measured in, and from which corner.
///
/// Everything inside Apus is measured from the top left with y downwards. A frame declares its space, and its points
/// are converted once, at the border. The raw value is the spelling in files.
public enum ImageSpace: String, CaseIterable, Sendable, Hashable {
  /// Pixels, origin at the top left, y downwards.
  case pixel
  /// Fractions of width and height (0...1 inside the image), origin at the top left, y downwards.
  case normalizedTopLeft = "normalized_topleft"
  /// Fractions of width and height (0...1 inside the image), origin at the *bottom* left, y upwards, as in Apple's
  /// Vision.
  case vision

  /// The point as fractions of width and height from the top left.
  ///
  /// `pixel`: (x / width, y / height); `normalized_topleft`: unchanged; `vision`: (x, 1 − y).
  ///
  /// - Parameters:
  ///   - width: the image's width in pixels, above 0 (used by `pixel` alone).
  ///   - height: the image's height in pixels, above 0 (used by `pixel` alone).
  public func normalized(x: Double, y: Double, width: Double, height: Double) -> (x: Double, y: Double) {
    switch self {
    case .pixel: (x / width, y / height)
    case .normalizedTopLeft: (x, y)
    case .vision: (x, 1 - y)
    }
  }

  /// The point in pixels from the top left. Distances and angles are only meaningful here: fractions of width and of
  /// height are different lengths unless the image is square.
  ///
  /// `pixel`: unchanged; `normalized_topleft`: (x · width, y · height); `vision`: (x · width, (1 − y) · height).
  public func pixels(x: Double, y: Double, width: Double, height: Double) -> (x: Double, y: Double) {
    switch self {
    case .pixel: (x, y)
    case .normalizedTopLeft: (x * width, y * height)
    case .vision: (x * width, (1 - y) * height)
    }
  }
}
