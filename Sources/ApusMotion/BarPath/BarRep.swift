/// One repetition and its measures. Lengths are in cm and speeds in cm/s, or in pixels where the scale is unknown
/// (``BarPathResult/calibration``); speeds upwards are positive. Frames are places in ``BarPathResult/samples``.
public struct BarRep: Sendable, Hashable {
  /// From 0.
  public let id: Int
  /// The first frame that the bar reached by moving.
  public let startFrame: Int
  /// The last frame of the movement.
  public let endFrame: Int
  /// When the movement begins, in seconds: the time of the frame before ``startFrame``, the last one at rest.
  public let startTime: Double
  /// When the movement ends, in seconds.
  public let endTime: Double
  /// Where the way up begins.
  public let bottomFrame: Int
  /// Where the way up ends.
  public let topFrame: Int

  /// The range of motion: lowest to highest point.
  public let rom: Double
  /// The greatest speed, up or down.
  public let maxVelocity: Double
  /// The mean speed, up or down.
  public let averageVelocity: Double
  /// The way up over the time it took.
  public let meanConcentricVelocity: Double
  /// The greatest speed on the way up.
  public let peakConcentricVelocity: Double
  /// How long the way up took, in seconds.
  public let concentricDuration: Double
  /// How long the way down took, in seconds; nil where there is none.
  public let eccentricDuration: Double?
  /// The farthest that the bar got sideways from where it started.
  public let xDeviation: Double
  /// The range of motion in percent of ``BarPathSettings/depthReferenceCm``, above 100 too; nil without a scale.
  public let depthPercent: Double?
  /// Whether the depth was reached, to ``precision``; nil without a scale.
  public let isDepthReached: Bool?
  /// The bar, or the frames, are missing for some of the way, longer than gaps are filled, or it was lost, or the
  /// recording began or ended, while it moved: the range may be greater than it says.
  public let isInterrupted: Bool

  /// Its parts in the order of time; a drop comes after the repetition itself.
  public let phases: [BarLiftPhase]

  /// Measures that differ by no more than this part are equal: it is what computing a smooth path leaves of a lift
  /// that is exact, and far less than any camera shows.
  public static let precision = 1e-5

  /// How long the repetition took, in seconds.
  public var duration: Double { endTime - startTime }
}

extension BarRep {
  /// - Parameters:
  ///   - path: the metrics path, in pixels, upright.
  ///   - velocity: upwards, in px/s.
  ///   - pixelsPerUnit: pixels per cm, or 1.
  ///   - isInterrupted: whether it was not seen whole.
  ///   - parts: its phases, heights above its lowest point.
  init?(
    id: Int, span: RepSpan, path: [BarPoint?], velocity: [Double?], timestamps: [Double], pixelsPerUnit: Double,
    depthReference: Double?, isInterrupted: Bool, parts: (PhaseRuler) -> [BarLiftPhase]
  ) {
    let (first, concentric) = (span.start - 1, span.concentric)
    let points = path[first...span.end].compactMap { $0 }
    guard let low = points.map(\.y).max(), let high = points.map(\.y).min(), let start = path[first],
      concentric.displacement > 0
    else { return nil }
    self.id = id
    (startFrame, endFrame) = (span.start, span.end)
    (startTime, endTime) = (timestamps[first], timestamps[span.end])
    (bottomFrame, topFrame) = (concentric.origin, concentric.end)
    rom = (low - high) / pixelsPerUnit

    let speeds = velocity[span.start...span.end].compactMap { $0.map { abs($0) / pixelsPerUnit } }
    maxVelocity = speeds.max() ?? 0
    averageVelocity = speeds.isEmpty ? 0 : speeds.reduce(0, +) / Double(speeds.count)
    concentricDuration = Self.seconds(of: concentric, path: path, timestamps: timestamps)
    meanConcentricVelocity = concentric.displacement / pixelsPerUnit / concentricDuration
    peakConcentricVelocity = (velocity[concentric.start...concentric.end].compactMap { $0 }.max() ?? 0) / pixelsPerUnit
    eccentricDuration = span.eccentric.map { Self.seconds(of: $0, path: path, timestamps: timestamps) }
    xDeviation = (points.map { abs($0.x - start.x) }.max() ?? 0) / pixelsPerUnit
    depthPercent = depthReference.map { [rom] in 100 * rom / $0 }
    isDepthReached = depthReference.map { [rom] in rom >= $0 * (1 - Self.precision) }
    self.isInterrupted = isInterrupted
    phases = parts(
      PhaseRuler(path: path, velocity: velocity, timestamps: timestamps, pixelsPerUnit: pixelsPerUnit, floor: low))
  }

  /// How long a phase takes, to fractions of a frame.
  private static func seconds(of phase: LiftPhase, path: [BarPoint?], timestamps: [Double]) -> Double {
    let whole = timestamps[phase.end] - timestamps[phase.origin]
    let ys = path[phase.origin...phase.end].compactMap { $0?.y }
    guard let least = ys.min(), let most = ys.max(), most > least else { return whole }
    func time(_ end: Int, _ other: Int, level: Double) -> Double {
      TurningPoint.time(
        end: end, other: other, level: level, distance: most - least, path: path, timestamps: timestamps)
    }
    let begin = time(phase.origin, phase.end, level: phase.isUp ? most : least)
    let end = time(phase.end, phase.origin, level: phase.isUp ? least : most)
    return end > begin ? end - begin : whole
  }
}
