/// How windows of one channel are summed where a register holds a row of the map, of up to sixteen bytes, and the sums of
/// a row of outputs, up to sixteen.
///
/// A row of bytes becomes, for every two neighbouring taps of a kernel's row, sixteen pairs of numbers of sixteen bits: what
/// the two taps of each output see. Strides, dilations and padding are in the places of these bytes, so that rows are read
/// where they lie.
package struct NarrowWindows: Sendable {
  /// Pairs of taps of a kernel's row; of an odd number the last tap is by itself.
  package let pairs: Int
  package let kernelRows: Int
  package let kernelColumns: Int
  package let rowStride: Int
  package let rowDilation: Int
  /// Rows of padding above the map.
  package let top: Int
  /// Rows and bytes a row of the map.
  package let height: Int
  package let width: Int
  /// Rows and columns of outputs.
  package let rows: Int
  package let columns: Int
  /// For each pair of taps three times sixteen words: the places of each output's bytes in a row of the map, 128 for none;
  /// what stands where there is none; and what all of a row outside of the map is.
  package let tables: [Int32]

  /// Rows of the map with those of its padding that windows reach.
  package var paddedRows: Int { (rows - 1) * rowStride + (kernelRows - 1) * rowDilation + 1 }

  /// The words that ``QuantizedKernels/sumNarrowWindows(_:_:end:flip:_:_:_:)`` wants room for.
  package var roomCount: Int { (paddedRows * 16 + kernelRows) * pairs }

  /// - Parameters:
  ///   - filler: what padding is.
  package init(
    kernelRows: Int, kernelColumns: Int, rowStride: Int, columnStride: Int, rowDilation: Int, columnDilation: Int,
    top: Int, left: Int, height: Int, width: Int, rows: Int, columns: Int, filler: UInt8
  ) {
    (self.kernelRows, self.kernelColumns) = (kernelRows, kernelColumns)
    (self.rowStride, self.rowDilation, self.top) = (rowStride, rowDilation, top)
    (self.height, self.width, self.rows, self.columns) = (height, width, rows, columns)
    pairs = (kernelColumns + 1) / 2
    var tables: [Int32] = []
    for pair in 0..<pairs {
      var places = [Int32](repeating: Int32(bitPattern: 0x8080_8080), count: 16)
      var fillers = [Int32](repeating: 0, count: 16)
      var outside = fillers
      for output in 0..<columns {
        for tap in 2 * pair..<min(2 * pair + 2, kernelColumns) {
          let shift = Int32(tap % 2 * 16)
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
