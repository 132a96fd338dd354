/// The positions of one axis that a window covers: `first`, `first + step`, …, `count` of them, all inside the map.
public struct WindowSpan: BitwiseCopyable, Sendable {
  public var first: Int
  public var count: Int
  /// What this axis contributes to the divisor of an average: `count`, or more where padding is counted.
  public var extent: Int

  public init(first: Int, count: Int, extent: Int) {
    self.first = first
    self.count = count
    self.extent = extent
  }
}

/// The windows over one map: a span for every output row and one for every output column.
public struct PoolingWindows {
  public var rows: UnsafePointer<WindowSpan>
  public var rowCount: Int
  /// Map rows between two rows of a window.
  public var rowStep: Int
  public var columns: UnsafePointer<WindowSpan>
  public var columnCount: Int
  public var columnStep: Int
  /// Positions in a row of the map.
  public var width: Int

  /// The pointers hold as many spans as the counts say, and are valid during the call.
  public init(
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
public protocol PoolingKernels<Scalar> {
  associatedtype Scalar

  /// The greatest element of every window; NaN where there is one, minus infinity for an empty window.
  static func maxPool(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, windows: PoolingWindows, isBlocked: Bool)

  /// The sum of every window over the product of its extents. Sums are accumulated in
  /// `Double`, except those of blocked maps, which are made of sums of at most 32 terms.
  static func averagePool(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, windows: PoolingWindows, isBlocked: Bool)
}
