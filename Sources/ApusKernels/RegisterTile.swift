import ApusKernelInterface

/// The sizes of the register tile, as the instruction set's register count allows.
enum Tile {
  #if APUS_AVX512
    /// 28 of 32 registers hold sums; two hold weights, inputs are broadcast by the multiply itself.
    static let positions = 14
    static let blocks = 2
    /// Float64 need not be as fast, and each width costs half a second to compile.
    static let doublePositions = 6
    static let fetchingTiles = Int.max
    static let fetchesInputs = false
  #elseif APUS_AVX2
    /// Sixteen channels are two registers: 12 of 16 hold sums, two weights, one the broadcast input.
    static let positions = 6
    static let blocks = 1
    static let doublePositions = 6
    /// Sixteen more loads a block cost a tile 4 to 14 % (Zen 3), and what one tile has fetched the others need not.
    static let fetchingTiles = 1
    /// Six inputs a block are little beside 96 multiply-adds, and the processor does not foresee where they lie: products
    /// of 1,024 terms at 196 positions take 0.87 of the time (Zen 3).
    static let fetchesInputs = true
  #elseif arch(arm64)
    /// Sixteen channels are four registers: 20 of 32 hold sums, five inputs, four weights. Six positions do not fit.
    static let positions = 5
    static let blocks = 1
    static let doublePositions = 6
    static let fetchingTiles = Int.max
    static let fetchesInputs = false
  #else
    static let positions = 3
    static let blocks = 1
    static let doublePositions = 3
    static let fetchingTiles = Int.max
    static let fetchesInputs = false
  #endif
}

/// What a tile's first sums are added to: a vector that is the same for every position, or the output itself.
///
/// A tuple, because a structure's copying function would be emitted under a name that all kernel variants share.
typealias TileAddend<Scalar> = (base: UnsafePointer<Scalar>, step: Int, blockStep: Int)

