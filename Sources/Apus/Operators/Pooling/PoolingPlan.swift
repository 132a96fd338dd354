import ApusKernelInterface

/// The windows of a pooling operator over maps of one size: where each begins, what it covers, what it divides by.
struct PoolingPlan: Sendable {
  let operation: String
  private let rows: [WindowSpan]
  private var columns: [WindowSpan]
  private let dilation: Size2D

  /// Windows of one size at regular steps.
  ///
  /// - Parameters:
  ///   - ceilMode: whether a last window may reach beyond the padded map, as long as it begins inside.
  ///   - countsPadding: whether padding counts in the divisor of an average.
  /// - Throws: ``TensorError`` for arguments out of range, and a map that is smaller than the window.
  init(
    _ map: Size2D, parameters: ConvolutionParameters, ceilMode: Bool, countsPadding: Bool
  ) throws {
    func axis(
      _ size: Int, kernel: Int, stride: Int, before: Int, after: Int, dilation: Int, extent: Int
    ) throws -> PoolingAxis {
      guard max(before, after) <= extent / 2 else {
        throw TensorError.argument(
          operation: parameters.operation,
          reason: "padding \(max(before, after)) is more than half of a window of \(extent) positions")
      }
      guard size <= 1 << 31, size + before + after + (ceilMode ? stride - 1 : 0) >= extent else {
        throw TensorError.shape(
          operation: parameters.operation,
          reason: "a window of \(extent) positions does not fit into \(size) positions padded by \(before + after)")
      }
      var count = (size + before + after - extent + (ceilMode ? stride - 1 : 0)) / stride + 1
      if ceilMode, (count - 1) * stride >= size + before { count -= 1 }
      return PoolingAxis(
        kernel: kernel, stride: stride, dilation: dilation, before: before, after: after, outputs: count)
    }
    let (kernel, stride, padding) = (parameters.kernel, parameters.stride, parameters.padding)
    let extent = parameters.extent
    try self.init(
      map,
      rows: axis(
        map.height, kernel: kernel.height, stride: stride.height, before: padding.top, after: padding.bottom,
        dilation: parameters.dilation.height, extent: extent.height),
      columns: axis(
        map.width, kernel: kernel.width, stride: stride.width, before: padding.left, after: padding.right,
        dilation: parameters.dilation.width, extent: extent.width),
      divisor: countsPadding ? .padded : .covered, operation: parameters.operation)
  }

  /// Windows as `rows` and `columns` say.
  /// - Throws: ``TensorError`` for numbers out of range.
  init(
    _ map: Size2D, rows: PoolingAxis, columns: PoolingAxis, divisor: PoolingDivisor, operation: String
  ) throws {
    try self.init(
      operation: operation, rows: rows.spans(map.height, divisor: divisor, operation: operation),
      columns: columns.spans(map.width, divisor: divisor, operation: operation),
      dilation: Size2D(height: rows.dilation, width: columns.dilation))
  }

  /// Windows that share the map out: number `i` of `n` covers the positions from `⌊i·size/n⌋` to `⌈(i+1)·size/n⌉`.
  /// - Throws: ``TensorError`` for an output that is not positive, and an empty map.
  init(_ map: Size2D, output: Size2D, operation: String) throws {
    func spans(_ size: Int, _ count: Int) throws -> [WindowSpan] {
      let limit = 1 << 31
      guard count > 0, count <= limit else {
        throw TensorError.argument(operation: operation, reason: "output size \(count) is outside 1...\(limit)")
      }
      guard size > 0, size <= limit else {
        throw TensorError.shape(operation: operation, reason: "a map with \(size) positions along an axis")
      }
      // Before the spans are written down, for `count` may be anything.
      try Shape.checkMemory([count], of: WindowSpan.self, operation: operation)
      return (0..<count).map { index in
        let first = index * size / count
        let covered = ((index + 1) * size + count - 1) / count - first
        return WindowSpan(first: first, count: covered, extent: covered)
      }
    }
    try self.init(
      operation: operation, rows: spans(map.height, output.height), columns: spans(map.width, output.width),
      dilation: 1)
  }

  /// Maxima over the columns of each row, then over the rows of those, when that takes fewer comparisons of a map of
  /// `height` rows.
  func separated(height: Int) -> (columns: PoolingPlan, rows: PoolingPlan)? {
    let (tall, wide) = (rows.map(\.count).max() ?? 0, columns.map(\.count).max() ?? 0)
    let separate = Double(height) * Double(wide) + Double(rows.count) * Double(tall)
    guard tall > 2, wide > 2, 2 * separate < Double(rows.count) * Double(tall) * Double(wide) else { return nil }
    let everyRow = (0..<height).map { WindowSpan(first: $0, count: 1, extent: 1) }
    let everyColumn = columns.indices.map { WindowSpan(first: $0, count: 1, extent: 1) }
    return (
      PoolingPlan(operation: operation, rows: everyRow, columns: columns, dilation: dilation),
      PoolingPlan(operation: operation, rows: rows, columns: everyColumn, dilation: dilation)
    )
  }

