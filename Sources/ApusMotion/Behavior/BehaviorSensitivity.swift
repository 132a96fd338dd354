import ApusBase

/// How much a model's answer depends on its input, measured on random poses.
///
/// The original model answers "stand" with 0.996 or more to every valid pose; this finds such a model out.
public struct BehaviorSensitivity: Sendable, Hashable {
  /// How many random poses were shown.
  public let samples: Int
  /// The largest difference, over all labels, between a label's highest and lowest probability.
  public let maximumChange: Float
  /// The label with that difference.
  public let mostChangedLabel: String
  /// The labels that were the most probable for at least one pose, in the model's order.
  public let predictedLabels: [String]

  /// Whether every pose got the same label.
  public var isConstant: Bool { predictedLabels.count == 1 }
}

extension BehaviorClassifying {
  /// Shows the model random poses and measures how far its probabilities move.
  ///
  /// A random pose has each of its 48 coordinates uniform in 0..<1 and is held still for the whole window. The
  /// generator is SplitMix64, so the same seed gives the same poses everywhere.
  ///
  /// - Parameters:
  ///   - samples: how many poses, 2 or more.
  ///   - seed: of the generator.
  /// - Throws: ``MotionConfigurationError`` for fewer than two samples or an answer of the wrong length, and whatever
  ///   the model throws.
  public func sensitivity(samples: Int = 256, seed: UInt64 = 0) throws -> BehaviorSensitivity {
    guard samples >= 2 else { throw MotionConfigurationError.invalidSampleCount(samples) }
    var generator = SplitMix64(seed: seed)
    var lowest = [Float](repeating: .infinity, count: labels.count)
    var highest = [Float](repeating: -.infinity, count: labels.count)
    var predicted = [Bool](repeating: false, count: labels.count)
    // Sixteen windows of the usual 4,800 numbers; fewer where windows are huge.
    let batch = max(1, min(16, (1 << 20) / windowSize))
    var done = 0
    while done < samples {
      let count = min(batch, samples - done)
      var windows: [Float] = []
      windows.reserveCapacity(count * windowSize)
      for _ in 0..<count * PoseVector.featureCount {
        windows += repeatElement(generator.nextUnitFloat(), count: windowLength)
      }
      let answers = try checked(probabilities(forWindows: windows, count: count), windows: count)
      for sample in 0..<count {
        let answer = answers[sample * labels.count..<(sample + 1) * labels.count]
        var best = answer.startIndex
        for (label, index) in answer.indices.enumerated() {
          lowest[label] = min(lowest[label], answer[index])
          highest[label] = max(highest[label], answer[index])
          if answer[index] > answer[best] { best = index }
        }
        predicted[best - answer.startIndex] = true
      }
      done += count
    }
    let changes = zip(highest, lowest).map { $0 - $1 }
    var most = 0
    for index in changes.indices where changes[index] > changes[most] { most = index }
    return BehaviorSensitivity(
      samples: samples, maximumChange: changes[most], mostChangedLabel: labels[most],
      predictedLabels: zip(labels, predicted).filter(\.1).map(\.0))
  }
}

extension SplitMix64 {
  /// Uniform in 0..<1: the upper 24 bits, so that every value is exact in a `Float`.
  mutating func nextUnitFloat() -> Float { Float(next() >> 40) * 0x1p-24 }
}
