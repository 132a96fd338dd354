/// How windows of one channel are summed where a register holds a row of the map, of up to sixteen bytes, and the sums of
/// a row of outputs, up to sixteen.
///
/// A row of bytes becomes, for each word of a kernel's row, sixteen words: what its taps see of each output. Strides,
/// dilations and padding are in the places of these bytes, so that rows are read where they lie.
package struct NarrowWindows: Sendable {
  package let taps: WindowTaps
  /// Rows of padding above the map.
  package let top: Int
  /// Rows and bytes a row of the map.
  package let height: Int
  package let width: Int
  /// Rows and columns of outputs.
  package let rows: Int
  package let columns: Int
  /// For each word of a kernel's row three times sixteen words: the places of each output's bytes in a row of the map, 128 for
  /// none; what stands where there is none; and what all of a row outside of the map is.
  package let tables: [Int32]

  /// Rows of the map with those of its padding that windows reach.
  package var paddedRows: Int { taps.reach(rows: rows) }

  /// The words that ``QuantizedKernels/sumNarrowWindows(_:starts:outputs:maps:_:end:flip:_:_:_:sumStep:)`` wants room for.
  package var roomCount: Int { paddedRows * taps.wordsPerRow * 16 }

  /// - Parameters:
  ///   - filler: what padding is.
  package init(
    taps: WindowTaps, columnStride: Int, columnDilation: Int, top: Int, left: Int, height: Int, width: Int, rows: Int,
    columns: Int, filler: UInt8
  ) {
    (self.taps, self.top) = (taps, top)
    (self.height, self.width, self.rows, self.columns) = (height, width, rows, columns)
    let tapsPerWord = taps.tapsPerWord
    let bits = 32 / tapsPerWord
    var tables: [Int32] = []
    for word in 0..<taps.wordsPerRow {
      var places = [Int32](repeating: Int32(bitPattern: 0x8080_8080), count: 16)
      var fillers = [Int32](repeating: 0, count: 16)
      var outside = fillers
      for output in 0..<columns {
        for tap in tapsPerWord * word..<min(tapsPerWord * (word + 1), taps.kernelColumns) {
          let shift = Int32(tap % tapsPerWord * bits)
          let place = output * columnStride + tap * columnDilation - left
          outside[output] |= Int32(filler) << shift
          if 0..<width ~= place {
            places[output] = places[output] & ~(0xFF << shift) | Int32(place) << shift
          } else {
            fillers[output] |= Int32(filler) << shift
          }
        }
      }
      tables += places + fillers + outside
    }
    self.tables = tables
  }
}
