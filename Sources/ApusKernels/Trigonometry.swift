import ApusPlatform

// Sine, cosine and arctangent of sixteen floats, within one unit in the last place. The coefficients come from
// Tests/Fixtures/generate/coefficients.py.

/// Up to here quarter turns are counted exactly. It is a power of two far beyond the angles of any network.
private let largestAngle: Float = 1_048_576

/// 1.5 × 2^52: a double of this size has no room for a fraction, so adding it rounds to the nearest.
private let wideRoundingBias = 6_755_399_441_055_744.0
/// The upper 33 bits of π/2, whose product with a number of quarter turns is exact, and the rest.
private let quarterTurnHigh = 1.5707963267341256
private let quarterTurnLow = 6.077100506506192e-11

/// sin(x + shift · π/2) for `x` within ±``largestAngle``: the sine with a shift of 0, the cosine with 1.
///
/// x = n π/2 + r with |r| up to π/4, found in double precision, and then sin(r) = r + r³ p(r²) or
/// cos(r) = 1 - r²/2 + r⁴ q(r²), with the sign of the quarter that n and the shift name.
@inline(__always)
private func sine(_ x: Lanes, shift: Int32) -> Lanes {
  let wide = widened(x)
  let bias = WideLanes(repeating: wideRoundingBias)
  let turns = (wide * WideLanes(repeating: 0.6366197723675814) + bias) - bias
  let rest = wide - turns * WideLanes(repeating: quarterTurnHigh)
  let r = narrowed(rest - turns * WideLanes(repeating: quarterTurnLow))

  // 1.5 × 2^23 leaves an integer in the low bits.
  let count = bits(narrowed(turns) + all(12_582_912)) &- IntegerLanes(repeating: 0x4B40_0000)
  let quarter = count &+ IntegerLanes(repeating: shift)

  let t = r * r
  var p = all(-0.00019515218)
  p = multiplyAdd(all(0.00833216), p, t)
  p = multiplyAdd(all(-0.16666655), p, t)
  let odd = multiplyAdd(r, r * t, p)

  var q = all(2.4433082e-05)
  q = multiplyAdd(all(-0.0013887315), q, t)
  q = multiplyAdd(all(0.041666646), q, t)
  // What rounding 1 - r²/2 loses is added to the small term.
  let half = t * all(0.5)
  let leading = all(1) - half
  let even = leading + multiplyAdd((all(1) - leading) - half, t * t, q)

  let isOdd = float(bits: (quarter & IntegerLanes(repeating: 1)) &<< IntegerLanes(repeating: 30)) .== all(0)
  let magnitude = choose(isOdd, odd, even)
  let sign = (quarter & IntegerLanes(repeating: 2)) &<< IntegerLanes(repeating: 30)
  return float(bits: bits(magnitude) ^ sign)
}

/// `y[i] = sin(x[i] + shift · π/2)`.
@inline(__always)
func mapSine(_ elements: ElementRows, shift: Int32) {
  var isInRange = true
  for row in 0..<elements.rows {
    let x = elements.x + row &* elements.step
    for i in 0..<elements.count where x[i].magnitude > largestAngle { isInRange = false }
  }
  if isInRange {
    // The sine of -0 is -0.
    mapLanes(elements) { x in
      let result = sine(x, shift: shift)
      return shift == 0 ? choose(x .== all(0), x, result) : result
    }
    return
  }
  // Angles that large are rare, and the C library's business. All others give what they give among their like.
  mapFloats(elements) { angle in
    if angle.magnitude > largestAngle { return shift == 0 ? sin(angle) : cos(angle) }
    return shift == 0 && angle == 0 ? angle : sine(all(angle), shift: shift)[0]
  }
}

/// atan(x), of numbers above 1 by that of their reciprocal: with t up to 1 it is t + t³ p(t²) or π/2 less that.
@inline(__always)
func arctangent(_ x: Lanes) -> Lanes {
  let magnitude = absolute(x)
  let isInverted = magnitude .> all(1)
  let t = choose(isInverted, all(1), magnitude) / choose(isInverted, magnitude, all(1))
  let square = t * t
  var p = all(-0.0017936223)
  p = multiplyAdd(all(0.010914609), p, square)
  p = multiplyAdd(all(-0.03117785), p, square)
  p = multiplyAdd(all(0.0579576), p, square)
  p = multiplyAdd(all(-0.08403451), p, square)
  p = multiplyAdd(all(0.10952186), p, square)
  p = multiplyAdd(all(-0.14264242), p, square)
  p = multiplyAdd(all(0.19998549), p, square)
  p = multiplyAdd(all(-0.333333), p, square)
  let angle = multiplyAdd(t, t * square, p)
  // The float closest to π/2, and what it exceeds it by.
  let result = choose(isInverted, all(1.5707964) - (angle + all(4.371139e-8)), angle)
  return float(bits: bits(result) | (bits(x) & IntegerLanes(repeating: .min)))
}
