/// What a classifier says of a picture or a text.
public struct ClassPrediction: Sendable, Hashable {
  /// The probability of each class.
  public let probabilities: [Double]
  /// What the classes are called; nil where nobody says it.
  public let labels: ClassLabels?

  /// - Parameter probabilities: one for each class; a single one is that of the second of two, unless there is one name.
  /// - Throws: ``ClassLabelsError`` for another number of labels.
  public init(_ probabilities: [Double], labels: ClassLabels?) throws {
    self.probabilities =
      probabilities.count == 1 && labels?.names.count != 1 ? [1 - probabilities[0], probabilities[0]] : probabilities
    self.labels = try labels?.fitted(to: self.probabilities.count)
  }

  /// The class's name; its index where nobody names it.
  public func name(ofClass index: Int) -> String {
    labels.flatMap { $0.names.indices.contains(index) ? $0.names[index] : nil } ?? ClassLabels.placeholder(index)
  }

  /// The classes from the likeliest to the least likely; of equals the first comes first.
  public var ranking: [Int] {
    probabilities.indices.sorted {
      probabilities[$0] != probabilities[$1] ? probabilities[$0] > probabilities[$1] : $0 < $1
    }
  }

  /// With a smaller ``likeliest`` among many classes the network sees nothing in particular, which is what pictures
  /// brought to the wrong numbers look like.
  public static let leastLikeliest = 0.05

  /// The probability of the likeliest class.
  public var likeliest: Double { probabilities.max() ?? 0 }

  /// Whether no class at all is likely.
  public var isFlat: Bool { likeliest < Self.leastLikeliest }
}
