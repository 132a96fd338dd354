import ApusKernelInterface

extension AnyDataKernels {
  package static func copy(
    elementSize: Int, from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer,
    over axes: UnsafePointer<StridedAxis>, rank: Int
  ) {
    switch elementSize {
    case 1:
      copyBlock(source.assumingMemoryBound(to: UInt8.self), destination.assumingMemoryBound(to: UInt8.self), axes, rank)
    case 2:
      copyBlock(
        source.assumingMemoryBound(to: UInt16.self), destination.assumingMemoryBound(to: UInt16.self), axes, rank)
    case 4:
      copyBlock(
        source.assumingMemoryBound(to: UInt32.self), destination.assumingMemoryBound(to: UInt32.self), axes, rank)
    default:
      copyBlock(
        source.assumingMemoryBound(to: UInt64.self), destination.assumingMemoryBound(to: UInt64.self), axes, rank)
    }
  }

  package static func transpose(
    elementSize: Int, from source: UnsafeRawPointer, sourceStride: Int,
    to destination: UnsafeMutableRawPointer, destinationStride: Int, rows: Int, columns: Int
  ) {
    switch elementSize {
    case 1: transposeBytes(source, sourceStride, destination, destinationStride, rows, columns)
    case 2: transposeHalves(source, sourceStride, destination, destinationStride, rows, columns)
    case 4:
      transposeWords(
        source.assumingMemoryBound(to: UInt32.self), sourceStride, destination.assumingMemoryBound(to: UInt32.self),
        destinationStride, rows, columns)
    default:
      transposeTiles(
        source.assumingMemoryBound(to: UInt64.self), sourceStride, destination.assumingMemoryBound(to: UInt64.self),
        destinationStride, rows, columns)
    }
  }

  package static func fill(
    elementSize: Int, with value: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int
  ) {
    switch elementSize {
    case 1: fillRun(value.loadUnaligned(as: UInt8.self), destination.assumingMemoryBound(to: UInt8.self), count)
    case 2: fillRun(value.loadUnaligned(as: UInt16.self), destination.assumingMemoryBound(to: UInt16.self), count)
    case 4: fillRun(value.loadUnaligned(as: UInt32.self), destination.assumingMemoryBound(to: UInt32.self), count)
    default: fillRun(value.loadUnaligned(as: UInt64.self), destination.assumingMemoryBound(to: UInt64.self), count)
    }
  }
}

// The bodies, generic over the element and inlined into the four functions above them: no copy of them is ever called.

/// `count` copies of `value`.
@inline(__always)
private func fillRun<T: FixedWidthInteger & BitwiseCopyable>(
  _ value: T, _ destination: UnsafeMutablePointer<T>, _ count: Int
) {
  for i in 0..<count { destination[i] = value }
}

/// Copies a strided block, as whole rows, as tiles of a transposition, or one by one.
@inline(__always)
private func copyBlock<T: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafePointer<T>, _ destination: UnsafeMutablePointer<T>, _ axes: UnsafePointer<StridedAxis>,
  _ rank: Int
) {
  let last = rank &- 1
  let width = axes[last].size
  let sourceStep = axes[last].sourceStride
  let destinationStep = axes[last].destinationStride

  // An outer axis along which the source is contiguous, when the last one is not.
  var across = -1
  if sourceStep != 1 && destinationStep == 1 {
    for axis in 0..<last where axes[axis].sourceStride == 1 && axes[axis].size > 1 { across = axis }
  }

  // The axis next to those is a loop of its own: to find out where a row lies takes as long as to move a short one.
  var middle = last &- 1
  if middle >= 0, middle == across { middle &-= 1 }
  var outer = 1
  for axis in 0..<last where axis != across && axis != middle { outer &*= axes[axis].size }
  let rows = middle >= 0 ? axes[middle].size : 1
  let sourceRowStep = middle >= 0 ? axes[middle].sourceStride : 0
  let destinationRowStep = middle >= 0 ? axes[middle].destinationStride : 0
  for index in 0..<outer {
    var rest = index
    var from = source
    var to = destination
    var axis = last &- 1
    while axis >= 0 {
      if axis != across, axis != middle {
        let size = axes[axis].size
        let quotient = rest / size
        let position = rest &- quotient &* size
        from += position &* axes[axis].sourceStride
        to += position &* axes[axis].destinationStride
        rest = quotient
      }
      axis &-= 1
    }
    for _ in 0..<rows {
      if across >= 0 {
        transposeMatrix(from, sourceStep, to, axes[across].destinationStride, width, axes[across].size)
      } else if sourceStep == 1 && destinationStep == 1 {
        copyRun(from, to, width)
      } else {
        for i in 0..<width { to[i &* destinationStep] = from[i &* sourceStep] }
      }
      from += sourceRowStep
      to += destinationRowStep
    }
  }
}

