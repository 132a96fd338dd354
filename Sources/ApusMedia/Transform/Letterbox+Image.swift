import Apus
import ApusKernelInterface

extension Letterbox {
  /// The brightness of the filling: a dark grey, which YOLO's networks were trained with.
  public static let filling: UInt8 = 114

  /// The picture in its place, with ``filling`` around it.
  /// - Throws: ``ImageError`` for a picture of other sides, or with opacity.
  public func applied(to image: Image<UInt8>, filter: ResizeFilter = .bilinear) throws -> Image<UInt8> {
    let sampling = try sampling(of: image)
    if filter != .bilinear {
      let content = try image.resized(width: contentWidth, height: contentHeight, filter: filter)
      let filler = [UInt8](repeating: Self.filling, count: image.color.channels)
      return try content.padded(left: left, top: top, right: right, bottom: bottom, with: filler)
    }
    let channels = image.color.channels
    try Image<UInt8>.checkMemory(width: width, height: height, color: image.color)
    return try Image(width: width, height: height, color: image.color) { samples in
      samples.update(repeating: Self.filling)
      guard let base = samples.baseAddress else { return }
      sampling.write(image, to: base + (top * width + left) * channels, rowStep: width * channels)
    }
  }

  /// The same as a tensor, with the values of ``applied(to:filter:)`` normalised: `[1, channels, height, width]` or
  /// `[1, height, width, channels]`.
  /// - Throws: ``ImageError`` for a picture of other sides or with opacity, and a normalisation that makes no sense;
  ///   ``TensorError`` when there is no room.
  public func tensor(
    _ image: Image<UInt8>, layout: ImageLayout = .nchw, order: ColorOrder = .rgb,
    normalization: ImageNormalization = .unit
  ) throws -> Tensor<Float> {
    guard layout == .nchw else {
      return try Tensor(try applied(to: image), layout: layout, order: order, normalization: normalization)
    }
    let sampling = try sampling(of: image)
    let channels = image.color.channels
    let scales = try normalization.scales(channels: channels)
    return try Tensor.filled([1, channels, height, width]) { destination in
      for plane in 0..<channels { fill(destination + plane * width * height, scales[plane][Self.filling]) }
      sampling.writePlanes(
        image, order: order.sources(channels: channels), scales: scales, to: destination + top * width + left,
        rowStep: width, planeStep: width * height)
    }
  }

  /// Writes the filling around the picture.
  private func fill(_ plane: UnsafeMutablePointer<Float>, _ value: Float) {
    plane.update(repeating: value, count: top * width)
    if left > 0 || right > 0 {
      for row in top..<top + contentHeight {
        (plane + row * width).update(repeating: value, count: left)
        (plane + row * width + left + contentWidth).update(repeating: value, count: right)
      }
    }
    (plane + (top + contentHeight) * width).update(repeating: value, count: bottom * width)
  }

  private func sampling(of image: Image<UInt8>) throws(ImageError) -> BilinearSampling {
    guard image.width == imageWidth, image.height == imageHeight else {
      throw ImageError(
        .invalidArgument(
          "a picture of \(image.width) × \(image.height) pixels; this letterbox is for \(imageWidth) × \(imageHeight)"))
    }
    try image.checkOpaque()
    return try BilinearSampling(
      image, from: PixelBox(width: image.width, height: image.height), width: contentWidth, height: contentHeight)
  }
}
