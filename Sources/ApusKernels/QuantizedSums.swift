import ApusKernelInterface

extension IntegerKernels {
  package static func correctSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection,
    _ y: UnsafeMutablePointer<Int32>, step: Int
  ) {
    for index in 0..<rows {
      let row = CorrectedRow(sums + index &* sumStep, index, correction)
      forSixteens(count) { i, width in store(row[i], y + (index &* step &+ i), upTo: width) }
    }
  }

  package static func scaleSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    _ y: UnsafeMutablePointer<Float>, step: Int
  ) {
    func scaleRows<Row: ScaledRow>(as: Row.Type) {
      for index in 0..<rows {
        let row = Row(sums + index &* sumStep, index, correction, scale)
        forSixteens(count) { i, width in store(row.number(i), y + (index &* step &+ i), upTo: width) }
      }
    }
    if isPlain(correction, scale) { scaleRows(as: PlainRow.self) } else { scaleRows(as: AnyRow.self) }
  }

  package static func quantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    outputScale: Float, range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int
  ) {
    let levels = quantizationLevels(outputScale, range)
    let limits = byteLimits(range)
    func quantizeRows<Row: ScaledRow>(as: Row.Type) {
      let areMany = Row.isPlain && limitsManySums(scale, to: greatestLevel * outputScale, rows: rows, columns: count)
      for index in 0..<rows {
        let row = Row(sums + index &* sumStep, index, correction, scale)
        let out = y + index &* step
        let done = areMany ? storeLevels(out, limits, count: count) { quotients(row.number($0), levels) } : 0
        forSixteens(count, from: done) { i, width in
          store(quantizedBytes(row.number(i), levels), out + i, upTo: width)
        }
      }
    }
    if isPlain(correction, scale) { quantizeRows(as: PlainRow.self) } else { quantizeRows(as: AnyRow.self) }
  }

  package static func requantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int
  ) {
    let least = all(Float(range.least &- range.zeroPoint))
    let greatest = all(Float(range.greatest &- range.zeroPoint))
    let zeroPoint = byteLanes(range.zeroPoint)
    let limits = byteLimits(range)
    func requantizeRows<Row: ScaledRow>(as: Row.Type) {
      let areMany = Row.isPlain && limitsManySums(scale, to: greatestLevel, rows: rows, columns: count)
      for index in 0..<rows {
        let row = Row(sums + index &* sumStep, index, correction, scale)
        let out = y + index &* step
        let done = areMany ? storeLevels(out, limits, count: count) { row.number($0) } : 0
        forSixteens(count, from: done) { i, width in
          store(nearestBytes(limited(row.number(i), least, greatest)) &+ zeroPoint, out + i, upTo: width)
        }
      }
    }
    if isPlain(correction, scale) { requantizeRows(as: PlainRow.self) } else { requantizeRows(as: AnyRow.self) }
  }
}

/// Numbers that are made of a row of sums: `Float(sum) * scale + bias` of corrected ones, each operation rounded.
private protocol ScaledRow {
  /// Whether making one is so little that the compiler puts it wherever many are made at once.
  static var isPlain: Bool { get }
  init(_ sums: UnsafePointer<Int32>, _ row: Int, _ correction: SumCorrection, _ scale: SumScale)
  /// Sixteen of them from a column on.
  func number(_ column: Int) -> Lanes
}

/// Whether all of a row is corrected and scaled alike.
private func isPlain(_ correction: SumCorrection, _ scale: SumScale) -> Bool {
  !scale.isOfColumns && correction.columns == nil && correction.otherColumns == nil
}

/// What a row has in common, once. Any number plus -0 is itself.
private struct PlainRow: ScaledRow {
  static var isPlain: Bool { true }
  let sums: UnsafePointer<Int32>
  let base: IntegerLanes
  let factor: Lanes
  let bias: Lanes

