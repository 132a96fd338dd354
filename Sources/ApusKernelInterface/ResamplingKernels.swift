/// What a byte becomes in the input of a network: `(byte / divisor - mean) / deviation`, every step rounded to `Float`.
package struct PixelScale: BitwiseCopyable, Sendable, Hashable {
  package var divisor: Float
  package var mean: Float
  package var deviation: Float

  package init(divisor: Float, mean: Float = 0, deviation: Float = 1) {
    self.divisor = divisor
    self.mean = mean
    self.deviation = deviation
  }

  /// The number for a byte.
  package subscript(byte: UInt8) -> Float { (Float(byte) / divisor - mean) / deviation }
}

/// Between which two neighbours each pixel of an output row lies: `offsets[i]` is the place of the first one's first
/// sample in the row, the other is the next pixel and has the share `weights[i]`.
package struct PixelTaps {
  package var offsets: UnsafePointer<Int32>
  package var weights: UnsafePointer<Float>
  /// The same, before they were rounded.
  package var exactWeights: UnsafePointer<Double>
  package var count: Int

  package init(
    offsets: UnsafePointer<Int32>, weights: UnsafePointer<Float>, exactWeights: UnsafePointer<Double>, count: Int
  ) {
    self.offsets = offsets
    self.weights = weights
    self.exactWeights = exactWeights
    self.count = count
  }
}

/// Which bytes of a row each pixel of an output row is the weighted sum of.
///
/// A pixel's bytes are summed in groups of sixteen, `step` bytes apart: as many whole pixels as fit, so that a lane
/// always belongs to the same channel. Weights are multiples of 2⁻²²; what is in a group without being summed has the
/// weight 0.
package struct ByteSums {
  /// Where the first group of each output pixel begins.
  package var starts: UnsafePointer<Int32>
  /// `[count, groups, 16]`.
  package var weights: UnsafePointer<Int32>
  /// Output pixels.
  package var count: Int
  package var groups: Int
  /// From 1 to 4.
  package var channels: Int

  package init(
    starts: UnsafePointer<Int32>, weights: UnsafePointer<Int32>, count: Int, groups: Int, channels: Int
  ) {
    self.starts = starts
    self.weights = weights
    self.count = count
    self.groups = groups
    self.channels = channels
  }

  /// Bytes from one group to the next.
  package static func step(channels: Int) -> Int { channels == 3 ? 15 : 16 }
}

/// Which pixels of a row each pixel of an output row is the weighted sum of: `weights[places[i] ..< places[i + 1]]`
/// belong to the pixels from `starts[i]` on.
package struct FloatSums {
  package var starts: UnsafePointer<Int>
  package var places: UnsafePointer<Int>
  package var weights: UnsafePointer<Float>
  /// Output pixels.
  package var count: Int
  package var channels: Int

  package init(
    starts: UnsafePointer<Int>, places: UnsafePointer<Int>, weights: UnsafePointer<Float>, count: Int, channels: Int
  ) {
    self.starts = starts
    self.places = places
    self.weights = weights
    self.count = count
    self.channels = channels
  }
}

/// Pictures at another size, and as the numbers that networks take.
///
/// Bilinear interpolation is two steps in `Float`, products and sums each rounded, so that every variant gives the same:
/// two rows are mixed into one, and of that the columns. What comes close to a half is then computed once more in
/// `Double`. Between whole pixels all values are multiples of 1 / (4 · width · height) of the result; so up to 2²⁵
/// pixels the nearest byte is the exact one, of halves the upper.
package protocol ResamplingKernels: SendableMetatype {
  /// `y[i] = upper[i] + (lower[i] - upper[i]) * weight` for each sample of a row.
  static func mixRows(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, weight: Float, count: Int,
    _ y: UnsafeMutablePointer<Float>)

  /// The same of two pixels for each tap. A pixel of several channels, four at most, is four numbers of `y`, of which those
  /// beyond its channels mean nothing; as many are read of `x`, from the second pixel on.
  static func mixColumns(
    _ x: UnsafePointer<Float>, _ taps: PixelTaps, channels: Int, _ y: UnsafeMutablePointer<Float>)

  /// Where `mixColumns` left a number next to a half, the byte that the exact one is nearest to. `upper` and `lower` are
  /// the rows that were mixed, from the sample on to which `taps` count.
  static func settleHalves(
    _ y: UnsafeMutablePointer<Float>, _ taps: PixelTaps, channels: Int, _ upper: UnsafePointer<UInt8>,
    _ lower: UnsafePointer<UInt8>, weight: Double)

  /// The nearest bytes to `count` pixels as `mixColumns` leaves them, channels side by side.
  static func levels(_ x: UnsafePointer<Float>, count: Int, channels: Int, _ y: UnsafeMutablePointer<UInt8>)

  /// The nearest bytes to every `step`th number, 1 or 4, as numbers for a network.
  static func levels(
    _ x: UnsafePointer<Float>, step: Int, count: Int, _ scale: PixelScale, _ y: UnsafeMutablePointer<Float>)

  /// `y[i * yStep] = table[x[i * xStep]]` for `count` bytes; the table has 256 entries.
  static func lookUp(
    _ x: UnsafePointer<UInt8>, xStep: Int, _ table: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, yStep: Int,
    count: Int)

  /// Weighted sums of bytes along `rows` rows, the nearest byte to each: `y[r, i]` of `x[r, …]`.
  ///
  /// All of a group is read, what has the weight 0 too.
  static func sumColumns(
    _ x: UnsafePointer<UInt8>, rowStep: Int, rows: Int, _ sums: ByteSums, _ y: UnsafeMutablePointer<UInt8>,
    outputStep: Int)

  /// `y[i] = Σ x[t * rowStep + i] * weights[t]` for `count` bytes of as many rows as there are weights, multiples of
  /// 2⁻²²; the nearest byte.
  static func sumRows(
    _ x: UnsafePointer<UInt8>, rowStep: Int, weights: UnsafeBufferPointer<Int32>, _ y: UnsafeMutablePointer<UInt8>,
    count: Int)

  /// Weighted sums along one row, added one after the other.
  static func sumColumns(_ x: UnsafePointer<Float>, _ sums: FloatSums, _ y: UnsafeMutablePointer<Float>)

  /// `y[i] = Σ x[t * rowStep + i] * weights[t]`, added one after the other.
  static func sumRows(
    _ x: UnsafePointer<Float>, rowStep: Int, weights: UnsafeBufferPointer<Float>, _ y: UnsafeMutablePointer<Float>,
    count: Int)

  /// The pixels at `columns`, of `pixelSize` bytes each: 1, 2, 3, 4, 6, 8, 12 or 16.
  static func pickColumns(
    _ x: UnsafeRawPointer, pixelSize: Int, columns: UnsafeBufferPointer<Int>, _ y: UnsafeMutableRawPointer)

  /// `count` pixels with their colours multiplied by their opacity, the last of `channels`, as a part of 255.
  static func premultiply(_ x: UnsafePointer<UInt8>, channels: Int, _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// The reverse, in place; rounded down, and 255 at most. Colours of no opacity stay as they are.
  static func unpremultiply(_ x: UnsafeMutablePointer<UInt8>, channels: Int, count: Int)
}
