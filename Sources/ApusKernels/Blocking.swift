/// Four channels of four positions: rows of channels become vectors of positions, or the other way round.
///
/// - Parameters:
///   - x: four rows of `positions`, `xStep` apart.
///   - y: four rows that take the columns of `x`, `yStep` apart.
@inline(__always)
func transposeFour(
  _ x: UnsafePointer<Float>, _ xStep: Int, _ y: UnsafeMutablePointer<Float>, _ yStep: Int
) {
  let a = load(x, as: SIMD4<Float>.self)
  let b = load(x + xStep, as: SIMD4<Float>.self)
  let c = load(x + 2 &* xStep, as: SIMD4<Float>.self)
  let d = load(x + 3 &* xStep, as: SIMD4<Float>.self)
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

/// Sixteen rows of `count` floats, `xStep` apart, side by side: `y[16 * i + row] = x[row * xStep + i]`.
@inline(__always)
func interleaveSixteen(
  _ x: UnsafePointer<Float>, xStep: Int, count: Int, _ y: UnsafeMutablePointer<Float>
) {
  var i = 0
  #if APUS_AVX512 || APUS_AVX2
    while i &+ 16 <= count {
      transposeSixteen(x + i, xStep, y + i &* 16, 16)
      i &+= 16
    }
  #endif
  while i &+ 4 <= count {
    var row = 0
    while row < 16 {
      transposeFour(x + (row &* xStep &+ i), xStep, y + (i &* 16 &+ row), 16)
      row &+= 4
    }
    i &+= 4
  }
  while i < count {
    for row in 0..<16 { y[i &* 16 &+ row] = x[row &* xStep &+ i] }
    i &+= 1
  }
}

/// The same of four rows, which become the first four of each sixteen elements.
@inline(__always)
func interleaveFour(_ x: UnsafePointer<Float>, xStep: Int, count: Int, _ y: UnsafeMutablePointer<Float>) {
  var i = 0
  while i &+ 4 <= count {
    transposeFour(x + i, xStep, y + i &* 16, 16)
    i &+= 4
  }
  while i < count {
    for row in 0..<4 { y[i &* 16 &+ row] = x[row &* xStep &+ i] }
    i &+= 1
  }
}
