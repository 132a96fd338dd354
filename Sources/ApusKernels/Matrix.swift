import ApusKernelInterface

extension Float32Kernels {
  package static var vectorWidth: Int { 16 }
  package static var blocksPerTile: Int { Tile.blocks }

  package static func accumulateRow(
    _ x: UnsafePointer<Float>, weights: UnsafePointer<Float>,
    addend: UnsafePointer<Float>, addendStep: Int, addendBlockStep: Int, shift: UnsafePointer<Float>?,
    _ y: UnsafeMutablePointer<Float>, width: Int, blocks: Int, walk: TileWalk
  ) {
    accumulateRowOfTiles(
      Lanes.self, Tile.positions, x, weights, (base: addend, step: addendStep, blockStep: addendBlockStep),
      shift, y, width, blocks, walk)
  }

  package static func packRows(
    _ a: UnsafePointer<Float>, rowStep: Int, columnStep: Int, rows: Int, depth: Int, scale: Float,
    _ panel: UnsafeMutablePointer<Float>
  ) {
    packLeft(Lanes.self, a, rowStep, columnStep, rows, depth, scale, panel)
  }

  package static func packColumns(
    _ b: UnsafePointer<Float>, rowStep: Int, columnStep: Int, depth: Int, filledDepth: Int, columns: Int,
    _ panel: UnsafeMutablePointer<Float>, blockStep: Int
  ) {
    packRight(Lanes.self, b, rowStep, columnStep, depth, filledDepth, columns, panel, blockStep)
  }

  package static func multiplyRow(
    _ x: UnsafePointer<Float>, depth: Int, panel: UnsafePointer<Float>, blockStep: Int, blocks: Int,
    addend: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) {
    rowTimesBlocks(WholeLanes.self, x, depth, panel, blockStep, blocks, addend, y)
  }

  package static func multiplyRow(
    _ x: UnsafePointer<Float>, depth: Int, halves: UnsafePointer<UInt16>, _ type: StoredType, blockStep: Int,
    blocks: Int, addend: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) {
    if type == .float16 {
      rowTimesBlocks(HalfLanes.self, x, depth, halves, blockStep, blocks, addend, y)
    } else {
      rowTimesBlocks(BrainLanes.self, x, depth, halves, blockStep, blocks, addend, y)
    }
  }

  package static func dotRows(
    _ w: UnsafePointer<Float>, rowStep: Int, rows: Int, _ x: UnsafePointer<Float>, depth: Int,
    _ y: UnsafeMutablePointer<Float>
  ) {
    for row in 0..<rows { y[row] = dot(Lanes.self, w + row &* rowStep, x, depth) }
  }

  package static func addToRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, count: Int, rowStep: Int
  ) {
    addToRowsOfLanes(Lanes.self, x, y, rows, count, rowStep)
  }
}

extension Float64Kernels {
  package static var vectorWidth: Int { 8 }
  package static var blocksPerTile: Int { Tile.blocks }

  package static func accumulateRow(
    _ x: UnsafePointer<Double>, weights: UnsafePointer<Double>,
    addend: UnsafePointer<Double>, addendStep: Int, addendBlockStep: Int, shift: UnsafePointer<Double>?,
    _ y: UnsafeMutablePointer<Double>, width: Int, blocks: Int, walk: TileWalk
  ) {
    accumulateRowOfTiles(
      DoubleLanes.self, Tile.doublePositions, x, weights, (base: addend, step: addendStep, blockStep: addendBlockStep),
      shift, y, width, blocks, walk)
  }

  package static func packRows(
    _ a: UnsafePointer<Double>, rowStep: Int, columnStep: Int, rows: Int, depth: Int, scale: Double,
    _ panel: UnsafeMutablePointer<Double>
  ) {
    packLeft(DoubleLanes.self, a, rowStep, columnStep, rows, depth, scale, panel)
  }

  package static func packColumns(
    _ b: UnsafePointer<Double>, rowStep: Int, columnStep: Int, depth: Int, filledDepth: Int, columns: Int,
    _ panel: UnsafeMutablePointer<Double>, blockStep: Int
  ) {
    packRight(DoubleLanes.self, b, rowStep, columnStep, depth, filledDepth, columns, panel, blockStep)
  }

  package static func multiplyRow(
    _ x: UnsafePointer<Double>, depth: Int, panel: UnsafePointer<Double>, blockStep: Int, blocks: Int,
    addend: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>
  ) {
    rowTimesBlocks(WholeDoubleLanes.self, x, depth, panel, blockStep, blocks, addend, y)
  }

