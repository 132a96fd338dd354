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
      let isMatrix = rows == 8 && area == 1 && channels & 3 == 0
      #if APUS_SATURATING
        let isPacked =
          isMatrix
          ? packMatrixWithExcess(w, channels: channels, flip: flip, y)
          : packWithExcess(w, rows: rows, channels: channels, area: area, flip: flip, y)
        if isPacked { return }
        y[0] = -1
      #else
        if isMatrix {
          transposeWords(w, channels: channels, flip: flip, y)
          return
        }
      #endif
    #endif
    let words = y + wordsPerHeader &* rows
    for row in 0..<rows {
      forWords(w + row &* rowStep, channels: channels, area: area, flip: flip) { block, tap, word in
        let index = (block &* area &+ tap) &* rows &+ row
        storeWeight(Int32(bitPattern: word), words + index &* wordsPerWeight)
        return true
      }
    }
  }
}

/// Calls `body` with the words of a row, `[channels, area]`, until it returns false, and says whether it did not.
@inline(__always)
@discardableResult
private func forWords(
  _ row: UnsafePointer<UInt8>, channels: Int, area: Int, flip: UInt8,
  _ body: (_ block: Int, _ tap: Int, _ word: UInt32) -> Bool
) -> Bool {
  var channel = 0
  if area == 1 {
    let flips = UInt32(truncatingIfNeeded: flip) &* 0x0101_0101
    while channel &+ 4 <= channels {
      let word = UnsafeRawPointer(row + channel).loadUnaligned(as: UInt32.self)
      guard body(channel / 4, 0, word ^ flips) else { return false }
      channel &+= 4
    }
  }
  while channel < channels {
    let left = channels &- channel
    let count = left < 4 ? left : 4
    for tap in 0..<area {
      let bytes = row + (channel &* area &+ tap)
      var word = UInt32(truncatingIfNeeded: bytes[0] ^ flip)
      if count > 1 { word |= UInt32(truncatingIfNeeded: bytes[area] ^ flip) &<< 8 }
      if count > 2 { word |= UInt32(truncatingIfNeeded: bytes[2 &* area] ^ flip) &<< 16 }
      if count > 3 { word |= UInt32(truncatingIfNeeded: bytes[3 &* area] ^ flip) &<< 24 }
      guard body(channel / 4, tap, word) else { return false }
    }
    channel &+= 4
  }
  return true
}

#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
  /// The words of eight rows of whole words.
  @inline(__always)
  private func transposeWords(
    _ w: UnsafePointer<UInt8>, channels: Int, flip: UInt8, _ y: UnsafeMutablePointer<Int32>
  ) {
    let steps = channels / 4
    let from = UnsafeRawPointer(w).assumingMemoryBound(to: Float.self)
    let to = UnsafeMutableRawPointer(y).assumingMemoryBound(to: Float.self)
    var step = 0
    while step &+ 8 <= steps {
      transposeEight(from + step, steps, to + 8 &* step, 8)
      step &+= 8
    }
    while step < steps {
      for row in 0..<8 {
        y[8 &* step &+ row] = UnsafeRawPointer(w + (row &* channels &+ 4 &* step)).loadUnaligned(as: Int32.self)
      }
      step &+= 1
    }
    let flips = Int32(bitPattern: UInt32(truncatingIfNeeded: flip) &* 0x0101_0101)
    if flips != 0 {
      for i in 0..<(8 &* steps) { y[i] ^= flips }
    }
  }
#endif

#if APUS_SATURATING
  /// Lays rows out as they are, as far as that can be multiplied, with the words that they exceed it by; not if more than one
  /// word of eight does, for whose words there is room, but which take longer than what they save.
  @inline(never)
  private func packWithExcess(
    _ w: UnsafePointer<UInt8>, rows: Int, channels: Int, area: Int, flip: UInt8, _ y: UnsafeMutablePointer<Int32>
  ) -> Bool {
    guard fitPlaces(channels: channels, area: area) else { return false }
    let count = rows &* ((channels &+ 3) / 4) &* area
    let words = y + rows
    let excess = words + count
    var found = 0
    for row in 0..<rows {
      let isPacked = forWords(w + row &* channels &* area, channels: channels, area: area, flip: flip) {
        block, tap, word in
        let (bounded, lacking) = withinBounds(word)
        words[(block &* area &+ tap) &* rows &+ row] = Int32(bitPattern: bounded)
        if lacking != 0 {
          guard 8 &* (found &+ 1) <= count else { return false }
          excess[2 &* found] = place(block: block, tap: tap)
          excess[2 &* found &+ 1] = Int32(bitPattern: lacking)
          found &+= 1
        }
        return true
      }
      guard isPacked else { return false }
      y[row] = Int32(truncatingIfNeeded: found)
    }
    return true
  }

  /// The same for eight rows of whole words, which are laid out anew for every product.
  @inline(never)
  private func packMatrixWithExcess(
    _ w: UnsafePointer<UInt8>, channels: Int, flip: UInt8, _ y: UnsafeMutablePointer<Int32>
  ) -> Bool {
    guard fitPlaces(channels: channels, area: 1) else { return false }
    let (steps, words) = (channels / 4, y + 8)
    let count = 8 &* steps
    transposeWords(w, channels: channels, flip: flip, words)
    // Words of excess are found step by step, and then put in the order of their rows.
    let excess = words + count
    let unordered = excess + count / 2
    for row in 0..<8 { y[row] = 0 }
    var found = 0
    for step in 0..<steps where mayExceed(words + 8 &* step) {
      for row in 0..<8 {
        let (bounded, lacking) = withinBounds(UInt32(bitPattern: words[8 &* step &+ row]))
        guard lacking != 0 else { continue }
        guard 8 &* (found &+ 1) <= count else { return false }
        words[8 &* step &+ row] = Int32(bitPattern: bounded)
        unordered[2 &* found] = place(block: step, tap: row)
        unordered[2 &* found &+ 1] = Int32(bitPattern: lacking)
        y[row] = y[row] &+ 1
        found &+= 1
      }
    }
    // First where the words of a row begin, then, when all are there, where they end.
    var before: Int32 = 0
    for row in 0..<8 { (y[row], before) = (before, before &+ y[row]) }
    for index in 0..<found {
      let (block, row) = blockAndTap(unordered[2 &* index])
      let entry = excess + 2 &* Int(truncatingIfNeeded: y[row])
      entry[0] = place(block: block, tap: 0)
      entry[1] = unordered[2 &* index &+ 1]
      y[row] = y[row] &+ 1
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
