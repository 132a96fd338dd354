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
      poolLines(x, y, windows, line, extents: nil)
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
    } else if let line = windows.line {
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

  /// Means of windows at regular steps.
  private static func averageRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows, _ line: PooledLine
  ) {
    let places = line.places
    withUnsafeTemporaryAllocation(of: Float.self, capacity: places &+ 16) { room in
      guard let extents = room.baseAddress else { return }
      for i in 0..<(places &+ 16) { extents[i] = 1 }
      for i in 0..<windows.columnCount { extents[i &* line.stride] = Float(windows.columns[i].extent) }
      poolLines(x, y, windows, line, extents: extents)
    }
  }

  /// Windows at regular steps of a row-major map: rows first, to a line that goes on `outside` the map on both sides, so that
  /// windows at the sides are like all others; then along the line, at every place, of which every `stride`-th is kept.
  ///
  /// - Parameter extents: what each place of a line contributes to the divisors of means; nil for maxima.
  @inline(__always)
  private static func poolLines(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ windows: PoolingWindows, _ line: PooledLine,
    extents: UnsafeMutablePointer<Float>?
  ) {
    let outside: Float = extents == nil ? -.infinity : 0
    let (width, count, places) = (windows.width, windows.columnCount, line.places)
    let length = line.left &+ width &+ line.right &+ 16
    let last = windows.rows[windows.rowCount &- 1]
    let readable = last.count > 0 ? (last.first &+ (last.count &- 1) &* windows.rowStep &+ 1) &* width : 0
    let isInside = laneNumbers() .< all(Float(width))
    let end = x + readable
    withUnsafeTemporaryAllocation(of: Float.self, capacity: length &+ places &+ 48) { room in
      guard let elements = room.baseAddress else { return }
      let everyPlace = elements + length
      for i in 0..<length { elements[i] = outside }
      var out = y
      for row in 0..<windows.rowCount {
        let rows = windows.rows[row]
        var column = 0
        while column < width {
          // The last sixteen whole, some of them for the second time.
          let place = column &+ 16 > width && width >= 16 ? width &- 16 : column
          let value = pooled(
            x + (rows.first &* width &+ place), step: windows.rowStep &* width, count: rows.count,
            isMean: extents != nil, end: end, width: width)
          // Of a narrow map, lanes that belong to the next row are outside, as the line is there.
          store(width < 16 ? choose(isInside, value, all(outside)) : value, elements + (line.left &+ place))
          column &+= 16
        }
        column = 0
        while column < places {
          let place = column &+ 16 > places && places >= 16 ? places &- 16 : column
          var value = pooled(
            elements + place, step: windows.columnStep, count: line.taps, isMean: extents != nil,
            end: elements + length, width: 16)
          if let extents { value /= all(Float(rows.extent)) * load(extents + place) }
          if line.stride == 1 { store(value, out + place, upTo: count) } else { store(value, everyPlace + place) }
          column &+= 16
        }
        if line.stride == 2 {
          for i in stride(from: 0, to: count, by: 16) {
            let (low, high): (Lanes, Lanes) = (load(everyPlace + 2 &* i), load(everyPlace + (2 &* i &+ 16)))
            store(Lanes(lowHalf: low.evenHalf, highHalf: high.evenHalf), out + i, upTo: count &- i)
          }
        } else if line.stride > 2 {
          for i in 0..<count { out[i] = everyPlace[i &* line.stride] }
        }
        out += count
      }
    }
  }

  /// The greatest of `count` elements, or their sum for a mean, for sixteen places side by side. Spelled out for both, as
  /// closures would be called for every element.
  ///
  /// - Parameters:
  ///   - end: beyond this nothing is read but of `width` places.
  @inline(__always)
  private static func pooled(
    _ x: UnsafePointer<Float>, step: Int, count: Int, isMean: Bool, end: UnsafePointer<Float>, width: Int
  ) -> Lanes {
    var (sum, part, peaks) = (all(0), all(0), noPeaks())
    var place = x
    for k in 0..<count {
      let value: Lanes = place + 16 <= end ? load(place) : load(place, upTo: width)
      if isMean {
        if k & 31 == 0 {
          sum += part
          part = all(0)
        }
        part += value
      } else {
        take(value, into: &peaks)
      }
      place += step
    }
    return isMean ? sum + part : greatestOrNaN(peaks)
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
