// AVX2 multiplies unsigned bytes with signed ones and adds the products in pairs, which saturate at sixteen bits. They do not
// while the two weights of a pair have a sum within ±128. So the second weight of a pair beyond is laid out as far as that,
// and what it lacks as a word by itself, among those of its row that are multiplied after all others. Of the weights of real
// networks 1 to 7 words of a hundred have such a pair. Rows in which there are many more are laid out, as with older
// instructions, in numbers of sixteen bits each.
//
// Activations often lie to one side of the middle of their levels: terms of a softmax, and what a rectifier leaves. Less
// their mean, which may make numbers of nine bits of them, few of their pairs are beyond.
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

  /// The bytes of a word, signed, each less `offset`.
  @inline(__always)
  func differences(_ word: Int32, _ offset: Int32) -> (Int32, Int32, Int32, Int32) {
    (
      ((word &<< 24) &>> 24) &- offset, ((word &<< 16) &>> 24) &- offset, ((word &<< 8) &>> 24) &- offset,
      (word &>> 24) &- offset
    )
  }

  /// Takes from four numbers what a word holds that can be multiplied without saturation.
  @inline(__always)
  func takeWithinBounds(_ bytes: inout (Int32, Int32, Int32, Int32)) -> Int32 {
    @inline(__always)
    func take(_ a: inout Int32, _ b: inout Int32) -> UInt32 {
      let first = max(-128, min(127, a))
      let second = max(max(-128, -128 &- first), min(min(127, 128 &- first), b))
      (a, b) = (a &- first, b &- second)
      return UInt32(bitPattern: first & 0xFF | (second & 0xFF) &<< 8)
    }
    let low = take(&bytes.0, &bytes.1)
    return Int32(bitPattern: low | take(&bytes.2, &bytes.3) &<< 16)
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
