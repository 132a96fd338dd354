/// What turns the coefficients of a JPEG file into pixels.
///
/// Rows of samples lie in memory with at least ``jpegMargin`` bytes before and after them that may be read.
package protocol JPEGKernels {
  /// Samples of `blocks` blocks side by side: eight rows of `8 · blocks` bytes, `stride` apart.
  ///
  /// A block is 64 coefficients, those of two rows of the block interleaved: rows 0 and 4, 2 and 6, 1 and 3, 5 and 7.
  /// So are the steps of `quantization`. The transform is the accurate one in integers of 13 bits that most decoders
  /// have; what goes from its columns to its rows saturates at 16 bits.
  static func inverseDCT(
    _ coefficients: UnsafePointer<Int16>, quantization: UnsafePointer<Int16>, blocks: Int,
    _ y: UnsafeMutablePointer<UInt8>, stride: Int)

  /// `2 · count` samples of `count`: three parts of the nearest and one of the next.
  ///
  /// The sample before the first one and that after the last one repeat these. Up to ``jpegMargin`` bytes after the
  /// result are written.
  static func upsampleColumns(_ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// The same of a row between two: three parts of `near` and one of `far`.
  static func upsampleColumns(
    near: UnsafePointer<UInt8>, far: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// `count` samples, `(3 · near + far + rounding) / 4`.
  static func upsampleRows(
    near: UnsafePointer<UInt8>, far: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int,
    rounding: Int)

  /// `y[i] = x[i · numerator / denominator]`.
  static func repeatColumns(
    _ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int, numerator: Int, denominator: Int)

  /// Red, green and blue interleaved, of luminance and two differences of colour.
  static func rgbFromYCC(
    _ luminance: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>, _ red: UnsafePointer<UInt8>,
    _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// Samples of three rows interleaved.
  static func interleave(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ c: UnsafePointer<UInt8>,
    _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// `factor - (255 - y) · factor / 255`, rounded, for the three numbers of a pixel: what four inks leave of the light,
  /// with all numbers inverted, as printing programs store them.
  static func darken(_ y: UnsafeMutablePointer<UInt8>, _ factor: UnsafePointer<UInt8>, count: Int)

  /// `y[i] = 255 - y[i]`.
  static func invert(_ y: UnsafeMutablePointer<UInt8>, count: Int)
}

/// Bytes around a row that kernels may read, and after a scratch row that they may write.
package let jpegMargin = 64
