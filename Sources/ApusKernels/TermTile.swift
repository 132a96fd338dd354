import ApusKernelInterface

/// A register tile for maps of few channels, pictures above all, whose terms do not lie in vectors of sixteen.
///
/// ``RegisterTile`` looks up where a tap lies and then goes through its channels; of a single channel that takes as long as
/// the multiply-adds. Here a list tells where each term lies, and positions lie a constant `step` apart, so that one pointer
/// reaches them all. Sums take the same terms in the same order as there, so that their bits are the same.
enum TermTile<let positions: Int, let step: Int> {
  /// Sums of `terms`, starting from `addend`.
  ///
  /// - Parameter terms: how far from `x` the terms of the first position lie; `perFlush` of them at a time are summed in
  ///   registers.
  @inline(never)
  static func accumulate(
    _ x: UnsafePointer<Float>, terms: UnsafeBufferPointer<Int>, perFlush: Int, weights: UnsafePointer<Float>,
    addend: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) {
    let zero = Lanes(repeating: 0)
    var (first, w) = (0, weights)
    while first < terms.count {
      var sums: InlineArray<28, Lanes> = [
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
      ]
      let end = terms.count &- first < perFlush ? terms.count : first &+ perFlush
      var term = first
      repeat {
        multiply(&sums, x + terms[term], load(w))
        w += 16
        term &+= 1
      } while term < end
      let isFirst = first == 0
      // Spelled out: what a closure has read stays in memory.
      add(0, sums, isFirst, addend, y)
      add(1, sums, isFirst, addend, y)
      add(2, sums, isFirst, addend, y)
      add(3, sums, isFirst, addend, y)
      add(4, sums, isFirst, addend, y)
      add(5, sums, isFirst, addend, y)
      add(6, sums, isFirst, addend, y)
      add(7, sums, isFirst, addend, y)
      add(8, sums, isFirst, addend, y)
      add(9, sums, isFirst, addend, y)
      add(10, sums, isFirst, addend, y)
      add(11, sums, isFirst, addend, y)
      add(12, sums, isFirst, addend, y)
      add(13, sums, isFirst, addend, y)
      add(14, sums, isFirst, addend, y)
      add(15, sums, isFirst, addend, y)
      add(16, sums, isFirst, addend, y)
      add(17, sums, isFirst, addend, y)
      add(18, sums, isFirst, addend, y)
      add(19, sums, isFirst, addend, y)
      add(20, sums, isFirst, addend, y)
      add(21, sums, isFirst, addend, y)
      add(22, sums, isFirst, addend, y)
      add(23, sums, isFirst, addend, y)
      add(24, sums, isFirst, addend, y)
      add(25, sums, isFirst, addend, y)
      add(26, sums, isFirst, addend, y)
      add(27, sums, isFirst, addend, y)
      first = end
    }
  }

  /// One term of every sum.
  @inline(__always)
  private static func multiply(_ sums: inout InlineArray<28, Lanes>, _ input: UnsafePointer<Float>, _ w: Lanes) {
    unrolled(positions < 14 ? positions : 14) { p in
      sums[p] = multiplyAdd(sums[p], Lanes(repeating: input[p &* step]), w)
    }
    unrolled(positions &- 14) { p in
      sums[p &+ 14] = multiplyAdd(sums[p &+ 14], Lanes(repeating: input[(p &+ 14) &* step]), w)
    }
  }

  /// Adds the sum of position `p` to the addend, the first time, or to what has been summed.
  @inline(__always)
  private static func add(
    _ p: Int, _ sums: InlineArray<28, Lanes>, _ isFirst: Bool, _ addend: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>
  ) {
    guard p < positions else { return }
    let out = y + p &* 16
    store((isFirst ? load(addend) : load(out)) + sums[p], out)
  }
}

#if APUS_AVX512 || APUS_AVX2
  /// Rows of positions in ``TermTile``s.
  enum TermRows {
    #if APUS_AVX512
      /// As many as there are registers for their sums.
      private static let positions = 28
      private typealias Tile<let step: Int> = TermTile<28, step>
    #else
      private static let positions = 6
      private typealias Tile<let step: Int> = TermTile<6, step>
    #endif

    /// Whether tiles of terms serve rows of so many positions: maps of few channels, all rows of the kernel, one block of
    /// outputs. For two blocks of AVX-512 a look-up is hidden behind twice the multiply-adds.
    static func serve(_ walk: TileWalk, width: Int, blocks: Int) -> Bool {
      guard blocks == 1, walk.blockLanes == 1, walk.weightGap == 0, width >= positions else { return false }
      return walk.positionStep == 1 || walk.positionStep == 2 || walk.positionStep == 16
    }

    /// Calls `body` with where the terms of `walk` lie, one by one, in the order of its weights.
    static func withTerms(_ walk: TileWalk, _ body: (UnsafeBufferPointer<Int>) -> Void) {
      let count = walk.blockCount &* walk.rowCount &* walk.tapCount
      withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { terms in
        var next = 0
        for block in 0..<walk.blockCount {
          for row in 0..<walk.rowCount {
            for tap in 0..<walk.tapCount {
              terms[next] = block &* walk.blockStep &+ row &* walk.rowStep &+ walk.tapOffsets[tap]
              next &+= 1
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
      addend: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int, walk: TileWalk
    ) -> Int {
      let perFlush = walk.rowsPerFlush &* walk.tapCount
      var position = 0
      while position &+ positions <= width {
        let (x, y) = (x + position &* walk.positionStep, y + position &* 16)
        switch walk.positionStep {
        case 1: Tile<1>.accumulate(x, terms: terms, perFlush: perFlush, weights: weights, addend: addend, y)
        case 2: Tile<2>.accumulate(x, terms: terms, perFlush: perFlush, weights: weights, addend: addend, y)
        default: Tile<16>.accumulate(x, terms: terms, perFlush: perFlush, weights: weights, addend: addend, y)
        }
        position &+= positions
      }
      return position
    }
  }
#endif
