import ApusKernelInterface

/// A register tile for sums of few terms: of maps of few channels, pictures above all, and of few vectors of them.
///
/// ``RegisterTile`` looks up where a tap lies and then goes through its channels; of a single channel that takes as long as
/// the multiply-adds, and getting ready takes as long as some dozens of them. Here a list tells where each term lies, and
/// positions lie a constant `step` apart, so that one pointer reaches them all. Sums take the same terms in the same order
/// as there, so that their bits are the same.
enum TermTile<let positions: Int, let blocks: Int, let step: Int> {
  /// Sums of some tiles one after the other.
  @inline(never)
  static func accumulate(_ line: TermLine, tiles: Int) {
    let (terms, walk) = (line.terms, line.walk)
    var (x, y) = (line.x, line.y)
    var tilesLeft = tiles
    repeat {
      var first = 0
      var w = line.weights
      var addend: TileAddend<Float> = (base: line.addend, step: 0, blockStep: 16)
      repeat {
        let zero = Lanes(repeating: 0)
        var sums: InlineArray<28, Lanes> = [
          zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
          zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
        ]
        let end = terms.count &- first < line.perFlush ? terms.count : first &+ line.perFlush
        repeat {
          multiply(&sums, x + terms[first], load(w), blocks > 1 ? load(w + walk.weightBlockStep) : zero)
          w += 16
          first &+= 1
        } while first < end
        add(&sums, addend)
        if first == terms.count, let bounds = walk.bounds { hold(&sums, bounds) }
        put(sums, y, walk.outputBlockStep)
        addend = (base: UnsafePointer(y), step: 16, blockStep: walk.outputBlockStep)
      } while first < terms.count
      x += positions &* step
      y += positions &* 16
      tilesLeft &-= 1
    } while tilesLeft > 0
  }

  /// One term of every sum.
  @inline(__always)
  private static func multiply(
    _ sums: inout InlineArray<28, Lanes>, _ input: UnsafePointer<Float>, _ w0: Lanes, _ w1: Lanes
  ) {
    unrolled(positions < 14 ? positions : 14) { p in
      let value = Lanes(repeating: input[p &* step])
      sums[p &* blocks] = multiplyAdd(sums[p &* blocks], value, w0)
      if blocks > 1 { sums[p &* blocks &+ 1] = multiplyAdd(sums[p &* blocks &+ 1], value, w1) }
    }
    unrolled(positions &- 14) { p in
      sums[p &+ 14] = multiplyAdd(sums[p &+ 14], Lanes(repeating: input[(p &+ 14) &* step]), w0)
    }
  }

  @inline(__always)
  private static func add(_ sums: inout InlineArray<28, Lanes>, _ addend: TileAddend<Float>) {
    unrolled(positions < 14 ? positions : 14) { p in
      let base = addend.base + p &* addend.step
      sums[p &* blocks] = load(base) + sums[p &* blocks]
      if blocks > 1 { sums[p &* blocks &+ 1] = load(base + addend.blockStep) + sums[p &* blocks &+ 1] }
    }
    unrolled(positions &- 14) { p in
      sums[p &+ 14] = load(addend.base + (p &+ 14) &* addend.step) + sums[p &+ 14]
    }
  }

  @inline(__always)
  private static func hold(_ sums: inout InlineArray<28, Lanes>, _ bounds: SumBounds) {
    let (lower, upper) = (Lanes(repeating: bounds.lower), Lanes(repeating: bounds.upper))
    unrolled(positions < 14 ? positions : 14) { p in
      sums[p &* blocks] = held(sums[p &* blocks], lower, upper)
      if blocks > 1 { sums[p &* blocks &+ 1] = held(sums[p &* blocks &+ 1], lower, upper) }
    }
    unrolled(positions &- 14) { p in sums[p &+ 14] = held(sums[p &+ 14], lower, upper) }
  }

  @inline(__always)
  private static func put(_ sums: InlineArray<28, Lanes>, _ y: UnsafeMutablePointer<Float>, _ blockStep: Int) {
    unrolled(positions < 14 ? positions : 14) { p in
      store(sums[p &* blocks], y + p &* 16)
      if blocks > 1 { store(sums[p &* blocks &+ 1], y + (p &* 16 &+ blockStep)) }
    }
    unrolled(positions &- 14) { p in store(sums[p &+ 14], y + (p &+ 14) &* 16) }
  }
}