  @inline(__always)
  init(_ sums: UnsafePointer<Int32>, _ row: Int, _ correction: SumCorrection, _ scale: SumScale) {
    self.sums = sums
    base = IntegerLanes(repeating: correction.base[row])
    (factor, bias) = (all(scale.scales[row]), all(scale.bias.map { $0[row] } ?? -0.0))
  }

  @inline(__always)
  func number(_ column: Int) -> Lanes { floats(load(sums + column, as: IntegerLanes.self) &+ base) * factor + bias }
}

private struct AnyRow: ScaledRow {
  static var isPlain: Bool { false }
  let sums: CorrectedRow
  let row: Int
  let scale: SumScale

  @inline(__always)
  init(_ sums: UnsafePointer<Int32>, _ row: Int, _ correction: SumCorrection, _ scale: SumScale) {
    self.sums = CorrectedRow(sums, row, correction)
    (self.row, self.scale) = (row, scale)
  }

  @inline(__always)
  func number(_ column: Int) -> Lanes {
    let value = floats(sums[column]) * scaleOf(scale.scales, scale.isOfColumns, row, column)
    return scale.bias.map { value + scaleOf($0, scale.isOfColumns, row, column) } ?? value
  }
}

/// Whether there are ``manyBytes`` columns, and no sum that 32 bits hold becomes a number beyond `limit`, or none, by the
/// scale of its row.
private func limitsManySums(_ scale: SumScale, to limit: Float, rows: Int, columns: Int) -> Bool {
  guard manyBytes > 0, columns >= manyBytes else { return false }
  // Zeros follow, as many as are read.
  var greatest = all(0)
  for first in stride(from: 0, to: rows, by: 16) {
    let product = absolute(load(scale.scales + first)) * all(0x1p31)
    greatest = greaterOrNaN(greatest, scale.bias.map { product + absolute(load($0 + first)) } ?? product)
  }
  return !isAny(isLessOrNaN(all(limit), greatest))
}

/// Between `least` and `greatest`; `least` for NaN.
@inline(__always)
func limited(_ x: Lanes, _ least: Lanes, _ greatest: Lanes) -> Lanes {
  smaller(choose(x .> least, x, least), greatest)
}

@inline(__always)
private func scaleOf(_ values: UnsafePointer<Float>, _ isOfColumns: Bool, _ row: Int, _ column: Int) -> Lanes {
  isOfColumns ? load(values + column) : all(values[row])
}

/// Corrected sums.
private struct CorrectedRow {
  let sums: UnsafePointer<Int32>
  let base: IntegerLanes
  let factor: IntegerLanes
  let columns: UnsafePointer<Int32>?
  let otherFactor: IntegerLanes
  let otherColumns: UnsafePointer<Int32>?

  @inline(__always)
  init(_ sums: UnsafePointer<Int32>, _ row: Int, _ correction: SumCorrection) {
    self.sums = sums
    base = IntegerLanes(repeating: correction.base[row])
    (factor, columns) = (IntegerLanes(repeating: correction.factors[row]), correction.columns)
    (otherFactor, otherColumns) = (IntegerLanes(repeating: correction.otherFactors[row]), correction.otherColumns)
  }

  /// Sixteen of them from a column on.
  @inline(__always)
  subscript(column: Int) -> IntegerLanes {
    var sum = load(sums + column, as: IntegerLanes.self) &+ base
    if let columns { sum = sum &+ factor &* load(columns + column, as: IntegerLanes.self) }
    if let otherColumns { sum = sum &+ otherFactor &* load(otherColumns + column, as: IntegerLanes.self) }
    return sum
  }
}

/// Calls `body` with the places of sixteen elements, and with how many of them count. The last sixteen are moved back, so
/// that some of them are computed for the second time, where there are as many.
@inline(__always)
private func forSixteens(_ count: Int, from first: Int = 0, _ body: (_ place: Int, _ width: Int) -> Void) {
  var i = first
  while i &+ 16 <= count {
    body(i, 16)
    i &+= 16
  }
  if i < count {
    i = count >= 16 ? count &- 16 : 0
    body(i, count &- i)
  }
}
