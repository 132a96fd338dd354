// Comparisons as JSON: snake_case keys, absent values omitted.

/// A number that may be NaN or infinite. JSON cannot write those, so they are the strings "nan", "inf" and "-inf",
/// which Python's `float()` and Swift's `Double.init` both read.
struct PortableNumber: Encodable {
  var value: Double

  init(_ value: Double) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if value.isFinite {
      try container.encode(value)
    } else {
      try container.encode(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
    }
  }
}

extension KeyedEncodingContainer {
  package mutating func encode(number value: Double, forKey key: Key) throws {
    try encode(PortableNumber(value), forKey: key)
  }

  package mutating func encode(number value: Double?, forKey key: Key) throws {
    if let value { try encode(PortableNumber(value), forKey: key) }
  }
}

extension Tolerance: Encodable {
  enum CodingKeys: String, CodingKey { case rtol, atol }

  /// An object with the numbers `rtol` and `atol`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(relative, forKey: .rtol)
    try container.encode(absolute, forKey: .atol)
  }
}

extension Comparison.Side: Encodable {
  enum CodingKeys: String, CodingKey {
    case shape
    case dataType = "dtype"
    case nanCount = "nan_count"
    case infinityCount = "infinity_count"
  }

  /// An object with `dtype`, `shape`, `nan_count` and `infinity_count`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(dataType.rawValue, forKey: .dataType)
    try container.encode(shape, forKey: .shape)
    try container.encode(nanCount, forKey: .nanCount)
    try container.encode(infinityCount, forKey: .infinityCount)
  }
}

extension Comparison: Encodable {
  enum CodingKeys: String, CodingKey {
    case equal, actual, expected, tolerance, differences
    case checksDataType = "checks_dtype"
  }

  /// An object with `equal`, both sides, the tolerance, `checks_dtype`, and `differences` where shapes agree.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(actual, forKey: .actual)
    try container.encode(expected, forKey: .expected)
    try container.encode(tolerance, forKey: .tolerance)
    try container.encode(checksDataType, forKey: .checksDataType)
    try container.encodeIfPresent(differences, forKey: .differences)
  }
}

extension Comparison.Extreme: Encodable {
  enum CodingKeys: String, CodingKey { case value, index, actual, expected }

  /// An object with `value`, `index` and both elements; a number that JSON does not have becomes a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number: value, forKey: .value)
    try container.encode(index, forKey: .index)
    try container.encode(number: actual, forKey: .actual)
    try container.encode(number: expected, forKey: .expected)
  }
}

extension Comparison.RequiredTolerance: Encodable {
  enum CodingKeys: String, CodingKey { case atol, rtol, both }

  /// An object with those of `atol`, `rtol` and `both` that exist.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(absolute, forKey: .atol)
    try container.encodeIfPresent(relative, forKey: .rtol)
    try container.encodeIfPresent(both, forKey: .both)
  }
}

extension Comparison.Differences: Encodable {
  enum CodingKeys: String, CodingKey {
    case count, cosine
    case finiteCount = "finite"
    case mismatchedCount = "mismatched"
    case mismatchedPercent = "mismatched_percent"
    case nonFiniteMismatchCount = "non_finite_mismatched"
    case nonFinite = "first_non_finite"
    case largestAbsolute = "largest_absolute"
    case largestRelative = "largest_relative"
    case largestULP = "largest_ulp"
    case meanAbsolute = "mean_absolute"
    case rootMeanSquare = "root_mean_square"
    case normalizedMeanSquare = "nmse"
    case signalToNoise = "snr_db"
    case required = "passes_with"
  }

  /// An object of the counts, the extremes and the means; measures that do not exist are absent.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(finiteCount, forKey: .finiteCount)
    try container.encode(mismatchedCount, forKey: .mismatchedCount)
    try container.encode(mismatchedPercent, forKey: .mismatchedPercent)
    try container.encode(nonFiniteMismatchCount, forKey: .nonFiniteMismatchCount)
    try container.encodeIfPresent(nonFinite, forKey: .nonFinite)
    try container.encodeIfPresent(largestAbsolute, forKey: .largestAbsolute)
    try container.encodeIfPresent(largestRelative, forKey: .largestRelative)
    try container.encodeIfPresent(largestULP, forKey: .largestULP)
    try container.encode(number: meanAbsolute, forKey: .meanAbsolute)
    try container.encode(number: rootMeanSquare, forKey: .rootMeanSquare)
    try container.encode(number: normalizedMeanSquare, forKey: .normalizedMeanSquare)
    try container.encode(number: signalToNoise, forKey: .signalToNoise)
    try container.encode(number: cosine, forKey: .cosine)
    try container.encode(required, forKey: .required)
  }
}
