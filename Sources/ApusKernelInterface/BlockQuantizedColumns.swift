/// Columns of a right operand that are codes of four or eight bits, quantised in blocks along the rows:
///
///     weight[row, column] = (code[row, column] - zeroPoint[row / blockSize, column]) * scale[row / blockSize, column]
///
/// The difference is exact, and the product rounded once. Columns come in vectors, as in other right operands, and every list
/// is `[columns / vector, …, vector]`.
package struct BlockQuantizedColumns: BitwiseCopyable {
  /// `[columns / vector, rows · bits / 32, vector]`: neighbouring rows of a column share a word, the first in its lowest bits.
  package var words: UnsafePointer<Int32>
  /// `[columns / vector, rows / blockSize, vector]` numbers of the type that is computed in.
  package var scales: UnsafeRawPointer
  /// The same of bytes, for codes without a sign; nil for codes with a sign, whose zero is 0.
  package var zeroPoints: UnsafePointer<UInt8>?
  /// Four or eight.
  package let bits: Int
  /// A power of two, at least sixteen.
  package let blockSize: Int
  /// Blocks of a column, the last one whole.
  package let blockCount: Int

  package init(
    words: UnsafePointer<Int32>, scales: UnsafeRawPointer, zeroPoints: UnsafePointer<UInt8>?, bits: Int, blockSize: Int,
    blockCount: Int
  ) {
    (self.words, self.scales, self.zeroPoints) = (words, scales, zeroPoints)
    (self.bits, self.blockSize, self.blockCount) = (bits, blockSize, blockCount)
  }

  /// The columns that are `vectors` vectors of `width` numbers of `Scalar` further.
  @inline(__always)
  package func advanced<Scalar>(by vectors: Int, of width: Int, _: Scalar.Type) -> BlockQuantizedColumns {
    let blocks = vectors &* blockCount &* width
    var columns = self
    columns.words += blocks &* blockSize &* bits / 32
    columns.scales += blocks &* MemoryLayout<Scalar>.stride
    if let zeroPoints { columns.zeroPoints = zeroPoints + blocks }
    return columns
  }
}
