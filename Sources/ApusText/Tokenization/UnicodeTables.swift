/// What BERT's tokenizer knows of each Unicode scalar: whether it is removed, a space, a mark, punctuation or an
/// ideograph; what it decomposes into, and in which order; its small letter.
///
/// The tables are those of Hugging Face's tokenizer, not of the Swift that is at hand: a vocabulary was learned with
/// the former, and ids must be the same on every machine. `Weights/reference/tokenizer_tables.py` makes them.
final class UnicodeTables: Sendable {
  static let shared = UnicodeTables()

  /// The class of a scalar.
  struct Class: Sendable {
    let bits: UInt16

    /// A control character, or one that could not be decoded.
    var isRemoved: Bool { bits & 1 != 0 }
    var isSpace: Bool { bits & 2 != 0 }
    /// A mark that takes no room, such as an accent (category Mn).
    var isMark: Bool { bits & 4 != 0 }
    var isPunctuation: Bool { bits & 8 != 0 }
    /// Of the blocks of Chinese ideographs.
    var isIdeograph: Bool { bits & 16 != 0 }
    /// The canonical combining class.
    var order: UInt16 { bits >> 5 }
  }

  /// `count` scalars from a start on, `step` apart, whose small letters are `offset` away.
  private struct CaseRun {
    var count: UInt32
    var step: UInt32
    var offset: Int32
  }

  /// Where a run of scalars of one class starts, and that class.
  private let classStarts: [UInt32]
  private let classes: [UInt16]
  /// How many runs have started at each multiple of 256: between two of these a class is looked for.
  private let classPages: [Int]
  private let asciiClasses: [UInt16]
  /// Scalars that decompose, and where in `parts` what they become ends.
  private let decomposed: [UInt32]
  private let partEnds: [Int]
  private let parts: [UInt32]
  /// Where each run of capital letters starts, and that run.
  private let caseStarts: [UInt32]
  private let caseRuns: [CaseRun]

  private init() {
    var reader = NumberReader(UnicodeTableText.classes)
    var scalar: UInt32 = 0
    var (starts, classes): ([UInt32], [UInt16]) = ([], [])
    while let distance = reader.next(), let value = reader.next() {
      scalar &+= distance
      starts.append(scalar)
      classes.append(UInt16(truncatingIfNeeded: value))
    }
    classStarts = starts
    self.classes = classes
    let pages = (0...0x1100).map { starts.upperBound(of: UInt32($0) << 8, within: 0..<starts.count) }
    classPages = pages
    asciiClasses = (0..<128).map { Self.class(of: $0, starts, classes, pages) }

    reader = NumberReader(UnicodeTableText.decompositions)
    scalar = 0
    var (decomposed, ends, parts): ([UInt32], [Int], [UInt32]) = ([], [], [])
    while let distance = reader.next(), let count = reader.next() {
      scalar &+= distance
      decomposed.append(scalar)
      for _ in 0..<count { parts.append(reader.next() ?? 0) }
      ends.append(parts.count)
    }
    (self.decomposed, partEnds, self.parts) = (decomposed, ends, parts)

    reader = NumberReader(UnicodeTableText.lowerCase)
    scalar = 0
    var (caseStarts, caseRuns): ([UInt32], [CaseRun]) = ([], [])
    while let distance = reader.next(), let count = reader.next(), let step = reader.next(), let code = reader.next() {
      scalar &+= distance
      let half = Int32(truncatingIfNeeded: code >> 1)
      caseStarts.append(scalar)
      caseRuns.append(CaseRun(count: count, step: max(step, 1), offset: code & 1 == 0 ? half : ~half))
    }
    (self.caseStarts, self.caseRuns) = (caseStarts, caseRuns)
  }

  func `class`(of scalar: UInt32) -> Class {
    let bits =
      scalar < 128 ? asciiClasses[Int(scalar)] : Self.class(of: scalar, classStarts, classes, classPages)
    return Class(bits: bits)
  }

  private static func `class`(
    of scalar: UInt32, _ starts: [UInt32], _ classes: [UInt16], _ pages: [Int]
  ) -> UInt16 {
    let page = Int(scalar >> 8)
    let index = starts.upperBound(of: scalar, within: pages[page]..<pages[page + 1])
    return index == 0 ? 0 : classes[index - 1]
  }

  /// Calls `body` with the scalars of the full canonical decomposition.
  func decompose(_ scalar: UInt32, _ body: (UInt32) -> Void) {
    // No scalar below decomposes.
    guard scalar >= 0xC0 else { return body(scalar) }
    if (0xAC00..<0xD7A4).contains(scalar) {
      let index = scalar - 0xAC00
      body(0x1100 + index / 588)
      body(0x1161 + index % 588 / 28)
      if index % 28 > 0 { body(0x11A7 + index % 28) }
      return
    }
    let index = decomposed.upperBound(of: scalar, within: 0..<decomposed.count) - 1
    guard index >= 0, decomposed[index] == scalar else { return body(scalar) }
    for part in parts[(index == 0 ? 0 : partEnds[index - 1])..<partEnds[index]] { body(part) }
  }

  /// Calls `body` with the small letter, or the scalar itself.
  func lower(_ scalar: UInt32, _ body: (UInt32) -> Void) {
    guard scalar >= 128 else { return body(scalar &- 0x41 < 26 ? scalar + 0x20 : scalar) }
    // The only one that becomes two: I with a dot, which keeps its dot.
    if scalar == 0x130 {
      body(0x69)
      return body(0x307)
    }
    body(searchedLower(scalar))
  }

  private func searchedLower(_ scalar: UInt32) -> UInt32 {
    let index = caseStarts.upperBound(of: scalar, within: 0..<caseStarts.count) - 1
    guard index >= 0 else { return scalar }
    let run = caseRuns[index]
    let (number, rest) = (scalar - caseStarts[index]).quotientAndRemainder(dividingBy: run.step)
    guard rest == 0, number < run.count else { return scalar }
    return UInt32(truncatingIfNeeded: Int64(scalar) + Int64(run.offset))
  }
}

extension [UInt32] {
  /// The place of the first element above `value`, in a sorted array that has it within these places or at their end.
  fileprivate func upperBound(of value: UInt32, within places: Range<Int>) -> Int {
    var (low, high) = (places.lowerBound, places.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Reads numbers written five bits a character from `0` on, the lowest bits first; 32 is added where another character
/// of the same number follows.
private struct NumberReader {
  private let text: StaticString
  private var offset = 0

  init(_ text: StaticString) { self.text = text }

  mutating func next() -> UInt32? {
    text.withUTF8Buffer { bytes in
      var (value, shift): (UInt32, UInt32) = (0, 0)
      while offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        // Line ends between the lines of the literal.
        guard byte >= 0x30 else { continue }
        value |= UInt32((byte - 0x30) & 31) << shift
        if byte < 0x50 { return value }
        shift += 5
      }
      return nil
    }
  }
}
