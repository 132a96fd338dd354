/// Exact arithmetic of 8-bit integers, and the way between them and floats.
///
/// Sums of products are formed four bytes at a time. One operand is signed and laid out in *groups* of 1, 2, 4 or 8
/// rows, the other unsigned and laid out with the four bytes of a column side by side, a *word*. An operand of the
/// other signedness has the highest bit of each byte flipped, which moves it and its zero point by 128. Sums are of 32
/// bits and wrap around. What a zero point adds to a sum is taken off afterwards: see ``SumCorrection``.
package protocol QuantizedKernels: SendableMetatype {
  /// Words of one phase of a stride, of at most four channels of a map: bytes of the same position side by side.
  ///
  /// Word `(row, column)` of the result holds the source's
  /// `(firstRow + row * rowStep, firstColumn + column * columnStep)`, or `filler` where that lies outside of the map.
  ///
  /// - Parameters:
  ///   - x: planes of `height` × `width` bytes.
  ///   - end: where the map's memory ends. Up to there, bytes that do not count may be read.
  ///   - channels: 1 to 4; the bytes of others are zero.
  ///   - flip: what the bytes of the map are combined with by exclusive or.
  ///   - y: room for 15 words more, which may be written.
  static func stageWords(
    _ x: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, channels: Int, height: Int, width: Int, firstRow: Int,
    rowStep: Int, firstColumn: Int, columnStep: Int, flip: UInt8, filler: Int32, _ y: UnsafeMutablePointer<Int32>,
    rows: Int, columns: Int)

  /// Rows of a plane with what lies around it: byte `(row, column)` is the source's `(firstRow + row, firstColumn + column)`,
  /// or `filler`.
  ///
  /// - Parameters:
  ///   - x: a plane of `height` × `width` bytes.
  ///   - end: where the map's memory ends. Up to there, bytes that do not count may be read.
  ///   - flip: what the bytes of the plane are combined with by exclusive or.
  ///   - y: room for 63 bytes more, which may be written.
  static func stageLines(
    _ x: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, height: Int, width: Int, firstRow: Int, firstColumn: Int,
    flip: UInt8, filler: UInt8, _ y: UnsafeMutablePointer<UInt8>, rows: Int, columns: Int)

  /// `sums[row * columns + i] = Σ_tap w[tap] · x[row * rowStep + i * columnStep + tapOffsets[tap]]`: sums over windows.
  ///
  /// - Parameters:
  ///   - w: numbers of sixteen bits.
  ///   - x: bytes, of which 31 beyond the last may be read.
  ///   - sums: room for 15 more, which may be written.
  static func sumWindows(
    _ w: UnsafePointer<Int32>, tapCount: Int, tapOffsets: UnsafePointer<Int>, _ x: UnsafePointer<UInt8>, rowStep: Int,
    columnStep: Int, _ sums: UnsafeMutablePointer<Int32>, rows: Int, columns: Int)

  /// Whether an instruction puts bytes of a register where they are wanted, all at once.
  static var spreadsBytes: Bool { get }

  /// The taps of a kernel's row that kernels which spread bytes multiply at a time.
  static var tapsPerWord: Int { get }

  /// Lays a kernel of one channel out for kernels that spread bytes: `[parts, wordsPerRow, kernelRows]` words, of which the
  /// sum over all parts are the kernel's. Returns the number of parts, at most ``WindowTaps/maximumParts``.
  ///
  /// - Parameters:
  ///   - w: differences of bytes, `[kernelRows, kernelColumns]`.
  ///   - y: room for so many parts.
  static func packTaps(_ w: UnsafePointer<Int32>, _ taps: WindowTaps, _ y: UnsafeMutablePointer<Int32>) -> Int

  /// Sums over the windows of maps of narrow rows, by kernels that spread bytes:
  /// `sums[(map * outputs + output) * sumStep + row * windows.columns + i]`.
  ///
  /// - Parameters:
  ///   - w: words of kernels, those of output i of all from `starts[i]` to `starts[i + 1]`.
  ///   - outputs: of each map.
  ///   - x: planes of bytes, one after the other.
  ///   - end: where the maps' memory ends. Up to there, bytes that do not count may be read.
  ///   - flip: what the bytes of the planes are combined with by exclusive or.
  ///   - room: ``NarrowWindows/roomCount`` words.
  ///   - sums: room for 15 more, which may be written.
  static func sumNarrowWindows(
    _ w: UnsafePointer<Int32>, starts: UnsafePointer<Int>, outputs: Int, maps: Int, _ x: UnsafePointer<UInt8>,
    end: UnsafePointer<UInt8>, flip: UInt8, _ windows: NarrowWindows, _ room: UnsafeMutablePointer<Int32>,
    _ sums: UnsafeMutablePointer<Int32>, sumStep: Int)

  /// Sums over windows of lines, `sums[row * windows.columns + i]`, by kernels that spread bytes.
  ///
  /// - Parameters:
  ///   - w: `parts` times the words of a kernel.
  ///   - x: lines `lineStep` bytes apart, of which 63 beyond the last may be read.
  ///   - sums: room for 15 more, which may be written.
  static func sumWideWindows(
    _ w: UnsafePointer<Int32>, parts: Int, _ x: UnsafePointer<UInt8>, lineStep: Int, _ windows: WideWindows, rows: Int,
    _ sums: UnsafeMutablePointer<Int32>)

  /// `y[i] = table[x[i]]`, of a table of 256 bytes, or of words of four where they are wide.
  static func lookUp(
    _ x: UnsafePointer<UInt8>, table: UnsafeRawPointer, _ y: UnsafeMutableRawPointer, isWide: Bool, count: Int)

  /// `y[i]` is the greatest of `x[i + row * rowStep] ^ flip`, or 0 of no rows.
  static func maximumRows(
    _ x: UnsafePointer<UInt8>, rowStep: Int, rows: Int, flip: UInt8, _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// `y[i]` is the greatest of `x[i * stride + tap * tapStep]`, combined with `flip`. There is at least one tap.
  static func maximumWindows(
    _ x: UnsafePointer<UInt8>, taps: Int, tapStep: Int, stride: Int, flip: UInt8, _ y: UnsafeMutablePointer<UInt8>,
    count: Int)

  /// The 32-bit words that four bytes of a signed operand take: one, or more where they are laid out wider, as this
  /// variant multiplies them.
  static var wordsPerRowWord: Int { get }

  /// The words, for each row of a group, that its signed operand begins with.
  static var headerWordsPerRow: Int { get }

  /// Lays out some rows, `[rows, channels, area]`, as a signed operand: ``headerWordsPerRow`` words for each, then
  /// `[⌈channels / 4⌉, area, rows]` times four channels, filled up with zeros, with room for ``wordsPerRowWord`` words each.
  ///
  /// - Parameters:
  ///   - mayMove: whether the elements may be laid out less a number, the same for all, where that makes products faster.
  ///   - sums: the sum of each row's elements, as the layout has them.
  /// - Returns: what they are laid out less.
  @discardableResult
  static func packRows(
    _ w: UnsafePointer<UInt8>, rows: Int, channels: Int, area: Int, flip: UInt8, mayMove: Bool,
    _ y: UnsafeMutablePointer<Int32>, sums: UnsafeMutablePointer<Int32>
  ) -> Int32

  /// Lays out a part of a matrix, `[depth, columns]` with rows `rowStep` bytes apart, as an unsigned operand:
  /// `[⌈depth / 4⌉, width]` words of four rows, filled up with zeros.
  ///
  /// - Parameters:
  ///   - sums: the sum of each column's elements, as the layout has them; zero for those that fill up.
  static func packColumns(
    _ b: UnsafePointer<UInt8>, rowStep: Int, depth: Int, columns: Int, width: Int, flip: UInt8,
    _ y: UnsafeMutablePointer<Int32>, sums: UnsafeMutablePointer<Int32>)

  /// `sums[row * sumStep + i] = Σ_block Σ_tap w[block, tap, row] · x[i + block * blockStep + tapOffsets[tap]]`, where a
  /// product is that of four bytes each.
  ///
  /// - Parameters:
  ///   - rows: 1, 2, 4 or 8.
  ///   - count: of columns; room for 15 more, which may be written.
  static func multiplyWords(
    _ w: UnsafePointer<Int32>, rows: Int, _ x: UnsafePointer<Int32>, count: Int, blockCount: Int, blockStep: Int,
    tapCount: Int, tapOffsets: UnsafePointer<Int>, _ sums: UnsafeMutablePointer<Int32>, sumStep: Int)

  /// `sums[i] = Σ_tap w[tap] · x[i + tapOffsets[tap]]` for `count` numbers; up to 15 more may be written.
  static func sumTaps(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<Int32>, count: Int, tapCount: Int, tapOffsets: UnsafePointer<Int>,
    _ sums: UnsafeMutablePointer<Int32>)

  /// Corrected sums. `y` does not overlap them; its rows are `step` apart.
  ///
  /// Sums, and what the correction and a scale say of columns, are read in sixteens.
  static func correctSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection,
    _ y: UnsafeMutablePointer<Int32>, step: Int)

  /// `y = Float(sum) * scale + bias` of corrected sums.
  static func scaleSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    _ y: UnsafeMutablePointer<Float>, step: Int)

  /// `y = saturate(round(Float(sum) * scale) + zeroPoint)` of corrected sums, ties to even, as bytes.
  static func requantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int)

  /// ``quantize(_:scale:range:_:isWide:count:)`` of what
  /// ``scaleSums(_:sumStep:rows:count:correction:scale:_:step:)`` gives, the same bits. `range` takes the scale as an
  /// ordinary one.
  static func quantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    outputScale: Float, range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int)

  /// `y = saturate(round(x / scale) + zeroPoint)`, ties to even; the least value for NaN.
  static func quantize(
    _ x: UnsafePointer<Float>, scale: Float, range: QuantizedRange, _ y: UnsafeMutableRawPointer, isWide: Bool,
    count: Int)

  /// The same with a scale and a zero point for each element.
  static func quantizeEach(
    _ x: UnsafePointer<Float>, scales: UnsafePointer<Float>, zeroPoints: UnsafePointer<Int32>, range: QuantizedRange,
    _ y: UnsafeMutableRawPointer, isWide: Bool, count: Int)

  /// `y = Float(x - zeroPoint) * scale`, with the difference in 32 bits.
  static func dequantize(
    _ x: UnsafeRawPointer, _ type: StoredType, scale: Float, zeroPoint: Int32, _ y: UnsafeMutablePointer<Float>,
    count: Int)

  /// The same with a scale and a zero point for each element.
  static func dequantizeEach(
    _ x: UnsafeRawPointer, _ type: StoredType, scales: UnsafePointer<Float>, zeroPoints: UnsafePointer<Int32>,
    _ y: UnsafeMutablePointer<Float>, count: Int)

  /// `y = saturate(round(a · aScale + (b · bScale + rest)))` of bytes, both sums rounded once.
  ///
  /// - Parameter isSigned: whether all bytes are.
  static func addBytes(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, aScale: Float, bScale: Float, rest: Float, isSigned: Bool,
    _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// `y = saturate(round((a - aZeroPoint) · (b - bZeroPoint) · scale + zeroPoint))` of bytes, product and sum each
  /// rounded.
  ///
  /// - Parameter isSigned: whether all bytes are.
  static func multiplyBytes(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, aZeroPoint: Int32, bZeroPoint: Int32, scale: Float,
    zeroPoint: Int32, isSigned: Bool, _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// The least and the greatest of zero and all numbers. NaNs are ignored.
  static func rangeWithZero(_ x: UnsafePointer<Float>, count: Int) -> (least: Float, greatest: Float)
}

/// What sums of products of shifted bytes lack, by row and column:
///
///     sum + base[row] + factors[row] · columns[i] + otherFactors[row] · otherColumns[i]
///
/// With `a' = a + s` and `b' = b + t`, and their zero points moved likewise,
/// Σ (a - za)(b - zb) = Σ a'b' - za' Σ b' - zb' Σ a' + k za' zb', which has this form.
package struct SumCorrection: BitwiseCopyable {
  package var base: UnsafePointer<Int32>
  package var factors: UnsafePointer<Int32>
  package var columns: UnsafePointer<Int32>?
  package var otherFactors: UnsafePointer<Int32>
  package var otherColumns: UnsafePointer<Int32>?

  package init(
    base: UnsafePointer<Int32>, factors: UnsafePointer<Int32>, columns: UnsafePointer<Int32>?,
    otherFactors: UnsafePointer<Int32>? = nil, otherColumns: UnsafePointer<Int32>? = nil
  ) {
    self.base = base
    self.factors = factors
    self.columns = columns
    self.otherFactors = otherFactors ?? factors
    self.otherColumns = otherColumns
  }
}

/// What sums are multiplied by, and what is added then: numbers of rows or of columns. Fifteen more are read, and are zero.
package struct SumScale: BitwiseCopyable {
  package var scales: UnsafePointer<Float>
  package var bias: UnsafePointer<Float>?
  package var isOfColumns: Bool

  package init(scales: UnsafePointer<Float>, bias: UnsafePointer<Float>?, isOfColumns: Bool) {
    self.scales = scales
    self.bias = bias
    self.isOfColumns = isOfColumns
  }
}

/// The integers a quantised type holds, and the one that stands for zero.
package struct QuantizedRange: BitwiseCopyable, Sendable {
  package var least: Int32
  package var greatest: Int32
  package var zeroPoint: Int32

  package init(least: Int32, greatest: Int32, zeroPoint: Int32) {
    self.least = least
    self.greatest = greatest
    self.zeroPoint = zeroPoint
  }

  /// Whether a scale is positive, and neither so large nor so small that a step of a division by it is out of range.
  package func isOrdinary(_ scale: Float) -> Bool { scale > 0x1p-90 && scale < 0x1p90 }
}