/// One register tile: `positions` × `blocks` vectors of output channels.
///
/// The sizes are generic parameters, so that each is a function of its own whose sums are registers. Told as arguments
/// they can stay variables, however literal at the call, and the sums then stay in memory: an eighth of the speed.
///
/// Positions lie ``TileWalk/positionStep`` apart in the input, or with `scattered` 1 where they are told to lie: those at
/// the end of a row and the beginning of the next one. A pointer to each would be more than there are registers, and constants
/// would make a function for each step: one in four has a pointer, to which the same three offsets are added.
enum RegisterTile<let positions: Int, let blocks: Int, let scattered: Int> {
  /// Sums along `walk`, starting from `addend`.
  ///
  /// - Parameter places: how far from `x` each position's input lies, where they are scattered.
  @inline(never)
  static func accumulate<L: SIMD>(
    _: L.Type, walk: TileWalk, addend: TileAddend<L.Scalar>, places: UnsafePointer<Int>,
    x: UnsafePointer<L.Scalar>, w: UnsafePointer<L.Scalar>, y: UnsafeMutablePointer<L.Scalar>
  ) where L.Scalar: FloatingPoint & SIMDScalar {
    let lanes = L.scalarCount
    let blockLanes = walk.blockLanes < lanes ? walk.blockLanes : lanes
    let lastBlockLanes = walk.lastBlockLanes < blockLanes ? walk.lastBlockLanes : blockLanes
    var blocksLeft = walk.blockCount
    var laneCount = blocksLeft == 1 ? lastBlockLanes : blockLanes
    var weights = w
    var block = x
    var row = x
    var rowsLeft = walk.blockCount &* walk.rowCount
    guard rowsLeft > 0 else {
      copy(addend, y, walk, L.self)
      return
    }
    var rowsInBlock = walk.rowCount
    var addend = addend
    let zero = L(repeating: 0)
    let (step, termStep) = (walk.positionStep, walk.termStep)
    let (offset1, offset2) = (offset(1, from: 0, places, step), offset(2, from: 0, places, step))
    let (offset3, offset4) = (offset(3, from: 0, places, step), offset(4, from: 0, places, step))
    let offset5 = offset(5, from: 4, places, step)
    repeat {
      // Spelled out: `InlineArray(repeating:)` is a call, and what a call has written stays in memory.
      var sums: InlineArray<28, L> = [
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
      ]
      let rows = rowsLeft < walk.rowsPerFlush ? rowsLeft : walk.rowsPerFlush
      var rowsToFlush = rows
      // None of these loops is ever empty. Told so, the optimiser need not keep the sums in memory for the case.
      repeat {
        var tap = 0
        repeat {
          var input0 = row + walk.tapOffsets[tap]
          var input4 = input0 + offset4
          var input8 = input4 + offset4
          var input12 = input8 + offset4
          if walk.weightsAhead > 0 { prefetch(weights + walk.weightsAhead, lanes, L.self) }
          if Tile.fetchesInputs, walk.inputsAhead > 0 {
            fetch(0, input0 + walk.inputsAhead)
            fetch(1, input0 + (walk.inputsAhead &+ offset1))
            fetch(2, input0 + (walk.inputsAhead &+ offset2))
            fetch(3, input0 + (walk.inputsAhead &+ offset3))
            fetch(4, input4 + walk.inputsAhead)
            fetch(5, input4 + (walk.inputsAhead &+ offset5))
          }
          var lanesLeft = laneCount
          #if arch(arm64)
            while lanes == 16, lanesLeft >= 4 {
              multiplyFour(&sums, input0, (offset1, offset2, offset3), input4, weights, termStep)
              weights += 4 &* termStep
              input0 += 4
              input4 += 4
              lanesLeft &-= 4
            }
            guard lanesLeft > 0 else {
              tap &+= 1
              continue
            }
          #endif
          repeat {
            let w0: L = load(weights)
            let w1: L = blocks > 1 ? load(weights + walk.weightBlockStep) : w0
            multiply(0, &sums, input0, w0, w1)
            multiply(1, &sums, input0 + offset1, w0, w1)
            multiply(2, &sums, input0 + offset2, w0, w1)
            multiply(3, &sums, input0 + offset3, w0, w1)
            multiply(4, &sums, input4, w0, w1)
            multiply(5, &sums, input4 + offset5, w0, w1)
            multiply(6, &sums, input4 + offset2, w0, w1)
            multiply(7, &sums, input4 + offset3, w0, w1)
            multiply(8, &sums, input8, w0, w1)
            multiply(9, &sums, input8 + offset1, w0, w1)
            multiply(10, &sums, input8 + offset2, w0, w1)
            multiply(11, &sums, input8 + offset3, w0, w1)
            multiply(12, &sums, input12, w0, w1)
            multiply(13, &sums, input12 + offset1, w0, w1)
            weights += termStep
            input0 += 1
            if positions > 4 { input4 += 1 }
            if positions > 8 { input8 += 1 }
            if positions > 12 { input12 += 1 }
            lanesLeft &-= 1
          } while lanesLeft != 0
          tap &+= 1
        } while tap < walk.tapCount
        row += walk.rowStep
        rowsInBlock &-= 1
        if rowsInBlock == 0 {
          block += walk.blockStep
          row = block
          rowsInBlock = walk.rowCount
          blocksLeft &-= 1
          weights += blocksLeft == 1 ? walk.lastWeightGap : walk.weightGap
          if blocksLeft == 1 { laneCount = lastBlockLanes }
        }
        rowsToFlush &-= 1
      } while rowsToFlush > 0
      rowsLeft &-= rows

      // Each spelled out: what a closure has read stays in memory.
      add(0, &sums, addend)
      add(1, &sums, addend)
      add(2, &sums, addend)
      add(3, &sums, addend)
      add(4, &sums, addend)
      add(5, &sums, addend)
      add(6, &sums, addend)
      add(7, &sums, addend)
      add(8, &sums, addend)
      add(9, &sums, addend)
      add(10, &sums, addend)
      add(11, &sums, addend)
      add(12, &sums, addend)
      add(13, &sums, addend)
      if rowsLeft <= 0, let bounds = walk.bounds {
        let (lower, upper) = (Lanes(repeating: bounds.lower), Lanes(repeating: bounds.upper))
        hold(0, &sums, lower, upper)
        hold(1, &sums, lower, upper)
        hold(2, &sums, lower, upper)
        hold(3, &sums, lower, upper)
        hold(4, &sums, lower, upper)
        hold(5, &sums, lower, upper)
        hold(6, &sums, lower, upper)
        hold(7, &sums, lower, upper)
        hold(8, &sums, lower, upper)
        hold(9, &sums, lower, upper)
        hold(10, &sums, lower, upper)
        hold(11, &sums, lower, upper)
        hold(12, &sums, lower, upper)
        hold(13, &sums, lower, upper)
      }
      put(0, sums, y, walk)
      put(1, sums, y, walk)
      put(2, sums, y, walk)
      put(3, sums, y, walk)
      put(4, sums, y, walk)
      put(5, sums, y, walk)
      put(6, sums, y, walk)
      put(7, sums, y, walk)
      put(8, sums, y, walk)
      put(9, sums, y, walk)
      put(10, sums, y, walk)
      put(11, sums, y, walk)
      put(12, sums, y, walk)
      put(13, sums, y, walk)
      addend = (base: UnsafePointer(y), step: walk.outputStep, blockStep: walk.outputBlockStep)
    } while rowsLeft > 0
  }

