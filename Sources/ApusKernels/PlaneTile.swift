import ApusKernelInterface

/// What ``BlockedKernels/accumulatePlanes(_:planeStep:weights:bias:_:outputs:count:walk:)`` is given. A tuple, as
/// ``TileAddend`` is.
private typealias PlaneLine = (
  x: UnsafePointer<Float>, planeStep: Int, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
  y: UnsafeMutablePointer<Float>, count: Int, walk: TileWalk
)

/// A register tile for few outputs: `vectors` × sixteen neighbouring positions of each of `outputs` planes.
///
/// ``RegisterTile`` has the outputs in the lanes of a vector, most of which are idle where there are few of them. Here lanes
/// are positions, whose inputs are neighbours too in row-major maps, and a weight is broadcast. Every sum takes the same
/// terms in the same order as there, so that its bits are the same.
enum PlaneTile<let outputs: Int, let vectors: Int> {
  /// How many positions a tile has.
  static var width: Int { vectors &* 16 }

  /// Sums along `walk`, whose lanes are planes, `planeStep` apart, starting from `bias`.
  ///
  /// - Parameter w: sixteen weights a term, of which the first `outputs` are used.
  @inline(never)
  static func accumulate(
    _ x: UnsafePointer<Float>, planeStep: Int, weights w: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, walk: TileWalk
  ) {
    let lastLanes = walk.lastBlockLanes < walk.blockLanes ? walk.lastBlockLanes : walk.blockLanes
    let zero = Lanes(repeating: 0)
    var (block, row, weights) = (x, x, w)
    var blocksLeft = walk.blockCount
    var rowsLeft = walk.blockCount &* walk.rowCount
    var rowsInBlock = walk.rowCount
    var isFirst = true
    while rowsLeft > 0 {
      var sums: InlineArray<16, Lanes> = [
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
      ]
      let rows = rowsLeft < walk.rowsPerFlush ? rowsLeft : walk.rowsPerFlush
      var rowsToFlush = rows
      let laneCount = walk.blockLanes
      repeat {
        let lanes = blocksLeft == 1 ? lastLanes : laneCount
        var tap = 0
        repeat {
          var input = row + walk.tapOffsets[tap]
          var lanesLeft = lanes
          repeat {
            multiply(&sums, input, weights)
            weights += 16
            input += planeStep
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
        }
        rowsToFlush &-= 1
      } while rowsToFlush > 0
      rowsLeft &-= rows
      // Spelled out: what a closure has read stays in memory.
      add(0, sums, isFirst, bias, y, walk.outputBlockStep)
      add(1, sums, isFirst, bias, y, walk.outputBlockStep)
      add(2, sums, isFirst, bias, y, walk.outputBlockStep)
      add(3, sums, isFirst, bias, y, walk.outputBlockStep)
      add(4, sums, isFirst, bias, y, walk.outputBlockStep)
      add(5, sums, isFirst, bias, y, walk.outputBlockStep)
      add(6, sums, isFirst, bias, y, walk.outputBlockStep)
      add(7, sums, isFirst, bias, y, walk.outputBlockStep)
      add(8, sums, isFirst, bias, y, walk.outputBlockStep)
      add(9, sums, isFirst, bias, y, walk.outputBlockStep)
      add(10, sums, isFirst, bias, y, walk.outputBlockStep)
      add(11, sums, isFirst, bias, y, walk.outputBlockStep)
      add(12, sums, isFirst, bias, y, walk.outputBlockStep)
      add(13, sums, isFirst, bias, y, walk.outputBlockStep)
      add(14, sums, isFirst, bias, y, walk.outputBlockStep)
      add(15, sums, isFirst, bias, y, walk.outputBlockStep)
      isFirst = false
    }
  }

  /// One term of every sum. Unrolled once: nested, where the numbers are not known yet, there are 256 branches, over which the
  /// compiler spent twenty seconds.
  @inline(__always)
  private static func multiply(
    _ sums: inout InlineArray<16, Lanes>, _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>
  ) {
    unrolled(outputs &* vectors) { index in
      let (output, vector) = (index / vectors, index % vectors)
      sums[index] = multiplyAdd(sums[index], load(input + vector &* 16), Lanes(repeating: weights[output]))
    }
  }

  /// Adds a sum to the bias, the first time, or to what has been summed.
  @inline(__always)
  private static func add(
    _ index: Int, _ sums: InlineArray<16, Lanes>, _ isFirst: Bool, _ bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, _ outputStep: Int
  ) {
    guard index < outputs &* vectors else { return }
    let (output, vector) = (index / vectors, index % vectors)
    let out = y + (output &* outputStep &+ vector &* 16)
    store((isFirst ? Lanes(repeating: bias[output]) : load(out)) + sums[index], out)
  }

  /// All positions of a line, sixteen at least: its last vector begins where it ends with the last position, and computes
  /// again what those before it have.
  @inline(__always)
  fileprivate static func accumulateLine(_ line: PlaneLine) {
    let (x, planeStep, weights, bias, y, count, walk) = line
    var position = 0
    while position &+ width <= count {
      accumulate(x + position, planeStep: planeStep, weights: weights, bias: bias, y + position, walk: walk)
      position &+= width
    }
    while position < count {
      let start = position &+ 16 <= count ? position : count &- 16
      PlaneTile<outputs, 1>.accumulate(
        x + start, planeStep: planeStep, weights: weights, bias: bias, y + start, walk: walk)
      position &+= 16
    }
  }
}

extension BlockedKernels {
  package static func accumulatePlanes(
    _ x: UnsafePointer<Float>, planeStep: Int, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, outputs: Int, count: Int, walk: TileWalk
  ) {
    var first = 0
    while first < outputs {
      let place = (x, planeStep, weights + first, bias + first, y + first &* walk.outputBlockStep, count, walk)
      // As many sums as there are registers for.
      #if APUS_AVX512
        switch outputs &- first {
        case 1: PlaneTile<1, 8>.accumulateLine(place)
        case 2: PlaneTile<2, 6>.accumulateLine(place)
        case 3: PlaneTile<3, 4>.accumulateLine(place)
        default: PlaneTile<4, 4>.accumulateLine(place)
        }
        first &+= 4
      #elseif APUS_AVX2 || arch(arm64)
        switch outputs &- first {
        case 1: PlaneTile<1, 4>.accumulateLine(place)
        case 2: PlaneTile<2, 2>.accumulateLine(place)
        case 3: PlaneTile<3, 1>.accumulateLine(place)
        default: PlaneTile<4, 1>.accumulateLine(place)
        }
        first &+= 4
      #else
        if outputs &- first == 1 {
          PlaneTile<1, 2>.accumulateLine(place)
        } else {
          PlaneTile<2, 1>.accumulateLine(place)
        }
        first &+= 2
      #endif
    }
  }
}
