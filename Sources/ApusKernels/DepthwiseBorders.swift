/// A tile of a depthwise convolution at the left or the right side of a map, whose windows reach beyond it: `taps` of them,
/// neighbours, of which half lie on either side of a position.
///
/// By itself each such position would wait for one multiply-add after the other; of a map of 14 columns under seven taps
/// they are six, of one of seven columns all but one. All sums begin with their addend and go through the taps that lie inside
/// in one order, here and elsewhere.
enum BorderTile<let positions: Int, let taps: Int, let right: Int> {
  static func convolveBothSides(
    _ x: UnsafePointer<Float>, _ row: BorderRow, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
    _ y: UnsafeMutablePointer<Float>
  ) {
    let last = row.width &- positions
    BorderTile<positions, taps, 0>.convolve(x, row, weights, addend, y)
    BorderTile<positions, taps, 1>.convolve(x + last &* 16, row, weights, after(last, addend), y + last &* 16)
  }

  /// - Parameter x: the first position's column of the first row of the window.
  @inline(never)
  private static func convolve(
    _ x: UnsafePointer<Float>, _ size: BorderRow, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
    _ y: UnsafeMutablePointer<Float>
  ) {
    let zero: Lanes = all(0)
    var sums: InlineArray<8, Lanes> = [zero, zero, zero, zero, zero, zero, zero, zero]
    unrolled(positions) { p in sums[p] = load(after(p, addend).base) }
    var row = x
    var weight = weights
    var rowsLeft = size.rows
    repeat {
      tap(0, &sums, row, weight)
      tap(1, &sums, row, weight)
      tap(2, &sums, row, weight)
      tap(3, &sums, row, weight)
      tap(4, &sums, row, weight)
      tap(5, &sums, row, weight)
      tap(6, &sums, row, weight)
      row += size.rowStep
      weight += taps &* 16
      rowsLeft &-= 1
    } while rowsLeft > 0
    unrolled(positions) { p in store(sums[p], y + p &* 16) }
  }

  @inline(__always)
  private static func tap(
    _ tap: Int, _ sums: inout InlineArray<8, Lanes>, _ row: UnsafePointer<Float>, _ weights: UnsafePointer<Float>
  ) {
    guard tap < taps else { return }
    let w: Lanes = load(weights + tap &* 16)
    multiply(0, tap, &sums, row, w)
    multiply(1, tap, &sums, row, w)
    multiply(2, tap, &sums, row, w)
    multiply(3, tap, &sums, row, w)
    multiply(4, tap, &sums, row, w)
    multiply(5, tap, &sums, row, w)
    multiply(6, tap, &sums, row, w)
    multiply(7, tap, &sums, row, w)
  }

  /// Position `p` under a tap, where that lies inside the map.
  @inline(__always)
  private static func multiply(
    _ p: Int, _ tap: Int, _ sums: inout InlineArray<8, Lanes>, _ row: UnsafePointer<Float>, _ w: Lanes
  ) {
    let column = p &+ tap &- taps / 2
    guard p < positions, right > 0 ? column < positions : column >= 0 else { return }
    sums[p] = multiplyAdd(sums[p], load(row + column &* 16), w)
  }
}

/// A row of a map and how many rows of it the window covers, at least one.
typealias BorderRow = (width: Int, rows: Int, rowStep: Int)

/// The tiles at both sides of a row as wide as the map.
enum DepthwiseBorders {
  /// Positions of a tile: as many as taps are missing at a side or more, and so few that the other side is out of reach. Nil
  /// for other windows, and where a map is too narrow.
  @inline(__always)
  static func positions(width: Int, taps: Int) -> Int? {
    guard taps == 3 || taps == 5 || taps == 7 else { return nil }
    let missing = taps >> 1
    let whole = DepthwiseTile.positions
    if whole >= missing, width >= whole &+ missing { return whole }
    return whole > 4 && width >= 4 &+ missing ? 4 : nil
  }

  /// Both tiles. Of a map of fewer columns than two of them some are computed for the second time.
  static func convolve(
    _ x: UnsafePointer<Float>, _ row: BorderRow, _ weights: UnsafePointer<Float>, _ addend: DepthwiseAddend,
    _ y: UnsafeMutablePointer<Float>, taps: Int, positions: Int
  ) {
    #if APUS_AVX512
      if positions == 8 {
        switch taps {
        case 3: BorderTile<8, 3, 0>.convolveBothSides(x, row, weights, addend, y)
        case 5: BorderTile<8, 5, 0>.convolveBothSides(x, row, weights, addend, y)
        default: BorderTile<8, 7, 0>.convolveBothSides(x, row, weights, addend, y)
        }
        return
      }
    #endif
    #if APUS_AVX512 || APUS_AVX2
      switch taps {
      case 3: BorderTile<4, 3, 0>.convolveBothSides(x, row, weights, addend, y)
      case 5: BorderTile<4, 5, 0>.convolveBothSides(x, row, weights, addend, y)
      default: BorderTile<4, 7, 0>.convolveBothSides(x, row, weights, addend, y)
      }
    #else
      switch taps {
      case 3: BorderTile<2, 3, 0>.convolveBothSides(x, row, weights, addend, y)
      default: BorderTile<2, 5, 0>.convolveBothSides(x, row, weights, addend, y)
      }
    #endif
  }
}
