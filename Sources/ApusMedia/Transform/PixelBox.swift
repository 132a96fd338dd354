/// A rectangle in a picture by its edges: `x0 ..< x1` and `y0 ..< y1`, in pixels from the upper left corner.
public struct PixelBox: Sendable, Hashable {
  /// The left edge.
  public var x0: Double
  /// The upper edge.
  public var y0: Double
  /// The right edge, which is not part of the box.
  public var x1: Double
  /// The lower edge, which is not part of the box.
  public var y1: Double

  /// A box with these edges; it may be empty, or reach outside a picture.
  public init(x0: Double, y0: Double, x1: Double, y1: Double) {
    self.x0 = x0
    self.y0 = y0
    self.x1 = x1
    self.y1 = y1
  }

  /// All of a picture.
  public init(width: Int, height: Int) {
    self.init(x0: 0, y0: 0, x1: Double(width), y1: Double(height))
  }

  /// The largest square in the middle of a picture: of side `min(width, height)`, at `⌊(width − side) / 2⌋` and
  /// `⌊(height − side) / 2⌋`. It is empty where one of them is below 1.
  public init(centeredSquareOf width: Int, by height: Int) {
    let side = max(0, min(width, height))
    let (x, y) = ((width - side) / 2, (height - side) / 2)
    self.init(x0: Double(x), y0: Double(y), x1: Double(x + side), y1: Double(y + side))
  }

  /// `x1 - x0`; below zero for edges in the wrong order.
  public var width: Double { x1 - x0 }
  /// `y1 - y0`; below zero for edges in the wrong order.
  public var height: Double { y1 - y0 }

  /// The part inside a picture of these sides; a coordinate that is NaN counts as 0.
  public func clipped(width: Int, height: Int) -> PixelBox {
    func clip(_ value: Double, _ limit: Int) -> Double { value > 0 ? min(value, Double(limit)) : 0 }
    return PixelBox(x0: clip(x0, width), y0: clip(y0, height), x1: clip(x1, width), y1: clip(y1, height))
  }
}
