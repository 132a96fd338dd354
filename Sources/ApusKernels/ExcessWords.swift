// AVX2 multiplies unsigned bytes with signed ones and adds the products in pairs, which saturate at sixteen bits. They do not
// while the two weights of a pair have a sum within ±128. So the second weight of a pair beyond is laid out as far as that,
// and what it lacks as a word by itself, among those of its row that are multiplied after all others. Of the weights of real
// networks 1 to 7 words of a hundred have such a pair. Rows in which there are many more are laid out, as with older
// instructions, in numbers of sixteen bits each.
//
// A group of rows then begins with a word for each: where its words of excess end, or a negative number where there are none
// because weights are taken apart. Behind the weights follow the words of excess, each behind the place of its step.

#if APUS_SATURATING
  let wordsPerHeader = 1

  /// What the weights of some rows exceed what is laid out by.
  ///
  /// - ends: how many words there are up to the end of each row.
  /// - first: how many there are before the first row.
  typealias ExcessWords = (ends: UnsafePointer<Int32>, first: Int, words: UnsafePointer<Int32>)

  /// Those of a group that begins at `w`; of no meaning where its weights are taken apart.
  @inline(__always)
  func excessWords(_ w: UnsafePointer<Int32>, rows: Int, steps: Int) -> ExcessWords {
    (w, 0, w + (rows &+ rows &* steps))
  }

  /// Those of the rows that follow the first four.
  @inline(__always)
  func afterFourRows(_ excess: ExcessWords) -> ExcessWords {
    (excess.ends + 4, Int(truncatingIfNeeded: excess.ends[3]), excess.words)
  }

  /// A word as it can be multiplied without saturation, and what it then lacks.
  @inline(__always)
  func withinBounds(_ word: UInt32) -> (word: UInt32, excess: UInt32) {
    // Most bytes are within ±64, and have their two highest bits the same.
    guard (word ^ word &<< 1) & 0x8080_8080 != 0 else { return (word, 0) }
    @inline(__always)
    func byte(_ index: UInt32) -> Int32 { Int32(truncatingIfNeeded: Int8(truncatingIfNeeded: word &>> (8 &* index))) }
    @inline(__always)
    func excess(_ sum: Int32) -> Int32 { sum > 128 ? sum &- 128 : sum < -128 ? sum &+ 128 : 0 }
    let (low, high) = (excess(byte(0) &+ byte(1)), excess(byte(2) &+ byte(3)))
    guard low | high != 0 else { return (word, 0) }
    let lacking =
      (UInt32(bitPattern: low) & 0xFF) &<< 8 | (UInt32(bitPattern: high) & 0xFF) &<< 24
    let bounded =
      (UInt32(bitPattern: byte(1) &- low) & 0xFF) &<< 8 | (UInt32(bitPattern: byte(3) &- high) & 0xFF) &<< 24
    return (word & 0x00FF_00FF | bounded, lacking)
  }

  /// The place of a step: a block of channels and a tap. Both fit where ``fitPlaces(channels:area:)`` says so.
  @inline(__always)
  func place(block: Int, tap: Int) -> Int32 { Int32(truncatingIfNeeded: block &<< 16 | tap) }

  @inline(__always)
  func blockAndTap(_ place: Int32) -> (block: Int, tap: Int) {
    (Int(truncatingIfNeeded: place &>> 16), Int(truncatingIfNeeded: place & 0xFFFF))
  }

  @inline(__always)
  func fitPlaces(channels: Int, area: Int) -> Bool { channels <= 4 &* 0x7FFF && area <= 0xFFFF }
#else
  let wordsPerHeader = 0

  typealias ExcessWords = Void

  @inline(__always)
  func excessWords(_ w: UnsafePointer<Int32>, rows: Int, steps: Int) -> ExcessWords {}

  @inline(__always)
  func afterFourRows(_ excess: ExcessWords) -> ExcessWords {}
#endif
