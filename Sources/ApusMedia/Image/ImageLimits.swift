import Apus

/// How large a picture may be before it is refused: a small file can stand for a huge one.
public struct ImageLimits: Sendable, Hashable {
  /// The most pixels. Memory while decoding is up to some 20 bytes per pixel.
  public var pixels: Int

  /// - Parameter pixels: the most pixels, width times height.
  public init(pixels: Int) { self.pixels = pixels }

  /// 100 million pixels.
  public static let `default` = ImageLimits(pixels: 100_000_000)

  /// - Throws: ``ImageError`` for a picture with no pixels, or more than these.
  package func check(width: Int, height: Int, format: ImageFormat? = nil) throws(ImageError) {
    guard width > 0, height > 0 else {
      throw ImageError(
        .malformed("a picture of \(width) × \(height) pixels; both sides must be positive"), format: format)
    }
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, count <= pixels else {
      throw ImageError(.tooLarge(width: width, height: height, limit: pixels), format: format)
    }
    // Where memory is short, the process would be ended, and not refused the memory.
    let most = Execution.memoryLimit / Self.bytesPerPixel
    guard count <= most else { throw ImageError(.tooLarge(width: width, height: height, limit: most), format: format) }
  }

  /// The rows as the file has them, the samples made of these, and what becomes of the samples.
  static let bytesPerPixel = 12
}