/// A contiguous run; a short one is not worth a call.
@inline(__always)
private func copyRun<T: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafePointer<T>, _ destination: UnsafeMutablePointer<T>, _ count: Int
) {
  if count < 8 {
    for i in 0..<count { destination[i] = source[i] }
  } else if MemoryLayout<T>.size == 4, count == 16 {
    let lanes: Lanes = load(UnsafeRawPointer(source).assumingMemoryBound(to: Float.self))
    store(lanes, UnsafeMutableRawPointer(destination).assumingMemoryBound(to: Float.self))
  } else {
    copyBytes(source, destination, count &* MemoryLayout<T>.stride)
  }
}

/// Copies bytes from one place to another that does not overlap it.
///
/// The C library copies some thousands of bytes and more with one instruction, which on AMD's fourth Zen generation takes
/// twenty times as long where the two ends lie 1 to 15 bytes apart in their pages. Weights in a mapped file can.
@inline(__always)
func copyBytes(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int) {
  let apart = UInt(bitPattern: destination) &- UInt(bitPattern: source)
  var copied = 0
  if count >= 4096, apart & 4080 == 0, apart & 15 != 0 {
    while copied &+ 128 <= count {
      // Two vectors a turn: the compiler makes a call of the C library out of a loop that copies one.
      let first = (source + copied).loadUnaligned(as: Lanes.self)
      let second = (source + (copied &+ 64)).loadUnaligned(as: Lanes.self)
      (destination + copied).storeBytes(of: first, as: Lanes.self)
      (destination + (copied &+ 64)).storeBytes(of: second, as: Lanes.self)
      copied &+= 128
    }
  }
  (destination + copied).copyMemory(from: source + copied, byteCount: count &- copied)
}

/// `destination[c * destinationStride + r] = source[r * sourceStride + c]`, the way that is best for the element.
@inline(__always)
private func transposeMatrix<T: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafePointer<T>, _ sourceStride: Int, _ destination: UnsafeMutablePointer<T>, _ destinationStride: Int,
  _ rows: Int, _ columns: Int
) {
  if MemoryLayout<T>.size == 4 {
    transposeWords(
      UnsafeRawPointer(source).assumingMemoryBound(to: UInt32.self), sourceStride,
      UnsafeMutableRawPointer(destination).assumingMemoryBound(to: UInt32.self), destinationStride, rows, columns)
  } else if MemoryLayout<T>.size == 2 {
    transposeHalves(source, sourceStride, destination, destinationStride, rows, columns)
  } else if MemoryLayout<T>.size == 1 {
    transposeBytes(source, sourceStride, destination, destinationStride, rows, columns)
  } else {
    transposeTiles(source, sourceStride, destination, destinationStride, rows, columns)
  }
}

/// The same for bytes: in tiles of eight by eight, each row of which is one number.
private func transposeBytes(
  _ source: UnsafeRawPointer, _ sourceStride: Int, _ destination: UnsafeMutableRawPointer, _ destinationStride: Int,
  _ rows: Int, _ columns: Int
) {
  transposeSquares(
    source, sourceStride, destination, destinationStride, rows, columns, of: UInt8.self, transposeEightBytes)
}

/// The same for elements of two bytes, in tiles of four by four.
private func transposeHalves(
  _ source: UnsafeRawPointer, _ sourceStride: Int, _ destination: UnsafeMutableRawPointer, _ destinationStride: Int,
  _ rows: Int, _ columns: Int
) {
  transposeSquares(
    source, sourceStride, destination, destinationStride, rows, columns, of: UInt16.self, transposeFourHalves)
}

/// The same where a tile's row of elements is a number of eight bytes, and there are as many rows and columns.
///
/// - Parameter square: transposes a tile; its strides are in bytes.
@inline(__always)
private func transposeSquares<T: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafeRawPointer, _ sourceStride: Int, _ destination: UnsafeMutableRawPointer, _ destinationStride: Int,
  _ rows: Int, _ columns: Int, of _: T.Type,
  _ square: (UnsafeRawPointer, Int, UnsafeMutableRawPointer, Int) -> Void
) {
  let size = MemoryLayout<T>.size
  guard rows >= 8 / size, columns >= 8 / size else {
    transposeTiles(
      source.assumingMemoryBound(to: T.self), sourceStride, destination.assumingMemoryBound(to: T.self),
      destinationStride, rows, columns)
    return
  }
  forTiles(8 / size, rows, columns) { row, column in
    square(
      source + size &* (row &* sourceStride &+ column), size &* sourceStride,
      destination + size &* (column &* destinationStride &+ row), size &* destinationStride)
  }
}

