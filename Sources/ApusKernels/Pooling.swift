import ApusKernelInterface

extension Float32Kernels {
  package static func maxPool(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, windows: PoolingWindows, isBlocked: Bool
  ) {
    if isBlocked {
      forWindows(windows) { window, output in
        var greatest = Lanes(repeating: -.infinity)
        forRows(of: window, windows) { row in
          for k in 0..<window.columns.count {
            let value: Lanes = load(x + (row &+ k &* windows.columnStep) &* 16)
            greatest = greaterOrNaN(greatest, value)
          }
        }
        store(greatest, y + output &* 16)
      }
    } else {
      forWindows(windows) { window, output in
        var greatest = -Float.infinity
        forRows(of: window, windows) { row in
          for k in 0..<window.columns.count {
            let value = x[row &+ k &* windows.columnStep]
            if value > greatest || value != value { greatest = value }
          }
        }
        y[output] = greatest
      }
    }
  }

  package static func averagePool(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, windows: PoolingWindows, isBlocked: Bool
  ) {
    if isBlocked {
      forWindows(windows) { window, output in
        var sum = Lanes(repeating: 0)
        forRows(of: window, windows) { row in
          forChunks(window.columns.count) { first, end in
            var part = Lanes(repeating: 0)
            for k in first..<end {
              let value: Lanes = load(x + (row &+ k &* windows.columnStep) &* 16)
              part += value
            }
            sum += part
          }
        }
        store(sum / Float(window.rows.extent &* window.columns.extent), y + output &* 16)
      }
    } else {
      var output = 0
      for row in 0..<windows.rowCount {
        var column = 0
        while column < windows.columnCount {
          let window = (rows: windows.rows[row], columns: windows.columns[column])
          let count = neighbours(windows, from: column)
          if count < 4 {
            y[output] = mean(x, window, windows)
            column &+= 1
            output &+= 1
            continue
          }
          var done = 0
          repeat {
            // The last sixteen whole, some of them for the second time.
            if count >= 16, done &+ 16 > count { done = count &- 16 }
            let next = (rows: window.rows, columns: windows.columns[column &+ done])
            store(means(x, next, windows, count), y + (output &+ done), upTo: count)
            done &+= 16
          } while done < count
          column &+= count
          output &+= count
        }
      }
    }
  }

  /// The mean of a window; in double precision, in which scalars are as fast.
  @inline(__always)
  private static func mean(_ x: UnsafePointer<Float>, _ window: Window, _ windows: PoolingWindows) -> Float {
    var sum = 0.0
    forRows(of: window, windows) { row in
      for k in 0..<window.columns.count { sum += Double(x[row &+ k &* windows.columnStep]) }
    }
    return Float(sum / Double(window.rows.extent &* window.columns.extent))
  }

  /// The same of sixteen windows, or of fewer where there are not so many, each a column further.
  @inline(__always)
  private static func means(
    _ x: UnsafePointer<Float>, _ window: Window, _ windows: PoolingWindows, _ count: Int
  ) -> Lanes {
    var sums = WideLanes(repeating: 0)
    // Lanes beyond the last window may be read of what follows in the map, and are not stored.
    let lastRow = windows.rows[windows.rowCount &- 1]
    let lastLine = lastRow.first &+ (lastRow.count &- 1) &* windows.rowStep
    let readable = lastRow.count > 0 ? (lastLine &+ 1) &* windows.width : 0
    forRows(of: window, windows) { row in
      for k in 0..<window.columns.count {
        let place = row &+ k &* windows.columnStep
        sums += widened(place &+ 16 <= readable ? load(x + place) : load(x + place, upTo: count))
      }
    }
    return narrowed(sums / WideLanes(repeating: Double(window.rows.extent &* window.columns.extent)))
  }

  /// How many windows from `column` on are that one moved on by a column each.
  @inline(__always)
  private static func neighbours(_ windows: PoolingWindows, from column: Int) -> Int {
    let first = windows.columns[column]
    var count = 1
    while column &+ count < windows.columnCount {
      let next = windows.columns[column &+ count]
      guard next.first == first.first &+ count, next.count == first.count, next.extent == first.extent else { break }
      count &+= 1
    }
    return count
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
