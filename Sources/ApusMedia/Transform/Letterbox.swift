/// Where a picture goes in the input of a network: scaled to fit with its proportions kept, and the rest filled up.
///
/// With `r = min(width / imageWidth, height / imageHeight)`:
///
/// - `centered`, as YOLOv5 and its successors do: the picture becomes `round(imageWidth · r)` × `round(imageHeight ·
///   r)`, and what is left over is divided between both sides, the odd pixel on the right and below.
/// - `topLeft`, as YOLOX does: both sides are rounded down, and the filling is on the right and below.
///
/// A side never becomes less than one pixel.
public struct Letterbox: Sendable, Hashable {
  /// Where the picture lies in the input.
  public enum Placement: String, Sendable, Hashable, CaseIterable {
    /// In the middle, or in the upper left corner.
    case centered, topLeft
  }

  /// The sides of the picture.
  public let imageWidth: Int
  /// The height of the picture in pixels.
  public let imageHeight: Int
  /// The sides of the network's input.
  public let width: Int
  /// The height of the network's input in pixels.
  public let height: Int
  /// The sides of the picture in it.
  public let contentWidth: Int
  /// The height of the picture in the input.
  public let contentHeight: Int
  /// Where the picture is in it.
  public let left: Int
  /// Rows of filling above the picture.
  public let top: Int
  /// `r`: pixels of the input for each of the picture.
  public let scale: Double

  /// Columns and rows of filling after the picture.
  public var right: Int { width - contentWidth - left }
  /// Rows of filling below the picture.
  public var bottom: Int { height - contentHeight - top }

  /// The largest side of a network's input.
  static let largestSide = 1 << 16

  /// - Parameters:
  ///   - scalesUp: whether a picture smaller than the input is enlarged. Only `centered` asks.
  ///   - stride: the input is no larger than it must be: on each side the filling is what is left over of a multiple of
  ///     this (YOLO's *auto* mode). Only `centered` asks.
  /// - Throws: ``ImageError`` for sides or a stride below 1, and an input with a side beyond 65,536.
  public init(
    imageWidth: Int, imageHeight: Int, width: Int, height: Int, placement: Placement = .centered,
    scalesUp: Bool = true, stride: Int? = nil
  ) throws(ImageError) {
    guard imageWidth > 0, imageHeight > 0, width > 0, height > 0 else {
      throw ImageError(
        .invalidArgument(
          "\(imageWidth) × \(imageHeight) pixels do not fit \(width) × \(height); all sides must be positive"))
    }
    guard width <= Self.largestSide, height <= Self.largestSide else {
      throw ImageError(
        .invalidArgument("an input of \(width) × \(height) pixels; a side may be \(Self.largestSide) at most"))
    }
    if let stride, stride < 1 {
      throw ImageError(.invalidArgument("the input's sides cannot be multiples of \(stride)"))
    }
    let (imageW, imageH) = (Double(imageWidth), Double(imageHeight))
    var scale = min(Double(height) / imageH, Double(width) / imageW)
    self.imageWidth = imageWidth
    self.imageHeight = imageHeight
    switch placement {
    case .centered:
      if !scalesUp { scale = min(scale, 1) }
      contentWidth = max(1, Int((imageW * scale).rounded(.toNearestOrEven)))
      contentHeight = max(1, Int((imageH * scale).rounded(.toNearestOrEven)))
      let (freeX, freeY) = (width - contentWidth, height - contentHeight)
      let (x, y) = stride.map { (freeX % $0, freeY % $0) } ?? (freeX, freeY)
      (left, top) = (x / 2, y / 2)
      (self.width, self.height) = (contentWidth + x, contentHeight + y)
    case .topLeft:
      contentWidth = max(1, Int(imageW * scale))
      contentHeight = max(1, Int(imageH * scale))
      (left, top) = (0, 0)
      (self.width, self.height) = (width, height)
    }
    self.scale = scale
  }

  /// The point of the picture that is at `x`, `y` of the input: `(x - left) / scale`. It may lie outside.
  public func toImage(x: Double, y: Double) -> (x: Double, y: Double) {
    ((x - Double(left)) / scale, (y - Double(top)) / scale)
  }

  /// The same for a box, whose part outside the picture is cut off.
  public func toImage(_ box: PixelBox) -> PixelBox {
    let (x0, y0) = toImage(x: box.x0, y: box.y0)
    let (x1, y1) = toImage(x: box.x1, y: box.y1)
    return PixelBox(x0: x0, y0: y0, x1: x1, y1: y1).clipped(width: imageWidth, height: imageHeight)
  }

  /// Where the point `x`, `y` of the picture is in the input.
  public func fromImage(x: Double, y: Double) -> (x: Double, y: Double) {
    (x * scale + Double(left), y * scale + Double(top))
  }
}
