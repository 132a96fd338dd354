import ApusKernelInterface

extension Float32Kernels {
  package static func maxPool(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, windows: PoolingWindows, isBlocked: Bool
  ) {
    if isBlocked {
      forWindows(windows) { window, output in
        store(greatest(window, windows) { load(x + $0 &* 16) }, y + output &* 16)
      }
    } else {
      maximumRows(x, y, windows)
    }
  }

  /// Maxima of whole rows first, a line for each row of windows, then along the line.
  private static func maximumRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows
  ) {
    let width = windows.width
    let whole = WindowSpan(first: 0, count: 1, extent: 1)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: width &+ 16) { room in
      guard let line = room.baseAddress else { return }
      withUnsafePointer(to: whole) { whole in
        let lines = PoolingWindows(
          rows: whole, rowCount: 1, rowStep: 1, columns: windows.columns, columnCount: windows.columnCount,
          columnStep: windows.columnStep, width: width)
        for row in 0..<windows.rowCount {
          let span = windows.rows[row]
          var column = 0
          while column < width {
            let place = column &+ 16 > width && width >= 16 ? width &- 16 : column
            var peaks = noPeaks()
            for k in 0..<span.count {
              let from = x + ((span.first &+ k &* windows.rowStep) &* width &+ place)
              take(load(from, upTo: width &- place), into: &peaks)
            }
            store(greatestOrNaN(peaks), line + place)
            column &+= 16
          }
          pool(line, y + row &* windows.columnCount, lines) { window, load in
            greatest(window, lines, load)
          } single: { window in
            var greatest = -Float.infinity
            for k in 0..<window.columns.count {
              let value = line[window.columns.first &+ k &* windows.columnStep]
              if value > greatest || value != value { greatest = value }
            }
            return greatest
          }
        }
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
    } else if let line = PooledLine(windows) {
      averageRows(x, y, windows, line)
    } else {
      pool(x, y, windows) { window, load in
        mean(window, windows, load)
      } single: { window in
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
    forRows(of: window, windows) { row in
      forChunks(window.columns.count) { first, end in
        var part = Lanes(repeating: 0)
        for k in first..<end { part += load(row &+ k &* windows.columnStep) }
        sum += part
      }
    }
    return sum / Float(window.rows.extent &* window.columns.extent)
  }

  /// Means of windows of which each is the one before moved on by a position: rows are added up first, to a line with zeros
  /// on both sides, so that windows at the map's sides are like all others.
  private static func averageRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows, _ line: PooledLine
  ) {
    let (width, count) = (windows.width, windows.columnCount)
    let beyond = line.left &+ width
    let length = beyond &+ line.right &+ 16
    let last = windows.rows[windows.rowCount &- 1]
    let readable = last.count > 0 ? (last.first &+ (last.count &- 1) &* windows.rowStep &+ 1) &* width : 0
    let isInside = laneNumbers() .< all(Float(width))
    withUnsafeTemporaryAllocation(of: Float.self, capacity: length &+ count &+ 16) { room in
      guard let sums = room.baseAddress else { return }
      let extents = sums + length
      for i in 0..<length { sums[i] = 0 }
      for i in 0..<count { extents[i] = Float(windows.columns[i].extent) }
      for i in count..<(count &+ 16) { extents[i] = 1 }
      var out = y
      for row in 0..<windows.rowCount {
        let rows = windows.rows[row]
        var column = 0
        while column < width {
          // The last sixteen whole, some of them for the second time.
          let place = column &+ 16 > width && width >= 16 ? width &- 16 : column
          var sum = all(0)
          forChunks(rows.count) { begin, end in
            var part = all(0)
            for k in begin..<end {
              let position = (rows.first &+ k &* windows.rowStep) &* width &+ place
              part += position &+ 16 <= readable ? load(x + position) : load(x + position, upTo: width)
            }
            sum += part
          }
          // Of a narrow map, lanes that belong to the next row are zeros, as the line is there.
          store(width < 16 ? choose(isInside, sum, all(0)) : sum, sums + (line.left &+ place))
          column &+= 16
        }
        let extent = all(Float(rows.extent))
        column = 0
        while column < count {
          let place = column &+ 16 > count && count >= 16 ? count &- 16 : column
          var sum = all(0)
          forChunks(line.taps) { begin, end in
            var part = all(0)
            for k in begin..<end { part += load(sums + (place &+ k &* windows.columnStep)) }
            sum += part
          }
          store(sum / (extent * load(extents + place)), out + place, upTo: count)
          column &+= 16
        }
        out += count
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

/// The windows of a row where each is the one before moved on by a position, and those at the sides are cut off there.
private struct PooledLine {
  /// Columns that the windows reach beyond the map's sides.
  let left: Int
  let right: Int
  /// Columns in a window.
  let taps: Int

  /// Nil where windows are different, or have more than 1,024 positions.
  @inline(__always)
  init?(_ windows: PoolingWindows) {
    let (count, step, width) = (windows.columnCount, windows.columnStep, windows.width)
    guard count > 1, width > 0 else { return nil }
    var widest = 0
    for column in 1..<count where windows.columns[column].count > windows.columns[widest].count { widest = column }
    let taps = windows.columns[widest].count
    let start = windows.columns[widest].first &- widest
    var tallest = 0
    for row in 0..<windows.rowCount where windows.rows[row].count > tallest { tallest = windows.rows[row].count }
    guard taps > 0, tallest &* taps <= 1024 else { return nil }
    for column in 0..<count {
      let from = start &+ column
      let span = windows.columns[column]
      let skipped = from < 0 ? (step &- 1 &- from) / step : 0
      let end = from >= width ? 0 : (width &- 1 &- from) / step &+ 1
      let inside = (end < taps ? end : taps) &- skipped
      guard inside > 0, span.count == inside, span.first == from &+ skipped &* step else { return nil }
    }
    let last = start &+ count &- 1 &+ (taps &- 1) &* step
    // A line that begins inside the map is cut there.
    guard start <= 0 else { return nil }
    left = 0 &- start
    right = last < width ? 0 : last &+ 1 &- width
    self.taps = taps
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
