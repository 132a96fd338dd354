// Elementary functions of sixteen floats.
//
// Each is within one unit in the last place, and close to half on average, with and without fused multiply-add: the
// leading terms are added last, so that only small numbers carry rounding errors. The coefficients come from
// Tests/Fixtures/generate/coefficients.py.

#if hasFeature(BuiltinModule)
  import Builtin
#endif

/// 1.5 × 2^23: a float of this size holds an integer in its low bits, so adding it rounds to the nearest.
private let roundingBias: Float = 12_582_912
/// The bits of `roundingBias`.
private let roundingBits: Int32 = 0x4B40_0000
/// The upper nine bits of log 2, whose product with an exponent is exact, and the rest.
private let ln2High: Float = 0.693359375
private let ln2Low: Float = -2.1219444e-4

/// exp(x) as `2^exponent * (1 + remainder + tail)`. What is added to it decides in which order that is summed.
///
/// - exponent: n in x = n log 2 + r, and rounded, the same as a float.
/// - remainder: r.
/// - tail: r² p(r) in exp(r) = 1 + r + r² p(r); at most 0.07.
///
/// A tuple, because a structure's witnesses would be emitted under a name that all kernel variants share.
typealias ExponentialParts = (exponent: IntegerLanes, rounded: Lanes, remainder: Lanes, tail: Lanes)

/// The parts of exp(x) for `x` within ±120. A NaN makes the tail and the remainder NaN.
@inline(__always)
func exponentialParts(_ x: Lanes) -> ExponentialParts {
  let biased = x * all(1.442695) + all(roundingBias)
  let n = biased - all(roundingBias)
  let r = multiplyAdd(multiplyAdd(x, n, all(-ln2High)), n, all(-ln2Low))
  var p = all(0.0013814599)
  p = multiplyAdd(all(0.008368717), p, r)
  p = multiplyAdd(all(0.04166839), p, r)
  p = multiplyAdd(all(0.16666521), p, r)
  p = multiplyAdd(all(0.49999994), p, r)
  return (bits(biased) &- IntegerLanes(repeating: roundingBits), n, r, r * r * p)
}

/// `base + scale * (remainder + tail)`, where `base` is greater than the remainder's part. What the first sum loses is
/// added to the tail.
@inline(__always)
func sum(_ base: Lanes, _ scale: Lanes, _ parts: ExponentialParts) -> Lanes {
  let sum = multiplyAdd(base, scale, parts.remainder)
  let lost = multiplyAdd(base - sum, scale, parts.remainder)
  return sum + multiplyAdd(lost, scale, parts.tail)
}

/// 2^n, for n in -126 ... 127.
@inline(__always)
func powerOfTwo(_ n: IntegerLanes) -> Lanes {
  float(bits: (n &+ IntegerLanes(repeating: 127)) &<< IntegerLanes(repeating: 23))
}

/// `x * 2^n` with the exponent n of `e`, for `x` between a half and two; gradual underflow, zero and infinity.
@inline(__always)
func scaled(_ x: Lanes, _ e: ExponentialParts) -> Lanes {
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    var result = x
    result._storage._value = Builtin.int_x86_avx512_mask_scalef_ps_512(
      x._storage._value, e.rounded._storage._value, x._storage._value, (-1 as Int16)._value, (4 as Int32)._value)
    return result
  #else
    // In two steps, because 2^128 is infinite and 2^-127 subnormal.
    let half = e.exponent &>> IntegerLanes(repeating: 1)
    return x * powerOfTwo(half) * powerOfTwo(e.exponent &- half)
  #endif
}

/// exp(x); gradual underflow, zero and infinity where the result is out of range.
@inline(__always)
func exponential(_ x: Lanes) -> Lanes {
  let e = exponentialParts(greater(smaller(x, all(89)), all(-104)))
  return scaled(sum(all(1), all(1), e), e)
}

