/// An axis of a block, and how far its source and its destination move a step along it, in elements. The source's stride
/// may be 0 or negative.
package struct StridedAxis: Sendable {
  package var size: Int
  package var sourceStride: Int
  package var destinationStride: Int

  package init(size: Int, sourceStride: Int, destinationStride: Int) {
    self.size = size
    self.sourceStride = sourceStride
    self.destinationStride = destinationStride
  }
}

/// Copies that change where elements lie, written once for each element size: 1, 2, 4 or 8 bytes.
package protocol MovementKernels {
  /// Copies a block between strided layouts. Fast where both are contiguous along the last axis, and where the source
  /// is contiguous along another one (a transposition).
  /// - Parameter axes: `rank` of them, at least one, none of size 0.
  static func copy(
    elementSize: Int, from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer,
    over axes: UnsafePointer<StridedAxis>, rank: Int)

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
