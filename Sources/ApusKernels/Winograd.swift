import ApusKernelInterface

// Winograd's minimal filtering, F(2×2, 3×3) and F(4×4, 3×3): Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks" (2015). A tile of outputs is Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A, with g the kernel and d the input under the tile.
//
// The matrices follow from the points at which the polynomials are evaluated: 0, ±1, ∞ for the small tile, and 0, ±a, ±b,
// ∞ for the large one. The usual ±1, ±2 there lose a digit and a half. With 11/16 and 11/8 the entries stay near 1, and
// every constant of the transforms of maps is exact in float32.
//
// At stride 2 a line's even inputs meet the kernel's first and last tap, and its odd ones the middle tap alone. The former
// are filtered as F(4, 2) at the points 0, 1/2, -1, 2, ∞, the latter multiplied as they are: nine products for four outputs
// in place of twelve, and 81 in place of 144 for a tile, whose error is that of direct sums.
private enum Points {
  static var a: Float { 0.6875 }
  static var b: Float { 1.375 }
  static var a2: Float { 0.47265625 }
  static var b2: Float { 1.890625 }
  static var a3: Float { 0.324951171875 }
  static var b3: Float { 2.599609375 }
  /// a² b² and a² + b².
  static var product: Float { 0.89361572265625 }
  static var sum: Float { 2.36328125 }
}

extension BlockedKernels {
  package static func winogradWeights(
    tile: WinogradTile, _ w: UnsafePointer<Float>, inputs: Int, _ v: UnsafeMutablePointer<Float>, frequencyStep: Int
  ) {
    var (first, kernels, out) = (0, w, v)
    while first < inputs {
      let lanes = inputs &- first < 16 ? inputs &- first : 16
      for lane in 0..<lanes {
        let kernel = kernels + lane &* 16
        prefetch(kernels + (lanes &+ lane) &* 144, 9, Lanes.self)
        switch tile {
        case .two: transformWeightsTwo(kernel, lanes &* 16, out, frequencyStep)
        case .four: transformWeightsToSix(kernel, lanes &* 16, out, frequencyStep, weightsFour)
        case .strided: transformWeightsToSix(kernel, lanes &* 16, out, frequencyStep, weightsStrided)
        }
        out += 16
      }
      kernels += lanes &* 144
      first &+= lanes
    }
  }

  package static func winogradInput(
    tile: WinogradTile, _ x: UnsafePointer<Float>, height: Int, width: Int, top: Int, left: Int, tilesPerRow: Int,
    tiles: Range<Int>, _ u: UnsafeMutablePointer<Float>, frequencyStep: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    let side = tile.side
    let step = tile.outputs &* tile.stride
    let padded = scratch + WinogradTile.firstPass &* 16
    var out = u
    for index in tiles {
      let row = index / tilesPerRow &* step &- top
      let column = index % tilesPerRow &* step &- left
      var input = x + (row &* width &+ column) &* 16
      var rowStep = width &* 16
      if row >= 0, column >= 0, row &+ side <= height, column &+ side <= width {
        if tile != .two { prefetchTile(input, rowStep, side, step) }
      } else {
        copyPadded(x, height, width, row, column, side, padded)
        (input, rowStep) = (UnsafePointer(padded), side &* 16)
      }
      switch tile {
      case .two: transformInputTwo(input, rowStep, out, frequencyStep)
      case .four: transformInputFour(input, rowStep, out, frequencyStep, scratch)
      case .strided: transformInputStrided(input, rowStep, out, frequencyStep, scratch)
      }
      out += 16
    }
  }