/// A row of positions: where the terms of the first one lie, and how many of them are summed in registers at a time. A tuple,
/// as ``TileAddend`` is.
typealias TermLine = (
  x: UnsafePointer<Float>, terms: UnsafeBufferPointer<Int>, perFlush: Int, weights: UnsafePointer<Float>,
  addend: UnsafePointer<Float>, y: UnsafeMutablePointer<Float>, walk: TileWalk
)

#if APUS_AVX512 || APUS_AVX2
  /// Rows of positions in ``TermTile``s.
  enum TermRows {
    #if APUS_AVX512
      /// As many positions of one block of outputs, and of two, as there are registers for their sums.
      private static let positions = (28, 14)
      private typealias Tile<let step: Int> = TermTile<28, 1, step>
      private typealias WideTile<let step: Int> = TermTile<14, 2, step>
      /// Terms up to which a list is faster. Of one block twice as many positions pay for longer ones.
      private static let most = (1024, 256)
    #else
      private static let positions = (6, 6)
      private typealias Tile<let step: Int> = TermTile<6, 1, step>
      private typealias WideTile<let step: Int> = TermTile<6, 1, step>
      private static let most = (64, 64)
    #endif

    /// Lanes that are visited of a block, and of the last one.
    private static func lanes(_ walk: TileWalk) -> (all: Int, last: Int) {
      let all = walk.blockLanes < 16 ? walk.blockLanes : 16
      return (all, walk.lastBlockLanes < all ? walk.lastBlockLanes : all)
    }

    /// How many terms a position has.
    private static func count(_ walk: TileWalk) -> Int {
      let (lanes, last) = lanes(walk)
      return ((walk.blockCount &- 1) &* lanes &+ last) &* walk.rowCount &* walk.tapCount
    }

    /// Whether tiles of terms, of which there is one at least, serve rows of so many positions of maps: with all rows of the
    /// kernel, and no weights to fetch.
    static func serve(_ walk: TileWalk, width: Int, blocks: Int) -> Bool {
      let (positions, most) = blocks == 1 ? (positions.0, most.0) : (positions.1, most.1)
      let count = count(walk)
      guard walk.weightGap == 0, walk.weightsAhead == 0, width >= positions, 0 < count, count <= most else {
        return false
      }
      return walk.positionStep == 1 || walk.positionStep == 2 || walk.positionStep == 16
    }

    /// Calls `body` with where the terms of `walk` lie, one by one, in the order of its weights.
    static func withTerms(_ walk: TileWalk, _ body: (UnsafeBufferPointer<Int>) -> Void) {
      withUnsafeTemporaryAllocation(of: Int.self, capacity: count(walk)) { terms in
        let (lanes, last) = lanes(walk)
        var next = 0
        for block in 0..<walk.blockCount {
          for row in 0..<walk.rowCount {
            for tap in 0..<walk.tapCount {
              let place = block &* walk.blockStep &+ row &* walk.rowStep &+ walk.tapOffsets[tap]
              for lane in 0..<(block &+ 1 == walk.blockCount ? last : lanes) {
                terms[next] = place &+ lane
                next &+= 1
              }
            }
          }
        }
        body(UnsafeBufferPointer(terms))
      }
    }

    /// The whole tiles of a row.
    ///
    /// - Returns: how many positions they have.
    static func accumulate(
      _ x: UnsafePointer<Float>, terms: UnsafeBufferPointer<Int>, weights: UnsafePointer<Float>,
      addend: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int, blocks: Int, walk: TileWalk
    ) -> Int {
      let line: TermLine = (
        x: x, terms: terms, perFlush: walk.rowsPerFlush &* walk.tapCount &* lanes(walk).all, weights: weights,
        addend: addend, y: y, walk: walk
      )
      let positions = blocks == 1 ? positions.0 : positions.1
      let tiles = width / positions
      switch (blocks, walk.positionStep) {
      case (1, 1): Tile<1>.accumulate(line, tiles: tiles)
      case (1, 2): Tile<2>.accumulate(line, tiles: tiles)
      case (1, _): Tile<16>.accumulate(line, tiles: tiles)
      case (_, 1): WideTile<1>.accumulate(line, tiles: tiles)
      case (_, 2): WideTile<2>.accumulate(line, tiles: tiles)
      default: WideTile<16>.accumulate(line, tiles: tiles)
      }
      return tiles &* positions
    }
  }
#endif
