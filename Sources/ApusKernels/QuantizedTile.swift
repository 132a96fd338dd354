import ApusKernelInterface

/// The 8-bit kernels of this variant.
package enum IntegerKernels: QuantizedKernels {
  package static var wordsPerRowWord: Int { wordsPerWeight }
  package static var headerWordsPerRow: Int { wordsPerHeader }
}

extension IntegerKernels {
  package static func multiplyWords(
    _ w: UnsafePointer<Int32>, rows: Int, _ x: UnsafePointer<Int32>, count: Int, blockCount: Int, blockStep: Int,
    tapCount: Int, tapOffsets: UnsafePointer<Int>, _ sums: UnsafeMutablePointer<Int32>, sumStep: Int
  ) {
    let steps = blockCount &* tapCount
    let words = w + wordsPerHeader &* rows
    let starts: StartingSums = startingSums(words, rows: rows, steps: steps)
    let excess: ExcessWords = excessWords(w, rows: rows, steps: steps)
    let walk: WordWalk = (blockCount, blockStep, tapCount, tapOffsets, rows, sumStep, starts, excess)
    let lanes = WordLanes.scalarCount
    let count = (count &+ lanes &- 1) / lanes &* lanes
    #if APUS_SATURATING
      if w[0] >= 0 {
        WordRows<1>.multiply(words, x, count, walk, sums)
      } else {
        WordRows<2>.multiply(words, x, count, walk, sums)
      }
    #elseif APUS_X86_INTRINSICS && !APUS_AVX512 && !APUS_AVXVNNI
      WordRows<2>.multiply(words, x, count, walk, sums)
    #elseif APUS_X86_INTRINSICS || APUS_DOTPROD || APUS_I8MM
      WordRows<1>.multiply(words, x, count, walk, sums)
    #else
      WordRows<4>.multiply(words, x, count, walk, sums)
    #endif
  }

  package static func sumTaps(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<Int32>, count: Int, tapCount: Int, tapOffsets: UnsafePointer<Int>,
    _ sums: UnsafeMutablePointer<Int32>
  ) {
    for first in stride(from: 0, to: count, by: 16) {
      let x = x + first
      var even = IntegerLanes(repeating: 0)
      var odd = even
      var tap = 0
      while tap &+ 2 <= tapCount {
        even = even &+ load(x + tapOffsets[tap], as: IntegerLanes.self) &* IntegerLanes(repeating: w[tap])
        odd = odd &+ load(x + tapOffsets[tap &+ 1], as: IntegerLanes.self) &* IntegerLanes(repeating: w[tap &+ 1])
        tap &+= 2
      }
      if tap < tapCount {
        even = even &+ load(x + tapOffsets[tap], as: IntegerLanes.self) &* IntegerLanes(repeating: w[tap])
      }
      store(even &+ odd, sums + first)
    }
  }
}

/// How a tile walks over its operands; `rows` is how many words lie between those of one step and of the next. A tuple,
/// because a structure's copying function would be emitted under a name that all kernel variants share.
typealias WordWalk = (
  blockCount: Int, blockStep: Int, tapCount: Int, tapOffsets: UnsafePointer<Int>, rows: Int, sumStep: Int,
  starts: StartingSums, excess: ExcessWords
)

/// Products of a group of rows, a weight of which takes `wordsPerWeight` words.
private enum WordRows<let wordsPerWeight: Int> {
  @inline(__always)
  static func multiply(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<Int32>, _ count: Int, _ walk: WordWalk,
    _ sums: UnsafeMutablePointer<Int32>
  ) {
    switch walk.rows {
    case 1: WordTile<1, 3, wordsPerWeight>.multiply(w, x, count, walk, sums)
    case 2: WordTile<2, 3, wordsPerWeight>.multiply(w, x, count, walk, sums)
    case 4: multiplyFour(w, x, count, walk, sums)
    default:
      #if APUS_AVX512 || APUS_DOTPROD || APUS_I8MM
        WordTile<8, 3, wordsPerWeight>.multiply(w, x, count, walk, sums)
      #elseif arch(arm64)
        WordTile<8, 2, wordsPerWeight>.multiply(w, x, count, walk, sums)
      #else
        // Sixteen registers hold four rows.
        multiplyFour(w, x, count, walk, sums)
        var rest = walk
        rest.excess = afterFourRows(walk.excess)
        multiplyFour(w + 4 &* wordsPerWeight, x, count, rest, sums + 4 &* walk.sumStep)
      #endif
    }
  }

