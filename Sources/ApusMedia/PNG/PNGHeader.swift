import Apus

/// What the first chunk of a PNG file says (IHDR).
struct PNGHeader {
  enum Kind: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    /// Numbers per pixel, as they are stored.
    var channels: Int {
      switch self {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    }

    fileprivate var depths: [UInt8] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgba: [8, 16]
      }
    }
  }

  let width: Int
  let height: Int
  /// Bits a number.
  let depth: Int
  let kind: Kind
  let isInterlaced: Bool

  /// - Parameter chunk: the 13 bytes of the chunk.
  /// - Throws: ``ImageError`` without its place in the file.
  init(_ chunk: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    guard chunk.count == 13 else { throw pngError("the chunk IHDR has \(chunk.count) bytes instead of 13") }
    let sides = (0..<2).map { UInt32(bigEndian: chunk.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) }
    guard sides[0] <= Int32.max, sides[1] <= Int32.max else {
      throw pngError("a picture of \(sides[0]) × \(sides[1]) pixels; a side is less than 2147483648")
    }
    (width, height) = (Int(sides[0]), Int(sides[1]))
    try limits.check(width: width, height: height, format: .png)
    _ = try Image<UInt8>.sampleCount(width: width, height: height, color: .rgba)
    guard let kind = Kind(rawValue: chunk[9]), kind.depths.contains(chunk[8]) else {
      throw pngError("pixels of colour type \(chunk[9]) with \(chunk[8]) bits, which there are not")
    }
    self.kind = kind
    depth = Int(chunk[8])
    guard chunk[10] == 0, chunk[11] == 0 else {
      throw ImageError(.unsupported("compression \(chunk[10]) with filters \(chunk[11])"), format: .png)
    }
    guard chunk[12] <= 1 else { throw ImageError(.unsupported("interlacing \(chunk[12])"), format: .png) }
    isInterlaced = chunk[12] == 1
  }

  /// The distance of bytes that a filter compares: the bytes of a pixel, or one when a byte holds several.
  var filterDistance: Int { max(1, kind.channels * depth / 8) }

  /// The bytes of a row of `width` pixels, without its filter.
  func rowBytes(width: Int) -> Int { (width * kind.channels * depth).dividedRoundingUp(by: 8) }

  /// The parts in which the pixels come. Every part has pixels.
  var passes: [PNGPass] {
    guard isInterlaced else { return [PNGPass(x: 0, y: 0, stepX: 1, stepY: 1, width: width, height: height)] }
    return PNGPass.adam7.compactMap { x, y, stepX, stepY in
      guard width > x, height > y else { return nil }
      return PNGPass(
        x: x, y: y, stepX: stepX, stepY: stepY,
        width: (width - x).dividedRoundingUp(by: stepX), height: (height - y).dividedRoundingUp(by: stepY))
    }
  }

  /// The bytes of all rows with their filters.
  var filteredBytes: Int {
    passes.reduce(0) { $0 + $1.height * (1 + rowBytes(width: $1.width)) }
  }
}

/// Every `stepX`th pixel of every `stepY`th row, beginning with pixel `x` of row `y`.
struct PNGPass {
  let x: Int
  let y: Int
  let stepX: Int
  let stepY: Int
  let width: Int
  let height: Int

  fileprivate static let adam7 = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
  ]
}

func pngError(_ what: String, at offset: Int? = nil) -> ImageError {
  ImageError(.malformed(what), format: .png, offset: offset)
}