/// exp(x) for x not above 0, or NaN: the terms of a softmax.
@inline(__always)
func exponentialOfNonpositive(_ x: Lanes) -> Lanes {
  let e = exponentialParts(greater(x, all(-104)))
  let result = sum(all(1), all(1), e)
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    return scaled(result, e)
  #else
    // 2^-150 is no float, but it is a product of two, of which only the last one rounds.
    return result * powerOfTwo(e.exponent &+ IntegerLanes(repeating: 64)) * all(0x1p-64)
  #endif
}

/// 1 + exp(x), with a single rounding at the end; infinite from 2^127 on.
@inline(__always)
func onePlusExponential(_ x: Lanes) -> Lanes {
  let e = exponentialParts(greater(smaller(x, all(88.37)), all(-87)))
  let scale = powerOfTwo(e.exponent)
  let result = multiplyAdd(scale + all(1), scale, e.remainder + e.tail)
  return choose(x .> all(88.37), all(.infinity), result)
}

/// exp(x) - 1, without cancellation.
@inline(__always)
func exponentialMinusOne(_ x: Lanes) -> Lanes {
  // Half of it, because 2^128 is infinite.
  let e = exponentialParts(greater(smaller(x, all(89)), all(-20)))
  let scale = powerOfTwo(e.exponent &- IntegerLanes(repeating: 1))
  let half = sum(scale - all(0.5), scale, e)
  return choose(x .== all(0), x, half + half)
}

/// log(x); -∞ at zero, NaN below it.
///
/// x = 2^k (1 + f) with 1 + f in √½ ... √2, and log(1 + f) = f - f²/2 + f³ p(f).
@inline(__always)
func logarithm(_ x: Lanes) -> Lanes {
  let isSubnormal = x .< all(Float.leastNormalMagnitude)
  let normal = choose(isSubnormal, x * all(8_388_608), x)
  let exponent = (bits(normal) &- IntegerLanes(repeating: 0x3F35_04F3)) &>> IntegerLanes(repeating: 23)
  let f = float(bits: bits(normal) &- (exponent &<< IntegerLanes(repeating: 23))) - all(1)
  var k = float(bits: exponent &+ IntegerLanes(repeating: roundingBits)) - all(roundingBias)
  k = choose(isSubnormal, k - all(23), k)

  var p = all(0.06746641)
  p = multiplyAdd(all(-0.11675652), p, f)
  p = multiplyAdd(all(0.11888162), p, f)
  p = multiplyAdd(all(-0.12405589), p, f)
  p = multiplyAdd(all(0.14219552), p, f)
  p = multiplyAdd(all(-0.16667996), p, f)
  p = multiplyAdd(all(0.20002119), p, f)
  p = multiplyAdd(all(-0.2500001), p, f)
  p = multiplyAdd(all(0.33333313), p, f)
  let square = f * f
  var tail = multiplyAdd(square * all(-0.5), square * f, p)
  tail = multiplyAdd(tail, k, all(ln2Low))
  let result = multiplyAdd(f + tail, k, all(ln2High))

  // Infinity and NaN are not less than infinity.
  return choose(
    x .== all(0), all(-.infinity), choose(x .< all(0), all(.nan), choose(x .< all(.infinity), result, x)))
}

/// log(1 + u) for u in 0 ... 1.
///
/// With s = u / (2 + u), which is at most a third, it is 2 artanh(s) = 2 s + s³ p(s²), and 2 s = u - s u.
@inline(__always)
func logarithmOfOnePlusFraction(_ u: Lanes) -> Lanes {
  let s = u / (u + all(2))
  let t = s * s
  var p = all(0.24300933)
  p = multiplyAdd(all(0.21427658), p, t)
  p = multiplyAdd(all(0.28616884), p, t)
  p = multiplyAdd(all(0.39998877), p, t)
  p = multiplyAdd(all(0.66666675), p, t)
  return multiplyAdd(u, s, multiplyAdd(-u, t, p))
}