  @inline(__always)
  private static func multiplyFour(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<Int32>, _ count: Int, _ walk: WordWalk,
    _ sums: UnsafeMutablePointer<Int32>
  ) {
    #if APUS_AVX512 || APUS_AVXVNNI || APUS_DOTPROD || APUS_I8MM
      WordTile<4, 3, wordsPerWeight>.multiply(w, x, count, walk, sums)
    #else
      WordTile<4, 2, wordsPerWeight>.multiply(w, x, count, walk, sums)
    #endif
  }
}

/// A tile of `rows` × `vectors` vectors of sums in registers.
enum WordTile<let rows: Int, let vectors: Int, let wordsPerWeight: Int> {
  /// All columns: whole tiles, and narrower ones for what is left. `count` is a number of whole registers.
  @inline(__always)
  static func multiply(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<Int32>, _ count: Int, _ walk: WordWalk,
    _ sums: UnsafeMutablePointer<Int32>
  ) {
    let lanes = WordLanes.scalarCount
    var column = 0
    while column < count {
      let left = (count &- column) / lanes
      // Two tiles of two rather than one of three and one of one, whose few sums wait for each other.
      if left >= vectors, vectors < 3 || left != 4 {
        accumulate(w, x + column, walk, sums + column)
        column &+= vectors &* lanes
      } else if left >= 2 {
        WordTile<rows, 2, wordsPerWeight>.accumulate(w, x + column, walk, sums + column)
        column &+= 2 &* lanes
      } else {
        WordTile<rows, 1, wordsPerWeight>.accumulate(w, x + column, walk, sums + column)
        column &+= lanes
      }
    }
  }

  @inline(never)
  static func accumulate(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<Int32>, _ walk: WordWalk, _ y: UnsafeMutablePointer<Int32>
  ) {
    // Spelled out: `InlineArray(repeating:)` is a call, and what a call has written stays in memory.
    var sums: InlineArray<24, WordLanes> = [
      start(0, walk), start(1, walk), start(2, walk), start(3, walk), start(4, walk), start(5, walk),
      start(6, walk), start(7, walk), start(8, walk), start(9, walk), start(10, walk), start(11, walk),
      start(12, walk), start(13, walk), start(14, walk), start(15, walk), start(16, walk), start(17, walk),
      start(18, walk), start(19, walk), start(20, walk), start(21, walk), start(22, walk), start(23, walk),
    ]
    let lanes = WordLanes.scalarCount
    var weights = w
    var block = x
    var blocksLeft = walk.blockCount
    guard blocksLeft > 0, walk.tapCount > 0 else {
      writeZeros(y, walk)
      return
    }
    repeat {
      var tap = 0
      repeat {
        let input = block + walk.tapOffsets[tap]
        let x0 = unsignedWords(load(input), wordsPerWeight)
        let x1 = vectors > 1 ? unsignedWords(load(input + lanes), wordsPerWeight) : x0
        let x2 = vectors > 2 ? unsignedWords(load(input + 2 &* lanes), wordsPerWeight) : x0
        let step = rowWords(weights, rows)
        multiply(0, &sums, signedWords(step, 0, wordsPerWeight), x0, x1, x2)
        multiply(1, &sums, signedWords(step, 1, wordsPerWeight), x0, x1, x2)
        multiply(2, &sums, signedWords(step, 2, wordsPerWeight), x0, x1, x2)
        multiply(3, &sums, signedWords(step, 3, wordsPerWeight), x0, x1, x2)
        multiply(4, &sums, signedWords(step, 4, wordsPerWeight), x0, x1, x2)
        multiply(5, &sums, signedWords(step, 5, wordsPerWeight), x0, x1, x2)
        multiply(6, &sums, signedWords(step, 6, wordsPerWeight), x0, x1, x2)
        multiply(7, &sums, signedWords(step, 7, wordsPerWeight), x0, x1, x2)
        weights += walk.rows &* wordsPerWeight
        tap &+= 1
      } while tap < walk.tapCount
      block += walk.blockStep
      blocksLeft &-= 1
    } while blocksLeft > 0
    #if APUS_SATURATING
      if wordsPerWeight == 1 {
        var word = walk.excess.words + 2 &* walk.excess.first
        addExcess(0, &sums, x, walk, &word)
        addExcess(1, &sums, x, walk, &word)
        addExcess(2, &sums, x, walk, &word)
        addExcess(3, &sums, x, walk, &word)
      }
    #endif
    write(0, sums, y, walk)
    write(1, sums, y, walk)
    write(2, sums, y, walk)
    write(3, sums, y, walk)
    write(4, sums, y, walk)
    write(5, sums, y, walk)
    write(6, sums, y, walk)
    write(7, sums, y, walk)
  }

