// Elementary functions of sixteen floats, and those of an exponential of twice as many.
//
// Each is within 1.25 units in the last place, tanh without fused multiply-add 1.35, and close to half at most places: the
// leading terms are added last, so that only small numbers carry rounding errors; quotients of 1 + exp(x) are within 2.5.
// The coefficients come from Tests/Fixtures/generate/coefficients.py.

#if hasFeature(BuiltinModule)
  import Builtin
#endif

/// 1.5 × 2^23: a float of this size holds an integer in its low bits, so adding it rounds to the nearest.
private let roundingBias: Float = 12_582_912
/// The bits of `roundingBias`.
private let roundingBits: Int32 = 0x4B40_0000
/// What the exponent of a float exceeds the power of two that it stands for by.
private let exponentBias: Int32 = 127
/// The upper nine bits of log 2, whose product with an exponent is exact, and the rest.
private let ln2High: Float = 0.693359375
private let ln2Low: Float = -2.1219444e-4

/// exp(x) as `2^n (1 + r + r² p(r))`, with n = round(x / log 2) and r = x - n log 2.
///
/// - biased: n + 1.5 × 2^23 + 127 and a shift, whose low bits are the exponent of 2^(n + shift).
/// - rounded: n.
/// - remainder: r.
/// - square: r².
/// - rest: p(r). Its products with r² are at most 0.07.
///
/// A tuple, because a structure's witnesses would be emitted under a name that all kernel variants share.
typealias ExponentialParts = (
  biased: LanePair, rounded: LanePair, remainder: LanePair, square: LanePair, rest: LanePair
)

/// The parts of exp(x) for `x` within ±120. A NaN makes the remainder and all that follows from it NaN.
///
/// - Parameter shift: what ``scale(_:)`` is to have added to its exponent.
///
/// The polynomial is summed in pairs, since what bounds these functions is how long the processor waits for one term before
/// it begins the next; one term after the other where vectors are so short that there are no registers for pairs.
@inline(__always)
func exponentialParts(_ x: LanePair, shift: Int32 = 0) -> ExponentialParts {
  let bias = both(roundingBias + Float(exponentBias &+ shift))
  let biased = multiplyAdd(bias, x, both(1.442695))
  let n = biased - bias
  let r = multiplyAdd(multiplyAdd(x, n, both(-ln2High)), n, both(-ln2Low))
  let square = r * r
  #if APUS_FMA
    let low = multiplyAdd(both(0.49999994), r, both(0.16666521))
    let high = multiplyAdd(multiplyAdd(both(0.04166839), r, both(0.008368717)), square, both(0.0013814599))
    return (biased, n, r, square, multiplyAdd(low, square, high))
  #else
    var p = multiplyAdd(both(0.008368717), both(0.0013814599), r)
    p = multiplyAdd(both(0.04166839), p, r)
    p = multiplyAdd(both(0.16666521), p, r)
    return (biased, n, r, square, multiplyAdd(both(0.49999994), p, r))
  #endif
}

/// exp(r) - 1, to half a unit in the last place of the largest.
@inline(__always)
func fraction(_ e: ExponentialParts) -> LanePair { multiplyAdd(e.remainder, e.square, e.rest) }

/// exp(r), to three quarters of a unit in the last place: what the first sum loses is added to the small terms.
@inline(__always)
func onePlusFraction(_ e: ExponentialParts) -> LanePair {
  let sum = both(1) + e.remainder
  return sum + multiplyAdd((both(1) - sum) + e.remainder, e.square, e.rest)
}

/// 2^(n + shift), for n + shift in -126 ... 127 and the shift that the parts were made with.
@inline(__always)
func scale(_ e: ExponentialParts) -> LanePair { powerOfTwo(biased: e.biased) }

/// 2^n of `biased`, whose low bits are n + 127.
@inline(__always)
private func powerOfTwo(biased: LanePair) -> LanePair {
  onBoth(biased) { float(bits: bits($0) &<< IntegerLanes(repeating: 23)) }
}

