#if hasFeature(BuiltinModule)
  import Builtin
#endif

/// Sixteen doubles, for sums of floats that are rounded only once.
typealias WideLanes = SIMD16<Double>

/// The same values; exact.
@inline(__always)
func widened(_ x: Lanes) -> WideLanes {
  #if hasFeature(BuiltinModule)
    var result = WideLanes(repeating: 0)
    result._storage._value = Builtin.fpext_Vec16xFPIEEE32_Vec16xFPIEEE64(x._storage._value)
    return result
  #else
    return WideLanes(x)
  #endif
}

/// The nearest floats.
@inline(__always)
func narrowed(_ x: WideLanes) -> Lanes {
  #if hasFeature(BuiltinModule)
    var result = Lanes(repeating: 0)
    result._storage._value = Builtin.fptrunc_Vec16xFPIEEE64_Vec16xFPIEEE32(x._storage._value)
    return result
  #else
    return Lanes(x)
  #endif
}

/// The sum of all lanes, added as a tree.
@inline(__always)
func laneSum(_ v: WideLanes) -> Double {
  #if hasFeature(BuiltinModule)
    // Of the vectors' own sum the optimiser makes one of single lanes.
    var eight = v.lowHalf
    eight._storage._value = Builtin.fadd_Vec8xFPIEEE64(v.lowHalf._storage._value, v.highHalf._storage._value)
    var four = eight.lowHalf
    four._storage._value = Builtin.fadd_Vec4xFPIEEE64(eight.lowHalf._storage._value, eight.highHalf._storage._value)
  #else
    let eight = v.lowHalf + v.highHalf
    let four = eight.lowHalf + eight.highHalf
  #endif
  let two = four.lowHalf + four.highHalf
  return two[0] + two[1]
}

/// The mean of `count` floats, at least one, and Σ (x - mean)².
///
/// One pass in double precision over deviations from the first element, which is close to the mean as such things go,
/// so that little cancels.
@inline(__always)
func moments(_ x: UnsafePointer<Float>, _ count: Int) -> (mean: Double, squares: Double) {
  let shift = WideLanes(repeating: Double(x[0]))
  var sums = WideLanes(repeating: 0)
  var squares = WideLanes(repeating: 0)
  var i = 0
  while i &+ 16 <= count {
    let deviation = widened(load(x + i)) - shift
    sums += deviation
    squares += deviation * deviation
    i &+= 16
  }
  var total = laneSum(sums)
  var totalSquares = laneSum(squares)
  while i < count {
    let deviation = Double(x[i]) - shift[0]
    total += deviation
    totalSquares += deviation * deviation
    i &+= 1
  }
  let n = Double(count)
  let rest = totalSquares - total * total / n
  // Rounding may leave less than nothing; a NaN stays one.
  return (shift[0] + total / n, rest < 0 ? 0 : rest)
}

/// Σ x² in double precision.
@inline(__always)
func sumOfSquares(_ x: UnsafePointer<Float>, _ count: Int) -> Double {
  var squares = WideLanes(repeating: 0)
  var i = 0
  while i &+ 16 <= count {
    let value = widened(load(x + i))
    squares += value * value
    i &+= 16
  }
  var total = laneSum(squares)
  while i < count {
    total += Double(x[i]) * Double(x[i])
    i &+= 1
  }
  return total
}
