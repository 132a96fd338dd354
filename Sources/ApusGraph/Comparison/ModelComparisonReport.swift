import Apus

/// What a ``ModelComparison`` found.
public struct ModelComparisonReport: Sendable {
  /// What was found on one set of inputs.
  public struct Sample: Sendable {
    /// What the inputs are called.
    public let name: String
    /// The model's nodes, judged by the reference's values.
    public let parity: ParityReport
  }

  /// Two weights.
  public struct Weight: Sendable {
    /// Their names, and how one lies in the other.
    public let pair: ModelPairing.Pair
    /// How they differ, held against the rounding of FLOAT.
    public let comparison: Comparison
    /// Whether each output's weights are the reference's times a number of their own: one exporter folded the scale of a
    /// normalisation into them, and the other did not.
    public let isFolded: Bool

    /// Whether the one is not what the other is, folded or not.
    public var isDifferent: Bool { !comparison.isEqual && !isFolded }
  }

  /// Whether the reference was computed in float64; otherwise its own rounding counts as the model's.
  public let isReferenceInFloat64: Bool
  /// What is held against what.
  public internal(set) var pairing = ModelPairing()
  /// Every pair of weights, in the model's order.
  public internal(set) var weights: [Weight] = []
  /// One for each set of inputs.
  public internal(set) var samples: [Sample] = []
  /// What outputs differ by over all samples, in the model's order.
  public internal(set) var outputs: [OutputStatistics] = []

  /// Whether every output has a counterpart, and every value that has one is within the tolerances on every sample.
  public var isEqual: Bool {
    !samples.isEmpty && samples.allSatisfy(\.parity.isEqual)
  }

  /// The first sample on which the models part; nil where they do on none.
  public var firstDifferent: Sample? { samples.first { !$0.parity.isEqual } }
}

/// A measure over several samples.
public struct Distribution: Sendable, Hashable {
  private var values: [Double] = []

  /// Counts a measure; nil counts nothing.
  mutating func add(_ value: Double?) {
    guard let value, !value.isNaN else { return }
    values.append(value)
  }

  /// The measure in the middle, the lower of two; nil where nothing was counted.
  public var median: Double? { values.isEmpty ? nil : values.sorted()[(values.count - 1) / 2] }
  /// The smallest; nil where nothing was counted.
  public var smallest: Double? { values.min() }
  /// The largest; nil where nothing was counted.
  public var largest: Double? { values.max() }
}

/// How an output differs, over all samples.
public struct OutputStatistics: Sendable {
  /// The output's name in the model.
  public let name: String
  /// Signal to noise in dB, the reference's value being the signal; minus infinity where shapes differ, or an element is
  /// NaN or infinite on one side.
  public private(set) var signalToNoise = Distribution()
  /// The cosine between the two as vectors.
  public private(set) var cosine = Distribution()
  /// The largest difference of an element.
  public private(set) var largestError = Distribution()
  /// The largest error of the model against itself in float64.
  public internal(set) var ownError = Distribution()
  /// The largest error of the reference in its own numbers against itself in float64.
  public internal(set) var referenceError = Distribution()
  /// Rows along the last axis, and those whose largest element is in the same place; nil where rows have one element.
  public private(set) var firstRanks: Agreement?
  /// The same for the five largest as a set; nil where rows have six elements or fewer.
  public private(set) var fiveRanks: Agreement?

  /// Rows, and those that agree.
  public struct Agreement: Sendable, Hashable {
    /// The rows that agree.
    public internal(set) var agreeing = 0
    /// All rows.
    public internal(set) var count = 0
    /// The share of them, 0…1.
    public var share: Double { count == 0 ? 1 : Double(agreeing) / Double(count) }
  }

  init(name: String) { self.name = name }

  /// Counts a comparison; one of different shapes is infinitely far off.
  mutating func add(_ comparison: Comparison) {
    guard let differences = comparison.differences else {
      signalToNoise.add(-.infinity)
      return largestError.add(.infinity)
    }
    signalToNoise.add(differences.signalToNoise)
    cosine.add(differences.cosine)
    largestError.add(
      differences.nonFiniteMismatchCount > 0 ? .infinity : differences.largestAbsolute?.value ?? 0)
  }

  mutating func addRanks(of actual: AnyTensor, and expected: AnyTensor) throws {
    guard let width = actual.shape.last, width > 1, actual.dataType.isFloatingPoint, actual.shape == expected.shape
    else { return }
    let (a, e) = (try actual.converted(to: Double.self).elements, try expected.converted(to: Double.self).elements)
    var (first, five) = (firstRanks ?? Agreement(), fiveRanks ?? Agreement())
    for start in stride(from: 0, to: a.count, by: width) {
      let (x, y) = (Self.largest(a[start..<start + width]), Self.largest(e[start..<start + width]))
      first.count += 1
      five.count += 1
      if x.first == y.first { first.agreeing += 1 }
      if Set(x) == Set(y) { five.agreeing += 1 }
    }
    firstRanks = first
    if width > 6 { fiveRanks = five }
  }

  /// The places of the five largest elements within a row, the largest first, the first of equal ones first.
  private static func largest(_ row: ArraySlice<Double>) -> [Int] {
    var places: [Int] = []
    for index in row.indices {
      let place = places.firstIndex { row[index] > row[$0] } ?? places.count
      if place < 5 { places.insert(index, at: place) }
      if places.count > 5 { places.removeLast() }
    }
    return places.map { $0 - row.startIndex }
  }
}
