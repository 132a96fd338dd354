/// The first `count` floats at `pointer`, fewer than sixteen; the other lanes are `filler`. Nothing is read past the
/// end.
///
/// In pieces of eight, four, two and one, of which those of the largest are loaded as vectors: copied by their number to
/// memory, they would cost a call, and then a wait until the copy can be read as one vector.
@inline(never)
func load(_ pointer: UnsafePointer<Float>, first count: Int, otherwise filler: Float = 0) -> Lanes {
  let rest = loadEight(pointer + (count & 8), first: count & 7, filler)
  return count >= 8
    ? Lanes(lowHalf: load(pointer), highHalf: rest) : Lanes(lowHalf: rest, highHalf: SIMD8(repeating: filler))
}

@inline(__always)
private func loadEight(_ pointer: UnsafePointer<Float>, first count: Int, _ filler: Float) -> SIMD8<Float> {
  let rest = loadFour(pointer + (count & 4), first: count & 3, filler)
  return count >= 4
    ? SIMD8(lowHalf: load(pointer), highHalf: rest) : SIMD8(lowHalf: rest, highHalf: SIMD4(repeating: filler))
}

@inline(__always)
private func loadFour(_ pointer: UnsafePointer<Float>, first count: Int, _ filler: Float) -> SIMD4<Float> {
  count >= 2
    ? SIMD4(lowHalf: load(pointer), highHalf: SIMD2(count == 3 ? pointer[2] : filler, filler))
    : SIMD4(count == 1 ? pointer[0] : filler, filler, filler, filler)
}

/// Writes the first `count` lanes, fewer than sixteen, to `pointer`, in pieces as they are loaded.
@inline(never)
func store(_ value: Lanes, _ pointer: UnsafeMutablePointer<Float>, first count: Int) {
  var eight = value.lowHalf
  if count >= 8 {
    store(eight, pointer)
    eight = value.highHalf
  }
  var four = eight.lowHalf
  if count & 4 != 0 {
    store(four, pointer + (count & 8))
    four = eight.highHalf
  }
  var two = four.lowHalf
  if count & 2 != 0 {
    store(two, pointer + (count & 12))
    two = four.highHalf
  }
  if count & 1 != 0 { pointer[count & 14] = two.x }
}

/// `load(_:)` of sixteen floats, or of the `width` that are left.
@inline(__always)
func load(_ pointer: UnsafePointer<Float>, upTo width: Int) -> Lanes {
  width >= 16 ? load(pointer) : load(pointer, first: width)
}

/// `store(_:_:)` of sixteen floats, or of the `width` that are left.
@inline(__always)
func store(_ value: Lanes, _ pointer: UnsafeMutablePointer<Float>, upTo width: Int) {
  if width >= 16 { store(value, pointer) } else { store(value, pointer, first: width) }
}

/// `load(_:)` of a vector of integers, or of the `width` that are left, with zeros behind them.
@inline(__always)
func load<L: SIMD>(_ pointer: UnsafePointer<L.Scalar>, upTo width: Int, as: L.Type) -> L
where L.Scalar: FixedWidthInteger {
  if width >= L.scalarCount { return load(pointer) }
  var lanes = L(repeating: 0)
  for i in 0..<width { lanes[i] = pointer[i] }
  return lanes
}

/// `store(_:_:)` of a vector of integers, or of the `width` that are left.
@inline(__always)
func store<L: SIMD>(_ value: L, _ pointer: UnsafeMutablePointer<L.Scalar>, upTo width: Int)
where L.Scalar: FixedWidthInteger {
  if width >= L.scalarCount { store(value, pointer) } else { for i in 0..<width { pointer[i] = value[i] } }
}

/// Calls `body` with the place of each group of sixteen and with how many elements are left from there.
@inline(__always)
func forLanes(_ count: Int, _ body: (_ index: Int, _ width: Int) -> Void) {
  var i = 0
  while i < count {
    body(i, count &- i)
    i &+= 16
  }
}