  package static func winogradOutput(
    tile: WinogradTile, _ m: UnsafePointer<Float>, frequencyStep: Int, bias: UnsafePointer<Float>,
    activation: UnaryOperation?, _ y: UnsafeMutablePointer<Float>, height: Int, width: Int, tilesPerRow: Int,
    tiles: Range<Int>, scratch: UnsafeMutablePointer<Float>
  ) {
    let result = scratch + WinogradTile.firstPass &* 16
    let offset: Lanes = load(bias)
    let side = tile.outputs
    var input = m
    for index in tiles {
      switch tile {
      case .two: transformOutputTwo(input, frequencyStep, offset, result)
      case .four: transformOutputToFour(input, side: 6, frequencyStep, offset, result, scratch, outputFour)
      case .strided: transformOutputToFour(input, side: 9, frequencyStep, offset, result, scratch, outputStrided)
      }
      if let activation { Float32Kernels.unary(activation, result, result, count: side &* side &* 16) }
      let row = index / tilesPerRow &* side
      let column = index % tilesPerRow &* side
      let rows = height &- row < side ? height &- row : side
      let columns = width &- column < side ? width &- column : side
      for r in 0..<rows {
        let at = ((row &+ r) &* width &+ column) &* 16
        let from = r &* side &* 16
        for c in 0..<columns {
          let value: Lanes = load(result + (from &+ c &* 16))
          store(value, y + (at &+ c &* 16))
        }
      }
      input += 16
    }
  }
}

private typealias Three = (Lanes, Lanes, Lanes)
private typealias Four = (Lanes, Lanes, Lanes, Lanes)
private typealias Five = (Lanes, Lanes, Lanes, Lanes, Lanes)
private typealias Six = (Lanes, Lanes, Lanes, Lanes, Lanes, Lanes)

@inline(__always)
private func loadThree(_ x: UnsafePointer<Float>, _ step: Int) -> Three {
  (load(x), load(x + step), load(x + 2 &* step))
}

@inline(__always)
private func loadFourVectors(_ x: UnsafePointer<Float>, _ step: Int) -> Four {
  (load(x), load(x + step), load(x + 2 &* step), load(x + 3 &* step))
}

@inline(__always)
private func storeFour(_ t: Four, _ y: UnsafeMutablePointer<Float>, _ step: Int) {
  store(t.0, y)
  store(t.1, y + step)
  store(t.2, y + 2 &* step)
  store(t.3, y + 3 &* step)
}

@inline(__always)
private func storeFive(_ t: Five, _ y: UnsafeMutablePointer<Float>, _ step: Int) {
  storeFour((t.0, t.1, t.2, t.3), y, step)
  store(t.4, y + 4 &* step)
}

@inline(__always)
private func storeSix(_ t: Six, _ y: UnsafeMutablePointer<Float>, _ step: Int) {
  store(t.0, y)
  store(t.1, y + step)
  store(t.2, y + 2 &* step)
  store(t.3, y + 3 &* step)
  store(t.4, y + 4 &* step)
  store(t.5, y + 5 &* step)
}

// MARK: - Weights

/// G of the large tile.
@inline(__always)
private func weightsFour(_ g: Three) -> Six {
  /// The even and the odd part of what is at ±`point`, whose sum and difference are the two.
  @inline(__always)
  func parts(_ point: Float, _ other: Float) -> (Lanes, Lanes) {
    let scale = 1 / (2 * point * point * (point * point - other * other))
    return (
      multiplyAdd(g.0 * scale, g.2, Lanes(repeating: point * point * scale)), g.1 * (point * scale)
    )
  }
  let (evenA, oddA) = parts(Points.a, Points.b)
  let (evenB, oddB) = parts(Points.b, Points.a)
  return (g.0 * (1 / Points.product), evenA + oddA, evenA - oddA, evenB + oddB, evenB - oddB, g.2)
}

/// G of stride 2: of the first and the last tap at five points, and the middle tap.
@inline(__always)
private func weightsStrided(_ g: Three) -> Six {
  (
    g.0, multiplyAdd(g.0, g.2, all(0.5)) * (-8 / 9), (g.2 - g.0) * (2 / 9), multiplyAdd(g.0, g.2, all(2)) * (1 / 9),
    g.2, g.1
  )
}

