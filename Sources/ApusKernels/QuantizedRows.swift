import ApusKernelInterface

// How rows are laid out as a signed operand: what can be multiplied with words of an unsigned one.

extension IntegerKernels {
  package static func packRows(
    _ w: UnsafePointer<UInt8>, rows: Int, channels: Int, area: Int, flip: UInt8, mayMove: Bool,
    _ y: UnsafeMutablePointer<Int32>, sums: UnsafeMutablePointer<Int32>
  ) -> Int32 {
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
        let middle = mayMove ? mean(sums, rows: rows, rowStep: rowStep) : 0
        if separateExcess(y, rows: rows, channels: channels, area: area, less: middle) {
          for row in 0..<rows { sums[row] = sums[row] &- middle &* Int32(truncatingIfNeeded: rowStep) }
          return middle
        }
        y[0] = -1
        forWords(w, rows: rows, channels: channels, area: area, flip: flip) {
          storeWeight($1, words + $0 &* wordsPerWeight)
        }
      #endif
    #else
      forWords(w, rows: rows, channels: channels, area: area, flip: flip) { storeWeight($1, y + $0 &* wordsPerWeight) }
    #endif
    return 0
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
  /// The mean of rows that have these sums. About it there are the fewest pairs beyond what can be multiplied.
  @inline(__always)
  private func mean(_ sums: UnsafePointer<Int32>, rows: Int, rowStep: Int) -> Int32 {
    guard rowStep > 0 else { return 0 }
    var total = 0
    for row in 0..<rows { total = total &+ Int(truncatingIfNeeded: sums[row]) }
    return Int32(truncatingIfNeeded: total / (rows &* rowStep))
  }

  /// Makes the words of a group such as can be multiplied, of their bytes less `offset`, and lays out behind them what they
  /// then lack; not if that is more than one word for eight, for which there is room, but which takes longer than it saves.
  @inline(never)
  private func separateExcess(
    _ y: UnsafeMutablePointer<Int32>, rows: Int, channels: Int, area: Int, less offset: Int32
  ) -> Bool {
    let count = rows &* ((channels &+ 3) / 4) &* area
    guard fitPlaces(channels: channels, area: area), count <= Int(Int32.max) else { return false }
    let words = y + rows
    // There is room for as many words again: for two of each that lacks something, and for them out of order before.
    let excess = words + count
    let unordered = excess + count / 2
    for row in 0..<rows { y[row] = 0 }
    var found = 0
    for start in stride(from: 0, to: count, by: 8) {
      let width = min(8, count &- start)
      var eight = SIMD8<Int32>(repeating: 0)
      if width == 8 {
        eight = UnsafeRawPointer(words + start).loadUnaligned(as: SIMD8<Int32>.self)
      } else {
        for i in 0..<width { eight[i] = words[start &+ i] }
      }
      let (moved, beyond) = movedWords(eight, less: offset)
      if width == 8 {
        UnsafeMutableRawPointer(words + start).storeBytes(of: moved, as: SIMD8<Int32>.self)
      } else {
        for i in 0..<width { words[start &+ i] = moved[i] }
      }
      guard hasPairsBeyond(beyond) else { continue }
      for i in 0..<width where beyond[i] & pairSigns != 0 {
        var bytes = differences(eight[i], offset)
        words[start &+ i] = takeWithinBounds(&bytes)
        while bytes != (0, 0, 0, 0) {
          guard 8 &* (found &+ 1) <= count else { return false }
          unordered[2 &* found] = Int32(truncatingIfNeeded: start &+ i)
          unordered[2 &* found &+ 1] = takeWithinBounds(&bytes)
          y[(start &+ i) % rows] &+= 1
          found &+= 1
        }
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

  /// The signs of the two pairs of a word.
  private var pairSigns: UInt32 {
    @inline(__always)
    get { 0x8000_8000 }
  }

  @inline(__always)
  private func hasPairsBeyond(_ beyond: SIMD8<UInt32>) -> Bool {
    let halves = unsafeBitCast(beyond, to: SIMD4<UInt64>.self)
    return (halves[0] | halves[1] | halves[2] | halves[3]) & 0x8000_8000_8000_8000 != 0
  }

  /// Eight words, their bytes less `offset`, and words with the sign of each pair that cannot be multiplied: then its word is
  /// of no meaning.
  @inline(__always)
  private func movedWords(_ words: SIMD8<Int32>, less offset: Int32) -> (words: SIMD8<Int32>, beyond: SIMD8<UInt32>) {
    let (x, eight) = (unsafeBitCast(words, to: SIMD16<Int16>.self), SIMD16<Int16>(repeating: 8))
    let offset = SIMD16<Int16>(repeating: Int16(truncatingIfNeeded: offset))
    let low = ((x &<< eight) &>> eight) &- offset
    let high = (x &>> eight) &- offset
    let (least, greatest) = (SIMD16<Int16>(repeating: 128), SIMD16<Int16>(repeating: 127))
    let sum = low &+ high
    var beyond = (low &+ least) | (greatest &- low)
    beyond |= (high &+ least) | (greatest &- high)
    beyond |= (sum &+ least) | (least &- sum)
    let moved = (low & SIMD16(repeating: 0xFF)) | (high &<< eight)
    return (unsafeBitCast(moved, to: SIMD8<Int32>.self), unsafeBitCast(beyond, to: SIMD8<UInt32>.self))
  }
#endif
