import ApusKernelInterface
import ApusPlatform

extension Float32Kernels {
  package static func softmaxRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int, logarithm: Bool
  ) {
    if logarithm {
      for row in 0..<rows { logSoftmaxRow(x + row &* columns, y + row &* columns, columns) }
      return
    }
    if columns < 16 {
      softmaxShortRows(x, y, rows: rows, columns: columns)
      return
    }
    // What is a single number of a row is asked for while another row is worked on: the peak of the next one, and the total
    // of the one before.
    var peak = rows > 0 ? greatestNumber(x, columns) : 0
    var total: Float = 1
    for row in 0..<rows {
      let next = row &+ 1 < rows ? greatestNumber(x + (row &+ 1) &* columns, columns) : 0
      let sum = exponentials(x + row &* columns, y + row &* columns, columns, peak)
      if row > 0 { divide(y + (row &- 1) &* columns, columns, total) }
      peak = next
      total = Float(sum)
    }
    if rows > 0 { divide(y + (rows &- 1) &* columns, columns, total) }
  }

  /// The same for rows that one vector holds, each of which is read and written once.
  private static func softmaxShortRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    guard rows > 0, columns > 0 else { return }
    let isInRow = laneNumbers() .< all(Float(columns))
    let nothing = all(-.infinity)
    // A vector from the first of a row, of which the lanes beyond belong to the rows after it.
    let wholeRows = rows &- (15 &+ columns) / columns
    func row(_ index: Int) -> Lanes {
      let x = x + index &* columns
      return index <= wholeRows ? choose(isInRow, load(x), nothing) : load(x, first: columns, otherwise: -.infinity)
    }
    var values = row(0)
    var peak = greatestOfNumbers(greater(nothing, values))
    var before = nothing
    var total: Float = 1
    for index in 0..<rows {
      // The next row is read before this one is written, which may be what `y` is.
      let next = index &+ 1 < rows ? row(index &+ 1) : values
      let nextPeak = greatestOfNumbers(greater(nothing, next))
      let e = scaledExponentialOfNonpositive(values - all(peak))
      if index > 0 { store(quotient(before, total), y + (index &- 1) &* columns, first: columns) }
      total = Float(laneSum(widened(e)))
      (before, values, peak) = (e, next, nextPeak)
    }
    store(quotient(before, total), y + (rows &- 1) &* columns, first: columns)
  }

  private static func logSoftmaxRow(_ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ columns: Int) {
    let peak = greatestNumber(x, columns)
    let sum = exponentials(x, nil, columns, peak)
    // The whole offset in two parts, so that large values are rounded once.
    let offset = Double(peak) + log(sum * 0x1p-64)
    let high = Float(offset)
    let low = all(Float(offset - Double(high)))
    mapLanes(x, y, columns) { $0 - all(high) - low }
  }

  /// The greatest element that is a number; minus infinity when there is none.
  ///
  /// NaNs may be ignored because their exponentials make the sum NaN, and with it the whole row.
  @inline(__always)
  private static func greatestNumber(_ x: UnsafePointer<Float>, _ count: Int) -> Float {
    var p0 = all(-.infinity)
    var p1 = p0, p2 = p0, p3 = p0
    var i = 0
    while i &+ 64 <= count {
      p0 = greater(p0, load(x + i))
      p1 = greater(p1, load(x + i + 16))
      p2 = greater(p2, load(x + i + 32))
      p3 = greater(p3, load(x + i + 48))
      i &+= 64
    }
    while i &+ 16 <= count {
      p0 = greater(p0, load(x + i))
      i &+= 16
    }
    if i < count { p1 = greater(p1, tail(x, count)) }
    return greatestOfNumbers(greater(greater(p0, p1), greater(p2, p3)))
  }

  /// The last sixteen elements, or all where there are fewer, and then minus infinity.
  @inline(__always)
  private static func tail(_ x: UnsafePointer<Float>, _ count: Int) -> Lanes {
    count >= 16 ? load(x + (count &- 16)) : load(x, first: count, otherwise: -.infinity)
  }

  /// The sum of `2^64 exp(x - peak)`, whose terms are written to `y` where there is one. Four vectors at a time are summed
  /// as floats, the rest in double precision.
  @inline(__always)
  private static func exponentials(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>?, _ count: Int, _ peak: Float
  ) -> Double {
    let peaks = all(peak)
    // Read first, for `y` may be `x`.
    let last = tail(x, count)
    var sums = WideLanes(repeating: 0)
    var i = 0
    while i &+ 64 <= count {
      let (e0, e1) = scaledExponentialOfNonpositive((load(x + i) - peaks, load(x + i + 16) - peaks))
      let (e2, e3) = scaledExponentialOfNonpositive((load(x + i + 32) - peaks, load(x + i + 48) - peaks))
      if let y {
        store(e0, y + i)
        store(e1, y + i + 16)
        store(e2, y + i + 32)
        store(e3, y + i + 48)
      }
      let pairs: Lanes = (e0 + e1) + (e2 + e3)
      sums += widened(pairs)
      i &+= 64
    }
    var rest = all(0)
    while i &+ 16 <= count {
      let e = scaledExponentialOfNonpositive(load(x + i) - peaks)
      if let y { store(e, y + i) }
      rest += e
      i &+= 16
    }
    if i < count {
      let e = scaledExponentialOfNonpositive(last - peaks)
      if count >= 16 {
        if let y { store(e, y + (count &- 16)) }
        // Those before `i` are in the sums already.
        rest += choose(laneNumbers() .>= all(Float(i &+ 16 &- count)), e, all(0))
      } else {
        if let y { store(e, y, first: count) }
        rest += e
      }
    }
    return laneSum(sums + widened(rest))
  }

  /// `y[i] /= total`, for a total of at least 2^64, or NaN.
  @inline(__always)
  private static func divide(_ y: UnsafeMutablePointer<Float>, _ count: Int, _ total: Float) {
    let reciprocal = 1 / total
    mapLanes(y, y, count) { quotient($0, total, reciprocal: reciprocal) }
  }

  @inline(__always)
  private static func quotient(_ e: Lanes, _ total: Float) -> Lanes { quotient(e, total, reciprocal: 1 / total) }

  /// `e / total`. With a fused multiply-add a product with the reciprocal is corrected to the rounded quotient, in a
  /// fraction of the time of a division.
  @inline(__always)
  private static func quotient(_ e: Lanes, _ total: Float, reciprocal: Float) -> Lanes {
    #if APUS_FMA
      let quotient = e * all(reciprocal)
      return multiplyAdd(quotient, multiplyAdd(e, -quotient, all(total)), all(reciprocal))
    #else
      return e / all(total)
    #endif
  }

  package static func softmaxColumns(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int, first: Int, count: Int,
    logarithm: Bool
  ) {
    forLanes(count) { i, width in
      let x = x + (first &+ i)
      let y = y + (first &+ i)
      var running = noPeaks()
      for row in 0..<rows { take(load(x + row &* columns, upTo: width), into: &running) }
      let peaks = greatestOrNaN(running)
      var sums = WideLanes(repeating: 0)
      for row in 0..<rows {
        let e = exponential(load(x + row &* columns, upTo: width) - peaks)
        sums += widened(e)
        if !logarithm { store(e, y + row &* columns, upTo: width) }
      }
      if logarithm {
        var offset = widened(peaks)
        for lane in 0..<16 { offset[lane] += log(sums[lane]) }
        let high = narrowed(offset)
        let low = narrowed(offset - widened(high))
        for row in 0..<rows {
          store(load(x + row &* columns, upTo: width) - high - low, y + row &* columns, upTo: width)
        }
      } else {
        let totals = narrowed(sums)
        for row in 0..<rows {
          store(load(y + row &* columns, upTo: width) / totals, y + row &* columns, upTo: width)
        }
      }
    }
  }
}
