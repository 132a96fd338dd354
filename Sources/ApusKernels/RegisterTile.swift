import ApusKernelInterface

/// The sizes of the register tile, as the instruction set's register count allows.
enum Tile {
  #if APUS_AVX512
    /// 28 of 32 registers hold sums; two hold weights, inputs are broadcast by the multiply itself.
    static let positions = 14
    static let blocks = 2
    /// Float64 need not be as fast, and each width costs half a second to compile.
    static let doublePositions = 6
  #elseif APUS_AVX2
    /// Sixteen channels are two registers: 12 of 16 hold sums, two weights, one the broadcast input.
    static let positions = 6
    static let blocks = 1
    static let doublePositions = 6
  #elseif arch(arm64)
    /// Sixteen channels are four of 32 registers.
    static let positions = 6
    static let blocks = 1
    static let doublePositions = 6
  #else
    static let positions = 3
    static let blocks = 1
    static let doublePositions = 3
  #endif
}

/// What a tile's first sums are added to: a vector that is the same for every position, or the output itself.
///
/// A tuple, because a structure's copying function would be emitted under a name that all kernel variants share.
typealias TileAddend<Scalar> = (base: UnsafePointer<Scalar>, step: Int, blockStep: Int)

/// One register tile: `positions` × `blocks` vectors of output channels, summed along `walk`.
///
/// `positions` and `blocks` must be literals at the call: the body is instantiated for each.
@inline(__always)
func accumulateTile<L: SIMD>(
  _: L.Type, positions: Int, blocks: Int, walk: TileWalk, addend: TileAddend<L.Scalar>,
  x: UnsafePointer<L.Scalar>, w: UnsafePointer<L.Scalar>, y: UnsafeMutablePointer<L.Scalar>
) where L.Scalar: FloatingPoint {
  let lanes = L.scalarCount
  var weights = w
  var block = x
  var row = x
  var rowsLeft = walk.blockCount &* walk.rowCount
  var rowsInBlock = walk.rowCount
  var addend = addend
  repeat {
    var sums = InlineArray<28, L>(repeating: L(repeating: 0))
    let rows = rowsLeft < walk.rowsPerFlush ? rowsLeft : walk.rowsPerFlush
    for _ in 0..<rows {
      for tap in 0..<walk.tapCount {
        var input = row + walk.tapOffsets[tap]
        for _ in 0..<lanes {
          let w0: L = load(weights)
          let w1: L = blocks > 1 ? load(weights + walk.weightBlockStep) : w0
          unrolled(positions) { p in
            let value = L(repeating: input[p &* lanes])
            sums[p &* blocks] = multiplyAdd(sums[p &* blocks], value, w0)
            if blocks > 1 { sums[p &* blocks &+ 1] = multiplyAdd(sums[p &* blocks &+ 1], value, w1) }
          }
          weights += lanes
          input += 1
        }
      }
      row += walk.rowStep
      rowsInBlock &-= 1
      if rowsInBlock == 0 {
        block += walk.blockStep
        row = block
        rowsInBlock = walk.rowCount
      }
    }
    rowsLeft &-= rows

    unrolled(blocks) { block in
      let base = addend.base + block &* addend.blockStep
      let out = y + block &* walk.outputBlockStep
      unrolled(positions) { p in
        let before: L = load(base + p &* addend.step)
        store(before + sums[p &* blocks &+ block], out + p &* walk.outputStep)
      }
    }
    addend = (base: UnsafePointer(y), step: walk.outputStep, blockStep: walk.outputBlockStep)
  } while rowsLeft > 0
}

/// ``accumulateTile`` for a number of positions and blocks known only at run time, up to `maximum` (a literal) and
/// ``Tile/blocks``.
@inline(__always)
func accumulateAnyTile<L: SIMD>(
  _ lanes: L.Type, maximum: Int, positions: Int, blocks: Int, walk: TileWalk, addend: TileAddend<L.Scalar>,
  x: UnsafePointer<L.Scalar>, w: UnsafePointer<L.Scalar>, y: UnsafeMutablePointer<L.Scalar>
) where L.Scalar: FloatingPoint {
  unrolled(maximum) { p in
    guard positions == p &+ 1 else { return }
    if Tile.blocks == 1 || blocks == Tile.blocks {
      accumulateTile(lanes, positions: p &+ 1, blocks: Tile.blocks, walk: walk, addend: addend, x: x, w: w, y: y)
    } else {
      accumulateTile(lanes, positions: p &+ 1, blocks: 1, walk: walk, addend: addend, x: x, w: w, y: y)
    }
  }
}
