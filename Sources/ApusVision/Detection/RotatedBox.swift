import ApusMedia
import ApusPlatform

/// A rectangle that is turned about its middle, in pixels.
public struct RotatedBox: Sendable, Hashable {
  /// The middle of it, to the right of the left edge.
  public var centerX: Double
  /// The middle of it, down from the upper edge.
  public var centerY: Double
  /// The side along ``angle``.
  public var width: Double
  /// The side across ``angle``.
  public var height: Double
  /// The direction of ``width`` in radians, clockwise from the right as one looks at the picture.
  public var angle: Double

  /// A rectangle with its numbers as they are.
  public init(centerX: Double, centerY: Double, width: Double, height: Double, angle: Double) {
    self.centerX = centerX
    self.centerY = centerY
    self.width = width
    self.height = height
    self.angle = angle
  }

  /// The four corners: lower right, upper right, upper left, lower left for an angle of 0.
  public var corners: [PixelPoint] {
    let (x, y) = (cos(angle) / 2, sin(angle) / 2)
    return [(1.0, 1.0), (1, -1), (-1, -1), (-1, 1)].map { along, across in
      PixelPoint(
        x: centerX + along * width * x - across * height * y, y: centerY + along * width * y + across * height * x)
    }
  }

  /// The smallest upright box around it.
  public var bounds: PixelBox {
    let (x, y) = (abs(cos(angle)), abs(sin(angle)))
    let (across, down) = (width * x + height * y, width * y + height * x)
    return PixelBox(
      x0: centerX - across / 2, y0: centerY - down / 2, x1: centerX + across / 2, y1: centerY + down / 2)
  }

  /// The same rectangle with an angle of at least 0 and less than a quarter turn; its sides change places for that.
  public var canonical: RotatedBox {
    let turn = angle - (angle / .pi).rounded(.down) * .pi
    let isSwapped = turn >= .pi / 2
    return RotatedBox(
      centerX: centerX, centerY: centerY, width: isSwapped ? height : width, height: isSwapped ? width : height,
      angle: isSwapped ? turn - .pi / 2 : turn)
  }

  var isFinite: Bool {
    centerX.isFinite && centerY.isFinite && width.isFinite && height.isFinite && angle.isFinite
  }
}

extension Letterbox {
  /// The box of the picture that is `box` of the input; it is not cut off.
  func toImage(_ box: RotatedBox) -> RotatedBox {
    let (x, y) = toImage(x: box.centerX, y: box.centerY)
    return RotatedBox(
      centerX: x, centerY: y, width: box.width / scale, height: box.height / scale, angle: box.angle)
  }
}

extension RotatedBox {
  /// How much two boxes overlap, 0 to 1, when each is taken for the normal distribution with its middle and moments:
  /// one less the Hellinger distance of the two. Networks of rotated boxes are trained and judged with it.
  ///
  ///     1 − √(1 − e^−d),  d = Δᵀ Σ⁻¹ Δ / 8 + ln(det Σ / √(det Σ₁ · det Σ₂)) / 2,  Σ = (Σ₁ + Σ₂) / 2
  ///
  /// A box without area overlaps nothing.
  public func probabilisticOverlap(_ other: RotatedBox) -> Double {
    let (a, b) = (moments, other.moments)
    let sum = (xx: (a.xx + b.xx) / 2, yy: (a.yy + b.yy) / 2, xy: (a.xy + b.xy) / 2)
    let determinant = sum.xx * sum.yy - sum.xy * sum.xy
    // Those of the boxes themselves, of which rounding leaves little in a thin box's moments.
    let area = width * height * other.width * other.height / 144
    guard determinant > 0, area > 0 else { return 0 }
    let (dx, dy) = (other.centerX - centerX, other.centerY - centerY)
    let apart = (sum.yy * dx * dx - 2 * sum.xy * dx * dy + sum.xx * dy * dy) / determinant / 8
    let distance = max(0, apart + log(determinant / area) / 2)
    return 1 - (1 - exp(-distance)).squareRoot()
  }

  /// The second moments about its middle, of a box of density 1 per area.
  private var moments: (xx: Double, yy: Double, xy: Double) {
    let (along, across) = (width * width / 12, height * height / 12)
    let (x, y) = (cos(angle), sin(angle))
    return (along * x * x + across * y * y, along * y * y + across * x * x, (along - across) * x * y)
  }
}
