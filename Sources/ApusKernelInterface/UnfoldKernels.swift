/// Convolution as a matrix product: windows laid out as rows of a blocked operand.
package protocol UnfoldKernels<Scalar> {
  associatedtype Scalar

  /// Lays out the windows under one row of outputs as a left operand `[terms / vector, width, vector]`, where a term is
  /// `(channel, kernel row, kernel column)`. Terms outside the map, and those that fill the last vector, are zero.
  ///
  /// - Parameters:
  ///   - x: row-major `[channels, height, width]`.
  ///   - row: the map's row under the first kernel row; may be negative. `column` likewise.
  ///   - blockStep: elements from one vector of terms to the next.
  static func unfoldRow(
    _ x: UnsafePointer<Scalar>, channels: Int, height: Int, width: Int, row: Int, column: Int,
    window: WindowWalk, outputWidth: Int, _ y: UnsafeMutablePointer<Scalar>, blockStep: Int)
}

/// A window's extent and its steps over the map.
package struct WindowWalk: BitwiseCopyable, Sendable {
  package var rows: Int
  package var columns: Int
  /// Map rows between kernel rows, and columns between kernel columns.
  package var rowDilation: Int
  package var columnDilation: Int
  /// Map columns between neighbouring outputs.
  package var columnStride: Int

  package init(rows: Int, columns: Int, rowDilation: Int, columnDilation: Int, columnStride: Int) {
    self.rows = rows
    self.columns = columns
    self.rowDilation = rowDilation
    self.columnDilation = columnDilation
    self.columnStride = columnStride
  }
}
