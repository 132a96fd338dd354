import ApusKernelInterface

extension Float32Kernels {
  package static func maxPool(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, windows: PoolingWindows, isBlocked: Bool
  ) {
    if isBlocked {
      forWindows(windows) { window, output in
        store(greatest(window, windows) { load(x + $0 &* 16) }, y + output &* 16)
      }
    } else if let line = windows.line {
      poolLines(x, y, windows, line, Maxima.self)
    } else {
      pool(x, y, windows) { window, load in
        greatest(window, windows, load)
      } single: { window in
        var greatest = -Float.infinity
        forRows(of: window, windows) { row in
          for k in 0..<window.columns.count {
            let value = x[row &+ k &* windows.columnStep]
            if value > greatest || value != value { greatest = value }
          }
        }
        return greatest
      }
    }
  }

  /// The greatest elements of sixteen windows, `load` giving each its element of a position.
  @inline(__always)
  private static func greatest(
    _ window: Window, _ windows: PoolingWindows, _ load: (_ position: Int) -> Lanes
  ) -> Lanes {
    var peaks = noPeaks()
    forRows(of: window, windows) { row in
      for k in 0..<window.columns.count { take(load(row &+ k &* windows.columnStep), into: &peaks) }
    }
    return greatestOrNaN(peaks)
  }

  package static func averagePool(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, windows: PoolingWindows, isBlocked: Bool
  ) {
    if isBlocked {
      forWindows(windows) { window, output in
        store(mean(window, windows) { load(x + $0 &* 16) }, y + output &* 16)
      }
    } else if windows.sumsColumns, let line = windows.line {
      poolLines(x, y, windows, line, Means.self)
    } else {
      pool(x, y, windows) { window, load in
        mean(window, windows, load)
      } single: { window in
        if windows.sumsColumns { return mean(window, windows) { Lanes(repeating: x[$0]) }[0] }
        // In double precision, in which scalars are as fast.
        var sum = 0.0
        forRows(of: window, windows) { row in
          for k in 0..<window.columns.count { sum += Double(x[row &+ k &* windows.columnStep]) }
        }
        return Float(sum / Double(window.rows.extent &* window.columns.extent))
      }
    }
  }

  /// The means of sixteen windows, `load` giving each its element of a position.
  @inline(__always)
  private static func mean(_ window: Window, _ windows: PoolingWindows, _ load: (_ position: Int) -> Lanes) -> Lanes {
    var sum = Lanes(repeating: 0)
    if windows.sumsColumns {
      let corner = window.rows.first &* windows.width &+ window.columns.first
      let down = windows.rowStep &* windows.width
      sum = Means.pooled(window.columns.count) { column in
        let top = corner &+ column &* windows.columnStep
        return Means.pooled(window.rows.count) { load(top &+ $0 &* down) }
      }
    } else {
      forRows(of: window, windows) { row in
        forChunks(window.columns.count) { first, end in
          var part = Lanes(repeating: 0)
          for k in first..<end { part += load(row &+ k &* windows.columnStep) }
          sum += part
        }
      }
    }
    return sum / Float(window.rows.extent &* window.columns.extent)
  }

