/// Twice sixteen floats.
///
/// What takes long in an elementary function is to wait for one step before the next: the same step for 32 numbers, one after
/// the other, leaves less of it than sixteen numbers and then sixteen. A tuple, because a structure's witnesses would be
/// emitted under a name that all kernel variants share.
typealias LanePair = (Lanes, Lanes)

/// `body` of each half.
@inline(__always)
func onBoth(_ x: LanePair, _ body: (Lanes) -> Lanes) -> LanePair { (body(x.0), body(x.1)) }

/// All lanes of both halves the same.
@inline(__always)
func both(_ value: Float) -> LanePair { (all(value), all(value)) }

@inline(__always)
func + (a: LanePair, b: LanePair) -> LanePair { (a.0 + b.0, a.1 + b.1) }

@inline(__always)
func - (a: LanePair, b: LanePair) -> LanePair { (a.0 - b.0, a.1 - b.1) }

@inline(__always)
func * (a: LanePair, b: LanePair) -> LanePair { (a.0 * b.0, a.1 * b.1) }

@inline(__always)
func / (a: LanePair, b: LanePair) -> LanePair { (a.0 / b.0, a.1 / b.1) }

@inline(__always)
prefix func - (x: LanePair) -> LanePair { (-x.0, -x.1) }

/// `sum + a * b`.
@inline(__always)
func multiplyAdd(_ sum: LanePair, _ a: LanePair, _ b: LanePair) -> LanePair {
  (multiplyAdd(sum.0, a.0, b.0), multiplyAdd(sum.1, a.1, b.1))
}

@inline(__always)
func greater(_ a: LanePair, _ b: LanePair) -> LanePair { (greater(a.0, b.0), greater(a.1, b.1)) }

@inline(__always)
func smaller(_ a: LanePair, _ b: LanePair) -> LanePair { (smaller(a.0, b.0), smaller(a.1, b.1)) }

@inline(__always)
func absolute(_ x: LanePair) -> LanePair { (absolute(x.0), absolute(x.1)) }

/// `magnitude` with the sign of `sign`; `magnitude` is not negative.
@inline(__always)
func withSign(_ magnitude: LanePair, of sign: LanePair) -> LanePair {
  (withSign(magnitude.0, of: sign.0), withSign(magnitude.1, of: sign.1))
}

@inline(__always)
func .< (a: LanePair, b: LanePair) -> (LaneMask, LaneMask) { (a.0 .< b.0, a.1 .< b.1) }

@inline(__always)
func .> (a: LanePair, b: LanePair) -> (LaneMask, LaneMask) { (a.0 .> b.0, a.1 .> b.1) }

@inline(__always)
func .== (a: LanePair, b: LanePair) -> (LaneMask, LaneMask) { (a.0 .== b.0, a.1 .== b.1) }

/// `a` where the mask is true, `b` elsewhere.
@inline(__always)
func choose(_ mask: (LaneMask, LaneMask), _ a: LanePair, _ b: LanePair) -> LanePair {
  (choose(mask.0, a.0, b.0), choose(mask.1, a.1, b.1))
}

/// `y[i] = body(x[i])` in every row, as ``mapLanes(_:_:)`` does it.
@inline(__always)
func mapPairs(_ elements: ElementRows, _ body: (LanePair) -> LanePair) {
  let count = elements.count
  guard count > 0 else { return }
  let isShort = count < 16
  let low = count < 32 ? 0 : count &- 32
  for row in 0..<elements.rows {
    let x = elements.x + row &* elements.step
    let y = elements.y + row &* elements.step
    // Read first, for `y` may be `x`. Of fewer than 32 the two halves have elements in common.
    let high = isShort ? load(x, first: count) : load(x + (count &- 16))
    let last = (isShort ? high : load(x + low), high)
    var result = last
    var i = 0
    while true {
      let isWhole = i &+ 32 <= count
      result = body(isWhole ? (load(x + i), load(x + (i &+ 16))) : last)
      guard isWhole else { break }
      store(result.0, y + i)
      store(result.1, y + (i &+ 16))
      i &+= 32
      if i == count { break }
    }
    if i < count {
      if isShort {
        store(result.0, y, first: count)
      } else {
        store(result.0, y + low)
        store(result.1, y + (count &- 16))
      }
    }
  }
}
