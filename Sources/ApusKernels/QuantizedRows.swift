import ApusKernelInterface

// How rows are laid out as a signed operand: what can be multiplied with words of an unsigned one.

extension IntegerKernels {
  package static func packRows(
    _ w: UnsafePointer<UInt8>, rows: Int, channels: Int, area: Int, flip: UInt8, _ y: UnsafeMutablePointer<Int32>,
    sums: UnsafeMutablePointer<Int32>
  ) {
    let rowStep = channels &* area
    for row in 0..<rows {
      let from = w + row &* rowStep
      var sum: Int32 = 0
      for i in 0..<rowStep { sum = sum &+ Int32(truncatingIfNeeded: Int8(bitPattern: from[i] ^ flip)) }
      sums[row] = sum
    }
    #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
      let words = y + wordsPerHeader &* rows
      if rows == 8, area == 1 {
        transposeWords(w, channels: channels, flip: flip, words)
      } else {
        forWords(w, rows: rows, channels: channels, area: area, flip: flip) { words[$0] = $1 }
      }
      #if APUS_SATURATING
        if separateExcess(y, rows: rows, channels: channels, area: area) { return }
        y[0] = -1
        forWords(w, rows: rows, channels: channels, area: area, flip: flip) {
          storeWeight($1, words + $0 &* wordsPerWeight)
        }
      #endif
    #else
      forWords(w, rows: rows, channels: channels, area: area, flip: flip) { storeWeight($1, y + $0 &* wordsPerWeight) }
    #endif
  }
}

/// Calls `body` with the words of rows, `[rows, channels, area]`, and with their places among `[⌈channels / 4⌉, area, rows]`.
@inline(__always)
private func forWords(
  _ w: UnsafePointer<UInt8>, rows: Int, channels: Int, area: Int, flip: UInt8,
  _ body: (_ place: Int, _ word: Int32) -> Void
) {
  let flips = UInt32(truncatingIfNeeded: flip) &* 0x0101_0101
  for row in 0..<rows {
    let from = w + row &* channels &* area
    var place = row
    var channel = 0
    if area == 1 {
      while channel &+ 4 <= channels {
        let word = UnsafeRawPointer(from + channel).loadUnaligned(as: UInt32.self)
        body(place, Int32(bitPattern: word ^ flips))
        place &+= rows
        channel &+= 4
      }
    }
    while channel < channels {
      let left = channels &- channel
      let count = left < 4 ? left : 4
      for tap in 0..<area {
        let bytes = from + (channel &* area &+ tap)
        var word = UInt32(truncatingIfNeeded: bytes[0] ^ flip)
        if count > 1 { word |= UInt32(truncatingIfNeeded: bytes[area] ^ flip) &<< 8 }
        if count > 2 { word |= UInt32(truncatingIfNeeded: bytes[2 &* area] ^ flip) &<< 16 }
        if count > 3 { word |= UInt32(truncatingIfNeeded: bytes[3 &* area] ^ flip) &<< 24 }
        body(place, Int32(bitPattern: word))
        place &+= rows
      }
      channel &+= 4
    }
  }
}