  /// What a sum begins with; those of a row lie side by side.
  @inline(__always)
  private static func start(_ index: Int, _ walk: WordWalk) -> WordLanes {
    let row = index / vectors
    return row < rows ? startingSum(walk.starts, row) : WordLanes(repeating: 0)
  }

  @inline(__always)
  private static func multiply(
    _ row: Int, _ sums: inout InlineArray<24, WordLanes>, _ weights: @autoclosure () -> SignedWords,
    _ x0: UnsignedWords, _ x1: UnsignedWords, _ x2: UnsignedWords
  ) {
    guard row < rows else { return }
    let weights = weights()
    sums[row &* vectors] = addProducts(sums[row &* vectors], x0, weights, wordsPerWeight)
    if vectors > 1 { sums[row &* vectors &+ 1] = addProducts(sums[row &* vectors &+ 1], x1, weights, wordsPerWeight) }
    if vectors > 2 { sums[row &* vectors &+ 2] = addProducts(sums[row &* vectors &+ 2], x2, weights, wordsPerWeight) }
  }

  #if APUS_SATURATING
    /// Adds the products of what a row's weights exceed their words by.
    @inline(__always)
    private static func addExcess(
      _ row: Int, _ sums: inout InlineArray<24, WordLanes>, _ x: UnsafePointer<Int32>, _ walk: WordWalk,
      _ word: inout UnsafePointer<Int32>
    ) {
      guard row < rows else { return }
      let lanes = WordLanes.scalarCount
      let end = walk.excess.words + 2 &* Int(truncatingIfNeeded: walk.excess.ends[row])
      while word < end {
        let (block, tap) = blockAndTap(word[0])
        let input = x + (block &* walk.blockStep &+ walk.tapOffsets[tap])
        let x0 = unsignedWords(load(input), wordsPerWeight)
        let x1 = vectors > 1 ? unsignedWords(load(input + lanes), wordsPerWeight) : x0
        let x2 = vectors > 2 ? unsignedWords(load(input + 2 &* lanes), wordsPerWeight) : x0
        multiply(row, &sums, signedWords(word + 1, wordsPerWeight), x0, x1, x2)
        word += 2
      }
    }
  #endif

  @inline(__always)
  private static func write(
    _ row: Int, _ sums: InlineArray<24, WordLanes>, _ y: UnsafeMutablePointer<Int32>, _ walk: WordWalk
  ) {
    guard row < rows else { return }
    let out = y + row &* walk.sumStep
    store(sums[row &* vectors], out)
    if vectors > 1 { store(sums[row &* vectors &+ 1], out + WordLanes.scalarCount) }
    if vectors > 2 { store(sums[row &* vectors &+ 2], out + 2 &* WordLanes.scalarCount) }
  }

  /// What sums of no terms are.
  @inline(never)
  private static func writeZeros(_ y: UnsafeMutablePointer<Int32>, _ walk: WordWalk) {
    for row in 0..<rows {
      for i in 0..<(vectors &* WordLanes.scalarCount) { y[row &* walk.sumStep &+ i] = 0 }
    }
  }
}
