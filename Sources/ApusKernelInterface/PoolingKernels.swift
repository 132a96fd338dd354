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
  /// How the windows of a row lie, where they do at regular steps and that has been looked for.
  package private(set) var line: PooledLine?
  /// Whether a sum is one of sums down the columns of a window, as a ``line`` makes it, and not of sums along its rows: the
  /// same for all windows of all maps, so that results do not depend on how maps lie.
  package var sumsColumns = false

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

  /// Looks whether windows lie at regular steps, for row-major maps.
  package mutating func findLine() { line = PooledLine(self) }
}

/// The windows of a row where each is the one before moved on by a stride, and those at the sides are cut off there.
package struct PooledLine {
  /// Columns that the windows reach beyond the map's sides.
  package let left: Int
  package let right: Int
  /// Columns in a window.
  package let taps: Int
  /// Columns from one window to the next.
  package let stride: Int

  /// Nil where windows are different or far apart, or have more than 1,024 positions, or reach far beyond the map.
  init?(_ windows: PoolingWindows) {
    let (count, step, width) = (windows.columnCount, windows.columnStep, windows.width)
    guard count > 1, width > 0 else { return nil }
    var widest = 0
    for column in 1..<count where windows.columns[column].count > windows.columns[widest].count { widest = column }
    let taps = windows.columns[widest].count
    var stride = 1
    if widest &+ 1 < count, windows.columns[widest &+ 1].count == taps {
      stride = windows.columns[widest &+ 1].first &- windows.columns[widest].first
    }
    let start = windows.columns[widest].first &- widest &* stride
    var tallest = 0
    for row in 0..<windows.rowCount where windows.rows[row].count > tallest { tallest = windows.rows[row].count }
    guard taps > 0, tallest &* taps <= 1024, stride > 0, stride <= 4 else { return nil }
    for column in 0..<count {
      let from = start &+ column &* stride
      let span = windows.columns[column]
      let skipped = from < 0 ? (step &- 1 &- from) / step : 0
      let end = from >= width ? 0 : (width &- 1 &- from) / step &+ 1
      let inside = (end < taps ? end : taps) &- skipped
      guard inside > 0, span.count == inside, span.first == from &+ skipped &* step else { return nil }
    }
    let last = start &+ (count &- 1) &* stride &+ (taps &- 1) &* step
    // A line that begins inside the map is cut there.
    guard start <= 0 else { return nil }
    left = 0 &- start
    right = last < width ? 0 : last &+ 1 &- width
    guard left <= width &+ 1024, right <= width &+ 1024 else { return nil }
    (self.taps, self.stride) = (taps, stride)
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

  /// The sum of every window over the product of its extents, made of sums of at most 32 terms: the same bits for a blocked
  /// map as for another where sums are of columns. Elsewhere those of another map, where fewer than four windows are
  /// neighbours or they have more than 1,024 positions, are accumulated in `Double`.
  static func averagePool(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, windows: PoolingWindows, isBlocked: Bool)
}