  /// Windows at regular steps of a row-major map: rows first, to a line that goes on `outside` the map on both sides, so that
  /// windows at the sides are like all others; then along the line, which is dealt out by the stride, so that an element of
  /// sixteen windows is sixteen side by side. The map's first column and the parts begin at whole vectors, for a vector
  /// across two cache lines waits for both when it was just written.
  @inline(__always)
  private static func poolLines<Pool: LinePool>(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows, _ line: PooledLine,
    _ pool: Pool.Type
  ) {
    let (count, stride, taps) = (windows.columnCount, line.stride, line.taps)
    let ahead = (line.left &+ 31) / 32 &* 32
    let part = (ahead &+ windows.width &+ line.right) / stride / 16 &* 16 &+ 48
    let last = windows.rows[windows.rowCount &- 1]
    let end = x + (last.count > 0 ? (last.first &+ (last.count &- 1) &* windows.rowStep &+ 1) &* windows.width : 0)
    let length = 2 &* stride &* part
    let bytes = 4 &* (length &+ count &+ 16)
    withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 64) { floats in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: taps) { places in
        guard let places = places.baseAddress,
          let whole = floats.bindMemory(to: Float.self).baseAddress
        else { return }
        let dealt = stride > 1 ? whole + stride &* part : whole
        let extents = whole + length
        for i in 0..<length { whole[i] = Pool.outside }
        for i in 0..<(count &+ 16) { extents[i] = i < count ? Float(windows.columns[i].extent) : 1 }
        for k in 0..<taps {
          let (steps, rest) = (ahead &- line.left &+ k &* windows.columnStep).quotientAndRemainder(dividingBy: stride)
          places[k] = rest &* part &+ steps
        }
        for row in 0..<windows.rowCount {
          let rows = windows.rows[row]
          poolRows(x, whole + ahead, windows, rows, end: end, pool)
          if stride > 1 { deal(whole, dealt, by: stride, part: part) }
          var column = 0
          while column < count {
            let place = count >= 16 ? min(column, count &- 16) : 0
            let value = Pool.pooled(taps) { load(dealt + (places[$0] &+ place)) }
            let result = Pool.result(value, rows: Float(rows.extent), columns: extents + place)
            store(result, y + (row &* count &+ place), upTo: count)
            column &+= 16
          }
        }
      }
    }
  }

  /// The rows that `span` covers, pooled to one, of `y`.
  ///
  /// - Parameter end: of the map; beyond it nothing is read.
  @inline(__always)
  private static func poolRows<Pool: LinePool>(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows, _ span: WindowSpan,
    end: UnsafePointer<Float>, _ pool: Pool.Type
  ) {
    let width = windows.width
    let (first, step) = (x + span.first &* width, windows.rowStep &* width)
    if width >= 16 {
      var column = 0
      while column < width {
        // The last sixteen whole, some of them for the second time.
        let place = min(column, width &- 16)
        store(Pool.pooled(span.count) { load(first + (place &+ $0 &* step)) }, y + place)
        column &+= 16
      }
    } else {
      let value = Pool.pooled(span.count) { index in
        let row = first + index &* step
        return row + 16 <= end ? load(row) : load(row, first: width)
      }
      // Lanes that belong to the next row are outside, as the line is there.
      store(choose(laneNumbers() .< all(Float(width)), value, all(Pool.outside)), y)
    }
  }

  /// Element `i · stride + k` of `x` as element `i` of the `k`-th part of `y`.
  @inline(__always)
  private static func deal(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, by stride: Int, part: Int
  ) {
    if stride == 2 {
      for i in Swift.stride(from: 0, to: part &- 32, by: 16) {
        let pairs = loadPairs(x + 2 &* i)
        store(pairs.first, y + i)
        store(pairs.second, y + (part &+ i))
      }
    } else {
      for k in 0..<stride {
        for i in 0..<(part &- 32) { y[k &* part &+ i] = x[i &* stride &+ k] }
      }
    }
  }

  /// Fills a row-major map: sixteen neighbouring windows at a time where there are some, else one.
  ///
  /// - Parameters:
  ///   - sixteen: is given the first of the windows, and what loads the element of a position for each of them.
  ///   - single: what the others are filled by, and windows of more than 1,024 positions.
  @inline(__always)
  private static func pool(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows,
    sixteen: (_ window: Window, _ load: (_ position: Int) -> Lanes) -> Lanes, single: (_ window: Window) -> Float
  ) {
    // Lanes beyond the last window may be read of what follows in the map, and are not stored.
    let last = windows.rows[windows.rowCount &- 1]
    let readable = last.count > 0 ? (last.first &+ (last.count &- 1) &* windows.rowStep &+ 1) &* windows.width : 0
    var output = 0
    for row in 0..<windows.rowCount {
      let rows = windows.rows[row]
      var column = 0
      while column < windows.columnCount {
        let columns = windows.columns[column]
        let run = min(columns.run, windows.columnCount &- column)
        if run < 4 || rows.count &* columns.count > 1024 {
          y[output] = single((rows, columns))
          column &+= 1
          output &+= 1
          continue
        }
        var done = 0
        repeat {
          // The last sixteen whole, some of them for the second time.
          if run >= 16, done &+ 16 > run { done = run &- 16 }
          let result = sixteen((rows, windows.columns[column &+ done])) { position in
            position &+ 16 <= readable ? load(x + position) : load(x + position, upTo: run)
          }
          store(result, y + (output &+ done), upTo: run)
          done &+= 16
        } while done < run
        column &+= run
        output &+= run
      }
    }
  }
}

