/// Makes a YUV4MPEG2 stream of pictures: a first line, and then frame after frame.
///
/// Colours are BT.601 of limited range, which is what programs take such a stream for. Y = 16 + 219 · luma,
/// Cb, Cr = 128 + 224 · difference, rounded. With ``Y4MHeader/Chroma/c420jpeg`` the differences of four pixels are
/// averaged.
public struct Y4MWriter: Sendable {
  /// What the first line of the stream says.
  public let header: Y4MHeader

  /// - Parameter chroma: `c444` or `c420jpeg`.
  /// - Throws: ``VideoError`` for sides that are not positive, and another kind of colours.
  public init(
    width: Int, height: Int, rate: Y4MHeader.Rate, chroma: Y4MHeader.Chroma = .c420jpeg
  ) throws(VideoError) {
    guard width > 0, height > 0, let pixels = Optional(width.multipliedReportingOverflow(by: height)),
      !pixels.overflow, pixels.partialValue <= Int.max / 64
    else { throw VideoError(.invalidArgument("frames of \(width) × \(height) pixels")) }
    guard chroma == .c444 || chroma == .c420jpeg else {
      throw VideoError(.invalidArgument("C\(chroma.rawValue) is not written; 444 and 420jpeg are"))
    }
    header = Y4MHeader(width: width, height: height, rate: rate, chroma: chroma, isFullRange: false)
  }

  /// The first line.
  public var firstLine: [UInt8] {
    let rate = header.rate.map { " F\($0.frames):\($0.seconds)" } ?? ""
    let line = "YUV4MPEG2 W\(header.width) H\(header.height)\(rate) Ip A1:1 C\(header.chroma.rawValue)"
    return Array("\(line) XCOLORRANGE=LIMITED\n".utf8)
  }

  /// The bytes of a frame.
  /// - Throws: ``VideoError`` for a picture of other sides, or with opacity.
  public func frame(_ image: Image<UInt8>) throws(VideoError) -> [UInt8] {
    guard image.width == header.width, image.height == header.height else {
      throw VideoError(
        .invalidArgument(
          "a picture of \(image.width) × \(image.height) pixels for frames of \(header.width) × \(header.height)"))
    }
    guard !image.color.hasAlpha else {
      throw VideoError(.invalidArgument("a picture with opacity; it can be put on a colour first"))
    }
    let pixels = image.rgb().samples
    var bytes = Array("FRAME\n".utf8)
    bytes.reserveCapacity(bytes.count + header.frameBytes)
    for index in 0..<header.width * header.height {
      bytes.append(Self.sum(pixels, 3 * index, Self.lumaFactors, offset: 16, pixelCount: 1))
    }
    for factors in [Self.blueFactors, Self.redFactors] { append(factors, of: pixels, to: &bytes) }
    return bytes
  }

  private func append(_ factors: [Int], of pixels: [UInt8], to bytes: inout [UInt8]) {
    let (width, height) = (header.width, header.height)
    guard header.chroma == .c420jpeg else {
      for index in 0..<width * height {
        bytes.append(Self.sum(pixels, 3 * index, factors, offset: 128, pixelCount: 1))
      }
      return
    }
    var sums = [Int](repeating: 0, count: 3)
    for y in 0..<header.chromaHeight {
      for x in 0..<header.chromaWidth {
        // At the right and lower edge the last pixel counts twice.
        let (left, right) = (2 * x, min(2 * x + 1, width - 1))
        let (upper, lower) = (2 * y * width, min(2 * y + 1, height - 1) * width)
        for channel in 0..<3 {
          sums[channel] =
            Int(pixels[3 * (upper + left) + channel]) + Int(pixels[3 * (upper + right) + channel])
            + Int(pixels[3 * (lower + left) + channel]) + Int(pixels[3 * (lower + right) + channel])
        }
        bytes.append(Self.sum(sums, 0, factors, offset: 128, pixelCount: 4))
      }
    }
  }

  /// The factors of red, green and blue times 2¹⁶.
  private static let lumaFactors = factors(of: 219, [0.299, 0.587, 0.114])
  private static let blueFactors = factors(of: 224 / (2 * (1 - 0.114)), [-0.299, -0.587, 1 - 0.114])
  private static let redFactors = factors(of: 224 / (2 * (1 - 0.299)), [1 - 0.299, -0.587, -0.114])

  private static func factors(of range: Double, _ shares: [Double]) -> [Int] {
    shares.map { Int(($0 * range / 255 * 65_536).rounded()) }
  }

  private static func sum<Number: BinaryInteger>(
    _ pixels: [Number], _ start: Int, _ factors: [Int], offset: Int, pixelCount: Int
  ) -> UInt8 {
    var sum = (offset * 65_536 + 32_768) * pixelCount
    for channel in 0..<3 { sum += Int(pixels[start + channel]) * factors[channel] }
    return UInt8(clamping: sum / (65_536 * pixelCount))
  }
}
