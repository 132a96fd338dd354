/// How a picture has to be turned to be seen as it was taken, with the numbers of Exif.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
  case upright = 1
  /// Left and right are exchanged.
  case mirrored
  /// It is upside down, and has to be turned by half.
  case half
  /// Top and bottom are exchanged.
  case mirroredHalf
  /// Rows are columns.
  case transposed
  /// It has to be turned clockwise by a quarter.
  case clockwise
  /// Rows are columns, and it is upside down.
  case mirroredTransposed
  /// It has to be turned counter-clockwise by a quarter.
  case counterclockwise

  /// Whether width and height are exchanged.
  public var exchangesSides: Bool { rawValue >= 5 }

  /// The picture as it was taken.
  public func oriented<Sample: ImageSample>(_ image: Image<Sample>) -> Image<Sample> {
    guard self != .upright else { return image }
    let (width, height, channels) = (image.width, image.height, image.color.channels)
    let (newWidth, newHeight) = exchangesSides ? (height, width) : (width, height)
    // Where the new picture's first pixel is in the old one, and how far it is from there to the next one of the row
    // and to the next row.
    let (right, down) = (channels, width * channels)
    let (lastRight, lastDown) = ((width - 1) * right, (height - 1) * down)
    let (start, across, along): (Int, Int, Int) =
      switch self {
      case .upright: (0, right, down)
      case .mirrored: (lastRight, -right, down)
      case .half: (lastRight + lastDown, -right, -down)
      case .mirroredHalf: (lastDown, right, -down)
      case .transposed: (0, down, right)
      case .clockwise: (lastDown, -down, right)
      case .mirroredTransposed: (lastRight + lastDown, -down, -right)
      case .counterclockwise: (lastRight, down, -right)
      }
    let turned = try? image.samples.withUnsafeBufferPointer { source in
      try Image<Sample>(width: newWidth, height: newHeight, color: image.color) { result in
        var place = 0
        for y in 0..<newHeight {
          var from = start + y * along
          for _ in 0..<newWidth {
            for channel in 0..<channels { result.initializeElement(at: place + channel, to: source[from + channel]) }
            place += channels
            from += across
          }
        }
      }
    }
    // It has as many pixels as one that there is.
    return turned ?? image
  }
}