/// Elements that a function of single elements is applied to: `count` in each row, rows `step` apart in `x` and `y`.
///
/// A tuple, because a structure's copying function would be emitted under a name that all kernel variants share.
typealias ElementRows = (
  x: UnsafePointer<Float>, y: UnsafeMutablePointer<Float>, rows: Int, count: Int, step: Int
)

/// `y[i] = body(x[i])` in every row. The last, partial group of a row goes through the same vector code as all others, so
/// that an element's result does not depend on its place: it is the last sixteen elements, some of them for the second
/// time.
///
/// `body` is spelled once: called from two places it would not be inlined. And nothing is called inside the loop, or
/// each round would load all constants of `body` again.
@inline(__always)
func mapLanes(_ elements: ElementRows, _ body: (Lanes) -> Lanes) {
  let count = elements.count
  guard count > 0 else { return }
  let isShort = count < 16
  for row in 0..<elements.rows {
    let x = elements.x + row &* elements.step
    let y = elements.y + row &* elements.step
    // Read first, for `y` may be `x`.
    let last = isShort ? load(x, first: count) : load(x + (count &- 16))
    var result = last
    var i = 0
    while true {
      let isWhole = i &+ 16 <= count
      result = body(isWhole ? load(x + i) : last)
      guard isWhole else { break }
      store(result, y + i)
      i &+= 16
      if i == count { break }
    }
    if i < count {
      if isShort { store(result, y, first: count) } else { store(result, y + (count &- 16)) }
    }
  }
}

/// The same in one row.
@inline(__always)
func mapLanes(
  _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ count: Int, _ body: (Lanes) -> Lanes
) {
  mapLanes((x, y, 1, count, 0), body)
}

/// Sixteen integers from as many floats' bits.
typealias IntegerLanes = SIMD16<Int32>

@inline(__always)
func bits(_ value: Lanes) -> IntegerLanes { unsafeBitCast(value, to: IntegerLanes.self) }

@inline(__always)
func float(bits value: IntegerLanes) -> Lanes { unsafeBitCast(value, to: Lanes.self) }

/// All lanes the same.
@inline(__always)
func all(_ value: Float) -> Lanes { Lanes(repeating: value) }

/// 0, 1, 2 … 15.
@inline(__always)
func laneNumbers() -> Lanes { Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }

@inline(__always)
func absolute(_ x: Lanes) -> Lanes { float(bits: bits(x) & IntegerLanes(repeating: Int32.max)) }

/// `magnitude` with the sign of `sign`; `magnitude` is not negative.
@inline(__always)
func withSign(_ magnitude: Lanes, of sign: Lanes) -> Lanes {
  float(bits: bits(magnitude) | (bits(sign) & IntegerLanes(repeating: Int32.min)))
}

/// The greatest lane; NaN when there is one, provided that `v` came from ``greaterOrNaN(_:_:)``.
@inline(__always)
func greatestLane(_ v: Lanes) -> Float {
  if !isAny(isNaN(v)) { return greatestOfNumbers(v) }
  var result = v[0]
  for i in 1..<16 {
    let lane = v[i]
    if lane > result || lane != lane { result = lane }
  }
  return result
}

/// `y[i] = body(a[i], b[i])` for `count` vectors. An operand whose step is 0, not 16, is always the same.
@inline(__always)
func zipLanes(
  _ a: UnsafePointer<Float>, _ aStep: Int, _ b: UnsafePointer<Float>, _ bStep: Int, _ y: UnsafeMutablePointer<Float>,
  _ count: Int, _ body: (Lanes, Lanes) -> Lanes
) {
  if aStep == 0 {
    let value: Lanes = load(a)
    for i in 0..<count { store(body(value, load(b + i &* 16)), y + i &* 16) }
  } else if bStep == 0 {
    let value: Lanes = load(b)
    for i in 0..<count { store(body(load(a + i &* 16), value), y + i &* 16) }
  } else {
    for i in 0..<count { store(body(load(a + i &* 16), load(b + i &* 16)), y + i &* 16) }
  }
}
