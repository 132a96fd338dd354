import Apus

/// The sizes that a program was made for.
struct SizeRange: Sendable, Hashable {
  /// nil where a program asks for none: a least size of 2 is there without anyone's asking, and programs run with less.
  var least: Int?
  var greatest: Int?

  init(_ reader: inout JSONReader) throws {
    try reader.members { reader, key in
      guard ["min_val", "max_val"].contains(key), try reader.kind() == .number else { return try reader.skip() }
      let bound = try reader.number()
      if key == "min_val", bound > 2 { least = Int(exactly: bound.rounded()) }
      // What PyTorch has for sizes without a bound is near the greatest integer.
      if key == "max_val", bound < 0x1p62 { greatest = Int(exactly: bound.rounded()) }
    }
  }

  /// Whether all sizes are in it.
  var isOpen: Bool { least == nil && greatest == nil }

  func contains(_ size: Int) -> Bool { (least ?? size) <= size && size <= (greatest ?? size) }
}

extension SizeRange: CustomStringConvertible {
  /// `4 to 16`, `at least 4`, `at most 16`.
  var description: String {
    switch (least, greatest) {
    case (let least?, let greatest?): "\(least) to \(greatest)"
    case (let least?, nil): "at least \(least)"
    case (nil, let greatest?): "at most \(greatest)"
    case (nil, nil): "any"
    }
  }
}
