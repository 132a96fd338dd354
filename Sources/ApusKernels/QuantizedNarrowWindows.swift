import ApusKernelInterface

// Convolutions of one channel a group, of maps whose rows a register holds: see ``NarrowWindows``.

extension IntegerKernels {
  package static var spreadsBytes: Bool {
    #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS || arch(arm64)
      true
    #else
      false
    #endif
  }

  package static func sumNarrowWindows(
    _ w: UnsafePointer<Int32>, starts: UnsafePointer<Int>, outputs: Int, maps: Int, _ x: UnsafePointer<UInt8>,
    end: UnsafePointer<UInt8>, flip: UInt8, _ windows: NarrowWindows, _ room: UnsafeMutablePointer<Int32>,
    _ sums: UnsafeMutablePointer<Int32>, sumStep: Int
  ) {
    guard spreadsBytes else { return }
    let (taps, rows, columns, lanes) = (windows.taps, windows.rows, windows.columns, WordLanes.scalarCount)
    let (wordsPerRow, wordCount) = (taps.wordsPerRow, taps.wordCount)
    let plane = windows.height &* windows.width
    windows.tables.withUnsafeBufferPointer { tables in
      guard let tables = tables.baseAddress else { return }
      for map in 0..<maps {
        var first = 0
        while first < columns {
          // The last vector is moved back, where there are as many columns.
          let column = columns >= lanes ? min(first, columns &- lanes) : 0
          for word in 0..<wordsPerRow {
            spreadRows(x + map &* plane, end, flip, windows, tables + (word &* 48 &+ column), room + word &* lanes)
          }
          for output in map &* outputs..<(map &+ 1) &* outputs {
            let start = starts[output]
            sumRowsOfWindows(
              w + start, parts: (starts[output &+ 1] &- start) / wordCount, taps, rows: rows, columns: columns,
              sums + (output &* sumStep &+ column)
            ) { row, word in load(room + (row &* wordsPerRow &+ word) &* lanes) }
          }
          first &+= lanes
        }
      }
    }
  }
}

/// What a word of taps sees of all rows, and of padding above and below them, `wordsPerRow` vectors apart.
@inline(__always)
private func spreadRows(
  _ x: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ flip: UInt8, _ windows: NarrowWindows,
  _ table: UnsafePointer<Int32>, _ y: UnsafeMutablePointer<Int32>
) {
  let places = load(table, as: WordLanes.self)
  let fillers = load(table + 16, as: WordLanes.self)
  let outside = load(table + 32, as: WordLanes.self)
  let flips = SIMD16<UInt8>(repeating: flip)
  let (count, step) = (windows.paddedRows, windows.taps.wordsPerRow &* WordLanes.scalarCount)
  let first = min(windows.top, count)
  let last = max(first, min(windows.top &+ windows.height, count))
  // Rows of which sixteen bytes may be read: at the end of the map's memory a few may not.
  let reach = (end - x) &- 16
  let whole = reach < 0 ? first : min(last, first &+ reach / windows.width &+ 1)
  for row in 0..<first { store(outside, y + row &* step) }
  var from = x
  for row in first..<whole {
    store(spread(everySixteen(load(from) ^ flips), places) | fillers, y + row &* step)
    from += windows.width
  }
  for row in whole..<last {
    store(spread(everySixteen(lastBytes(from, windows.width) ^ flips), places) | fillers, y + row &* step)
    from += windows.width
  }
  for row in last..<max(count, last) { store(outside, y + row &* step) }
}

/// `count` bytes, and zeros.
@inline(never)
private func lastBytes(_ x: UnsafePointer<UInt8>, _ count: Int) -> SIMD16<UInt8> {
  var bytes = SIMD16<UInt8>(repeating: 0)
  for index in 0..<count { bytes[index] = x[index] }
  return bytes
}
