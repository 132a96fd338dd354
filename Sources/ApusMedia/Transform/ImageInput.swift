import Apus
import ApusKernelInterface

/// How a network wants its picture: everything between the pixels of a file and the numbers of a tensor.
public struct ImageInput: Sendable, Hashable {
  /// What becomes of a picture of other proportions.
  public enum Fit: String, Sendable, Hashable, CaseIterable {
    /// It is stretched to the sides of the input, or to larger ones, see ``ImageInput/cropFraction``.
    case stretch
    /// It is put into the middle of the input, see ``Letterbox``.
    case letterbox
    /// It is put into the upper left corner of the input, see ``Letterbox``.
    case letterboxTopLeft = "letterbox-top-left"
    /// The largest part in its middle that has the input's proportions is cut out: for a square input the square of
    /// side `min(width, height)` at `⌊(width − side) / 2⌋`, `⌊(height − side) / 2⌋`.
    case centerCrop = "center-crop"
  }

  /// The sides of the input.
  public var width: Int
  /// The height of the input in pixels.
  public var height: Int
  /// What becomes of a picture of other proportions.
  public var fit: Fit
  /// Which share of a resized picture is kept, around its middle; above 0, up to 1. A network whose pictures are resized
  /// to 256 pixels and cut to 224 has 0.875: below 1 the picture is resized to `⌊side / cropFraction⌋` pixels, with
  /// ``Fit/stretch`` along both axes, with ``Fit/centerCrop`` along the shorter one and the other in proportion, and the
  /// input's sides are cut out of the middle of that.
  public var cropFraction = 1.0
  /// Whether of half a pixel before what is kept nothing is cut, as in Hugging Face's processors; torchvision rounds it to
  /// the even one.
  public var cutsWholePixels = false
  /// How a picture of another size is resampled.
  public var filter: ResizeFilter
  /// The order of the tensor's axes.
  public var layout: ImageLayout
  /// The order of the tensor's colours.
  public var order: ColorOrder
  /// How bytes become the tensor's numbers.
  public var normalization: ImageNormalization

  /// An input of red, green and blue from 0 to 1, `[1, 3, height, width]`, unless other arguments say otherwise.
  public init(
    width: Int, height: Int, fit: Fit, filter: ResizeFilter, layout: ImageLayout = .nchw, order: ColorOrder = .rgb,
    normalization: ImageNormalization = .unit
  ) {
    self.width = width
    self.height = height
    self.fit = fit
    self.filter = filter
    self.layout = layout
    self.order = order
    self.normalization = normalization
  }

  /// The shape of the tensor.
  public var shape: [Int] { layout == .nchw ? [1, 3, height, width] : [1, height, width, 3] }

  /// Where a picture goes with a letterbox; nil with another fit.
  /// - Throws: ``ImageError`` for impossible sides.
  public func letterbox(imageWidth: Int, imageHeight: Int) throws(ImageError) -> Letterbox? {
    switch fit {
    case .stretch, .centerCrop: nil
    case .letterbox: try Letterbox(imageWidth: imageWidth, imageHeight: imageHeight, width: width, height: height)
    case .letterboxTopLeft:
      try Letterbox(
        imageWidth: imageWidth, imageHeight: imageHeight, width: width, height: height, placement: .topLeft)
    }
  }

  /// The part of a picture that the network sees.
  /// - Throws: ``ImageError`` for impossible sides.
  public func visibleBox(imageWidth: Int, imageHeight: Int) throws(ImageError) -> PixelBox {
    // The same refusals for every fit.
    _ = try Letterbox(imageWidth: imageWidth, imageHeight: imageHeight, width: width, height: height)
    let fraction = cropFraction > 0 ? min(cropFraction, 1) : 0
    if fraction < 1, fit == .stretch || fit == .centerCrop {
      let (x, y) = (Double(imageWidth), Double(imageHeight))
      var (resizedX, resizedY) = (resized(width, by: fraction, from: x), resized(height, by: fraction, from: y))
      if fit == .centerCrop {
        let isWide = x * Double(height) > y * Double(width)
        if isWide { resizedX = max((resizedY * x / y).rounded(.down), Double(width)) }
        if !isWide { resizedY = max((resizedX * y / x).rounded(.down), Double(height)) }
      }
      let (x0, x1) = middle(of: x, resizedTo: resizedX, for: width)
      let (y0, y1) = middle(of: y, resizedTo: resizedY, for: height)
      return PixelBox(x0: x0, y0: y0, x1: x1, y1: y1)
    }
    guard fit == .centerCrop else { return PixelBox(width: imageWidth, height: imageHeight) }
    // Widths of the picture that the input's proportions ask for; in `Double`, for products may not fit.
    let wide = (Double(imageHeight) * Double(width) / Double(height)).rounded(.down)
    let tall = (Double(imageWidth) * Double(height) / Double(width)).rounded(.down)
    let partWidth = max(1, Int(min(wide, Double(imageWidth))))
    let partHeight = max(1, Int(min(tall, Double(imageHeight))))
    let (x, y) = ((imageWidth - partWidth) / 2, (imageHeight - partHeight) / 2)
    return PixelBox(x0: Double(x), y0: Double(y), x1: Double(x + partWidth), y1: Double(y + partHeight))
  }

  /// The length that `side` is resized to, of which a share is kept: `⌊count / fraction⌋`.
  private func resized(_ count: Int, by fraction: Double, from side: Double) -> Double {
    // A quotient that is whole may come out a trace below. And at least a pixel is kept.
    min((Double(count) / fraction + 1e-6).rounded(.down), Double(count) * side)
  }

  /// What becomes the `count` pixels in the middle of a side that is resized.
  private func middle(of side: Double, resizedTo resized: Double, for count: Int) -> (low: Double, high: Double) {
    let first = ((resized - Double(count)) / 2).rounded(cutsWholePixels ? .down : .toNearestOrEven)
    return (first * side / resized, min((first + Double(count)) * side / resized, side))
  }

  /// The picture as the network sees it, in bytes. Grey becomes red, green and blue, and opacity is laid on white.
  /// - Throws: ``ImageError`` for impossible sides.
  public func applied(to image: Image<UInt8>) throws -> Image<UInt8> {
    let image = image.flattened().rgb()
    if let letterbox = try letterbox(imageWidth: image.width, imageHeight: image.height) {
      return try letterbox.applied(to: image, filter: filter)
    }
    let box = try visibleBox(imageWidth: image.width, imageHeight: image.height)
    return try image.resized(width: width, height: height, filter: filter, from: box)
  }

  /// The picture as a tensor of ``shape``.
  /// - Throws: ``ImageError`` for impossible sides and a normalisation that makes no sense; ``TensorError`` when
  ///   there is no room.
  public func tensor(_ image: Image<UInt8>) throws -> Tensor<Float> {
    if filter == .bilinear {
      let image = image.flattened().rgb()
      if let letterbox = try letterbox(imageWidth: image.width, imageHeight: image.height) {
        return try letterbox.tensor(image, layout: layout, order: order, normalization: normalization)
      }
    }
    return try Tensor(try applied(to: image), layout: layout, order: order, normalization: normalization)
  }
}
