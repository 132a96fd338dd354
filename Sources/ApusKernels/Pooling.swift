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
      forWindows(windows) { window, output in
        // Scalars are as fast in double precision.
        var sum = 0.0
        forRows(of: window, windows) { row in
          for k in 0..<window.columns.count { sum += Double(x[row &+ k &* windows.columnStep]) }
        }
        y[output] = Float(sum / Double(window.rows.extent &* window.columns.extent))
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
