import Apus

// Reports as JSON: snake_case keys, absent values omitted.

extension ModelPairing.Pair: Encodable {
  enum CodingKeys: String, CodingKey {
    case name, evidence, axes, shape
    case referenceName = "reference_name"
    case referenceShape = "reference_shape"
  }

  /// An object with both names, the `evidence`, the order of the axes longer than 1 where it is not the same, and both
  /// shapes of an input or an output where these are not.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(referenceName, forKey: .referenceName)
    try container.encode(evidence, forKey: .evidence)
    try container.encodeIfPresent(order.axes, forKey: .axes)
    try container.encodeIfPresent(referenceShape.map { _ in order.shape }, forKey: .shape)
    try container.encodeIfPresent(referenceShape, forKey: .referenceShape)
  }
}

extension ModelPairing: Encodable {
  enum CodingKeys: String, CodingKey {
    case inputs, values
    case valueCount = "value_count"
    case weightCount = "weight_count"
    case unpairedWeights = "unpaired_weights"
    case unpairedOutputs = "unpaired_outputs"
    case unpairedReferenceOutputs = "unpaired_reference_outputs"
  }

  /// An object with the pairs of inputs and values, and how many there are to be paired.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(inputs, forKey: .inputs)
    try container.encode(values, forKey: .values)
    try container.encode(valueCount, forKey: .valueCount)
    try container.encode(weightCount, forKey: .weightCount)
    try container.encode(unpairedWeights, forKey: .unpairedWeights)
    try container.encode(unpairedOutputs, forKey: .unpairedOutputs)
    try container.encode(unpairedReferenceOutputs, forKey: .unpairedReferenceOutputs)
  }
}

extension ModelComparisonReport.Weight: Encodable {
  enum CodingKeys: String, CodingKey {
    case pair, comparison
    case isFolded = "folded"
  }

  /// An object with the `pair`, its `comparison`, and whether a scale was `folded` into one of the two.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(pair, forKey: .pair)
    try container.encode(comparison, forKey: .comparison)
    try container.encode(isFolded, forKey: .isFolded)
  }
}

extension Distribution: Encodable {
  enum CodingKeys: String, CodingKey { case smallest, median, largest }

  /// An object with `smallest`, `median` and `largest`; empty where nothing was counted.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number: smallest, forKey: .smallest)
    try container.encode(number: median, forKey: .median)
    try container.encode(number: largest, forKey: .largest)
  }
}

extension OutputStatistics.Agreement: Encodable {
  enum CodingKeys: String, CodingKey { case agreeing, count }

  /// An object with the numbers of rows that agree and of all.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(agreeing, forKey: .agreeing)
    try container.encode(count, forKey: .count)
  }
}

extension OutputStatistics: Encodable {
  enum CodingKeys: String, CodingKey {
    case name, cosine
    case signalToNoise = "snr_db"
    case largestError = "largest_absolute"
    case ownError = "own_error"
    case referenceError = "reference_error"
    case firstRanks = "top_1"
    case fiveRanks = "top_5"
  }

  /// An object with a distribution for each measure.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(signalToNoise, forKey: .signalToNoise)
    try container.encode(cosine, forKey: .cosine)
    try container.encode(largestError, forKey: .largestError)
    try container.encode(ownError, forKey: .ownError)
    try container.encode(referenceError, forKey: .referenceError)
    try container.encodeIfPresent(firstRanks, forKey: .firstRanks)
    try container.encodeIfPresent(fiveRanks, forKey: .fiveRanks)
  }
}
