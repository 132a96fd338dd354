import ApusKernelInterface

// Convolutions of one channel a group: nothing is shared between outputs, so that bytes are widened where they lie and
// multiplied by one weight after the other, sixteen outputs of a row at a time.

extension IntegerKernels {
  package static func stageLines(
    _ x: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, height: Int, width: Int, firstRow: Int, firstColumn: Int,
    flip: UInt8, filler: UInt8, _ y: UnsafeMutablePointer<UInt8>, rows: Int, columns: Int
  ) {
    let fillers = SIMD16<UInt8>(repeating: filler)
    let before = firstColumn < 0 ? min(0 &- firstColumn, columns) : 0
    let from = firstColumn &+ before
    let inside = max(0, min(columns &- before, width &- from))
    for row in 0..<rows {
      let line = y + row &* columns
      let place = firstRow &+ row
      let isInside = place >= 0 && place < height && inside > 0
      // From left to right, so that what is written beyond the end of each part is written again.
      fill(line, isInside ? before : columns, fillers)
      guard isInside else { continue }
      copy(x + (place &* width &+ from), line + before, inside, flip, end)
      fill(line + (before &+ inside), columns &- before &- inside, fillers)
    }
  }

  package static func sumWindows(
    _ w: UnsafePointer<Int32>, tapCount: Int, tapOffsets: UnsafePointer<Int>, _ x: UnsafePointer<UInt8>, rowStep: Int,
    columnStep: Int, _ sums: UnsafeMutablePointer<Int32>, rows: Int, columns: Int
  ) {
    switch columnStep {
    case 1: sumRows(w, tapCount, tapOffsets, x, rowStep, 1, sums, rows, columns)
    case 2: sumRows(w, tapCount, tapOffsets, x, rowStep, 2, sums, rows, columns)
    default: sumRows(w, tapCount, tapOffsets, x, rowStep, columnStep, sums, rows, columns)
    }
  }
}

/// For a step that is known, in the first two cases of above. What is written beyond the end of a row is written again.
@inline(__always)
private func sumRows(
  _ w: UnsafePointer<Int32>, _ tapCount: Int, _ tapOffsets: UnsafePointer<Int>, _ x: UnsafePointer<UInt8>,
  _ rowStep: Int, _ step: Int, _ sums: UnsafeMutablePointer<Int32>, _ rows: Int, _ columns: Int
) {
  for row in 0..<rows {
    let (line, y) = (x + row &* rowStep, sums + row &* columns)
    var i = 0
    while i < columns {
      let from = line + i &* step
      var sum0 = IntegerLanes(repeating: 0)
      // Two at a time share a weight, and do not wait for each other.
      if step <= 2, i &+ 16 < columns {
        var sum1 = sum0
        for tap in 0..<tapCount {
          let weight = IntegerLanes(repeating: w[tap])
          let place = from + tapOffsets[tap]
          sum0 = addShortProducts(sum0, sixteenBytes(place, step), weight)
          sum1 = addShortProducts(sum1, sixteenBytes(place + 16 &* step, step), weight)
        }
        store(sum0, y + i)
        store(sum1, y + (i &+ 16))
        i &+= 32
        continue
      }
      for tap in 0..<tapCount {
        sum0 = addShortProducts(
          sum0, sixteenBytes(from + tapOffsets[tap], step, upTo: columns &- i), IntegerLanes(repeating: w[tap]))
      }
      store(sum0, y + i)
      i &+= 16
    }
  }
}

/// The bytes at `x`, `x + step` and so on; where they are not read at once, no more than `count`.
@inline(__always)
private func sixteenBytes(_ x: UnsafePointer<UInt8>, _ step: Int, upTo count: Int = 16) -> IntegerLanes {
  if step == 1 { return widened(load(x, as: SIMD16<UInt8>.self)) }
  if step == 2 {
    let pairs = UnsafeRawPointer(x).assumingMemoryBound(to: UInt16.self)
    return widened(load(pairs, as: SIMD16<UInt16>.self)) & IntegerLanes(repeating: 0xFF)
  }
  var lanes = IntegerLanes(repeating: 0)
  for i in 0..<min(16, count) { lanes[i] = Int32(truncatingIfNeeded: x[i &* step]) }
  return lanes
}

/// Fills up to fifteen bytes more than `count`.
@inline(__always)
private func fill(_ y: UnsafeMutablePointer<UInt8>, _ count: Int, _ fillers: SIMD16<UInt8>) {
  var done = 0
  while done < count {
    store(fillers, y + done)
    done &+= 16
  }
}

/// Bytes with some bits flipped. Where `end` allows, a register is read at a time, and up to 63 bytes more are written.
@inline(__always)
private func copy(
  _ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, _ count: Int, _ flip: UInt8, _ end: UnsafePointer<UInt8>
) {
  var done = 0
  let size = MemoryLayout<WordLanes>.size
  let flips = WordLanes(repeating: Int32(bitPattern: UInt32(truncatingIfNeeded: flip) &* 0x0101_0101))
  while done < count, end - (x + done) >= size {
    let words = UnsafeRawPointer(x + done).loadUnaligned(as: WordLanes.self) ^ flips
    UnsafeMutableRawPointer(y + done).storeBytes(of: words, as: WordLanes.self)
    done &+= size
  }
  while done < count, end - (x + done) >= 16 {
    store(load(x + done, as: SIMD16<UInt8>.self) ^ SIMD16(repeating: flip), y + done)
    done &+= 16
  }
  while done < count {
    y[done] = x[done] ^ flip
    done &+= 1
  }
}
