import Apus

/// How likely each of some breeds is, the likeliest first; of equals the one whose label comes first.
public struct BreedRanking: Sendable, Hashable {
  /// A breed and its probability.
  public struct Entry: Sendable, Hashable {
    /// The breed as the classifier names it.
    public let label: String
    /// The breed as people write it.
    public var displayName: String { DogBreed.displayName(ofLabel: label) }
    /// 0 to 1.
    public let probability: Double

    /// For people: whole percents, a half rounded up.
    public var percent: Int { Int((probability * 100 + 0.5).rounded(.down)) }
  }

  /// All breeds, the likeliest first.
  public let entries: [Entry]

  /// - Throws: ``BreedError`` for numbers that are not probabilities, or not one for each label.
  public init(labels: [String], probabilities: [Double]) throws(BreedError) {
    guard labels.count == probabilities.count else {
      throw BreedError("\(probabilities.count) probabilities for \(labels.count) labels")
    }
    for (label, probability) in zip(labels, probabilities) where !(0...1 ~= probability) {
      throw BreedError("the probability of \(label) is \(probability); 0 to 1 was expected")
    }
    entries = zip(labels, probabilities)
      .map { Entry(label: $0, probability: $1) }
      .sorted { $0.probability != $1.probability ? $0.probability > $1.probability : $0.label < $1.label }
  }

  /// The likeliest, whatever its probability.
  public var top: Entry? { entries.first }

  /// Those with at least this many percent.
  public func listed(minimumPercent: Double = 1) -> [Entry] {
    entries.filter { $0.probability >= minimumPercent / 100 }
  }
}

/// Why no breed can be determined.
public struct BreedError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// What was found, and what was expected; the file where it is known.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension BreedError {
  /// ``Fault/data``: the model, or what it gave.
  public var fault: Fault { .data }
}