/// - Parameter transform: G of a tile with six weights a side.
@inline(__always)
private func transformWeightsToSix(
  _ w: UnsafePointer<Float>, _ tapStep: Int, _ v: UnsafeMutablePointer<Float>, _ frequencyStep: Int,
  _ transform: (Three) -> Six
) {
  let r0 = transform(loadThree(w, tapStep))
  let r1 = transform(loadThree(w + 3 &* tapStep, tapStep))
  let r2 = transform(loadThree(w + 6 &* tapStep, tapStep))
  let rowStep = 6 &* frequencyStep
  storeSix(transform((r0.0, r1.0, r2.0)), v, rowStep)
  storeSix(transform((r0.1, r1.1, r2.1)), v + frequencyStep, rowStep)
  storeSix(transform((r0.2, r1.2, r2.2)), v + 2 &* frequencyStep, rowStep)
  storeSix(transform((r0.3, r1.3, r2.3)), v + 3 &* frequencyStep, rowStep)
  storeSix(transform((r0.4, r1.4, r2.4)), v + 4 &* frequencyStep, rowStep)
  storeSix(transform((r0.5, r1.5, r2.5)), v + 5 &* frequencyStep, rowStep)
}

/// G of the small tile.
@inline(__always)
private func weightsTwo(_ g: Three) -> Four {
  let even = (g.0 + g.2) * 0.5
  let odd = g.1 * 0.5
  return (g.0, even + odd, even - odd, g.2)
}

@inline(__always)
private func transformWeightsTwo(
  _ w: UnsafePointer<Float>, _ tapStep: Int, _ v: UnsafeMutablePointer<Float>, _ frequencyStep: Int
) {
  let r0 = weightsTwo(loadThree(w, tapStep))
  let r1 = weightsTwo(loadThree(w + 3 &* tapStep, tapStep))
  let r2 = weightsTwo(loadThree(w + 6 &* tapStep, tapStep))
  let rowStep = 4 &* frequencyStep
  storeFour(weightsTwo((r0.0, r1.0, r2.0)), v, rowStep)
  storeFour(weightsTwo((r0.1, r1.1, r2.1)), v + frequencyStep, rowStep)
  storeFour(weightsTwo((r0.2, r1.2, r2.2)), v + 2 &* frequencyStep, rowStep)
  storeFour(weightsTwo((r0.3, r1.3, r2.3)), v + 3 &* frequencyStep, rowStep)
}

// MARK: - Input

/// A square of `side` positions whose corner is `(row, column)`, with zeros where it lies outside the map.
@inline(__always)
private func copyPadded(
  _ x: UnsafePointer<Float>, _ height: Int, _ width: Int, _ row: Int, _ column: Int, _ side: Int,
  _ y: UnsafeMutablePointer<Float>
) {
  let first = column < 0 ? 0 &- column : 0
  let end = width &- column < side ? width &- column : side
  for r in 0..<side {
    let to = y + r &* side &* 16
    if row &+ r < 0 || row &+ r >= height || first >= end {
      clear(to, 0..<side)
    } else {
      clear(to, 0..<first)
      let from = x + ((row &+ r) &* width &+ column) &* 16
      for c in first..<end {
        let value: Lanes = load(from + c &* 16)
        store(value, to + c &* 16)
      }
      clear(to, end..<side)
    }
  }
}

/// Zeros at some positions.
@inline(__always)
private func clear(_ y: UnsafeMutablePointer<Float>, _ positions: Range<Int>) {
  for position in positions { store(Lanes(repeating: 0), y + position &* 16) }
}

/// Fetches what the next but one tile of a row adds to the next one.
@inline(__always)
private func prefetchTile(_ x: UnsafePointer<Float>, _ rowStep: Int, _ side: Int, _ step: Int) {
  for r in 0..<side {
    for c in 0..<step { prefetchClose(x + (r &* rowStep &+ (side &+ step &+ c) &* 16)) }
  }
}