  package static func multiplyRow(
    _ x: UnsafePointer<Double>, depth: Int, halves: UnsafePointer<UInt16>, _ type: StoredType, blockStep: Int,
    blocks: Int, addend: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>
  ) {
    multiplyWidened(Float64Kernels.self, x, depth, blocks, addend, y) { block, rows, widened in
      let source = halves + (block &* blockStep &+ rows.lowerBound &* vectorWidth)
      widenRows(source, type, scale: nil, widened, rows: rows.count)
    }
  }

  package static func dotRows(
    _ w: UnsafePointer<Double>, rowStep: Int, rows: Int, _ x: UnsafePointer<Double>, depth: Int,
    _ y: UnsafeMutablePointer<Double>
  ) {
    for row in 0..<rows { y[row] = dot(DoubleLanes.self, w + row &* rowStep, x, depth) }
  }

  package static func addToRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, count: Int, rowStep: Int
  ) {
    addToRowsOfLanes(DoubleLanes.self, x, y, rows, count, rowStep)
  }
}

/// Covers a row of positions with tiles of nearly equal width: 25 positions are 13 + 12, not 14 + 11.
@inline(__always)
private func accumulateRowOfTiles<L: SIMD>(
  _ lanes: L.Type, _ maximum: Int, _ x: UnsafePointer<L.Scalar>, _ weights: UnsafePointer<L.Scalar>,
  _ addend: TileAddend<L.Scalar>, _ shift: UnsafePointer<L.Scalar>?, _ y: UnsafeMutablePointer<L.Scalar>, _ width: Int,
  _ blocks: Int, _ walk: TileWalk
) where L.Scalar: FloatingPoint & SIMDScalar {
  let tiles = (width &+ maximum &- 1) / maximum
  guard tiles > 0 else { return }
  let narrow = width / tiles
  let wideTiles = width % tiles
  var addend = addend
  var x = x
  var y = y
  var walk = walk
  for tile in 0..<tiles {
    let positions = tile < wideTiles ? narrow &+ 1 : narrow
    accumulateAnyTile(
      lanes, maximum: maximum, positions: positions, blocks: blocks, walk: walk, addend: addend,
      x: x, w: weights, y: y)
    // While they are in the first-level cache: rows a power of two apart are not all kept there.
    if let shift { addToRowsOfLanes(lanes, shift, y, positions, blocks &* L.scalarCount, walk.outputStep) }
    addend.base += positions &* addend.step
    x += positions &* walk.positionStep
    y += positions &* walk.outputStep
    if tile &+ 1 >= Tile.fetchingTiles {
      walk.weightsAhead = 0
    } else if walk.weightsAhead > 0 && tile < 2 {
      walk.weightsAhead &+= walk.weightBlockStep
    }
  }
}

/// `y[row, i] += x[i]`, a vector of columns at a time down all rows.
@inline(__always)
private func addToRowsOfLanes<L: SIMD>(
  _: L.Type, _ x: UnsafePointer<L.Scalar>, _ y: UnsafeMutablePointer<L.Scalar>, _ rows: Int, _ count: Int,
  _ rowStep: Int
) where L.Scalar: FloatingPoint {
  var first = 0
  while first &+ L.scalarCount <= count {
    let summand: L = load(x + first)
    for row in 0..<rows {
      let place = y + (row &* rowStep &+ first)
      store(load(place) + summand, place)
    }
    first &+= L.scalarCount
  }
  guard first < count else { return }
  for row in 0..<rows {
    for i in first..<count { y[row &* rowStep &+ i] += x[i] }
  }
}

