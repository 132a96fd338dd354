/// Combining marks in a row, of which `String` makes work: to compare or hash a text it puts those of each run in their
/// canonical order, in time that grows with the square of the run's length.
///
/// Names come from files into many tables. So that none of these has to take care, readers refuse a name that nobody
/// means: Unicode's Stream-Safe Text Format (UAX #15, section 13) knows no longer runs either.
package enum MarkRun {
  /// The most marks in a row.
  package static let limit = 30

  /// Characters that count as none themselves, and are written out as two.
  private static let pairs: [Unicode.Scalar] = ["\u{F73}", "\u{F75}", "\u{F81}"]
  /// The first byte of the first mark, U+0300.
  private static let firstByte: UInt8 = 0xCC

  /// Whether a text has more in a row.
  package static func isTooLong(in text: String) -> Bool {
    // Nearly every text is short, or has none.
    guard text.utf8.count > 2 * limit, text.utf8.contains(where: { $0 >= firstByte }) else { return false }
    var length = 0
    for scalar in text.unicodeScalars {
      length = isMark(scalar) ? length + 1 : 0
      if length > limit { return true }
    }
    return false
  }

  /// The text with the first ``limit`` marks of each run, for texts that cannot be refused.
  package static func shortened(_ text: String) -> String {
    guard isTooLong(in: text) else { return text }
    var (result, length) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      length = isMark(scalar) ? length + 1 : 0
      if length <= limit { result.append(scalar) }
    }
    return String(result)
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.canonicalCombiningClass != .notReordered || pairs.contains(scalar)
  }

  /// What messages call such a run.
  package static let message = "more than \(limit) combining marks in a row"
}
