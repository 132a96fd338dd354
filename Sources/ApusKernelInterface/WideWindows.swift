/// How windows of one channel are summed where lines are staged with their padding: sixteen outputs of a row at a time.
///
/// What four neighbouring outputs see lies within sixteen bytes, and that of the next four begins `4 * columnStride` further.
package struct WideWindows: Sendable {
  package let taps: WindowTaps
  package let columnStride: Int
  package let columnDilation: Int
  /// Columns of outputs.
  package let columns: Int
  /// Of each output, the place among all words of one of the four that its four begin with.
  package let words: SIMD16<Int32>
  /// Of each output, the places of the bytes that its taps see among the sixteen of its four.
  package let bytes: SIMD16<Int32>

  /// - Returns: nil where what four outputs see does not lie within sixteen bytes.
  package init?(taps: WindowTaps, columnStride: Int, columnDilation: Int, columns: Int) {
    guard 1...4 ~= columnStride, 3 * columnStride + (taps.tapsPerWord - 1) * columnDilation < 16 else { return nil }
    (self.taps, self.columnStride, self.columnDilation) = (taps, columnStride, columnDilation)
    self.columns = columns
    var words = SIMD16<Int32>(repeating: 0)
    var bytes = words
    for output in 0..<16 {
      words[output] = Int32(output / 4 * columnStride + output % 4)
      for tap in 0..<taps.tapsPerWord {
        bytes[output] |= Int32(output % 4 * columnStride + tap * columnDilation) << Int32(32 / taps.tapsPerWord * tap)
      }
    }
    (self.words, self.bytes) = (words, bytes)
  }
}
