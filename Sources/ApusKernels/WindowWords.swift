import ApusKernelInterface

#if APUS_X86_INTRINSICS
  import Builtin
#endif

// Kernels of one channel as words of neighbouring taps, and their products with what these see: see ``WindowTaps``.

#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS || APUS_DOTPROD || APUS_I8MM
  private let multipliesBytes = true
#else
  private let multipliesBytes = false
#endif

extension IntegerKernels {
  package static var tapsPerWord: Int { multipliesBytes ? 4 : 2 }

  /// Differences of bytes need not be bytes, and where products saturate two neighbours may not be large together: what a
  /// part leaves of its taps is the next one's.
  package static func packTaps(
    _ w: UnsafePointer<Int32>, _ taps: WindowTaps, _ y: UnsafeMutablePointer<Int32>
  ) -> Int {
    var parts = 1
    for part in 0..<(WindowTaps.maximumParts &* taps.wordCount) { y[part] = 0 }
    for row in 0..<taps.kernelRows {
      for word in 0..<taps.wordsPerRow {
        let first = word &* taps.tapsPerWord
        let from = w + (row &* taps.kernelColumns &+ first)
        let left = taps.kernelColumns &- first
        var place = word &* taps.kernelRows &+ row
        var low = (from[0], left > 1 ? from[1] : 0)
        guard multipliesBytes else {
          y[place] = low.0 & 0xFFFF | low.1 &<< 16
          continue
        }
        var high = (left > 2 ? from[2] : 0, left > 3 ? from[3] : 0)
        var part = 0
        while low.0 | low.1 | high.0 | high.1 != 0 {
          y[place] = takeBytes(&low) | takeBytes(&high) &<< 16
          place &+= taps.wordCount
          part &+= 1
        }
        parts = max(parts, part)
      }
    }
    return parts
  }
}

/// Two bytes of what is left of two neighbours.
@inline(__always)
private func takeBytes(_ left: inout (Int32, Int32)) -> Int32 {
  let first = max(-128, min(127, left.0))
  #if APUS_SATURATING
    // 255 · 128 is the most that sixteen bits hold.
    let second = max(-128, -128 &- first, min(127, 128 &- first, left.1))
  #else
    let second = max(-128, min(127, left.1))
  #endif
  left.0 &-= first
  left.1 &-= second
  return first & 0xFF | (second & 0xFF) &<< 8
}

/// Sums over the windows of a vector of columns, of all rows: whole vectors are written, `columns` apart.
///
/// - Parameters:
///   - w: `parts` times the words of a kernel.
///   - seen: what the taps of a word see of a row of the map.
@inline(__always)
func sumRowsOfWindows(
  _ w: UnsafePointer<Int32>, parts: Int, _ taps: WindowTaps, rows: Int, columns: Int, _ y: UnsafeMutablePointer<Int32>,
  _ seen: (_ row: Int, _ word: Int) -> WordLanes
) {
  let start = startOfSums(w, parts &* taps.wordCount)
  if rows >= 4, taps.rowDilation == 1 {
    switch (taps.kernelRows, taps.rowStride) {
    case (3, 1): return WindowTile<3, 1>.sumRows(w, parts, taps, start, rows, columns, y, seen)
    case (3, 2): return WindowTile<3, 2>.sumRows(w, parts, taps, start, rows, columns, y, seen)
    case (5, 1): return WindowTile<5, 1>.sumRows(w, parts, taps, start, rows, columns, y, seen)
    case (5, 2): return WindowTile<5, 2>.sumRows(w, parts, taps, start, rows, columns, y, seen)
    case (7, 1): return WindowTile<7, 1>.sumRows(w, parts, taps, start, rows, columns, y, seen)
    default: break
    }
  }
  for row in 0..<rows {
    var sum = start
    var weights = w
    for _ in 0..<parts {
      for word in 0..<taps.wordsPerRow {
        for line in 0..<taps.kernelRows {
          sum = addTaps(sum, seen(row &* taps.rowStride &+ line &* taps.rowDilation, word), weights[line])
        }
        weights += taps.kernelRows
      }
    }
    store(sum, y + row &* columns)
  }
}

/// Four rows of outputs that share rows of the map.
private enum WindowTile<let kernelRows: Int, let stride: Int> {
  /// All rows, at least four; the last four are moved back.
  @inline(__always)
  static func sumRows(
    _ w: UnsafePointer<Int32>, _ parts: Int, _ taps: WindowTaps, _ start: WordLanes, _ rows: Int, _ columns: Int,
    _ y: UnsafeMutablePointer<Int32>, _ seen: (_ row: Int, _ word: Int) -> WordLanes
  ) {
    var next = 0
    while next < rows {
      let row = min(next, rows &- 4)
      var (sum0, sum1, sum2, sum3) = (start, start, start, start)
      var weights = w
      for _ in 0..<parts {
        for word in 0..<taps.wordsPerRow {
          unrolled(3 &* stride &+ kernelRows) { line in
            let x = seen(row &* stride &+ line, word)
            if line < kernelRows { sum0 = addTaps(sum0, x, weights[line]) }
            let (second, third, fourth) = (line &- stride, line &- 2 &* stride, line &- 3 &* stride)
            if second >= 0, second < kernelRows { sum1 = addTaps(sum1, x, weights[second]) }
            if third >= 0, third < kernelRows { sum2 = addTaps(sum2, x, weights[third]) }
            if fourth >= 0 { sum3 = addTaps(sum3, x, weights[fourth]) }
          }
          weights += kernelRows
        }
      }
      let out = y + row &* columns
      store(sum0, out)
      store(sum1, out + columns)
      store(sum2, out + 2 &* columns)
      store(sum3, out + 3 &* columns)
      next &+= 4
    }
  }
}

/// What sums begin with: where signed bytes alone are multiplied, what 128 less of each makes up.
@inline(__always)
private func startOfSums(_ weights: UnsafePointer<Int32>, _ count: Int) -> WordLanes {
  var start: Int32 = 0
  #if APUS_DOTPROD
    for index in 0..<count {
      for byte in 0..<4 { start &+= ((weights[index] &<< Int32(24 &- 8 &* byte)) &>> 24) &* 128 }
    }
  #endif
  return WordLanes(repeating: start)
}

/// `sum` and the products of a word's taps.
@inline(__always)
private func addTaps(_ sum: WordLanes, _ x: WordLanes, _ weight: Int32) -> WordLanes {
  let w = WordLanes(repeating: weight)
  #if APUS_SATURATING
    return addProducts(sum, (x, x), (w, WordLanes(repeating: 0x0001_0001)), 1)
  #elseif (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS || APUS_DOTPROD || APUS_I8MM
    return addProducts(sum, unsignedWords(x, 1), w, 1)
  #else
    return sum &+ pairProducts(x, w)
  #endif
}
