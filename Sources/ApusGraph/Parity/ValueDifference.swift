import Apus

/// How a value differs from the reference's.
public struct ValueDifference: Sendable {
  /// The statistics; nil for texts, sequences, and values of another kind than expected.
  public let comparison: Comparison?
  /// What differs, in words, where there are no statistics; nil when nothing does.
  public let reason: String?
  /// Whether it is quantised levels that differ, by one, in at most 1 % of the elements: rounding, not a mistake.
  public let isOffByOneLevel: Bool

  /// Whether everything lies within the tolerance, or is off by one level as ``isOffByOneLevel`` says.
  public var isAcceptable: Bool { reason == nil && (comparison?.isEqual ?? true || isOffByOneLevel) }

  /// Whether no element is a number on either side, but NaN or infinite, or there is none: two that agree in that need not be
  /// of one origin.
  public var hasNoNumbers: Bool {
    guard let comparison, let count = comparison.differences?.count else { return false }
    return [comparison.actual, comparison.expected].allSatisfy { $0.nanCount + $0.infinityCount == count }
  }

  /// - Parameter allowsLevels: whether the value was made by rounding to levels, and may be off by one.
  init(_ actual: GraphValue, _ expected: GraphValue, tolerance: Tolerance, allowsLevels: Bool) throws {
    let areSameCodes = actual.elementType == expected.elementType
    let actual = try actual.unwrapped(widening: areSameCodes)
    let expected = try expected.unwrapped(widening: areSameCodes)
    if case .sequence(let values, _) = actual, case .sequence(let wanted, _) = expected, values.count == wanted.count {
      let elements = try zip(values, wanted).map { actual, expected in
        try ValueDifference(actual, expected, tolerance: tolerance, allowsLevels: allowsLevels)
      }
      let all = ValueDifference(elements: elements)
      (comparison, reason, isOffByOneLevel) = (nil, all.reason, all.isOffByOneLevel)
      return
    }
    guard case .tensor(let a) = actual, case .tensor(let e) = expected else {
      comparison = nil
      reason = try actual.difference(from: expected, within: tolerance)
      isOffByOneLevel = false
      return
    }
    // A reference of another precision is as good as one of the model's own, and a number is the same in any width.
    let checksType =
      !(a.dataType.isFloatingPoint && e.dataType.isFloatingPoint || a.dataType.isInteger && e.dataType.isInteger)
    let comparison = try Comparison(actual: a, expected: e, tolerance: tolerance, checksDataType: checksType)
    self.comparison = comparison
    reason = nil
    isOffByOneLevel = allowsLevels && a.dataType.isNarrowInteger && comparison.isOffByOne
  }

  /// That of sequences of as many elements.
  init(elements: [ValueDifference]) {
    comparison = nil
    reason = elements.firstIndex { !$0.isAcceptable }.map { index in
      "element \(index): " + (elements[index].reason ?? elements[index].comparison.map { "\($0)" } ?? "")
    }
    isOffByOneLevel = elements.contains(where: \.isOffByOneLevel)
  }
}

extension DataType {
  fileprivate var isInteger: Bool { !isFloatingPoint && self != .bool }

  /// Whether these are integers of at most 16 bits, as levels are.
  fileprivate var isNarrowInteger: Bool {
    switch self {
    case .int8, .uint8, .int16, .uint16: true
    default: false
    }
  }
}

extension Comparison {
  /// Whether some elements differ, by one at most, and no more than 1 % of them.
  fileprivate var isOffByOne: Bool {
    guard hasAcceptableTypes, let differences, differences.mismatchedCount > 0 else { return false }
    return differences.nonFiniteMismatchCount == 0 && differences.largestAbsolute?.value == 1
      && differences.mismatchedCount <= max(1, differences.count / 100)
  }
}

extension GraphValue {
  /// Codes as the numbers that they stand for, an optional as what it holds.
  fileprivate func unwrapped(widening: Bool) throws -> GraphValue {
    switch self {
    case .coded(let tensor) where widening: GraphValue(try tensor.widened())
    case .optional(let value?, _): try value.unwrapped(widening: widening)
    default: self
    }
  }
}