/// 2^n, for n in -126 ... 127.
@inline(__always)
private func powerOfTwo(_ n: IntegerLanes) -> Lanes {
  float(bits: (n &+ IntegerLanes(repeating: exponentBias)) &<< IntegerLanes(repeating: 23))
}

/// `x * 2^n` with the exponent n of `e`, made without a shift, for `x` between a half and two; gradual underflow, zero and
/// infinity.
@inline(__always)
private func scaled(_ x: LanePair, _ e: ExponentialParts) -> LanePair {
  (scaled(x.0, e.biased.0, e.rounded.0), scaled(x.1, e.biased.1, e.rounded.1))
}

@inline(__always)
private func scaled(_ x: Lanes, _ biased: Lanes, _ rounded: Lanes) -> Lanes {
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    var result = x
    result._storage._value = Builtin.int_x86_avx512_mask_scalef_ps_512(
      x._storage._value, rounded._storage._value, x._storage._value, (-1 as Int16)._value, (4 as Int32)._value)
    return result
  #else
    // In two steps, because 2^128 is infinite and 2^-127 subnormal.
    let n = bits(biased) &- IntegerLanes(repeating: roundingBits &+ exponentBias)
    let half = n &>> IntegerLanes(repeating: 1)
    return x * powerOfTwo(half) * powerOfTwo(n &- half)
  #endif
}

/// exp(x); gradual underflow, zero and infinity where the result is out of range.
@inline(__always)
func exponential(_ x: LanePair) -> LanePair {
  let e = exponentialParts(greater(smaller(x, both(89)), both(-104)))
  return scaled(onePlusFraction(e), e)
}

/// 2^64 exp(x) for x not above 0, or NaN: the terms of a softmax, whose quotients do not depend on the factor. Within a unit
/// in the last place, if multiply-adds are fused.
///
/// Without the factor the smallest would be subnormal, and would have to be scaled in two steps.
@inline(__always)
func scaledExponentialOfNonpositive(_ x: LanePair) -> LanePair {
  let e = exponentialParts(greater(x, both(-104)), shift: 64)
  let scale = scale(e)
  #if APUS_FMA
    return multiplyAdd(scale, scale, fraction(e))
  #else
    return scale * onePlusFraction(e)
  #endif
}

/// 1 + exp(x), with a single rounding at the end; infinite from 2^127 on.
@inline(__always)
func onePlusExponential(_ x: LanePair) -> LanePair {
  let e = exponentialParts(greater(smaller(x, both(88.37)), both(-87)))
  let scale = scale(e)
  let result = multiplyAdd(scale + both(1), scale, fraction(e))
  return choose(x .> both(88.37), both(.infinity), result)
}

