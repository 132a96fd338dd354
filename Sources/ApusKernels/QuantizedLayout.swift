import ApusKernelInterface

extension IntegerKernels {
  package static func stageWords(
    _ x: UnsafePointer<UInt8>, end mapEnd: UnsafePointer<UInt8>, channels: Int, height: Int, width: Int, firstRow: Int,
    rowStep: Int, firstColumn: Int, columnStep: Int, flip: UInt8, filler: Int32, _ y: UnsafeMutablePointer<Int32>,
    rows: Int, columns: Int
  ) {
    let plane = height &* width
    if columns == width, firstColumn == 0, columnStep == 1, rowStep == 1, firstRow >= 0, firstRow &+ rows <= height {
      // Whole rows that follow each other are one.
      combine(x + firstRow &* width, plane, channels, 1, flip, y, rows &* columns, mapEnd)
      return
    }
    // Columns inside the map: 0 <= firstColumn + column * columnStep < width.
    let before = firstColumn >= 0 ? 0 : (columnStep &- 1 &- firstColumn) / columnStep
    let start = before < columns ? before : columns
    let beyond = firstColumn >= width ? 0 : (width &- 1 &- firstColumn) / columnStep &+ 1
    let end = beyond < start ? start : beyond < columns ? beyond : columns
    var out = y
    for row in 0..<rows {
      let from = firstRow &+ row &* rowStep
      if from < 0 || from >= height {
        for i in 0..<columns { out[i] = filler }
      } else {
        for i in 0..<start { out[i] = filler }
        if end > start {
          let line = x + (from &* width &+ firstColumn &+ start &* columnStep)
          switch columnStep {
          case 1: combine(line, plane, channels, 1, flip, out + start, end &- start, mapEnd)
          case 2: combine(line, plane, channels, 2, flip, out + start, end &- start, mapEnd)
          default: combine(line, plane, channels, columnStep, flip, out + start, end &- start, mapEnd)
          }
        }
        for i in end..<columns { out[i] = filler }
      }
      out += columns
    }
  }

  package static func packColumns(
    _ b: UnsafePointer<UInt8>, rowStep: Int, depth: Int, columns: Int, width: Int, flip: UInt8,
    _ y: UnsafeMutablePointer<Int32>, sums: UnsafeMutablePointer<Int32>
  ) {
    for i in 0..<width { sums[i] = 0 }
    for row in 0..<depth {
      let line = b + row &* rowStep
      for i in 0..<columns { sums[i] = sums[i] &+ Int32(truncatingIfNeeded: line[i] ^ flip) }
    }
    var out = y
    var row = 0
    while row < depth {
      let left = depth &- row
      combine(b + row &* rowStep, rowStep, left < 4 ? left : 4, 1, flip, out, columns, nil)
      for i in columns..<width { out[i] = 0 }
      out += width
      row &+= 4
    }
  }
}

/// Bytes of up to four planes side by side: `y[i]` holds `x[plane * planeStep + i * step]`, the first plane lowest.
///
/// - Parameter end: where what may be read ends, if 15 words more than `count` may be written.
@inline(__always)
private func combine(
  _ x: UnsafePointer<UInt8>, _ planeStep: Int, _ planes: Int, _ step: Int, _ flip: UInt8,
  _ y: UnsafeMutablePointer<Int32>, _ count: Int, _ end: UnsafePointer<UInt8>?
) {
  switch planes {
  case 1: combinePlanes(x, planeStep, 1, step, flip, y, count, end)
  case 2: combinePlanes(x, planeStep, 2, step, flip, y, count, end)
  case 3: combinePlanes(x, planeStep, 3, step, flip, y, count, end)
  default: combinePlanes(x, planeStep, 4, step, flip, y, count, end)
  }
}

/// The same for a constant number of planes.
@inline(__always)
private func combinePlanes(
  _ x: UnsafePointer<UInt8>, _ planeStep: Int, _ planes: Int, _ step: Int, _ flip: UInt8,
  _ y: UnsafeMutablePointer<Int32>, _ count: Int, _ end: UnsafePointer<UInt8>?
) {
  // Only bytes of planes that there are.
  let flipped = (UInt32(truncatingIfNeeded: flip) &* 0x0101_0101) &>> UInt32(truncatingIfNeeded: 32 &- 8 &* planes)
  var done = 0
  if step <= 2 {
    let flips = IntegerLanes(repeating: Int32(bitPattern: flipped))
    // Sixteen at a time, the last ones beyond the end where that may be, else moved back, so that some of them are
    // computed for the second time.
    let readable = end.map { $0 - (x + (planes &- 1) &* planeStep) } ?? 0
    while done < count {
      var at = done
      if at &+ 16 &+ step > count &+ 1, (at &+ 16) &* step > readable {
        if count < 16 || step == 2 && count == 16 { break }
        at = count &- 16
      }
      var words = sixteenBytes(x, at, step)
      if planes > 1 {
        words |= sixteenBytes(x + planeStep, at, step) &<< IntegerLanes(repeating: 8)
      }
      if planes > 2 {
        words |= sixteenBytes(x + 2 &* planeStep, at, step) &<< IntegerLanes(repeating: 16)
      }
      if planes > 3 {
        words |= sixteenBytes(x + 3 &* planeStep, at, step) &<< IntegerLanes(repeating: 24)
      }
      store(words ^ flips, y + at)
      done &+= 16
    }
  }
  while done < count {
    var word = UInt32(truncatingIfNeeded: x[done &* step])
    if planes > 1 { word |= UInt32(truncatingIfNeeded: x[planeStep &+ done &* step]) &<< 8 }
    if planes > 2 { word |= UInt32(truncatingIfNeeded: x[2 &* planeStep &+ done &* step]) &<< 16 }
    if planes > 3 { word |= UInt32(truncatingIfNeeded: x[3 &* planeStep &+ done &* step]) &<< 24 }
    y[done] = Int32(bitPattern: word ^ flipped)
    done &+= 1
  }
}

/// The bytes `x[index * step]` and so on, of a row that has more than sixteen where the step is 2.
@inline(__always)
private func sixteenBytes(_ x: UnsafePointer<UInt8>, _ index: Int, _ step: Int) -> IntegerLanes {
  if step == 1 { return widened(load(x + index, as: SIMD16<UInt8>.self)) }
  // As the upper halves of pairs that begin one byte before, so that nothing is read past the last; but for the first.
  let isFirst = index == 0
  let pairs = UnsafeRawPointer(x + (isFirst ? 0 : 2 &* index &- 1)).assumingMemoryBound(to: UInt16.self)
  let both = widened(load(pairs, as: SIMD16<UInt16>.self))
  return (both &>> IntegerLanes(repeating: isFirst ? 0 : 8)) & IntegerLanes(repeating: 0xFF)
}
