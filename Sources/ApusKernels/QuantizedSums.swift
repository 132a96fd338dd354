import ApusKernelInterface

extension IntegerKernels {
  package static func correctSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection,
    _ y: UnsafeMutablePointer<Int32>, step: Int
  ) {
    forCorrected(sums, sumStep, rows, count, correction) { row, i, width, sum in
      store(sum, y + (row &* step &+ i), upTo: width)
    }
  }

  package static func scaleSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    _ y: UnsafeMutablePointer<Float>, step: Int
  ) {
    forScaled(sums, sumStep, rows, count, correction, scale) { row, i, width, number in
      store(number, y + (row &* step &+ i), upTo: width)
    }
  }

  package static func quantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    outputScale: Float, range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int
  ) {
    let levels = quantizationLevels(outputScale, range)
    forScaled(sums, sumStep, rows, count, correction, scale) { row, i, width, number in
      store(quantizedBytes(number, levels), y + (row &* step &+ i), upTo: width)
    }
  }

  package static func requantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int
  ) {
    let least = all(Float(range.least &- range.zeroPoint))
    let greatest = all(Float(range.greatest &- range.zeroPoint))
    let zeroPoint = byteLanes(range.zeroPoint)
    forCorrected(sums, sumStep, rows, count, correction) { row, i, width, sum in
      let value = floats(sum) * scaleOf(scale.scales, scale.isOfColumns, row, i)
      store(nearestBytes(limited(value, least, greatest)) &+ zeroPoint, y + (row &* step &+ i), upTo: width)
    }
  }
}

/// Calls `body` with `Float(sum) * scale + bias`, each rounded, as ``forCorrected(_:_:_:_:_:_:)`` does with sums.
@inline(__always)
private func forScaled(
  _ sums: UnsafePointer<Int32>, _ sumStep: Int, _ rows: Int, _ count: Int, _ correction: SumCorrection,
  _ scale: SumScale, _ body: (_ row: Int, _ column: Int, _ width: Int, _ number: Lanes) -> Void
) {
  guard !scale.isOfColumns, correction.columns == nil, correction.otherColumns == nil else {
    forCorrected(sums, sumStep, rows, count, correction) { row, i, width, sum in
      let value = floats(sum) * scaleOf(scale.scales, scale.isOfColumns, row, i)
      body(row, i, width, scale.bias.map { value + scaleOf($0, scale.isOfColumns, row, i) } ?? value)
    }
    return
  }
  // What a row has in common, once. Any number plus -0 is itself.
  for row in 0..<rows {
    let line = sums + row &* sumStep
    let base = IntegerLanes(repeating: correction.base[row])
    let (factor, bias) = (all(scale.scales[row]), all(scale.bias.map { $0[row] } ?? -0.0))
    forSixteens(count) { i, width in
      body(row, i, width, floats(load(line + i, as: IntegerLanes.self) &+ base) * factor + bias)
    }
  }
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

/// Calls `body` with corrected sums, sixteen at a time, and with how many of them count.
@inline(__always)
private func forCorrected(
  _ sums: UnsafePointer<Int32>, _ sumStep: Int, _ rows: Int, _ count: Int, _ correction: SumCorrection,
  _ body: (_ row: Int, _ column: Int, _ width: Int, _ sum: IntegerLanes) -> Void
) {
  for row in 0..<rows {
    let line = sums + row &* sumStep
    let base = IntegerLanes(repeating: correction.base[row])
    let factor = IntegerLanes(repeating: correction.factors[row])
    let otherFactor = IntegerLanes(repeating: correction.otherFactors[row])
    @inline(__always)
    func corrected(_ i: Int) -> IntegerLanes {
      var sum = load(line + i, as: IntegerLanes.self) &+ base
      if let columns = correction.columns {
        sum = sum &+ factor &* load(columns + i, as: IntegerLanes.self)
      }
      if let columns = correction.otherColumns {
        sum = sum &+ otherFactor &* load(columns + i, as: IntegerLanes.self)
      }
      return sum
    }
    forSixteens(count) { i, width in body(row, i, width, corrected(i)) }
  }
}

/// Calls `body` with the places of sixteen elements, and with how many of them count. The last sixteen are moved back, so
/// that some of them are computed for the second time, where there are as many.
@inline(__always)
private func forSixteens(_ count: Int, _ body: (_ place: Int, _ width: Int) -> Void) {
  var i = 0
  while i &+ 16 <= count {
    body(i, 16)
    i &+= 16
  }
  if i < count {
    i = count >= 16 ? count &- 16 : 0
    body(i, count &- i)
  }
}
