/// What the repetitions of a lift come to; lengths and speeds as in ``BarRep``.
public struct BarPathSummary: Sendable, Hashable {
  public let repCount: Int
  /// The means over the repetitions; 0 without any.
  public let averageRom: Double
  public let averageMaxVelocity: Double
  public let averageMeanConcentricVelocity: Double
  /// The id of the repetition with the highest mean concentric velocity, the first among equals.
  public let bestRep: Int?

  public init(reps: [BarRep]) {
    func mean(_ value: (BarRep) -> Double) -> Double {
      reps.isEmpty ? 0 : reps.map(value).reduce(0, +) / Double(reps.count)
    }
    repCount = reps.count
    averageRom = mean(\.rom)
    averageMaxVelocity = mean(\.maxVelocity)
    averageMeanConcentricVelocity = mean(\.meanConcentricVelocity)
    var best: BarRep?
    for rep in reps where best.map({ rep.meanConcentricVelocity > $0.meanConcentricVelocity }) ?? true { best = rep }
    bestRep = best?.id
  }
}
