/// What a byte becomes in the input of a network: `(byte / divisor - mean) / deviation`, every step rounded to `Float`.
public struct PixelScale: BitwiseCopyable, Sendable, Hashable {
  public var divisor: Float
  public var mean: Float
  public var deviation: Float

  public init(divisor: Float, mean: Float = 0, deviation: Float = 1) {
    self.divisor = divisor
    self.mean = mean
    self.deviation = deviation
  }

  /// The number for a byte.
  public subscript(byte: UInt8) -> Float { (Float(byte) / divisor - mean) / deviation }
}

/// Between which two neighbours each sample of an output row lies: `offsets[i]` is the first one's place in the row, the
/// other is the same channel of the next pixel and has the share `weights[i]` of 2¹⁴.
public struct PixelTaps {
  public var offsets: UnsafePointer<Int32>
  public var weights: UnsafePointer<Int32>
  public var count: Int

  public init(offsets: UnsafePointer<Int32>, weights: UnsafePointer<Int32>, count: Int) {
    self.offsets = offsets
    self.weights = weights
    self.count = count
  }
}

/// Pictures at another size, and as the numbers that networks take.
///
/// Bilinear interpolation is two steps in whole numbers, so that every variant gives the same: two rows are mixed into
/// one, with seven bits behind the point, and of that the columns. Weights have 14 bits.
public protocol ResamplingKernels {
  /// `(upper[i] * (2¹⁴ - weight) + lower[i] * weight) / 2⁷` for each sample of a row of `count`, rounded, in the low half
  /// of `pairs[i]`; in the upper half the same of sample `i + channels`, or zero after the last pixel.
  ///
  /// `room` holds `count + channels` numbers.
  static func mixRows(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, weight: Int32, count: Int, channels: Int,
    room: UnsafeMutablePointer<UInt16>, pairs: UnsafeMutablePointer<Int32>)

  /// The nearest byte to the mean of the two halves of `pairs[offset]`, for each tap.
  static func mixColumns(_ pairs: UnsafePointer<Int32>, _ taps: PixelTaps, _ y: UnsafeMutablePointer<UInt8>)

  /// The same as numbers for a network.
  static func mixColumns(
    _ pairs: UnsafePointer<Int32>, _ taps: PixelTaps, _ scale: PixelScale, _ y: UnsafeMutablePointer<Float>)

  /// `y[i * yStep] = table[x[i * xStep]]` for `count` bytes; the table has 256 entries.
  static func lookUp(
    _ x: UnsafePointer<UInt8>, xStep: Int, _ table: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, yStep: Int,
    count: Int)
}
