#if APUS_AVX512 || APUS_AVX2
  /// Sixteen rows of sixteen floats become columns, eight by eight. Rows of `x` are `xStep` apart, of `y` `yStep`.
  ///
  /// With AVX-512 too: of shuffles of sixteen lanes the compiler makes others that look their lanes up in a table.
  @inline(__always)
  func transposeSixteen(_ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int) {
    transposeSixteenByEight(x, xStep, y, yStep)
    transposeSixteenByEight(x + 8, xStep, y + 8 &* yStep, yStep)
  }

  /// Sixteen rows of eight floats.
  @inline(__always)
  func transposeSixteenByEight(
    _ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int
  ) {
    transposeEight(x, xStep, y, yStep)
    transposeEight(x + 8 &* xStep, xStep, y + 8, yStep)
  }

  /// Eight rows of eight floats. A vector is made of four elements of two rows that lie four apart, which loading does
  /// by itself; the shuffles that are left stay within the halves of a vector.
  ///
  /// Between them vectors are told to be pairs, of eight bytes each: else the compiler sees where every element comes from
  /// and makes one long expression of each result, of three times as many instructions.
  @inline(__always)
  func transposeEight(
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
    let low = load(UnsafeRawPointer(x).assumingMemoryBound(to: Double.self), as: SIMD2<Double>.self)
    let high = load(UnsafeRawPointer(x + 4 &* xStep).assumingMemoryBound(to: Double.self), as: SIMD2<Double>.self)
    return unsafeBitCast(SIMD4(low[0], low[1], high[0], high[1]), to: SIMD8<Float>.self)
  }

  @inline(__always)
  private func lowPairs(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> {
    let (a, b) = (pairs(a), pairs(b))
    return unsafeBitCast(SIMD4(a[0], b[0], a[2], b[2]), to: SIMD8<Float>.self)
  }

  @inline(__always)
  private func highPairs(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> {
    let (a, b) = (pairs(a), pairs(b))
    return unsafeBitCast(SIMD4(a[1], b[1], a[3], b[3]), to: SIMD8<Float>.self)
  }

  /// Neighbouring floats as one element of eight bytes, which is only moved.
  @inline(__always)
  private func pairs(_ x: SIMD8<Float>) -> SIMD4<Double> { unsafeBitCast(x, to: SIMD4<Double>.self) }
#endif