@inline(__always)
private func packLeft<L: SIMD>(
  _: L.Type, _ a: UnsafePointer<L.Scalar>, _ rowStep: Int, _ columnStep: Int, _ rows: Int, _ depth: Int,
  _ scale: L.Scalar, _ panel: UnsafeMutablePointer<L.Scalar>
) where L.Scalar: FloatingPoint {
  let lanes = L.scalarCount
  var out = panel
  var column = 0
  if columnStep == 1 {
    // Four blocks at a time: rows are often a power of two apart, and of one block by itself they evict each other.
    let step = rows &* lanes
    // Neither does the processor foresee, in so many rows at once, what it will be asked for next.
    let isFar = rows &* rowStep >= 131_072
    while column &+ 4 &* lanes <= depth {
      for row in 0..<rows {
        let from = a + (row &* rowStep &+ column)
        let to = out + row &* lanes
        if isFar { prefetch(from + 4 &* lanes, 4, L.self) }
        store(load(from, as: L.self) * scale, to)
        store(load(from + lanes, as: L.self) * scale, to + step)
        store(load(from + 2 &* lanes, as: L.self) * scale, to + 2 &* step)
        store(load(from + 3 &* lanes, as: L.self) * scale, to + 3 &* step)
      }
      out += 4 &* step
      column &+= 4 &* lanes
    }
  }
  while column < depth {
    let filled = depth &- column < lanes ? depth &- column : lanes
    let source = a + column &* columnStep
    for row in 0..<rows {
      let from = source + row &* rowStep
      if filled == lanes, columnStep == 1 {
        store(load(from, as: L.self) * scale, out)
      } else {
        for lane in 0..<filled { out[lane] = from[lane &* columnStep] * scale }
        for lane in filled..<lanes { out[lane] = 0 }
      }
      out += lanes
    }
    column &+= lanes
  }
}

@inline(__always)
private func packRight<L: SIMD>(
  _: L.Type, _ b: UnsafePointer<L.Scalar>, _ rowStep: Int, _ columnStep: Int, _ depth: Int, _ filledDepth: Int,
  _ columns: Int, _ panel: UnsafeMutablePointer<L.Scalar>, _ blockStep: Int
) where L.Scalar: FloatingPoint {
  let lanes = L.scalarCount
  var block = panel
  var column = 0
  while column < columns {
    let filled = columns &- column < lanes ? columns &- column : lanes
    let source = b + column &* columnStep
    var out = block
    var first = 0
    if filled == lanes, rowStep == 1 {
      // A transposition.
      if lanes == 16 {
        let floats = UnsafeRawPointer(source).assumingMemoryBound(to: Float.self)
        let to = UnsafeMutableRawPointer(out).assumingMemoryBound(to: Float.self)
        interleaveSixteen(floats, xStep: columnStep, count: depth, to)
        out += depth &* lanes
        first = depth
      }
      while first &+ 4 <= depth {
        var lane = 0
        while lane < lanes {
          transposeFour(source + (first &+ lane &* columnStep), columnStep, out + lane, lanes)
          lane &+= 4
        }
        out += 4 &* lanes
        first &+= 4
      }
    }
    for row in first..<depth {
      let from = source + row &* rowStep
      if filled == lanes, columnStep == 1 {
        store(load(from, as: L.self), out)
      } else {
        for lane in 0..<filled { out[lane] = from[lane &* columnStep] }
        for lane in filled..<lanes { out[lane] = 0 }
      }
      out += lanes
    }
    for _ in depth..<filledDepth {
      store(L(repeating: 0), out)
      out += lanes
    }
    block += blockStep
    column &+= lanes
  }
}

/// How a vector of a right operand is stored.
private protocol StoredLanes {
  associatedtype Lanes: SIMD where Lanes.Scalar: FloatingPoint
  associatedtype Element
  static func numbers(_ place: UnsafePointer<Element>) -> Lanes
}

private enum WholeLanes: StoredLanes {
  @inline(__always)
  static func numbers(_ place: UnsafePointer<Float>) -> SIMD16<Float> { load(place) }
}

private enum WholeDoubleLanes: StoredLanes {
  @inline(__always)
  static func numbers(_ place: UnsafePointer<Double>) -> DoubleLanes { load(place) }
}

private enum HalfLanes: StoredLanes {
  @inline(__always)
  static func numbers(_ place: UnsafePointer<UInt16>) -> SIMD16<Float> { widened(half: load(place)) }
}

private enum BrainLanes: StoredLanes {
  @inline(__always)
  static func numbers(_ place: UnsafePointer<UInt16>) -> SIMD16<Float> { widened(brain: load(place)) }
}

/// `y = addend + x · w` for blocks of a right operand that are `blockStep` elements apart.
@inline(__always)
private func rowTimesBlocks<V: StoredLanes>(
  _: V.Type, _ x: UnsafePointer<V.Lanes.Scalar>, _ depth: Int, _ w: UnsafePointer<V.Element>, _ blockStep: Int,
  _ blocks: Int, _ addend: UnsafePointer<V.Lanes.Scalar>, _ y: UnsafeMutablePointer<V.Lanes.Scalar>
) {
  for block in 0..<blocks {
    let sum = rowTimesBlock(V.self, x, depth, w + block &* blockStep)
    store(load(addend + block &* V.Lanes.scalarCount) + sum, y + block &* V.Lanes.scalarCount)
  }
}

