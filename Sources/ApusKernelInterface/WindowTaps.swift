/// A kernel of one channel whose rows are multiplied word by word: some neighbouring taps each, of which a word of the map
/// holds what they see.
package struct WindowTaps: Sendable {
  /// Two of sixteen bits each, or four bytes: ``QuantizedKernels/tapsPerWord``.
  package let tapsPerWord: Int
  package let kernelRows: Int
  package let kernelColumns: Int
  /// Words of a kernel's row, of which the last may have fewer taps.
  package let wordsPerRow: Int
  package let rowStride: Int
  package let rowDilation: Int

  package init(tapsPerWord: Int, kernelRows: Int, kernelColumns: Int, rowStride: Int, rowDilation: Int) {
    (self.tapsPerWord, self.kernelRows, self.kernelColumns) = (tapsPerWord, kernelRows, kernelColumns)
    (self.rowStride, self.rowDilation) = (rowStride, rowDilation)
    wordsPerRow = (kernelColumns + tapsPerWord - 1) / tapsPerWord
  }

  /// The most parts that a kernel's words are laid out in. A difference of bytes is 255 at most, 128 of which a byte holds;
  /// where products saturate, of two such neighbours a part takes 128 together.
  package static let maximumParts = 5

  /// Words of a kernel, where one for each is enough.
  package var wordCount: Int { kernelRows * wordsPerRow }

  /// Rows of the map, with those of its padding, that the windows of so many rows of outputs reach.
  package func reach(rows: Int) -> Int { (rows - 1) * rowStride + (kernelRows - 1) * rowDilation + 1 }
}