/// exp(x) - 1, without cancellation.
@inline(__always)
func exponentialMinusOne(_ x: LanePair) -> LanePair {
  // Half of it, because 2^128 is infinite. What the first sum loses is added to the small terms.
  let e = exponentialParts(greater(smaller(x, both(89)), both(-20)), shift: -1)
  let scale = scale(e)
  let base = scale - both(0.5)
  let sum = multiplyAdd(base, scale, e.remainder)
  let lost = multiplyAdd(base - sum, scale, e.remainder)
  let half = sum + multiplyAdd(lost, scale, e.square * e.rest)
  return choose(x .== both(0), x, half + half)
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

/// tanh(x): x - x³ / q(x²) up to 1, 1 - 2 / (exp(2x) + 1) beyond, by one division for both.
///
/// q is nearly a line: 3 + 6/5 x² - 1/175 x⁴ and so on, by the continued fraction of tanh. What is subtracted is a quarter of
/// the result at most, and so are its errors: 2x need not be reduced more exactly than by one multiply-add to a power of two
/// 2^n (1 + f p(f)). Sums are short rather than few, since what bounds this function is how long one result takes.
@inline(__always)
func hyperbolicTangent(_ x: LanePair) -> LanePair {
  // Beyond 9.02 the result is 1.
  let m = smaller(absolute(x), both(9.02))
  let t = m * m
  let line = multiplyAdd(both(3.0000007), t, both(1.1999933))
  let q = multiplyAdd(line, t * t, multiplyAdd(both(-0.005692765), t, both(0.00022696916)))

  let bias = both(roundingBias + Float(exponentBias))
  let turns = both(2.88539)  // 2 / log 2
  let biased = multiplyAdd(bias, m, turns)
  let f = multiplyAdd(bias - biased, m, turns)
  let square = f * f
  let scale = powerOfTwo(biased: biased)
  let scaled = scale * f
  let low = multiplyAdd(both(0.6931472), f, both(0.24022648))
  let middle = multiplyAdd(both(0.055503324), f, both(0.009618438))
  let high = multiplyAdd(middle, square, multiplyAdd(both(0.0013398952), f, both(0.000153533)))
  let onePlusPower = multiplyAdd(multiplyAdd(scale + both(1), scaled, low), scaled * square, high)

  let isSmall = m .< both(1)
  let loss = choose(isSmall, m * t, both(2)) / choose(isSmall, q, onePlusPower)
  return withSign(choose(isSmall, m, both(1)) - loss, of: x)
}

/// 1 / (1 + exp(-x)).
@inline(__always)
func logistic(_ x: LanePair) -> LanePair {
  both(1) / onePlusExponential(-x)
}

/// x / (1 + exp(-x)), SiLU.
@inline(__always)
func sigmoidLinear(_ x: LanePair) -> LanePair {
  x / onePlusExponential(-x)
}

/// erf(x): x + x p(x²) up to 1, 1 - exp(q(|x|)) beyond, where exp(q) is the complement.
@inline(__always)
func errorFunction(_ x: LanePair) -> LanePair {
  let magnitude = absolute(x)
  let t = x * x
  let square = t * t
  let p0 = multiplyAdd(both(0.12837917), t, both(-0.37612626))
  let p1 = multiplyAdd(both(0.112835854), t, both(-0.026853813))
  let p2 = multiplyAdd(multiplyAdd(both(0.0051883277), t, both(-0.00080101937)), square, both(7.8538615e-05))
  let small = multiplyAdd(x, x, multiplyAdd(multiplyAdd(p0, square, p1), square * square, p2))

  // From 4 on the complement is below a quarter unit in the last place of 1.
  let a = smaller(magnitude, both(4.1))
  let b = a * a
  let low = multiplyAdd(both(-0.10785819), a, both(0.02477449))
  let middle = multiplyAdd(both(-0.0039940896), a, both(0.0003788461))
  let high = multiplyAdd(both(-1.1310725e-05), a, both(-7.37503e-07))
  let rest = multiplyAdd(low, b, multiplyAdd(middle, b, high))
  // The large terms by themselves, for each of their roundings is one of the exponent.
  let q = multiplyAdd(both(-1.1293818), a, multiplyAdd(both(-0.63366336), a, rest))
  let e = exponentialParts(multiplyAdd(both(0.00015061224), a, q))
  let scale = scale(e)
  let complement = multiplyAdd(scale, scale, fraction(e))
  let large = withSign(both(1) - complement, of: x)
  return choose(magnitude .< both(1), small, large)
}

// Of sixteen, where there are not twice as many: both halves are the same, and the optimiser computes one.

@inline(__always)
func exponential(_ x: Lanes) -> Lanes { exponential((x, x)).0 }

@inline(__always)
func scaledExponentialOfNonpositive(_ x: Lanes) -> Lanes { scaledExponentialOfNonpositive((x, x)).0 }

@inline(__always)
func hyperbolicTangent(_ x: Lanes) -> Lanes { hyperbolicTangent((x, x)).0 }

@inline(__always)
func logistic(_ x: Lanes) -> Lanes { logistic((x, x)).0 }