/// Bᵀ of the large tile, applied to six vectors `step` floats apart.
@inline(__always)
private func inputFour(_ d: UnsafePointer<Float>, _ step: Int) -> Six {
  let d0: Lanes = load(d)
  let d1: Lanes = load(d + step)
  let d2: Lanes = load(d + 2 &* step)
  let d3: Lanes = load(d + 3 &* step)
  let d4: Lanes = load(d + 4 &* step)
  let d5: Lanes = load(d + 5 &* step)
  let evenA = multiplyAdd(d4, d2, Lanes(repeating: -Points.b2))
  let oddA = multiplyAdd(d3, d1, Lanes(repeating: -Points.b2)) * Points.a
  let evenB = multiplyAdd(d4, d2, Lanes(repeating: -Points.a2))
  let oddB = multiplyAdd(d3, d1, Lanes(repeating: -Points.a2)) * Points.b
  let product = Lanes(repeating: Points.product)
  let sum = Lanes(repeating: -Points.sum)
  return (
    multiplyAdd(multiplyAdd(d4, d2, sum), d0, product), evenA + oddA, evenA - oddA, evenB + oddB, evenB - oddB,
    multiplyAdd(multiplyAdd(d5, d3, sum), d1, product)
  )
}

@inline(__always)
private func transformInputFour(
  _ x: UnsafePointer<Float>, _ rowStep: Int, _ u: UnsafeMutablePointer<Float>, _ frequencyStep: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  for column in 0..<6 { storeSix(inputFour(x + column &* 16, rowStep), scratch + column &* 16, 6 &* 16) }
  for row in 0..<6 { storeSix(inputFour(scratch + row &* 96, 16), u + row &* 6 &* frequencyStep, frequencyStep) }
}

/// Bᵀ of stride 2, applied to the five even ones of nine vectors `step` floats apart.
@inline(__always)
private func inputOfEven(_ d: UnsafePointer<Float>, _ step: Int) -> Five {
  let d0: Lanes = load(d)
  let d1: Lanes = load(d + 2 &* step)
  let d2: Lanes = load(d + 4 &* step)
  let d3: Lanes = load(d + 6 &* step)
  let d4: Lanes = load(d + 8 &* step)
  return (
    multiplyAdd(d0 + d3, d1 + d2, all(-1.5)), multiplyAdd(d3 - d2, d1, all(-2)), multiplyAdd(d3 + d1, d2, all(-2.5)),
    multiplyAdd(d3, d2 - d1, all(0.5)), multiplyAdd(d1 + d4, d2 + d3, all(-1.5))
  )
}

@inline(__always)
private func transformInputStrided(
  _ x: UnsafePointer<Float>, _ rowStep: Int, _ u: UnsafeMutablePointer<Float>, _ frequencyStep: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  @inline(__always)
  func transformRow(_ row: UnsafePointer<Float>, _ u: UnsafeMutablePointer<Float>) {
    storeFive(inputOfEven(row, 16), u, frequencyStep)
    storeFour(loadFourVectors(row + 16, 32), u + 5 &* frequencyStep, frequencyStep)
  }
  for column in 0..<9 { storeFive(inputOfEven(x + column &* 16, rowStep), scratch + column &* 16, 9 &* 16) }
  for row in 0..<5 { transformRow(scratch + row &* 144, u + row &* 9 &* frequencyStep) }
  for row in 0..<4 { transformRow(x + (2 &* row &+ 1) &* rowStep, u + (5 &+ row) &* 9 &* frequencyStep) }
}

/// Bᵀ of the small tile.
@inline(__always)
private func inputTwo(_ d: Four) -> Four { (d.0 - d.2, d.1 + d.2, d.2 - d.1, d.3 - d.1) }

@inline(__always)
private func transformInputTwo(
  _ x: UnsafePointer<Float>, _ rowStep: Int, _ u: UnsafeMutablePointer<Float>, _ frequencyStep: Int
) {
  let c0 = inputTwo(loadFourVectors(x, rowStep))
  let c1 = inputTwo(loadFourVectors(x + 16, rowStep))
  let c2 = inputTwo(loadFourVectors(x + 32, rowStep))
  let c3 = inputTwo(loadFourVectors(x + 48, rowStep))
  storeFour(inputTwo((c0.0, c1.0, c2.0, c3.0)), u, frequencyStep)
  storeFour(inputTwo((c0.1, c1.1, c2.1, c3.1)), u + 4 &* frequencyStep, frequencyStep)
  storeFour(inputTwo((c0.2, c1.2, c2.2, c3.2)), u + 8 &* frequencyStep, frequencyStep)
  storeFour(inputTwo((c0.3, c1.3, c2.3, c3.3)), u + 12 &* frequencyStep, frequencyStep)
}

