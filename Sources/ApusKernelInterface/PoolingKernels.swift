/// The positions of one axis that a window covers: `first`, `first + step`, …, `count` of them, all inside the map.
package struct WindowSpan: BitwiseCopyable, Sendable {
  package var first: Int
  package var count: Int
  /// What this axis contributes to the divisor of an average: `count`, or more where padding is counted.
  package var extent: Int
  /// How many windows, this one first, are each the one before moved on by a position.
  package fileprivate(set) var run = 1

  package init(first: Int, count: Int, extent: Int) {
    self.first = first
    self.count = count
    self.extent = extent
  }
}

extension [WindowSpan] {
  /// Counts the runs of windows that are neighbours.
  package mutating func countRuns() {
    for index in indices.dropLast().reversed() {
      let (window, next) = (self[index], self[index + 1])
      if next.first == window.first + 1, next.count == window.count, next.extent == window.extent {
        self[index].run = next.run + 1
      }
    }
  }
}

/// The windows over one map: a span for every output row and one for every output column.
package struct PoolingWindows {
  package var rows: UnsafePointer<WindowSpan>
  package var rowCount: Int
  /// Map rows between two rows of a window.
  package var rowStep: Int
  /// With their runs counted, which may reach beyond the last.
  package var columns: UnsafePointer<WindowSpan>
  package var columnCount: Int
  package var columnStep: Int
  /// Positions in a row of the map.
  package var width: Int

  /// The pointers hold as many spans as the counts say, and are valid during the call.
  package init(
    rows: UnsafePointer<WindowSpan>, rowCount: Int, rowStep: Int,
    columns: UnsafePointer<WindowSpan>, columnCount: Int, columnStep: Int, width: Int
  ) {
    self.rows = rows
    self.rowCount = rowCount
    self.rowStep = rowStep
    self.columns = columns
    self.columnCount = columnCount
    self.columnStep = columnStep
    self.width = width
  }
}

/// Maxima and averages over windows of one map.
///
/// `isBlocked` maps hold sixteen channels at every position, others one; only `Float` maps are ever blocked.
package protocol PoolingKernels<Scalar> {
  associatedtype Scalar

  /// The greatest element of every window; NaN where there is one, minus infinity for an empty window.
  static func maxPool(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, windows: PoolingWindows, isBlocked: Bool)

  /// The sum of every window over the product of its extents. Sums are accumulated in `Double`, except where sixteen are
  /// made at a time: of blocked maps, and of neighbouring windows of at most 1,024 positions. Those are made of sums of at
  /// most 32 terms.
  static func averagePool(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, windows: PoolingWindows, isBlocked: Bool)
}