/// What is made of the windows of a line, first of their rows, then of what those gave.
private protocol LinePool {
  /// Changes nothing.
  static var outside: Float { get }

  /// `count` elements together, of sixteen places side by side.
  static func pooled(_ count: Int, _ element: (_ index: Int) -> Lanes) -> Lanes

  /// The results of windows of `rows` and `columns`, by their extents.
  static func result(_ pooled: Lanes, rows: Float, columns: UnsafePointer<Float>) -> Lanes
}

private enum Maxima: LinePool {
  static var outside: Float { -.infinity }

  @inline(__always)
  static func pooled(_ count: Int, _ element: (_ index: Int) -> Lanes) -> Lanes {
    var peaks = noPeaks()
    for k in 0..<count { take(element(k), into: &peaks) }
    return greatestOrNaN(peaks)
  }

  @inline(__always)
  static func result(_ pooled: Lanes, rows: Float, columns: UnsafePointer<Float>) -> Lanes { pooled }
}

private enum Means: LinePool {
  static var outside: Float { 0 }

  @inline(__always)
  static func pooled(_ count: Int, _ element: (_ index: Int) -> Lanes) -> Lanes {
    var (sum, part) = (all(0), all(0))
    for k in 0..<count {
      if k & 31 == 0 {
        sum += part
        part = all(0)
      }
      part += element(k)
    }
    return sum + part
  }

  @inline(__always)
  static func result(_ pooled: Lanes, rows: Float, columns: UnsafePointer<Float>) -> Lanes {
    pooled / (all(rows) * load(columns))
  }
}

extension Float64Kernels {
  package static func maxPool(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, windows: PoolingWindows, isBlocked: Bool
  ) {
    forWindows(windows) { window, output in
      var greatest = -Double.infinity
      forRows(of: window, windows) { row in
        for k in 0..<window.columns.count {
          let value = x[row &+ k &* windows.columnStep]
          if value > greatest || value != value { greatest = value }
        }
      }
      y[output] = greatest
    }
  }

  package static func averagePool(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, windows: PoolingWindows, isBlocked: Bool
  ) {
    forWindows(windows) { window, output in
      var sum = 0.0
      forRows(of: window, windows) { row in
        forChunks(window.columns.count) { first, end in
          var part = 0.0
          for k in first..<end { part += x[row &+ k &* windows.columnStep] }
          sum += part
        }
      }
      y[output] = sum / Double(window.rows.extent &* window.columns.extent)
    }
  }
}

private typealias Window = (rows: WindowSpan, columns: WindowSpan)

/// Calls `body` for every window with the place of its output.
@inline(__always)
private func forWindows(_ windows: PoolingWindows, _ body: (_ window: Window, _ output: Int) -> Void) {
  var output = 0
  for row in 0..<windows.rowCount {
    let rows = windows.rows[row]
    for column in 0..<windows.columnCount {
      body((rows, windows.columns[column]), output)
      output &+= 1
    }
  }
}

/// Calls `body` with the position at which each row of a window begins.
@inline(__always)
private func forRows(of window: Window, _ windows: PoolingWindows, _ body: (_ position: Int) -> Void) {
  for k in 0..<window.rows.count {
    body((window.rows.first &+ k &* windows.rowStep) &* windows.width &+ window.columns.first)
  }
}

/// Calls `body` for consecutive ranges of at most 32 terms.
@inline(__always)
private func forChunks(_ count: Int, _ body: (_ first: Int, _ end: Int) -> Void) {
  var first = 0
  while first < count {
    let end = count &- first < 32 ? count : first &+ 32
    body(first, end)
    first = end
  }
}