// MARK: - Output

/// Aᵀ of the large tile, applied to six vectors `step` floats apart.
@inline(__always)
private func outputFour(_ m: UnsafePointer<Float>, _ step: Int) -> Four {
  let m0: Lanes = load(m)
  let m1: Lanes = load(m + step)
  let m2: Lanes = load(m + 2 &* step)
  let m3: Lanes = load(m + 3 &* step)
  let m4: Lanes = load(m + 4 &* step)
  let m5: Lanes = load(m + 5 &* step)
  let sumA = m1 + m2
  let sumB = m3 + m4
  let differenceA = m1 - m2
  let differenceB = m3 - m4
  return (
    m0 + sumA + sumB,
    multiplyAdd(differenceA * Points.a, differenceB, Lanes(repeating: Points.b)),
    multiplyAdd(sumA * Points.a2, sumB, Lanes(repeating: Points.b2)),
    multiplyAdd(multiplyAdd(m5, differenceA, Lanes(repeating: Points.a3)), differenceB, Lanes(repeating: Points.b3))
  )
}

/// Aᵀ of stride 2, applied to nine vectors `step` floats apart: five of even inputs and four of odd ones.
@inline(__always)
private func outputStrided(_ m: UnsafePointer<Float>, _ step: Int) -> Four {
  let half: Lanes = load(m + step)
  let minusOne: Lanes = load(m + 2 &* step)
  let two: Lanes = load(m + 3 &* step)
  let (zero, infinity): (Lanes, Lanes) = (load(m), load(m + 4 &* step))
  let odd = loadFourVectors(m + 5 &* step, step)
  return (
    zero + half + minusOne + two + odd.0,
    multiplyAdd(multiplyAdd(odd.1 - minusOne, half, all(0.5)), two, all(2)),
    multiplyAdd(multiplyAdd(odd.2 + minusOne, half, all(0.25)), two, all(4)),
    multiplyAdd(multiplyAdd(odd.3 - minusOne + infinity, half, all(0.125)), two, all(8))
  )
}

/// - Parameter transform: Aᵀ of a tile with `side` frequencies and four outputs a side.
@inline(__always)
private func transformOutputToFour(
  _ m: UnsafePointer<Float>, side: Int, _ frequencyStep: Int, _ bias: Lanes, _ y: UnsafeMutablePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>, _ transform: (UnsafePointer<Float>, Int) -> Four
) {
  for column in 0..<side {
    let t = transform(m + column &* frequencyStep, side &* frequencyStep)
    storeFour(t, scratch + column &* 16, side &* 16)
  }
  for row in 0..<4 {
    let t = transform(scratch + row &* side &* 16, 16)
    storeFour((t.0 + bias, t.1 + bias, t.2 + bias, t.3 + bias), y + row &* 64, 16)
  }
}

/// Aᵀ of the small tile.
@inline(__always)
private func outputTwo(_ m: Four) -> (Lanes, Lanes) { (m.0 + m.1 + m.2, m.1 - m.2 + m.3) }

@inline(__always)
private func transformOutputTwo(
  _ m: UnsafePointer<Float>, _ frequencyStep: Int, _ bias: Lanes, _ y: UnsafeMutablePointer<Float>
) {
  let c0 = outputTwo(loadFourVectors(m, 4 &* frequencyStep))
  let c1 = outputTwo(loadFourVectors(m + frequencyStep, 4 &* frequencyStep))
  let c2 = outputTwo(loadFourVectors(m + 2 &* frequencyStep, 4 &* frequencyStep))
  let c3 = outputTwo(loadFourVectors(m + 3 &* frequencyStep, 4 &* frequencyStep))
  let top = outputTwo((c0.0, c1.0, c2.0, c3.0))
  let bottom = outputTwo((c0.1, c1.1, c2.1, c3.1))
  store(top.0 + bias, y)
  store(top.1 + bias, y + 16)
  store(bottom.0 + bias, y + 32)
  store(bottom.1 + bias, y + 48)
}
