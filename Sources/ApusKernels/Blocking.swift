/// Four channels of four positions: rows of channels become vectors of positions, or the other way round.
///
/// - Parameters:
///   - x: four rows of `positions`, `xStep` apart.
///   - y: four rows that take the columns of `x`, `yStep` apart.
///   - step: how far apart neighbouring elements of a row of `x` lie, 1 or 2; a constant. With 2 a row is read one
///     element beyond its last.
@inline(__always)
func transposeFour(
  _ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int, step: Int = 1
) {
  let a = loadFour(x, step)
  let b = loadFour(x + xStep, step)
  let c = loadFour(x + 2 &* xStep, step)
  let d = loadFour(x + 3 &* xStep, step)
  // Two steps of interleaving, each a single shuffle.
  let lowAB = SIMD4(a[0], b[0], a[1], b[1])
  let highAB = SIMD4(a[2], b[2], a[3], b[3])
  let lowCD = SIMD4(c[0], d[0], c[1], d[1])
  let highCD = SIMD4(c[2], d[2], c[3], d[3])
  store(SIMD4(lowAB[0], lowAB[1], lowCD[0], lowCD[1]), y)
  store(SIMD4(lowAB[2], lowAB[3], lowCD[2], lowCD[3]), y + yStep)
  store(SIMD4(highAB[0], highAB[1], highCD[0], highCD[1]), y + 2 &* yStep)
  store(SIMD4(highAB[2], highAB[3], highCD[2], highCD[3]), y + 3 &* yStep)
}

@inline(__always)
private func loadFour(_ x: UnsafePointer<Float>, _ step: Int) -> SIMD4<Float> {
  if step == 1 { return load(x, as: SIMD4<Float>.self) }
  let eight: SIMD8<Float> = load(x)
  return SIMD4(eight[0], eight[2], eight[4], eight[6])
}

/// Sixteen rows of `count` floats, `xStep` apart, side by side: `y[16 * i + row] = x[row * xStep + i * step]`.
@inline(__always)
func interleaveSixteen(
  _ x: UnsafePointer<Float>, xStep: Int, step: Int, count: Int, _ y: UnsafeMutablePointer<Float>
) {
  var i = 0
  if step == 1 {
    #if APUS_AVX512 || APUS_AVX2
      while i &+ 16 <= count {
        transposeSixteen(x + i, xStep, y + i &* 16, 16)
        i &+= 16
      }
    #endif
    while i &+ 4 <= count {
      interleaveSixteenByFour(x + i, xStep, y + i &* 16, step: 1)
      i &+= 4
    }
  } else if step == 2 {
    // One more, because four are read as eight.
    while i &+ 5 <= count {
      interleaveSixteenByFour(x + i &* 2, xStep, y + i &* 16, step: 2)
      i &+= 4
    }
  }
  while i < count {
    for row in 0..<16 { y[i &* 16 &+ row] = x[row &* xStep &+ i &* step] }
    i &+= 1
  }
}

@inline(__always)
private func interleaveSixteenByFour(
  _ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, step: Int
) {
  var row = 0
  while row < 16 {
    transposeFour(x + row &* xStep, xStep, y + row, 16, step: step)
    row &+= 4
  }
}