/// Calls `body` for tiles of `side` rows and columns, of which there are at least as many; the last ones begin early enough to
/// be whole. Of some rows at a time all columns, so that the first-level cache holds the lines that tiles share.
@inline(__always)
private func forTiles(_ side: Int, _ rows: Int, _ columns: Int, _ body: (_ row: Int, _ column: Int) -> Void) {
  var first = 0
  while first < rows {
    let last = min(first &+ 64, rows)
    var column = 0
    while column < columns {
      var row = first
      while row < last {
        body(min(row, rows &- side), min(column, columns &- side))
        row &+= side
      }
      column &+= side
    }
    first = last
  }
}

/// A tile of eight by eight bytes: of two rows the halves that are to change places do, then quarters, then eighths.
@inline(__always)
private func transposeEightBytes(
  _ source: UnsafeRawPointer, _ sourceStride: Int, _ destination: UnsafeMutableRawPointer, _ destinationStride: Int
) {
  func row(_ index: Int) -> UInt64 { (source + index &* sourceStride).loadUnaligned(as: UInt64.self) }
  var (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3))
  var (r4, r5, r6, r7) = (row(4), row(5), row(6), row(7))
  exchange(&r0, &r4, 32, 0x0000_0000_FFFF_FFFF)
  exchange(&r1, &r5, 32, 0x0000_0000_FFFF_FFFF)
  exchange(&r2, &r6, 32, 0x0000_0000_FFFF_FFFF)
  exchange(&r3, &r7, 32, 0x0000_0000_FFFF_FFFF)
  exchange(&r0, &r2, 16, 0x0000_FFFF_0000_FFFF)
  exchange(&r1, &r3, 16, 0x0000_FFFF_0000_FFFF)
  exchange(&r4, &r6, 16, 0x0000_FFFF_0000_FFFF)
  exchange(&r5, &r7, 16, 0x0000_FFFF_0000_FFFF)
  exchange(&r0, &r1, 8, 0x00FF_00FF_00FF_00FF)
  exchange(&r2, &r3, 8, 0x00FF_00FF_00FF_00FF)
  exchange(&r4, &r5, 8, 0x00FF_00FF_00FF_00FF)
  exchange(&r6, &r7, 8, 0x00FF_00FF_00FF_00FF)
  func write(_ row: UInt64, _ index: Int) {
    (destination + index &* destinationStride).storeBytes(of: row, as: UInt64.self)
  }
  write(r0, 0)
  write(r1, 1)
  write(r2, 2)
  write(r3, 3)
  write(r4, 4)
  write(r5, 5)
  write(r6, 6)
  write(r7, 7)
}

/// A tile of four by four elements of two bytes: halves of rows, then quarters.
@inline(__always)
private func transposeFourHalves(
  _ source: UnsafeRawPointer, _ sourceStride: Int, _ destination: UnsafeMutableRawPointer, _ destinationStride: Int
) {
  func row(_ index: Int) -> UInt64 { (source + index &* sourceStride).loadUnaligned(as: UInt64.self) }
  var (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3))
  exchange(&r0, &r2, 32, 0x0000_0000_FFFF_FFFF)
  exchange(&r1, &r3, 32, 0x0000_0000_FFFF_FFFF)
  exchange(&r0, &r1, 16, 0x0000_FFFF_0000_FFFF)
  exchange(&r2, &r3, 16, 0x0000_FFFF_0000_FFFF)
  func write(_ row: UInt64, _ index: Int) {
    (destination + index &* destinationStride).storeBytes(of: row, as: UInt64.self)
  }
  write(r0, 0)
  write(r1, 1)
  write(r2, 2)
  write(r3, 3)
}

/// The parts of `b` that `mask` names, and those of `a` above them by `shift`, change places.
@inline(__always)
private func exchange(_ a: inout UInt64, _ b: inout UInt64, _ shift: UInt64, _ mask: UInt64) {
  let change = (a &>> shift ^ b) & mask
  b ^= change
  a ^= change &<< shift
}

