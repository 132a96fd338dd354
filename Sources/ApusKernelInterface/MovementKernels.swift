/// An n-dimensional block and how far its source and its destination move a step along each axis, in elements.
/// Strides may be 0 or negative in the source.
package struct StridedAxes {
  package var rank: Int
  package var sizes: UnsafePointer<Int>
  package var sourceStrides: UnsafePointer<Int>
  package var destinationStrides: UnsafePointer<Int>

  /// `rank` is at least 1; the pointers hold that many values each, and no size is zero.
  package init(
    rank: Int, sizes: UnsafePointer<Int>, sourceStrides: UnsafePointer<Int>, destinationStrides: UnsafePointer<Int>
  ) {
    self.rank = rank
    self.sizes = sizes
    self.sourceStrides = sourceStrides
    self.destinationStrides = destinationStrides
  }
}

/// Copies that change where elements lie, written once for each element size: 1, 2, 4 or 8 bytes.
package protocol MovementKernels {
  /// Copies a block between strided layouts. Fast where both are contiguous along the last axis, and where the source
  /// is contiguous along another one (a transposition).
  static func copy(
    elementSize: Int, from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer,
    over axes: StridedAxes)

  /// `destination[c * destinationStride + r] = source[r * sourceStride + c]`, strides in elements.
  static func transpose(
    elementSize: Int, from source: UnsafeRawPointer, sourceStride: Int,
    to destination: UnsafeMutableRawPointer, destinationStride: Int, rows: Int, columns: Int)

  /// `count` copies of the element at `value`.
  static func fill(
    elementSize: Int, with value: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int)

  /// From `[axisSize, inner]` the rows that `indices` name: `[count, inner]`. Negative indices count from the end;
  /// all are in range.
  static func gather(
    elementSize: Int, from source: UnsafeRawPointer, axisSize: Int, inner: Int,
    indices: UnsafePointer<Int64>, count: Int, to destination: UnsafeMutableRawPointer)

  /// `destination[i][j] = source[indices[i][j]][j]` with `source` of shape `[axisSize, inner]` and the others
  /// `[count, inner]`. Negative indices count from the end; all are in range.
  static func gatherElements(
    elementSize: Int, from source: UnsafeRawPointer, axisSize: Int, inner: Int,
    indices: UnsafePointer<Int64>, count: Int, to destination: UnsafeMutableRawPointer)

  /// The place of the first index outside `low ..< high`, or -1.
  static func firstIndex(outside low: Int, _ high: Int, _ indices: UnsafePointer<Int64>, count: Int) -> Int
}
