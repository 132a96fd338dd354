import ApusKernelInterface

extension BlockedKernels {
  package static func convolveDepthwiseRow(
    _ x: UnsafePointer<Float>, rowStep: Int, rows: Int, inputWidth: Int, weights: UnsafePointer<Float>,
    addend: UnsafePointer<Float>, addendStep: Int, _ y: UnsafeMutablePointer<Float>, width: Int, group: Int, taps: Int,
    stride: Int, dilation: Int, left: Int, inside: Range<Int>
  ) {
    let addend = (base: addend, step: addendStep)
    let window: DepthwiseWindow = (
      rowStep: rowStep, rows: rows, taps: taps, positionStep: stride &* 16, tapStep: dilation &* 16
    )
    var row: DepthwiseRow = (
      first: 0, begin: inside.lowerBound, end: inside.upperBound, width: width, left: left, inputWidth: inputWidth
    )
    if group == 1, stride == 1, dilation == 1, left == taps >> 1, width == inputWidth, rows > 0,
      let positions = DepthwiseBorders.positions(width: width, taps: taps)
    {
      DepthwiseBorders.convolve(
        x, (width: width, rows: rows, rowStep: rowStep), weights, addend, y, taps: taps, positions: positions)
      // What lies between.
      let end = width &- positions < positions ? positions : width &- positions
      row = (first: positions, begin: positions, end: end, width: end, left: left, inputWidth: inputWidth)
    }
    if group == 2 {
      DepthwiseCase<2, 0, 0>.convolve(row, x, weights, addend, y, window)
    } else if group == 4 {
      DepthwiseCase<4, 0, 0>.convolve(row, x, weights, addend, y, window)
    } else if group == 8 {
      DepthwiseCase<8, 0, 0>.convolve(row, x, weights, addend, y, window)
    } else if taps == 3, stride == 1, dilation == 1 {
      DepthwiseCase<1, 3, 1>.convolve(row, x, weights, addend, y, window)
    } else if taps == 3, stride == 2, dilation == 1 {
      DepthwiseCase<1, 3, 2>.convolve(row, x, weights, addend, y, window)
    } else if taps == 5, stride == 1, dilation == 1 {
      DepthwiseCase<1, 5, 1>.convolve(row, x, weights, addend, y, window)
    } else if taps == 5, stride == 2, dilation == 1 {
      DepthwiseCase<1, 5, 2>.convolve(row, x, weights, addend, y, window)
    } else if taps == 7, stride == 1, dilation == 1 {
      DepthwiseCase<1, 7, 1>.convolve(row, x, weights, addend, y, window)
    } else {
      DepthwiseCase<1, 0, 0>.convolve(row, x, weights, addend, y, window)
    }
  }
}

/// Rows of groups of so many channels, under windows of so many neighbouring taps and such a stride; 0 for any.
///
/// A function for each: in one with all of them the optimiser leaves calls, and a tile's sums in memory.
private enum DepthwiseCase<let group: Int, let taps: Int, let stride: Int> {
  @inline(never)
  static func convolve(
    _ row: DepthwiseRow, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
    _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow
  ) {
    convolveRow(
      row, x, weights, addend, y, window, group: group, taps: taps > 0 ? taps : window.taps,
      positionStep: taps > 0 ? stride &* 16 : window.positionStep, tapStep: taps > 0 ? 16 : window.tapStep)
  }
}

/// What the sums of some positions begin with: sixteen floats each, `step` after those of the position before. A tuple, as
/// ``TileAddend`` is.
typealias DepthwiseAddend = (base: UnsafePointer<Float>, step: Int)

/// What those of later positions begin with.
@inline(__always)
func after(_ positions: Int, _ addend: DepthwiseAddend) -> DepthwiseAddend {
  (base: addend.base + positions &* addend.step, step: addend.step)
}

/// Which positions of a row are to be convolved, from `first` to `width`, which of them see the whole width of the window, and
/// where the map lies below it.
private typealias DepthwiseRow = (first: Int, begin: Int, end: Int, width: Int, left: Int, inputWidth: Int)

/// One row: the positions whose window reaches beyond the left side, those inside, and those at the right.
@inline(__always)
private func convolveRow(
  _ row: DepthwiseRow, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
  _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow, group: Int, taps: Int, positionStep: Int, tapStep: Int
) {
  edges(row.first..<row.begin, row, x, weights, addend, y, window, group)
  let first = row.begin &* positionStep &- row.left &* 16
  interior(
    x + first, weights, after(row.begin, addend), y + row.begin &* 16, row.end &- row.begin, window, group: group,
    taps: taps, positionStep: positionStep, tapStep: tapStep)
  edges(row.end..<row.width, row, x, weights, addend, y, window, group)
}

@inline(__always)
private func edges(
  _ positions: Range<Int>, _ row: DepthwiseRow, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>,
  _ addend: DepthwiseAddend, _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow, _ group: Int
) {
  for position in positions {
    let column = position &* (window.positionStep >> 4) &- row.left
    let start = after(position, addend)
    edge(x, column, row.inputWidth, window.tapStep >> 4, weights, start, y + position &* 16, window, group)
  }
}

/// How the window of a depthwise convolution lies in memory.
private typealias DepthwiseWindow = (rowStep: Int, rows: Int, taps: Int, positionStep: Int, tapStep: Int)

enum DepthwiseTile {
  #if APUS_AVX512
    static let positions = 8
  #elseif APUS_AVX2
    static let positions = 4
  #else
    static let positions = 2
  #endif
}

