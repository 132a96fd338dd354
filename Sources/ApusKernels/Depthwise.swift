import ApusKernelInterface

extension BlockedKernels {
  package static func convolveDepthwiseRow(
    _ x: UnsafePointer<Float>, rowStep: Int, rows: Int, inputWidth: Int, weights: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int, taps: Int, stride: Int, dilation: Int,
    left: Int
  ) {
    let window: DepthwiseWindow = (
      rowStep: rowStep, rows: rows, taps: taps, positionStep: stride &* 16, tapStep: dilation &* 16
    )
    // Positions whose window lies between the sides of the map.
    var begin = (left &+ stride &- 1) / stride
    let last = inputWidth &- 1 &+ left &- (taps &- 1) &* dilation
    var end = last >= 0 ? last / stride &+ 1 : 0
    if begin > width { begin = width }
    if end > width { end = width }
    if end < begin { end = begin }

    for position in 0..<begin {
      edge(x, position &* stride &- left, inputWidth, dilation, weights, bias, y + position &* 16, window)
    }
    let firstColumn = begin &* stride &- left
    let inside = x + firstColumn &* 16
    let out = y + begin &* 16
    let count = end &- begin
    if taps == 3, stride == 1, dilation == 1 {
      interior(inside, weights, bias, out, count, window, taps: 3, positionStep: 16, tapStep: 16)
    } else if taps == 3, stride == 2, dilation == 1 {
      interior(inside, weights, bias, out, count, window, taps: 3, positionStep: 32, tapStep: 16)
    } else if taps == 5, stride == 1, dilation == 1 {
      interior(inside, weights, bias, out, count, window, taps: 5, positionStep: 16, tapStep: 16)
    } else {
      interior(
        inside, weights, bias, out, count, window, taps: taps, positionStep: window.positionStep,
        tapStep: window.tapStep)
    }
    for position in end..<width {
      edge(x, position &* stride &- left, inputWidth, dilation, weights, bias, y + position &* 16, window)
    }
  }
}

/// How the window of a depthwise convolution lies in memory.
private typealias DepthwiseWindow = (rowStep: Int, rows: Int, taps: Int, positionStep: Int, tapStep: Int)

private enum DepthwiseTile {
  #if APUS_AVX512
    static let positions = 8
  #elseif APUS_AVX2
    static let positions = 4
  #else
    static let positions = 2
  #endif
}

/// Positions that see the whole width of the window. `taps` and steps are constants where that makes a difference.
@inline(__always)
private func interior(
  _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ bias: UnsafePointer<Float>,
  _ y: UnsafeMutablePointer<Float>, _ count: Int, _ window: DepthwiseWindow, taps: Int, positionStep: Int, tapStep: Int
) {
  // A single position waits for each multiply-add to end, so that what is left over would take as long as a tile each.
  if count >= DepthwiseTile.positions {
    tiles(DepthwiseTile.positions, x, weights, bias, y, count, window, taps, positionStep, tapStep)
  } else if DepthwiseTile.positions > 4, count >= 4 {
    tiles(4, x, weights, bias, y, count, window, taps, positionStep, tapStep)
  } else if DepthwiseTile.positions > 2, count >= 2 {
    tiles(2, x, weights, bias, y, count, window, taps, positionStep, tapStep)
  } else {
    for position in 0..<count {
      depthwiseTile(
        1, x + position &* positionStep, weights, bias, y + position &* 16, window, taps, positionStep, tapStep)
    }
  }
}

/// At least `positions` positions; the last tile begins early enough to be whole, and computes some for the second time.
@inline(__always)
private func tiles(
  _ positions: Int, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ bias: UnsafePointer<Float>,
  _ y: UnsafeMutablePointer<Float>, _ count: Int, _ window: DepthwiseWindow, _ taps: Int, _ positionStep: Int,
  _ tapStep: Int
) {
  var position = 0
  while position < count {
    let start = position &+ positions <= count ? position : count &- positions
    depthwiseTile(
      positions, x + start &* positionStep, weights, bias, y + start &* 16, window, taps, positionStep, tapStep)
    position &+= positions
  }
}

@inline(__always)
private func depthwiseTile(
  _ positions: Int, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ bias: UnsafePointer<Float>,
  _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow, _ taps: Int, _ positionStep: Int, _ tapStep: Int
) {
  let start: Lanes = load(bias)
  var sums: InlineArray<8, Lanes> = [start, start, start, start, start, start, start, start]
  var weight = weights
  var row = x
  for _ in 0..<window.rows {
    for tap in 0..<taps {
      let input = row + tap &* tapStep
      let w: Lanes = load(weight)
      unrolled(positions) { p in
        sums[p] = multiplyAdd(sums[p], load(input + p &* positionStep, as: Lanes.self), w)
      }
      weight += 16
    }
    row += window.rowStep
  }
  unrolled(positions) { p in store(sums[p], y + p &* 16) }
}

/// A position whose window reaches beyond the sides; `column` is where it begins.
@inline(__always)
private func edge(
  _ x: UnsafePointer<Float>, _ column: Int, _ inputWidth: Int, _ dilation: Int, _ weights: UnsafePointer<Float>,
  _ bias: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ window: DepthwiseWindow
) {
  // Taps inside the map, without a question for each: the sums of neighbouring positions, which wait for one multiply-add
  // after the other, then go on side by side.
  var first = column < 0 ? (dilation &- 1 &- column) / dilation : 0
  var end = column < inputWidth ? (inputWidth &- 1 &- column) / dilation &+ 1 : 0
  if end > window.taps { end = window.taps }
  if first > end { first = end }
  var sum: Lanes = load(bias)
  var input = x + (column &+ first &* dilation) &* 16
  var weight = weights + first &* 16
  for _ in 0..<window.rows {
    for tap in 0..<(end &- first) {
      sum = multiplyAdd(sum, load(input + tap &* window.tapStep, as: Lanes.self), load(weight + tap &* 16))
    }
    input += window.rowStep
    weight += window.taps &* 16
  }
  store(sum, y)
}