#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
  /// The words of eight rows, eight of each at a time.
  @inline(__always)
  private func transposeWords(
    _ w: UnsafePointer<UInt8>, channels: Int, flip: UInt8, _ y: UnsafeMutablePointer<Int32>
  ) {
    let steps = channels / 4
    let to = UnsafeMutableRawPointer(y).assumingMemoryBound(to: Float.self)
    var step = 0
    if channels & 3 == 0 {
      let from = UnsafeRawPointer(w).assumingMemoryBound(to: Float.self)
      while step &+ 8 <= steps {
        transposeEight(from + step, steps, to + 8 &* step, 8)
        step &+= 8
      }
    } else {
      // Rows that do not lie whole words apart are put where they do.
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 64) { square in
        guard let square = square.baseAddress else { return }
        while step &+ 8 <= steps {
          for row in 0..<8 {
            let bytes = UnsafeRawPointer(w + (row &* channels &+ 4 &* step)).loadUnaligned(as: SIMD8<Int32>.self)
            UnsafeMutableRawPointer(square + 8 &* row).storeBytes(of: bytes, as: SIMD8<Int32>.self)
          }
          transposeEight(square, 8, to + 8 &* step, 8)
          step &+= 8
        }
      }
    }
    while step < steps {
      for row in 0..<8 {
        y[8 &* step &+ row] = UnsafeRawPointer(w + (row &* channels &+ 4 &* step)).loadUnaligned(as: Int32.self)
      }
      step &+= 1
    }
    if channels & 3 != 0 {
      for row in 0..<8 {
        var word: UInt32 = 0
        for i in 4 &* steps..<channels {
          word |=
            UInt32(truncatingIfNeeded: w[row &* channels &+ i] ^ flip) &<< UInt32(truncatingIfNeeded: 8 &* (i & 3))
        }
        y[8 &* steps &+ row] = Int32(bitPattern: word)
      }
    }
    let flips = Int32(bitPattern: UInt32(truncatingIfNeeded: flip) &* 0x0101_0101)
    if flips != 0 {
      for i in 0..<(8 &* steps) { y[i] ^= flips }
    }
  }
#endif

#if APUS_SATURATING
  /// Makes the words of a group such as can be multiplied, and lays out behind them what they then lack; not if more than one
  /// of eight lacks something, for which there is room, but which takes longer than it saves.
  @inline(never)
  private func separateExcess(_ y: UnsafeMutablePointer<Int32>, rows: Int, channels: Int, area: Int) -> Bool {
    let count = rows &* ((channels &+ 3) / 4) &* area
    guard fitPlaces(channels: channels, area: area), count <= Int(Int32.max) else { return false }
    let words = y + rows
    // There is room for as many words again: for two of each that lacks something, and for them out of order before.
    let excess = words + count
    let unordered = excess + count / 2
    for row in 0..<rows { y[row] = 0 }
    var found = 0
    for start in stride(from: 0, to: count, by: 8) {
      let end = min(start &+ 8, count)
      if end == start &+ 8, !mayExceed(words + start) { continue }
      for index in start..<end {
        let (bounded, lacking) = withinBounds(UInt32(bitPattern: words[index]))
        guard lacking != 0 else { continue }
        guard 8 &* (found &+ 1) <= count else { return false }
        words[index] = Int32(bitPattern: bounded)
        unordered[2 &* found] = Int32(truncatingIfNeeded: index)
        unordered[2 &* found &+ 1] = Int32(bitPattern: lacking)
        y[index % rows] &+= 1
        found &+= 1
      }
    }
    // First where the words of a row begin, then, when all are there, where they end.
    var before: Int32 = 0
    for row in 0..<rows { (y[row], before) = (before, before &+ y[row]) }
    for index in 0..<found {
      let (step, row) = Int(truncatingIfNeeded: unordered[2 &* index]).quotientAndRemainder(dividingBy: rows)
      let entry = excess + 2 &* Int(truncatingIfNeeded: y[row])
      entry[0] = place(block: step / area, tap: step % area)
      entry[1] = unordered[2 &* index &+ 1]
      y[row] &+= 1
    }
    return true
  }

  /// Whether any byte of eight words is beyond ±64.
  @inline(__always)
  private func mayExceed(_ words: UnsafePointer<Int32>) -> Bool {
    let pairs = UnsafeRawPointer(words)
    var highest: UInt64 = 0
    unrolled(4) { index in
      let pair = pairs.loadUnaligned(fromByteOffset: 8 &* index, as: UInt64.self)
      highest |= pair ^ pair &<< 1
    }
    return highest & 0x8080_8080_8080_8080 != 0
  }
#endif
