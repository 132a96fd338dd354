extension ComparisonSummary: Encodable {
  enum CodingKeys: String, CodingKey {
    case equal, worst
    case sampleCount = "samples"
    case differentCount = "different"
    case elementCount = "elements"
    case mismatchedCount = "mismatched"
    case largestAbsolute = "largest_absolute"
    case largestRelative = "largest_relative"
    case largestULP = "largest_ulp"
    case normalizedMeanSquare = "largest_nmse"
    case rootMeanSquare = "root_mean_square"
  }

  /// An object with the counts, the peaks that exist, `root_mean_square`, and `worst` once a sample was added.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(sampleCount, forKey: .sampleCount)
    try container.encode(differentCount, forKey: .differentCount)
    try container.encode(elementCount, forKey: .elementCount)
    try container.encode(mismatchedCount, forKey: .mismatchedCount)
    try container.encodeIfPresent(largestAbsolute, forKey: .largestAbsolute)
    try container.encodeIfPresent(largestRelative, forKey: .largestRelative)
    try container.encodeIfPresent(largestULP, forKey: .largestULP)
    try container.encodeIfPresent(normalizedMeanSquare, forKey: .normalizedMeanSquare)
    try container.encode(number: rootMeanSquare, forKey: .rootMeanSquare)
    try container.encodeIfPresent(worst, forKey: .worst)
  }
}

extension ComparisonSummary.Peak: Encodable {
  enum CodingKeys: String, CodingKey { case value, sample }

  /// An object with `value` and the name of the `sample`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number: value, forKey: .value)
    try container.encode(sample, forKey: .sample)
  }
}

extension ComparisonSummary.Sample: Encodable {
  enum CodingKeys: String, CodingKey { case sample, comparison }

  /// An object with the name as `sample`, and the `comparison`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .sample)
    try container.encode(comparison, forKey: .comparison)
  }
}
