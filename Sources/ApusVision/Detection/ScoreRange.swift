import Apus

/// From where to where the scores of an output go; numbers that are not finite do not count.
struct ScoreRange: Sendable, Hashable {
  private(set) var least = Float.infinity
  private(set) var most = -Float.infinity

  /// Sixteen-bit numbers round a little past 1.
  private static let slack: Float = 1e-3

  /// - Parameter output: of a shape that the format says.
  /// - Throws: ``TensorError`` when there is no room to bring it into its usual layout.
  init(_ output: Tensor<Float>, in format: DetectionFormat) throws {
    guard let columns = format.scoreColumns else { return }
    let isColumn = format.layout == .v8
    let (numbers, anchors) =
      switch format.layout {
      case .v8: (output.shape[1], output.shape[2])
      case .endToEndBatch, .boxesAndScores: (output.shape[1], output.shape[0])
      default: (output.shape[2], output.shape[1])
      }
    try output.withUnsafeBufferPointer { values in
      func add(_ value: Float) {
        if value < least { least = value }
        if value > most, value < .infinity { most = value }
      }
      if isColumn {
        for index in columns.lowerBound * anchors..<columns.upperBound * anchors { add(values[index]) }
      } else {
        for anchor in 0..<anchors {
          for column in columns { add(values[anchor * numbers + column]) }
        }
      }
    }
    // Rows that a network with suppression inside does not need are filled with −1.
    if format.layout.isSuppressed { least = max(least, 0) }
  }

  private var isEmpty: Bool { least > most }

  /// Whether all may be probabilities.
  var areProbabilities: Bool { isEmpty || least >= -Self.slack && most <= 1 + Self.slack }

  /// What the scores must be; nil where they are neither probabilities nor logits: logits of all places of a picture
  /// are never all above 0, for most places show nothing.
  var scale: ScoreScale? { areProbabilities ? .probabilities : least < 0 ? .logits : nil }

  /// - Throws: ``DetectorError/Reason/badScores(_:)`` for numbers that are not of that scale.
  func check(_ scale: ScoreScale) throws(DetectorError) {
    switch scale {
    case .probabilities where !areProbabilities:
      throw DetectorError(
        .badScores(
          "the network's scores go from \(least) to \(most), and probabilities lie between 0 and 1: "
            + (least < 0 ? "logits do not (--scores logits)" : "they are no logits either, of which most are below 0")))
    case .logits where !isEmpty && least >= 0:
      throw DetectorError(
        .badScores(
          "the network's scores go from \(least) to \(most), and of logits most are below 0: "
            + (areProbabilities ? "these are probabilities (--scores probabilities)" : "these are something else")))
    default: break
    }
  }
}

extension DetectionFormat {
  /// Which numbers of an object are scores; nil where the classes are unknown.
  fileprivate var scoreColumns: Range<Int>? {
    switch layout {
    case .endToEnd: 4..<5
    case .endToEndBatch: 6..<7
    default: classCount.map { 4..<(layout.hasObjectness ? 5 : 4) + $0 }
    }
  }
}
