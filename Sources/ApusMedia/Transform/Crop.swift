import Apus

extension Image {
  /// The part of `width` × `height` pixels whose upper left corner is `x`, `y`.
  /// - Throws: ``ImageError`` for a part that is empty or not inside the picture.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws -> Image {
    guard x >= 0, y >= 0, width > 0, height > 0, x < self.width, y < self.height, width <= self.width - x,
      height <= self.height - y
    else {
      throw ImageError(
        .invalidArgument(
          "\(width) × \(height) pixels from (\(x), \(y)) of a picture of \(self.width) × \(self.height)"))
    }
    let (from, count) = (rowCount, width * color.channels)
    return try Image(width: width, height: height, color: color) { buffer in
      samples.withUnsafeBufferPointer { source in
        guard let source = source.baseAddress, let target = buffer.baseAddress else { return }
        for row in 0..<height {
          (target + row * count).initialize(from: source + (y + row) * from + x * color.channels, count: count)
        }
      }
    }
  }

  /// The largest square in the middle, see ``PixelBox/init(centeredSquareOf:by:)``.
  public func centerSquare() throws -> Image {
    let box = PixelBox(centeredSquareOf: width, by: height)
    let side = min(width, height)
    return try cropped(x: Int(box.x0), y: Int(box.y0), width: side, height: side)
  }

  /// The picture with rows and columns of one colour around it.
  /// - Throws: ``ImageError`` for a negative number of them, a colour of another number of channels, and a result too
  ///   large for the memory.
  public func padded(left: Int, top: Int, right: Int, bottom: Int, with pixel: [Sample]) throws -> Image {
    let margins = [left, top, right, bottom]
    let widest = Int(Int32.max)
    guard margins.allSatisfy({ 0...widest ~= $0 }) else {
      throw ImageError(.invalidArgument("margins of \(left), \(top), \(right) and \(bottom) pixels"))
    }
    guard pixel.count == color.channels else {
      throw ImageError(.invalidArgument("\(pixel.count) numbers were given for a pixel of \(color)"))
    }
    let (newWidth, newHeight) = (width + left + right, height + top + bottom)
    try Self.checkMemory(width: newWidth, height: newHeight, color: color)
    let filler = (0..<newWidth * color.channels).map { pixel[$0 % pixel.count] }
    let (from, count) = (rowCount, newWidth * color.channels)
    return try Image(width: newWidth, height: newHeight, color: color) { buffer in
      filler.withUnsafeBufferPointer { filler in
        samples.withUnsafeBufferPointer { source in
          guard let source = source.baseAddress, let filler = filler.baseAddress, let target = buffer.baseAddress
          else { return }
          for row in 0..<newHeight {
            (target + row * count).initialize(from: filler, count: count)
            if row >= top, row < top + height {
              (target + row * count + left * color.channels).update(from: source + (row - top) * from, count: from)
            }
          }
        }
      }
    }
  }

  /// The mirror image: left and right exchanged, or above and below.
  public func flipped(horizontally: Bool = false, vertically: Bool = false) throws -> Image {
    try picked(
      rows: vertically ? (0..<height).reversed() : Array(0..<height),
      columns: horizontally ? (0..<width).reversed() : Array(0..<width))
  }
}