/// log(1 + x), accurate close to zero.
@inline(__always)
func logarithmOfOnePlus(_ x: Lanes) -> Lanes {
  // (x - (w - 1)) / w is what rounding 1 + x to w lost; nothing where x is infinite or w zero.
  let w = all(1) + x
  let lost = choose((w .== all(0)) .| (w .== all(.infinity)), all(0), (x - (w - all(1))) / w)
  return choose(x .== all(0), x, logarithm(w) + lost)
}

/// tanh(x): x + x³ p(x²) up to 0.75, 1 - 2 / (exp(2x) + 1) beyond.
@inline(__always)
func hyperbolicTangent(_ x: Lanes) -> Lanes {
  let magnitude = absolute(x)
  let t = x * x
  var p = all(0.0017369328)
  p = multiplyAdd(all(-0.0076572504), p, t)
  p = multiplyAdd(all(0.02145203), p, t)
  p = multiplyAdd(all(-0.053892724), p, t)
  p = multiplyAdd(all(0.13332695), p, t)
  p = multiplyAdd(all(-0.33333316), p, t)
  let small = multiplyAdd(x, x * t, p)

  // Beyond 10 the result is 1. What rounding 1 + exp(2x), and then the difference, loses is added at the end.
  let e = exponentialParts(smaller(magnitude + magnitude, all(20)))
  let scale = powerOfTwo(e.exponent)
  let fraction = e.remainder + e.tail
  let onePlus = multiplyAdd(scale + all(1), scale, fraction)
  let lost = multiplyAdd(scale + all(1) - onePlus, scale, fraction)
  let quotient = all(2) / onePlus
  let difference = all(1) - quotient
  let rest = multiplyAdd(all(1) - difference - quotient, quotient * quotient, lost * all(0.5))
  let large = withSign(difference + rest, of: x)
  return choose(magnitude .< all(0.75), small, large)
}

/// 1 / (1 + exp(-x)).
@inline(__always)
func logistic(_ x: Lanes) -> Lanes {
  all(1) / onePlusExponential(-x)
}

/// x / (1 + exp(-x)), SiLU.
@inline(__always)
func sigmoidLinear(_ x: Lanes) -> Lanes {
  x / onePlusExponential(-x)
}

/// erf(x): x + x p(x²) up to 1, 1 - exp(q(|x|)) beyond, where exp(q) is the complement.
@inline(__always)
func errorFunction(_ x: Lanes) -> Lanes {
  let magnitude = absolute(x)
  let t = x * x
  var p = all(7.8538615e-05)
  p = multiplyAdd(all(-0.00080101937), p, t)
  p = multiplyAdd(all(0.0051883277), p, t)
  p = multiplyAdd(all(-0.026853813), p, t)
  p = multiplyAdd(all(0.112835854), p, t)
  p = multiplyAdd(all(-0.37612626), p, t)
  p = multiplyAdd(all(0.12837917), p, t)
  let small = multiplyAdd(x, x, p)

  // From 4 on the complement is below a quarter unit in the last place of 1.
  let a = smaller(magnitude, all(4.1))
  var q = all(-7.37503e-07)
  q = multiplyAdd(all(-1.1310725e-05), q, a)
  q = multiplyAdd(all(0.0003788461), q, a)
  q = multiplyAdd(all(-0.0039940896), q, a)
  q = multiplyAdd(all(0.02477449), q, a)
  q = multiplyAdd(all(-0.10785819), q, a)
  q = multiplyAdd(all(-0.63366336), q, a)
  q = multiplyAdd(all(-1.1293818), q, a)
  q = multiplyAdd(all(0.00015061224), q, a)
  let e = exponentialParts(q)
  let scale = powerOfTwo(e.exponent)
  let complement = multiplyAdd(scale, scale, e.remainder + e.tail)
  let large = withSign(all(1) - complement, of: x)
  return choose(magnitude .< all(1), small, large)
}