/// `Σ x[i] * w[i]` for vectors `w[i]`, over eight accumulators that are added up every 256 terms.
///
/// One accumulator would wait for each multiply-add to end, and lose more digits.
@inline(__always)
private func rowTimesBlock<V: StoredLanes>(
  _: V.Type, _ x: UnsafePointer<V.Lanes.Scalar>, _ depth: Int, _ w: UnsafePointer<V.Element>
) -> V.Lanes {
  typealias L = V.Lanes
  let zero = L(repeating: 0)
  var total = zero
  var x = x
  var w = w
  var left = depth
  while left > 0 {
    var count = left < 256 ? left : 256
    left &-= count
    var s0 = zero, s1 = zero, s2 = zero, s3 = zero
    var s4 = zero, s5 = zero, s6 = zero, s7 = zero
    while count >= 8 {
      s0 = multiplyAdd(s0, L(repeating: x[0]), V.numbers(w))
      s1 = multiplyAdd(s1, L(repeating: x[1]), V.numbers(w + L.scalarCount))
      s2 = multiplyAdd(s2, L(repeating: x[2]), V.numbers(w + 2 &* L.scalarCount))
      s3 = multiplyAdd(s3, L(repeating: x[3]), V.numbers(w + 3 &* L.scalarCount))
      s4 = multiplyAdd(s4, L(repeating: x[4]), V.numbers(w + 4 &* L.scalarCount))
      s5 = multiplyAdd(s5, L(repeating: x[5]), V.numbers(w + 5 &* L.scalarCount))
      s6 = multiplyAdd(s6, L(repeating: x[6]), V.numbers(w + 6 &* L.scalarCount))
      s7 = multiplyAdd(s7, L(repeating: x[7]), V.numbers(w + 7 &* L.scalarCount))
      x += 8
      w += 8 &* L.scalarCount
      count &-= 8
    }
    while count > 0 {
      s0 = multiplyAdd(s0, L(repeating: x[0]), V.numbers(w))
      x += 1
      w += L.scalarCount
      count &-= 1
    }
    let even = vectorSum(vectorSum(s0, s4), vectorSum(s2, s6))
    let odd = vectorSum(vectorSum(s1, s5), vectorSum(s3, s7))
    total = vectorSum(total, vectorSum(even, odd))
  }
  return total
}

/// The sum of `x[i] * y[i]` over four vectors of accumulators, so that no chain of additions is long.
@inline(__always)
func dot<L: SIMD>(
  _: L.Type, _ x: UnsafePointer<L.Scalar>, _ y: UnsafePointer<L.Scalar>, _ count: Int
) -> L.Scalar where L.Scalar: FloatingPoint {
  let lanes = L.scalarCount
  var sums = InlineArray<4, L>(repeating: L(repeating: 0))
  var i = 0
  while i &+ 4 &* lanes <= count {
    unrolled(4) { k in
      let at = i &+ k &* lanes
      let a: L = load(x + at)
      let b: L = load(y + at)
      sums[k] = multiplyAdd(sums[k], a, b)
    }
    i &+= 4 &* lanes
  }
  while i &+ lanes <= count {
    let a: L = load(x + i)
    let b: L = load(y + i)
    sums[0] = multiplyAdd(sums[0], a, b)
    i &+= lanes
  }
  let even: L = sums[0] + sums[2]
  let odd: L = sums[1] + sums[3]
  var sum = pairwiseSum(even + odd)
  while i < count {
    sum += x[i] * y[i]
    i &+= 1
  }
  return sum
}

/// The sum of the lanes, added in pairs.
@inline(__always)
func pairwiseSum<L: SIMD>(_ v: L) -> L.Scalar where L.Scalar: FloatingPoint {
  // Lane by lane and not in an `InlineArray`, whose initialiser may become a function that all variants share.
  (quarterSum(v, 0) + quarterSum(v, 2)) + (quarterSum(v, 1) + quarterSum(v, 3))
}

/// Every fourth lane from `lane` on, of eight or sixteen.
@inline(__always)
private func quarterSum<L: SIMD>(_ v: L, _ lane: Int) -> L.Scalar where L.Scalar: FloatingPoint {
  if L.scalarCount == 8 { return v[lane] + v[lane &+ 4] }
  return (v[lane] + v[lane &+ 8]) + (v[lane &+ 4] + v[lane &+ 12])
}
