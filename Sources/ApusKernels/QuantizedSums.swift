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
    forCorrected(sums, sumStep, rows, count, correction) { row, i, width, sum in
      store(scaled(sum, scale, row, i), y + (row &* step &+ i), upTo: width)
    }
  }

  package static func quantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    outputScale: Float, range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int
  ) {
    let levels = quantizationLevels(outputScale, range)
    forCorrected(sums, sumStep, rows, count, correction) { row, i, width, sum in
      store(lowBytes(quantized(scaled(sum, scale, row, i), levels)), y + (row &* step &+ i), upTo: width)
    }
  }

  package static func requantizeSums(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, scale: SumScale,
    range: QuantizedRange, _ y: UnsafeMutablePointer<UInt8>, step: Int
  ) {
    let least = all(Float(range.least &- range.zeroPoint))
    let greatest = all(Float(range.greatest &- range.zeroPoint))
    let zeroPoint = IntegerLanes(repeating: range.zeroPoint)
    forCorrected(sums, sumStep, rows, count, correction) { row, i, width, sum in
      let value = floats(sum) * scaleOf(scale.scales, scale.isOfColumns, row, i)
      let bytes = lowBytes(nearestIntegers(limited(value, least, greatest)) &+ zeroPoint)
      store(bytes, y + (row &* step &+ i), upTo: width)
    }
  }
}

/// `Float(sum) * scale + bias`, each rounded.
@inline(__always)
private func scaled(_ sum: IntegerLanes, _ scale: SumScale, _ row: Int, _ column: Int) -> Lanes {
  let value = floats(sum) * scaleOf(scale.scales, scale.isOfColumns, row, column)
  guard let bias = scale.bias else { return value }
  return value + scaleOf(bias, scale.isOfColumns, row, column)
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

/// Calls `body` with corrected sums, sixteen at a time, and with how many of them count. The last sixteen of a row are
/// moved back, so that some of them are computed for the second time, where the row has as many.
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
    var i = 0
    while i &+ 16 <= count {
      body(row, i, 16, corrected(i))
      i &+= 16
    }
    if i < count {
      i = count >= 16 ? count &- 16 : 0
      body(row, i, count &- i, corrected(i))
    }
  }
}
