#if hasFeature(BuiltinModule)
  import Builtin

  /// Which of sixteen lanes; the outcome of a comparison.
  ///
  /// The standard library's comparison and replacement of vectors are loops over the lanes, which the optimiser has to
  /// gather again and often gathers in pieces. These are the compiler's own vector operations: one instruction each.
  /// Not all compilers take a vector of single bits as an argument or a result, so a bit a lane is what is handed on;
  /// no instruction comes of that.
  struct LaneMask {
    let bits: UInt16

    @inline(__always)
    init(_ bits: Builtin.Int16) { self.bits = UInt16(bits) }
  }

  @inline(__always)
  func .< (a: Lanes, b: Lanes) -> LaneMask {
    LaneMask(
      Builtin.bitcast_Vec16xInt1_Int16(Builtin.fcmp_olt_Vec16xFPIEEE32(a._storage._value, b._storage._value)))
  }

  @inline(__always)
  func .<= (a: Lanes, b: Lanes) -> LaneMask {
    LaneMask(
      Builtin.bitcast_Vec16xInt1_Int16(Builtin.fcmp_ole_Vec16xFPIEEE32(a._storage._value, b._storage._value)))
  }

  @inline(__always)
  func .== (a: Lanes, b: Lanes) -> LaneMask {
    LaneMask(
      Builtin.bitcast_Vec16xInt1_Int16(Builtin.fcmp_oeq_Vec16xFPIEEE32(a._storage._value, b._storage._value)))
  }

  /// Lanes of `a` that are less than those of `b`, or where one of both is not a number.
  @inline(__always)
  func isLessOrNaN(_ a: Lanes, _ b: Lanes) -> LaneMask {
    LaneMask(
      Builtin.bitcast_Vec16xInt1_Int16(Builtin.fcmp_ult_Vec16xFPIEEE32(a._storage._value, b._storage._value)))
  }

  /// Lanes that are not a number.
  @inline(__always)
  func isNaN(_ a: Lanes) -> LaneMask {
    LaneMask(
      Builtin.bitcast_Vec16xInt1_Int16(Builtin.fcmp_uno_Vec16xFPIEEE32(a._storage._value, a._storage._value)))
  }

  @inline(__always)
  func .| (a: LaneMask, b: LaneMask) -> LaneMask { LaneMask((a.bits | b.bits)._value) }

  /// Whether the mask is true anywhere.
  @inline(__always)
  func isAny(_ mask: LaneMask) -> Bool { mask.bits != 0 }

  /// `a` where the mask is true, `b` elsewhere.
  @inline(__always)
  func choose(_ mask: LaneMask, _ a: Lanes, _ b: Lanes) -> Lanes {
    var result = a
    result._storage._value = Builtin.select_Vec16xInt1_Vec16xFPIEEE32(
      Builtin.bitcast_Int16_Vec16xInt1(mask.bits._value), a._storage._value, b._storage._value)
    return result
  }
#else
  typealias LaneMask = SIMDMask<SIMD16<Int32>>

  @inline(__always)
  func isLessOrNaN(_ a: Lanes, _ b: Lanes) -> LaneMask { .!(b .<= a) }

  @inline(__always)
  func isNaN(_ a: Lanes) -> LaneMask { a .!= a }

  @inline(__always)
  func isAny(_ mask: LaneMask) -> Bool { mask != LaneMask(repeating: false) }

  @inline(__always)
  func choose(_ mask: LaneMask, _ a: Lanes, _ b: Lanes) -> Lanes { b.replacing(with: a, where: mask) }
#endif

@inline(__always)
func .> (a: Lanes, b: Lanes) -> LaneMask { b .< a }

@inline(__always)
func .>= (a: Lanes, b: Lanes) -> LaneMask { b .<= a }

/// The greater of each pair, `a` where either is NaN. One instruction.
@inline(__always)
func greater(_ a: Lanes, _ b: Lanes) -> Lanes { choose(a .< b, b, a) }

/// The smaller of each pair, `a` where either is NaN. One instruction.
@inline(__always)
func smaller(_ a: Lanes, _ b: Lanes) -> Lanes { choose(b .< a, b, a) }

/// What is no smaller and no greater than bounds of which neither is NaN; `x` itself where it is. Two instructions.
@inline(__always)
func held(_ x: Lanes, _ lower: Lanes, _ upper: Lanes) -> Lanes { smaller(greater(x, lower), upper) }

/// The same of a vector of any type, of which floats alone are held: comparisons of a type that is not named are made element
/// by element.
@inline(__always)
func held<L: SIMD>(_ x: L, _ lower: Lanes, _ upper: Lanes) -> L {
  guard L.self == Lanes.self else { return x }
  return unsafeBitCast(held(unsafeBitCast(x, to: Lanes.self), lower, upper), to: L.self)
}

/// The greater of each pair, NaN where either is.
@inline(__always)
func greaterOrNaN(_ a: Lanes, _ b: Lanes) -> Lanes { choose(isNaN(b), b, greater(a, b)) }

/// The smaller of each pair, NaN where either is.
@inline(__always)
func smallerOrNaN(_ a: Lanes, _ b: Lanes) -> Lanes { choose(isNaN(b), b, smaller(a, b)) }

/// The greatest of what was taken so far, and the last of it that is no number, or 0.
///
/// ``greaterOrNaN(_:_:)`` of one vector after the other is a chain of three instructions each, as the optimiser makes one
/// choice of both. Here it is one, and the other is beside it.
typealias Peaks = (greatest: Lanes, missing: Lanes)

@inline(__always)
func noPeaks() -> Peaks { (Lanes(repeating: -.infinity), Lanes(repeating: 0)) }

@inline(__always)
func take(_ value: Lanes, into peaks: inout Peaks) {
  peaks.missing = choose(isNaN(value), value, peaks.missing)
  peaks.greatest = greater(peaks.greatest, value)
}

/// The greatest of each lane, NaN where there was one.
@inline(__always)
func greatestOrNaN(_ peaks: Peaks) -> Lanes { choose(isNaN(peaks.missing), peaks.missing, peaks.greatest) }

/// The greatest lane of those that are numbers, where no lane is NaN unless all are.
@inline(__always)
func greatestOfNumbers(_ v: Lanes) -> Float {
  #if hasFeature(BuiltinModule)
    let a = v.lowHalf._storage._value
    let b = v.highHalf._storage._value
    var eight = v.lowHalf
    eight._storage._value = Builtin.select_Vec8xInt1_Vec8xFPIEEE32(Builtin.fcmp_olt_Vec8xFPIEEE32(a, b), b, a)
    let c = eight.lowHalf._storage._value
    let d = eight.highHalf._storage._value
    var four = eight.lowHalf
    four._storage._value = Builtin.select_Vec4xInt1_Vec4xFPIEEE32(Builtin.fcmp_olt_Vec4xFPIEEE32(c, d), d, c)
    let low = four[0] < four[2] ? four[2] : four[0]
    let high = four[1] < four[3] ? four[3] : four[1]
    return low < high ? high : low
  #else
    return v.max()
  #endif
}
