import Apus
import ApusKernelInterface

extension Image<UInt8> {
  /// The picture, or the part of it in `box`, at another size.
  /// - Throws: ``ImageError`` for sides that are not positive or too large for the memory, and a box that is empty or
  ///   not inside the picture.
  public func resized(
    width: Int, height: Int, filter: ResizeFilter, from box: PixelBox? = nil
  ) throws -> Image {
    let box = try checked(box)
    try Self.checkMemory(width: width, height: height, color: color)
    let sampling = try BilinearSampling(self, from: box, width: width, height: height)
    return try Image(width: width, height: height, color: color) { samples in
      guard let base = samples.baseAddress else { return }
      sampling.write(self, to: base, rowStep: width * color.channels)
    }
  }
}

extension Image {
  /// The box, or all of the picture.
  /// - Throws: ``ImageError`` for one that is empty or not inside.
  func checked(_ box: PixelBox?) throws(ImageError) -> PixelBox {
    guard let box else { return PixelBox(width: width, height: height) }
    guard box.x0 >= 0, box.y0 >= 0, box.x0 < box.x1, box.y0 < box.y1, box.x1 <= Double(width), box.y1 <= Double(height)
    else {
      throw ImageError(
        .invalidArgument(
          "the box from (\(box.x0), \(box.y0)) to (\(box.x1), \(box.y1)) of a picture of \(width) × \(height) pixels"))
    }
    return box
  }
}