/// The same for elements of four bytes: in tiles of sixteen or, where there are not as many, of eight rows and columns. The
/// last tile of a line begins early enough to be whole, and moves some elements for the second time.
func transposeWords(
  _ source: UnsafePointer<UInt32>, _ sourceStride: Int, _ destination: UnsafeMutablePointer<UInt32>,
  _ destinationStride: Int, _ rows: Int, _ columns: Int
) {
  if columns == 2, sourceStride == 2, rows >= 16 {
    separatePairs(source, destination, destination + destinationStride, rows)
    return
  }
  #if APUS_AVX512 || APUS_AVX2
    if rows >= 8, columns >= 8 {
      let from = UnsafeRawPointer(source).assumingMemoryBound(to: Float.self)
      let to = UnsafeMutableRawPointer(destination).assumingMemoryBound(to: Float.self)
      // Lines so far apart compete for the same places of the first-level cache, which has room for eight and not for
      // sixteen: few columns go eight at a time. (A first layer's map of 160 × 160 takes 0.6 of the time, Zen 5.)
      let width = columns < 16 || columns <= 32 && rows >= 64 && destinationStride & 511 == 0 ? 8 : 16
      let height = rows < 16 ? 8 : 16
      var column = 0
      while column < columns {
        let c = column &+ width <= columns ? column : columns &- width
        var row = 0
        while row < rows {
          let r = row &+ height <= rows ? row : rows &- height
          var (x, y) = (from + (r &* sourceStride &+ c), to + (c &* destinationStride &+ r))
          for _ in 0..<(width &>> 3) {
            if height == 16 {
              transposeSixteenByEight(x, sourceStride, y, destinationStride)
            } else {
              transposeEight(x, sourceStride, y, destinationStride)
            }
            x += 8
            y += 8 &* destinationStride
          }
          row &+= height
        }
        column &+= width
      }
      return
    }
  #endif
  transposeTiles(source, sourceStride, destination, destinationStride, rows, columns)
}

/// The first and the second of each of `count` pairs, sixteen or more, in lines of their own.
@inline(__always)
private func separatePairs(
  _ source: UnsafePointer<UInt32>, _ first: UnsafeMutablePointer<UInt32>, _ second: UnsafeMutablePointer<UInt32>,
  _ count: Int
) {
  var place = 0
  while place < count {
    // The last group begins early enough to be whole.
    let i = min(place, count &- 16)
    let pairs = loadPairs(source + 2 &* i)
    store(pairs.first, first + i)
    store(pairs.second, second + i)
    place &+= 16
  }
}

/// The same in blocks that stay in the first-level cache, and those in tiles of four by four that stay in registers.
@inline(__always)
private func transposeTiles<T: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafePointer<T>, _ sourceStride: Int, _ destination: UnsafeMutablePointer<T>, _ destinationStride: Int,
  _ rows: Int, _ columns: Int
) {
  let block = 32
  var rowStart = 0
  while rowStart < rows {
    let rowEnd = min(rowStart &+ block, rows)
    var columnStart = 0
    while columnStart < columns {
      let columnEnd = min(columnStart &+ block, columns)
      var row = rowStart
      while row &+ 4 <= rowEnd {
        var column = columnStart
        while column &+ 4 <= columnEnd {
          transposeFour(
            source + (row &* sourceStride &+ column), sourceStride,
            destination + (column &* destinationStride &+ row), destinationStride)
          column &+= 4
        }
        while column < columnEnd {
          for r in row..<(row &+ 4) {
            destination[column &* destinationStride &+ r] = source[r &* sourceStride &+ column]
          }
          column &+= 1
        }
        row &+= 4
      }
      while row < rowEnd {
        for column in columnStart..<columnEnd {
          destination[column &* destinationStride &+ row] = source[row &* sourceStride &+ column]
        }
        row &+= 1
      }
      columnStart = columnEnd
    }
    rowStart = rowEnd
  }
}

/// A tile of four by four, read before it is written.
@inline(__always)
func transposeFour<T>(
  _ source: UnsafePointer<T>, _ sourceStride: Int, _ destination: UnsafeMutablePointer<T>, _ destinationStride: Int
) {
  let r0 = source
  let r1 = source + sourceStride
  let r2 = r1 + sourceStride
  let r3 = r2 + sourceStride
  let c0 = (r0[0], r1[0], r2[0], r3[0])
  let c1 = (r0[1], r1[1], r2[1], r3[1])
  let c2 = (r0[2], r1[2], r2[2], r3[2])
  let c3 = (r0[3], r1[3], r2[3], r3[3])
  let d0 = destination
  let d1 = destination + destinationStride
  let d2 = d1 + destinationStride
  let d3 = d2 + destinationStride
  (d0[0], d0[1], d0[2], d0[3]) = c0
  (d1[0], d1[1], d1[2], d1[3]) = c1
  (d2[0], d2[1], d2[2], d2[3]) = c2
  (d3[0], d3[1], d3[2], d3[3]) = c3
}
