/// A repetition as its phases.
struct RepSpan: Sendable, Equatable {
  /// The way down; nil for a lift whose bar is not let down, or is let down later.
  var eccentric: LiftPhase?
  /// The way up.
  var concentric: LiftPhase

  /// The frames of a repetition that is more than these two; the first was reached by moving.
  var whole: ClosedRange<Int>?

  var start: Int { whole?.lowerBound ?? min(eccentric?.start ?? concentric.start, concentric.start) }
  var end: Int { whole?.upperBound ?? max(eccentric?.end ?? concentric.end, concentric.end) }

  /// The two as phases of a lift.
  func phases(of type: BarLiftType, _ ruler: PhaseRuler) -> [BarLiftPhase] {
    let kinds = type.simplePhases
    return [eccentric, concentric].compactMap(\.self).sorted { $0.start < $1.start }.compactMap {
      ruler.phase($0.isUp ? kinds.up : kinds.down, $0.origin, $0.end)
    }
  }
}

/// Makes repetitions of phases.
enum RepDetector {
  /// The second phase begins no later than this, in seconds, after the first has ended.
  static let longestPause = 3.0

  /// - Parameters:
  ///   - phases: in order.
  ///   - minimumRom: in pixels; shorter rises are not repetitions.
  static func spans(
    of phases: [LiftPhase], timestamps: [Double], liftType: BarLiftType, minimumRom: Double
  ) -> [RepSpan] {
    var spans: [RepSpan] = []
    var index = 0
    while index < phases.count {
      let phase = phases[index]
      let next = index + 1 < phases.count ? phases[index + 1] : nil
      let isFollowed =
        next.map {
          $0.isUp != phase.isUp && timestamps[$0.origin] - timestamps[phase.end] <= longestPause
        } ?? false
      var span: RepSpan?
      if liftType.beginsDownwards {
        if !phase.isUp, isFollowed, let next { span = RepSpan(eccentric: phase, concentric: next) }
      } else if phase.isUp {
        span = RepSpan(eccentric: isFollowed ? next : nil, concentric: phase)
      }
      if let span, span.concentric.displacement >= minimumRom {
        spans.append(span)
        index += span.eccentric == nil ? 1 : 2
      } else {
        index += 1
      }
    }
    return spans
  }
}