  /// Position `p` of the innermost step. A function, for a closure is not inlined for certain.
  @inline(__always)
  private static func multiply<L: SIMD>(
    _ p: Int, _ sums: inout InlineArray<28, L>, _ input: UnsafePointer<L.Scalar>, _ w0: L, _ w1: L
  ) where L.Scalar: FloatingPoint & SIMDScalar {
    guard p < positions else { return }
    let value = L(repeating: input[0])
    sums[p &* blocks] = multiplyAdd(sums[p &* blocks], value, w0)
    if blocks > 1 { sums[p &* blocks &+ 1] = multiplyAdd(sums[p &* blocks &+ 1], value, w1) }
  }

  /// Fetches the inputs of position `p`.
  @inline(__always)
  private static func fetch<Scalar>(_ p: Int, _ inputs: UnsafePointer<Scalar>) {
    if p < positions { prefetchClose(inputs) }
  }

  /// How far from the input of position `q` that of position `p` lies.
  @inline(__always)
  private static func offset(_ p: Int, from q: Int, _ places: UnsafePointer<Int>, _ step: Int) -> Int {
    if scattered == 0 { return (p &- q) &* step }
    return p < positions ? places[p] &- places[q] : 0
  }

  #if arch(arm64)
    /// Four of the innermost steps. A multiply-add takes any one lane of a register for all lanes of another, so that a
    /// position's inputs come in one load.
    @inline(__always)
    private static func multiplyFour<L: SIMD>(
      _ sums: inout InlineArray<28, L>, _ input0: UnsafePointer<L.Scalar>, _ offsets: (Int, Int, Int),
      _ input4: UnsafePointer<L.Scalar>, _ weights: UnsafePointer<L.Scalar>, _ termStep: Int
    ) where L.Scalar: FloatingPoint & SIMDScalar {
      let x0 = fourInputs(0, input0)
      let x1 = fourInputs(1, input0 + offsets.0)
      let x2 = fourInputs(2, input0 + offsets.1)
      let x3 = fourInputs(3, input0 + offsets.2)
      let x4 = fourInputs(4, input4)
      unrolled(4) { step in
        let w: L = load(weights + step &* termStep)
        sums[0] = multiplyAdd(sums[0], L(repeating: x0[step]), w)
        if positions > 1 { sums[1] = multiplyAdd(sums[1], L(repeating: x1[step]), w) }
        if positions > 2 { sums[2] = multiplyAdd(sums[2], L(repeating: x2[step]), w) }
        if positions > 3 { sums[3] = multiplyAdd(sums[3], L(repeating: x3[step]), w) }
        if positions > 4 { sums[4] = multiplyAdd(sums[4], L(repeating: x4[step]), w) }
      }
    }

    /// The inputs of position `p` in four steps; zeros where the tile has no such one.
    @inline(__always)
    private static func fourInputs<Scalar: FloatingPoint & SIMDScalar>(
      _ p: Int, _ inputs: UnsafePointer<Scalar>
    ) -> SIMD4<Scalar> {
      p < positions ? load(inputs) : SIMD4(repeating: 0)
    }
  #endif

  /// Adds what they belong to to the sums of position `p`.
  @inline(__always)
  private static func add<L: SIMD>(_ p: Int, _ sums: inout InlineArray<28, L>, _ addend: TileAddend<L.Scalar>)
  where L.Scalar: FloatingPoint & SIMDScalar {
    guard p < positions else { return }
    let base = addend.base + p &* addend.step
    sums[p &* blocks] = load(base) + sums[p &* blocks]
    if blocks > 1 { sums[p &* blocks &+ 1] = load(base + addend.blockStep) + sums[p &* blocks &+ 1] }
  }

  /// Holds the sums of position `p` within bounds.
  @inline(__always)
  private static func hold<L: SIMD>(_ p: Int, _ sums: inout InlineArray<28, L>, _ lower: Lanes, _ upper: Lanes)
  where L.Scalar: FloatingPoint & SIMDScalar {
    guard p < positions else { return }
    sums[p &* blocks] = held(sums[p &* blocks], lower, upper)
    if blocks > 1 { sums[p &* blocks &+ 1] = held(sums[p &* blocks &+ 1], lower, upper) }
  }

  /// Puts the sums of position `p` where they belong.
  @inline(__always)
  private static func put<L: SIMD>(
    _ p: Int, _ sums: InlineArray<28, L>, _ y: UnsafeMutablePointer<L.Scalar>, _ walk: TileWalk
  ) where L.Scalar: FloatingPoint & SIMDScalar {
    guard p < positions else { return }
    let out = y + p &* walk.outputStep
    store(sums[p &* blocks], out)
    if blocks > 1 { store(sums[p &* blocks &+ 1], out + walk.outputBlockStep) }
  }

