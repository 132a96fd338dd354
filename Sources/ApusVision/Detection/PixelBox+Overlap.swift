import ApusMedia

extension PixelBox {
  init(centerX: Float, centerY: Float, width: Float, height: Float) {
    let (x, y, width, height) = (Double(centerX), Double(centerY), Double(width), Double(height))
    self.init(x0: x - width / 2, y0: y - height / 2, x1: x + width / 2, y1: y + height / 2)
  }

  /// The middle of it.
  public var center: (x: Double, y: Double) { ((x0 + x1) / 2, (y0 + y1) / 2) }

  /// 0 for a box whose edges are crossed.
  public var area: Double { max(0, width) * max(0, height) }

  var isFinite: Bool { x0.isFinite && y0.isFinite && x1.isFinite && y1.isFinite }

  /// The area that both have over the area that either has, 0 to 1; 0 where both are empty.
  public func intersectionOverUnion(_ other: PixelBox) -> Double {
    let (width, height) = (min(x1, other.x1) - max(x0, other.x0), min(y1, other.y1) - max(y0, other.y0))
    guard width > 0, height > 0 else { return 0 }
    let shared = width * height
    return shared / (area + other.area - shared)
  }
}
