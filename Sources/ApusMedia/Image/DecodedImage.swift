/// A picture as its file holds it: with 8 or with 16 bits per channel.
public enum DecodedImage: Sendable, Equatable {
  /// 8 bits per channel.
  case eight(Image<UInt8>)
  /// 16 bits per channel.
  case sixteen(Image<UInt16>)

  /// Columns of pixels.
  public var width: Int {
    switch self {
    case .eight(let image): image.width
    case .sixteen(let image): image.width
    }
  }

  /// Rows of pixels.
  public var height: Int {
    switch self {
    case .eight(let image): image.height
    case .sixteen(let image): image.height
    }
  }

  /// What the channels of a pixel stand for.
  public var color: ColorModel {
    switch self {
    case .eight(let image): image.color
    case .sixteen(let image): image.color
    }
  }

  /// The picture with 8 bits per channel. Of 16 bits the upper 8 are kept, as Pillow and OpenCV do: 0x12FF becomes
  /// 0x12.
  public var eightBit: Image<UInt8> {
    switch self {
    case .eight(let image): image
    case .sixteen(let image): image.mapped { UInt8(truncatingIfNeeded: $0 >> 8) }
    }
  }

  /// The picture with 16 bits per channel: 0x12 becomes 0x1212, so that black and white stay what they are.
  public var sixteenBit: Image<UInt16> {
    switch self {
    case .eight(let image): image.mapped { UInt16($0) &* 0x101 }
    case .sixteen(let image): image
    }
  }
}