  /// What a sum of no terms leaves: the addend.
  @inline(never)
  private static func copy<L: SIMD>(
    _ addend: TileAddend<L.Scalar>, _ y: UnsafeMutablePointer<L.Scalar>, _ walk: TileWalk, _: L.Type
  ) where L.Scalar: FloatingPoint & SIMDScalar {
    for p in 0..<positions {
      for block in 0..<blocks {
        var value: L = load(addend.base + (p &* addend.step &+ block &* addend.blockStep))
        if let bounds = walk.bounds {
          value = held(value, Lanes(repeating: bounds.lower), Lanes(repeating: bounds.upper))
        }
        store(value, y + (p &* walk.outputStep &+ block &* walk.outputBlockStep))
      }
    }
  }

  /// Nothing where this tile is wider than `limit`, a constant: such tiles are not compiled.
  @inline(__always)
  static func accumulate<L: SIMD>(
    _ lanes: L.Type, limit: Int, walk: TileWalk, addend: TileAddend<L.Scalar>,
    x: UnsafePointer<L.Scalar>, w: UnsafePointer<L.Scalar>, y: UnsafeMutablePointer<L.Scalar>
  ) where L.Scalar: FloatingPoint & SIMDScalar {
    // Where they lie the same step apart no place is read.
    if positions <= limit { accumulate(lanes, walk: walk, addend: addend, places: walk.tapOffsets, x: x, w: w, y: y) }
  }
}

/// A ``RegisterTile`` for a number of positions and blocks known only at run time, up to `maximum` (a literal) and
/// ``Tile/blocks``.
@inline(__always)
func accumulateAnyTile<L: SIMD>(
  _ lanes: L.Type, maximum: Int, positions: Int, blocks: Int, walk: TileWalk, addend: TileAddend<L.Scalar>,
  x: UnsafePointer<L.Scalar>, w: UnsafePointer<L.Scalar>, y: UnsafeMutablePointer<L.Scalar>
) where L.Scalar: FloatingPoint & SIMDScalar {
  #if APUS_AVX512
    if blocks == 2 {
      switch positions {
      case 1:
        RegisterTile<1, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 2:
        RegisterTile<2, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 3:
        RegisterTile<3, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 4:
        RegisterTile<4, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 5:
        RegisterTile<5, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 6:
        RegisterTile<6, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 7:
        RegisterTile<7, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 8:
        RegisterTile<8, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 9:
        RegisterTile<9, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 10:
        RegisterTile<10, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 11:
        RegisterTile<11, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 12:
        RegisterTile<12, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 13:
        RegisterTile<13, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      case 14:
        RegisterTile<14, 2, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
      default: break
      }
      return
    }
  #endif
  switch positions {
  case 1:
    RegisterTile<1, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 2:
    RegisterTile<2, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 3:
    RegisterTile<3, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 4:
    RegisterTile<4, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 5:
    RegisterTile<5, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 6:
    RegisterTile<6, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 7:
    RegisterTile<7, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 8:
    RegisterTile<8, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 9:
    RegisterTile<9, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 10:
    RegisterTile<10, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 11:
    RegisterTile<11, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 12:
    RegisterTile<12, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 13:
    RegisterTile<13, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  case 14:
    RegisterTile<14, 1, 0>.accumulate(lanes, limit: maximum, walk: walk, addend: addend, x: x, w: w, y: y)
  default: break
  }
}

#if APUS_AVX2
  /// A ``RegisterTile`` of one block and up to six positions, each of which lies where `places` says.
  @inline(__always)
  func accumulateScatteredTile(
    positions: Int, walk: TileWalk, addend: TileAddend<Float>, places: UnsafePointer<Int>,
    x: UnsafePointer<Float>, w: UnsafePointer<Float>, y: UnsafeMutablePointer<Float>
  ) {
    switch positions {
    case 1: RegisterTile<1, 1, 1>.accumulate(Lanes.self, walk: walk, addend: addend, places: places, x: x, w: w, y: y)
    case 2: RegisterTile<2, 1, 1>.accumulate(Lanes.self, walk: walk, addend: addend, places: places, x: x, w: w, y: y)
    case 3: RegisterTile<3, 1, 1>.accumulate(Lanes.self, walk: walk, addend: addend, places: places, x: x, w: w, y: y)
    case 4: RegisterTile<4, 1, 1>.accumulate(Lanes.self, walk: walk, addend: addend, places: places, x: x, w: w, y: y)
    case 5: RegisterTile<5, 1, 1>.accumulate(Lanes.self, walk: walk, addend: addend, places: places, x: x, w: w, y: y)
    case 6: RegisterTile<6, 1, 1>.accumulate(Lanes.self, walk: walk, addend: addend, places: places, x: x, w: w, y: y)
    default: break
    }
  }
#endif
