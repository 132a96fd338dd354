import Apus

extension GraphValue {
  /// What differs between this value and `expected`, in words; nil when nothing does.
  ///
  /// Types and shapes must be equal, strings and integers too; NaN agrees with NaN.
  /// - Parameter comparingNumbers: without, only types, shapes and which kinds of numbers there are count: no NaN and
  ///   no infinity where none is expected, only zeros and ones where only these are.
  func difference(
    from expected: GraphValue, within tolerance: Tolerance, comparingNumbers: Bool = true
  ) throws -> String? {
    switch (self, expected) {
    case (.tensor(let actual), .tensor(let expected)):
      var tolerance = tolerance
      // Two steps of BFLOAT16, as the suite's own runner allows.
      if actual.dataType == .bfloat16 { tolerance.relative = max(tolerance.relative, 0x1p-6) }
      let comparison = try Comparison(actual: actual, expected: expected, tolerance: tolerance)
      guard comparison.hasEqualShapes, comparison.hasAcceptableTypes else {
        return "it is \(type); \(GraphValue.tensor(expected).type) is expected"
      }
      guard comparingNumbers else { return try actual.differenceInKind(from: expected) }
      return comparison.isEqual ? nil : "\(comparison)"
    case (.coded(let actual), .coded(let wanted)):
      guard actual.elementType == wanted.elementType, actual.shape == wanted.shape else {
        return "it is \(type); \(expected.type) is expected"
      }
      return try GraphValue(actual.widened()).difference(from: GraphValue(wanted.widened()), within: tolerance)
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

extension AnyTensor {
  /// What kinds of numbers there are that `expected` has none of, in words; nil when there are none.
  fileprivate func differenceInKind(from expected: AnyTensor) throws -> String? {
    func isFinite(_ tensor: AnyTensor) throws -> Bool {
      try tensor.converted(to: Double.self).withUnsafeBufferPointer { $0.allSatisfy(\.isFinite) }
    }
    func isBinary(_ tensor: AnyTensor) throws -> Bool {
      try tensor.converted(to: Double.self).withUnsafeBufferPointer { $0.allSatisfy { $0 == 0 || $0 == 1 } }
    }
    if try isFinite(expected), try !isFinite(self) { return "it holds NaN or infinity where only numbers are expected" }
    if try isBinary(expected), try !isBinary(self) { return "it holds other numbers than 0 and 1" }
    return nil
  }
}