  private init(operation: String, rows: [WindowSpan], columns: [WindowSpan], dilation: Size2D) {
    (self.operation, self.rows, self.columns, self.dilation) = (operation, rows, columns, dilation)
    self.columns.countRuns()
  }

  /// Whether averages are made of sums down columns, whatever the layout: of windows at regular steps, of which none wider
  /// than the parts of a sum is cut off.
  func sumsColumns(width: Int) -> Bool {
    rows.withUnsafeBufferPointer { rows in
      columns.withUnsafeBufferPointer { columns in
        guard let rowSpans = rows.baseAddress, let columnSpans = columns.baseAddress else { return false }
        var windows = PoolingWindows(
          rows: rowSpans, rowCount: rows.count, rowStep: dilation.height, columns: columnSpans,
          columnCount: columns.count, columnStep: dilation.width, width: width)
        windows.findLine()
        return windows.line.map { $0.taps <= 32 } ?? false
      }
    }
  }

  /// Applies `kernel` to every map of `input`, `[batch, channels, height, width]`. The layout is kept.
  ///
  /// - Parameter sumsColumns: what ``sumsColumns(width:)`` says, of averages.
  func run<Scalar: FloatingPointScalar>(
    _ input: Tensor<Scalar>, sumsColumns: Bool = false,
    kernel: @Sendable (UnsafePointer<Scalar>, UnsafeMutablePointer<Scalar>, PoolingWindows, _ isBlocked: Bool) -> Void
  ) throws -> Tensor<Scalar> {
    let shape = [input.shape[0], input.shape[1], rows.count, columns.count]
    guard try Shape.elementCount(shape, operation: operation) > 0 else { return try Tensor(zeros: shape) }
    let width = input.shape[3]
    let isBlocked = input.layout == .channelBlocked
    let vector = isBlocked ? TensorLayout.block : 1
    let maps = input.shape[0] * ((input.shape[1] + vector - 1) / vector)
    let inputStep = input.shape[2] * width * vector
    let outputStep = rows.count * columns.count * vector
    // About as many elements read as make a piece of work worth handing out, in whole maps or in rows of one.
    let mapsPerTask = max(1, min(maps, 32_768 / max(inputStep, 1)))
    // A window may cover a whole map: no piece of work takes more than some milliseconds, or a row of outputs.
    let taps = (rows.map(\.count).max() ?? 1) * (columns.map(\.count).max() ?? 1)
    let mostOutputs = max(1, (1 << 22) / max(taps, 1))
    let mostRows = max(1, min(65_536 * rows.count / max(inputStep, 1), mostOutputs / columns.count))
    let rowsPerTask = mapsPerTask > 1 ? rows.count : min(rows.count, mostRows)
    let rowTasks = (rows.count + rowsPerTask - 1) / rowsPerTask
    let columnsPerTask = rowsPerTask == 1 ? min(columns.count, mostOutputs) : columns.count
    let columnTasks = (columns.count + columnsPerTask - 1) / columnsPerTask
    let mapTasks = (maps + mapsPerTask - 1) / mapsPerTask
    let x = Unchecked(input.pointer)
    let (rows, columns, dilation) = (rows, columns, dilation)

    return try Tensor.filled(shape, layout: input.layout) { destination in
      let y = Unchecked(destination)
      withExtendedLifetime(input.storage) {
        parallel(mapTasks * rowTasks * columnTasks) { task in
          let firstColumn = task % columnTasks * columnsPerTask
          let firstRow = task / columnTasks % rowTasks * rowsPerTask
          let firstMap = task / columnTasks / rowTasks * mapsPerTask
          rows.withUnsafeBufferPointer { rowSpans in
            columns.withUnsafeBufferPointer { columnSpans in
              guard let rowSpans = rowSpans.baseAddress, let columnSpans = columnSpans.baseAddress else { return }
              var windows = PoolingWindows(
                rows: rowSpans + firstRow, rowCount: min(rowsPerTask, rows.count - firstRow), rowStep: dilation.height,
                columns: columnSpans + firstColumn, columnCount: min(columnsPerTask, columns.count - firstColumn),
                columnStep: dilation.width, width: width)
              windows.sumsColumns = sumsColumns
              if !isBlocked { windows.findLine() }
              for map in firstMap..<min(firstMap + mapsPerTask, maps) {
                kernel(
                  x.value + map * inputStep,
                  y.value + map * outputStep + (firstRow * columns.count + firstColumn) * vector,
                  windows, isBlocked)
              }
            }
          }
        }
      }
    }
  }
}
