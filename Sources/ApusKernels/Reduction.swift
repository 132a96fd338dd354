import ApusKernelInterface
import ApusPlatform

extension Float32Kernels {
  package static func sum(_ x: UnsafePointer<Float>, count: Int) -> Double {
    var sums = WideLanes(repeating: 0)
    var i = 0
    while i &+ 16 <= count {
      sums += widened(load(x + i))
      i &+= 16
    }
    if i < count { sums += widened(load(x + i, first: count &- i)) }
    return laneSum(sums)
  }

  package static func reduceRows(
    _ reduction: Reduction, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    var row = 0
    if columns <= shortRow, reduction == .maximum || reduction == .minimum {
      row = greatestOfShortRows(x, y, rows, columns, negated: reduction == .minimum)
    }
    while row < rows {
      let x = x + row &* columns
      switch reduction {
      case .sum: y[row] = Float(sum(x, count: columns))
      case .mean: y[row] = Float(sum(x, count: columns) / Double(columns))
      case .product: y[row] = product(x, columns)
      case .maximum: y[row] = greatest(x, columns)
      case .minimum: y[row] = -greatest(x, columns, negated: true)
      }
      row &+= 1
    }
  }

  /// Elements of a row that are found faster beside each other: finding the greatest lane of a vector takes as long as
  /// going over some dozens of elements.
  private static var shortRow: Int { 40 }

  /// The greatest, or smallest, elements of rows of ``shortRow`` at most, as long as there are sixteen rows, which are
  /// turned into columns.
  /// - Returns: how many rows are done.
  private static func greatestOfShortRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ rows: Int, _ columns: Int, negated: Bool
  ) -> Int {
    let sign = all(negated ? -1 : 1)
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: shortRow &* 16) { room in
      guard let room = room.baseAddress else { return 0 }
      let turned = UnsafeRawPointer(room).assumingMemoryBound(to: Float.self)
      var row = 0
      while row &+ 16 <= rows {
        let bits = UnsafeRawPointer(x + row &* columns).assumingMemoryBound(to: UInt32.self)
        transposeWords(bits, columns, room, 16, 16, columns)
        var peaks = noPeaks()
        for column in 0..<columns { take(load(turned + column &* 16) * sign, into: &peaks) }
        store(greatestOrNaN(peaks) * sign, y + row)
        row &+= 16
      }
      return row
    }
  }

  private static func product(_ x: UnsafePointer<Float>, _ count: Int) -> Float {
    var products = WideLanes(repeating: 1)
    var i = 0
    while i &+ 16 <= count {
      products *= widened(load(x + i))
      i &+= 16
    }
    var result = 1.0
    for lane in 0..<16 { result *= products[lane] }
    while i < count {
      result *= Double(x[i])
      i &+= 1
    }
    return Float(result)
  }

  package static func reduceColumns(
    _ reduction: Reduction, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int,
    first: Int, count: Int
  ) {
    let x = x + first
    let y = y + first
    switch reduction {
    case .sum: sumColumns(x, y, rows, columns, count, divisor: 1)
    case .mean: sumColumns(x, y, rows, columns, count, divisor: Double(rows))
    case .product: mapColumns(x, y, rows, columns, count) { $0 * $1 }
    case .maximum: mapColumns(x, y, rows, columns, count) { greaterOrNaN($0, $1) }
    case .minimum: mapColumns(x, y, rows, columns, count) { smallerOrNaN($0, $1) }
    }
  }

  @inline(__always)
  private static func sumColumns(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ rows: Int, _ columns: Int, _ count: Int,
    divisor: Double
  ) {
    var column = 0
    while column < count {
      let width = count &- column
      var sums = WideLanes(repeating: 0)
      for row in 0..<rows {
        let values = x + (row &* columns &+ column)
        sums += widened(load(values, upTo: width))
      }
      let result = narrowed(sums / WideLanes(repeating: divisor))
      store(result, y + column, upTo: width)
      column &+= 16
    }
  }

  @inline(__always)
  private static func mapColumns(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ rows: Int, _ columns: Int, _ count: Int,
    _ body: (Lanes, Lanes) -> Lanes
  ) {
    var column = 0
    while column < count {
      let width = count &- column
      var result = load(x + column, upTo: width)
      var row = 1
      while row < rows {
        let values = x + (row &* columns &+ column)
        result = body(result, load(values, upTo: width))
        row &+= 1
      }
      store(result, y + column, upTo: width)
      column &+= 16
    }
  }

  package static func varianceRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int, correction: Int,
    root: Bool
  ) {
    for row in 0..<rows {
      let variance = moments(x + row &* columns, columns).squares / Double(columns &- correction)
      y[row] = Float(root ? variance.squareRoot() : variance)
    }
  }

  package static func logSumExpRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let peak = greatest(x, columns)
      // An infinite peak is the answer, and nothing can be subtracted from it.
      if peak.isInfinite {
        y[row] = peak
        continue
      }
      var sums = WideLanes(repeating: 0)
      var i = 0
      while i < columns {
        let rest = columns &- i
        let values = rest >= 16 ? load(x + i) : load(x + i, first: rest, otherwise: -.infinity)
        sums += widened(exponential(values - all(peak)))
        i &+= 16
      }
      y[row] = Float(Double(peak) + log(laneSum(sums)))
    }
  }

  package static func argumentRows(
    greatest isGreatest: Bool, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int64>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let peak = isGreatest ? greatest(x, columns) : -greatest(x, columns, negated: true)
      var index = 0
      if peak.isNaN {
        while !x[index].isNaN { index &+= 1 }
      } else {
        while x[index] != peak { index &+= 1 }
      }
      y[row] = Int64(truncatingIfNeeded: index)
    }
  }

  package static func argumentColumns(
    greatest isGreatest: Bool, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int64>, rows: Int, columns: Int,
    first: Int, count: Int
  ) {
    forLanes(count) { i, width in
      let x = x + (first &+ i)
      var best: Lanes = load(x, upTo: width)
      // As floats, which hold so many exactly.
      var places = all(0)
      for row in 1..<rows {
        let value: Lanes = load(x + row &* columns, upTo: width)
        let place = all(Float(row))
        let isBetter = isGreatest ? best .< value : value .< best
        // The first that is no number is ahead of all others.
        let ofNoNumber = choose(isNaN(best), places, place)
        places = choose(isNaN(value), ofNoNumber, choose(isBetter, place, places))
        best = isGreatest ? greaterOrNaN(best, value) : smallerOrNaN(best, value)
      }
      for lane in 0..<(width < 16 ? width : 16) { y[first &+ i &+ lane] = Int64(places[lane]) }
    }
  }

  /// The greatest of `count` elements, or the greatest of their negatives; NaN when any is.
  @inline(never)
  static func greatest(_ x: UnsafePointer<Float>, _ count: Int, negated: Bool = false) -> Float {
    let sign = all(negated ? -1 : 1)
    var peaks = noPeaks()
    var i = 0
    while i &+ 16 <= count {
      take(load(x + i) * sign, into: &peaks)
      i &+= 16
    }
    // Elements that are there fill the last vector.
    if i < count {
      let last = count >= 16 ? load(x + (count &- 16)) : load(x, first: count, otherwise: x[0])
      take(last * sign, into: &peaks)
    }
    return greatestLane(greatestOrNaN(peaks))
  }
}
