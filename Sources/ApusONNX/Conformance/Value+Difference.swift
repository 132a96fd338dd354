import Apus

extension Value {
  /// What differs between this value and `expected`, in words; nil when nothing does.
  ///
  /// Types and shapes must be equal, strings and whole numbers too; NaN agrees with NaN.
  /// - Parameter comparingNumbers: without, only types, shapes and whether numbers are finite count.
  func difference(
    from expected: Value, within tolerance: Tolerance, comparingNumbers: Bool = true
  ) throws -> String? {
    switch (self, expected) {
    case (.tensor(let actual), .tensor(let expected)):
      var tolerance = tolerance
      // Two steps of BFLOAT16, as the suite's own runner allows.
      if actual.dataType == .bfloat16 { tolerance.relative = max(tolerance.relative, 0x1p-6) }
      let comparison = try Comparison(actual: actual, expected: expected, tolerance: tolerance)
      guard comparison.hasEqualShapes, comparison.hasAcceptableTypes else {
        return "it is \(type); \(Value.tensor(expected).type) is expected"
      }
      guard comparingNumbers else { return nil }
      return comparison.isEqual ? nil : "\(comparison)"
    case (.coded(let actual), .coded(let wanted)):
      guard actual.elementType == wanted.elementType, actual.shape == wanted.shape else {
        return "it is \(type); \(expected.type) is expected"
      }
      return try Value(actual.widened()).difference(from: Value(wanted.widened()), within: tolerance)
    case (.strings(let actual), .strings(let wanted)):
      if actual == wanted { return nil }
      guard actual.shape == wanted.shape else { return "it is \(type); \(expected.type) is expected" }
      let first = zip(actual.elements, wanted.elements).first { $0 != $1 }
      return first.map { "it holds '\($0)' where '\($1)' is expected" }
    case (.sequence(let actual, _), .sequence(let wanted, _)):
      guard actual.count == wanted.count else {
        return "it has \(actual.count) elements; \(wanted.count) are expected"
      }
      for (index, pair) in zip(actual, wanted).enumerated() {
        if let difference = try pair.0.difference(
          from: pair.1, within: tolerance, comparingNumbers: comparingNumbers)
        {
          return "element \(index): \(difference)"
        }
      }
      return nil
    case (.optional(nil, _), .optional(nil, _)): return nil
    case (.optional(let actual?, _), .optional(let wanted?, _)):
      return try actual.difference(from: wanted, within: tolerance, comparingNumbers: comparingNumbers)
    case (.optional(let actual?, _), let wanted):
      return try actual.difference(from: wanted, within: tolerance, comparingNumbers: comparingNumbers)
    case (let actual, .optional(let wanted?, _)):
      return try actual.difference(from: wanted, within: tolerance, comparingNumbers: comparingNumbers)
    default:
      return "it is \(type); \(expected.type) is expected"
    }
  }
}