/// Lane `member` of each group of neighbouring lanes, in all lanes of the group; both constants.
@inline(__always)
private func spread(_ x: Lanes, _ member: Int, _ group: Int) -> Lanes {
  if group == 1 { return x }
  let first = ~(group &- 1)
  return Lanes(
    x[(0 & first) | member], x[(1 & first) | member], x[(2 & first) | member], x[(3 & first) | member],
    x[(4 & first) | member], x[(5 & first) | member], x[(6 & first) | member], x[(7 & first) | member],
    x[(8 & first) | member], x[(9 & first) | member], x[(10 & first) | member], x[(11 & first) | member],
    x[(12 & first) | member], x[(13 & first) | member], x[(14 & first) | member], x[(15 & first) | member])
}

/// Positions that see the whole width of the window. `group`, and `taps` and steps where that makes a difference, are
/// constants.
@inline(__always)
private func interior(
  _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
  _ y: UnsafeMutablePointer<Float>, _ count: Int, _ window: DepthwiseWindow, group: Int, taps: Int, positionStep: Int,
  tapStep: Int
) {
  // A single position waits for each multiply-add to end, so that what is left over would take as long as a tile each.
  if count >= DepthwiseTile.positions {
    tiles(DepthwiseTile.positions, x, weights, addend, y, count, window, group, taps, positionStep, tapStep)
  } else if DepthwiseTile.positions > 4, count >= 4 {
    tiles(4, x, weights, addend, y, count, window, group, taps, positionStep, tapStep)
  } else if DepthwiseTile.positions > 2, count >= 2 {
    tiles(2, x, weights, addend, y, count, window, group, taps, positionStep, tapStep)
  } else {
    for position in 0..<count {
      depthwiseTile(
        1, x + position &* positionStep, weights, after(position, addend), y + position &* 16, window, group, taps,
        positionStep, tapStep)
    }
  }
}

/// At least `positions` positions; the last tile begins early enough to be whole, and computes some for the second time.
@_transparent
private func tiles(
  _ positions: Int, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
  _ y: UnsafeMutablePointer<Float>, _ count: Int, _ window: DepthwiseWindow, _ group: Int, _ taps: Int,
  _ positionStep: Int, _ tapStep: Int
) {
  var position = 0
  while position < count {
    let start = position &+ positions <= count ? position : count &- positions
    depthwiseTile(
      positions, x + start &* positionStep, weights, after(start, addend), y + start &* 16, window, group, taps,
      positionStep, tapStep)
    position &+= positions
  }
}

// Transparent, as ``unrolled(_:_:)`` is: with a number of positions that is not known yet there are a hundred branches, in
// loops, of which the compiler asked for fifteen seconds what may be moved.
@_transparent
private func depthwiseTile(
  _ positions: Int, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
  _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow, _ group: Int, _ taps: Int, _ positionStep: Int,
  _ tapStep: Int
) {
  let zero: Lanes = all(0)
  var sums: InlineArray<8, Lanes> = [zero, zero, zero, zero, zero, zero, zero, zero]
  unrolled(positions) { p in sums[p] = load(after(p, addend).base) }
  var weight = weights
  var row = x
  for _ in 0..<window.rows {
    for tap in 0..<taps {
      let input = row + tap &* tapStep
      // Spelled out: a closure around closures stays a call for each tap, with the sums in memory; and so, for groups, does a
      // function that takes the sums (ResNeXt 47 ms, not 27).
      let w0: Lanes = load(weight)
      unrolled(positions) { p in
        sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 0, group), w0)
      }
      if group > 1 {
        let w1: Lanes = load(weight + 16)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 1, group), w1)
        }
      }
      if group > 2 {
        let w2: Lanes = load(weight + 32)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 2, group), w2)
        }
        let w3: Lanes = load(weight + 48)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 3, group), w3)
        }
      }
      if group > 4 {
        let w4: Lanes = load(weight + 64)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 4, group), w4)
        }
        let w5: Lanes = load(weight + 80)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 5, group), w5)
        }
        let w6: Lanes = load(weight + 96)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 6, group), w6)
        }
        let w7: Lanes = load(weight + 112)
        unrolled(positions) { p in
          sums[p] = multiplyAdd(sums[p], spread(load(input + p &* positionStep), 7, group), w7)
        }
      }
      weight += group &* 16
    }
    row += window.rowStep
  }
  unrolled(positions) { p in store(sums[p], y + p &* 16) }
}

/// A position whose window reaches beyond the sides; `column` is where it begins.
@inline(__always)
private func edge(
  _ x: UnsafePointer<Float>, _ column: Int, _ inputWidth: Int, _ dilation: Int, _ weights: UnsafePointer<Float>,
  _ addend: DepthwiseAddend, _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow, _ group: Int
) {
  // Taps inside the map, without a question for each: the sums of neighbouring positions, which wait for one multiply-add
  // after the other, then go on side by side.
  var first = column < 0 ? (dilation &- 1 &- column) / dilation : 0
  var end = column < inputWidth ? (inputWidth &- 1 &- column) / dilation &+ 1 : 0
  if end > window.taps { end = window.taps }
  if first > end { first = end }
  var sum: Lanes = load(addend.base)
  var input = x + (column &+ first &* dilation) &* 16
  var weight = weights + first &* group &* 16
  for _ in 0..<window.rows {
    for tap in 0..<(end &- first) {
      let value: Lanes = load(input + tap &* window.tapStep)
      let w = weight + tap &* group &* 16
      unrolled(group) { member in sum = multiplyAdd(sum, spread(value, member, group), load(w + member &* 16)) }
    }
    input += window.rowStep
    weight += window.taps &* group &* 16
  }
  store(sum, y)
}
