#if APUS_AVX512
  /// Sixteen rows of sixteen floats become columns, in four steps of two-vector shuffles: elements, pairs, then quarters
  /// of a vector. Rows of `x` are `xStep` apart, of `y` `yStep`.
  @inline(__always)
  func transposeSixteen(_ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int) {
    // Four rows at a time: quarter q of the vectors holds the elements 4q ..< 4q + 4 of all four.
    let a = transposeQuarters(x, xStep)
    let b = transposeQuarters(x + 4 &* xStep, xStep)
    let c = transposeQuarters(x + 8 &* xStep, xStep)
    let d = transposeQuarters(x + 12 &* xStep, xStep)
    storeColumns(a.0, b.0, c.0, d.0, y, yStep)
    storeColumns(a.1, b.1, c.1, d.1, y + yStep, yStep)
    storeColumns(a.2, b.2, c.2, d.2, y + 2 &* yStep, yStep)
    storeColumns(a.3, b.3, c.3, d.3, y + 3 &* yStep, yStep)
  }

  /// Quarter q of result i holds element 4q + i of the four rows.
  @inline(__always)
  private func transposeQuarters(_ x: UnsafePointer<Float>, _ step: Int) -> (Lanes, Lanes, Lanes, Lanes) {
    let r0: Lanes = load(x)
    let r1: Lanes = load(x + step)
    let r2: Lanes = load(x + 2 &* step)
    let r3: Lanes = load(x + 3 &* step)
    let low01 = interleaveLow(r0, r1)
    let high01 = interleaveHigh(r0, r1)
    let low23 = interleaveLow(r2, r3)
    let high23 = interleaveHigh(r2, r3)
    return (
      joinLowPairs(low01, low23), joinHighPairs(low01, low23), joinLowPairs(high01, high23),
      joinHighPairs(high01, high23)
    )
  }

  /// Columns i, i + 4, i + 8 and i + 12 of sixteen rows, from the quarters of four times four.
  @inline(__always)
  private func storeColumns(
    _ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ y: UnsafeMutablePointer<Float>, _ yStep: Int
  ) {
    let evenAB = quarters02(a, b)
    let oddAB = quarters13(a, b)
    let evenCD = quarters02(c, d)
    let oddCD = quarters13(c, d)
    store(quarters02(evenAB, evenCD), y)
    store(quarters02(oddAB, oddCD), y + 4 &* yStep)
    store(quarters13(evenAB, evenCD), y + 8 &* yStep)
    store(quarters13(oddAB, oddCD), y + 12 &* yStep)
  }

  @inline(__always)
  private func interleaveLow(_ a: Lanes, _ b: Lanes) -> Lanes {
    Lanes(
      a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5], a[8], b[8], a[9], b[9], a[12], b[12], a[13], b[13])
  }

  @inline(__always)
  private func interleaveHigh(_ a: Lanes, _ b: Lanes) -> Lanes {
    Lanes(
      a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7], a[10], b[10], a[11], b[11], a[14], b[14], a[15], b[15])
  }

  @inline(__always)
  private func joinLowPairs(_ a: Lanes, _ b: Lanes) -> Lanes {
    Lanes(
      a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5], a[8], a[9], b[8], b[9], a[12], a[13], b[12], b[13])
  }

  @inline(__always)
  private func joinHighPairs(_ a: Lanes, _ b: Lanes) -> Lanes {
    Lanes(
      a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7], a[10], a[11], b[10], b[11], a[14], a[15], b[14], b[15])
  }

  /// Quarters 0 and 2 of both.
  @inline(__always)
  private func quarters02(_ a: Lanes, _ b: Lanes) -> Lanes {
    Lanes(
      a[0], a[1], a[2], a[3], a[8], a[9], a[10], a[11], b[0], b[1], b[2], b[3], b[8], b[9], b[10], b[11])
  }

  /// Quarters 1 and 3 of both.
  @inline(__always)
  private func quarters13(_ a: Lanes, _ b: Lanes) -> Lanes {
    Lanes(
      a[4], a[5], a[6], a[7], a[12], a[13], a[14], a[15], b[4], b[5], b[6], b[7], b[12], b[13], b[14], b[15])
  }
#elseif APUS_AVX2
  /// Sixteen rows of sixteen floats become columns, eight by eight. Rows of `x` are `xStep` apart, of `y` `yStep`.
  @inline(__always)
  func transposeSixteen(_ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int) {
    transposeEight(x, xStep, y, yStep)
    transposeEight(x + 8 &* xStep, xStep, y + 8, yStep)
    transposeEight(x + 8, xStep, y + 8 &* yStep, yStep)
    transposeEight(x + (8 &* xStep &+ 8), xStep, y + (8 &* yStep &+ 8), yStep)
  }

  /// Eight rows of eight floats. A vector is made of four elements of two rows that lie four apart, which loading does
  /// by itself; the shuffles that are left stay within the halves of a vector.
  @inline(__always)
  private func transposeEight(
    _ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int
  ) {
    transposeHalves(x, xStep, y, yStep)
    transposeHalves(x + 4, xStep, y + 4 &* yStep, yStep)
  }

  /// Four columns of eight rows.
  @inline(__always)
  private func transposeHalves(
    _ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int
  ) {
    let a = rowPair(x, xStep)
    let b = rowPair(x + xStep, xStep)
    let c = rowPair(x + 2 &* xStep, xStep)
    let d = rowPair(x + 3 &* xStep, xStep)
    let lowAB = SIMD8(a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5])
    let highAB = SIMD8(a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7])
    let lowCD = SIMD8(c[0], d[0], c[1], d[1], c[4], d[4], c[5], d[5])
    let highCD = SIMD8(c[2], d[2], c[3], d[3], c[6], d[6], c[7], d[7])
    store(lowPairs(lowAB, lowCD), y)
    store(highPairs(lowAB, lowCD), y + yStep)
    store(lowPairs(highAB, highCD), y + 2 &* yStep)
    store(highPairs(highAB, highCD), y + 3 &* yStep)
  }

  /// Four elements of a row and of the fourth row after it.
  @inline(__always)
  private func rowPair(_ x: UnsafePointer<Float>, _ xStep: Int) -> SIMD8<Float> {
    SIMD8(lowHalf: load(x, as: SIMD4<Float>.self), highHalf: load(x + 4 &* xStep, as: SIMD4<Float>.self))
  }

  @inline(__always)
  private func lowPairs(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> {
    SIMD8(a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5])
  }

  @inline(__always)
  private func highPairs(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> {
    SIMD8(a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7])
  }
#endif
