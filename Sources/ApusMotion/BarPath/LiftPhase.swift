/// A stretch of a lift in which the bar goes one way.
struct LiftPhase: Sendable, Equatable {
  var isUp: Bool
  /// The first frame that was reached on the way, and the last.
  var start: Int
  var end: Int
  /// How far the way is, in pixels.
  var displacement: Double

  /// The frame from which the way begins.
  var origin: Int { start - 1 }
}

/// Cuts a path into phases.
struct LiftPhaseFinder {
  let path: [BarPoint?]
  /// Upwards, in px/s; nil where unknown.
  let velocity: [Double?]
  let timestamps: [Double]
  let startSpeed: Double
  let hysteresis: Double
  let gapLimit: Int
  /// What moves less than this, in pixels, is no phase.
  let leastDisplacement: Double

  /// Two phases the same way, no farther apart than this, in seconds, are one: the bar stuck for a moment.
  private static let longestSticking = 1.0
  /// At its ends a phase reaches outwards as long as the bar is faster than this share of the start speed.
  private static let tailShare = 0.1

  func phases() -> [LiftPhase] {
    let windows = LiftWindow.windows(
      speeds: velocity.map { $0.map(abs) }, timestamps: timestamps, startSpeed: startSpeed, hysteresis: hysteresis,
      gapLimit: gapLimit, minimumSeconds: 0)
    var phases = windows.flatMap(split)
    for index in phases.indices { extend(&phases, index) }
    return merge(phases.filter { $0.displacement >= leastDisplacement })
  }

  /// The stretches of one sign in a window.
  private func split(_ window: LiftWindow) -> [LiftPhase] {
    var phases: [LiftPhase] = []
    for index in window.start...window.end {
      guard let speed = velocity[index], speed != 0 else { continue }
      if let last = phases.indices.last, phases[last].isUp == (speed > 0) {
        phases[last].end = index
      } else {
        phases.append(LiftPhase(isUp: speed > 0, start: index, end: index, displacement: 0))
      }
    }
    return phases
  }

  private func extend(_ phases: inout [LiftPhase], _ place: Int) {
    let tail = startSpeed * Self.tailShare
    let isUp = phases[place].isUp
    func goesOn(_ index: Int) -> Bool {
      guard let speed = velocity[index] else { return false }
      return (speed > 0) == isUp && abs(speed) > tail
    }
    let first = place > 0 ? phases[place - 1].end + 1 : 0
    let last = place + 1 < phases.count ? phases[place + 1].start - 1 : velocity.count - 1
    while phases[place].start > first, goesOn(phases[place].start - 1) { phases[place].start -= 1 }
    while phases[place].end < last, goesOn(phases[place].end + 1) { phases[place].end += 1 }
    phases[place].displacement = displacement(phases[place])
  }

  private func merge(_ phases: [LiftPhase]) -> [LiftPhase] {
    var merged: [LiftPhase] = []
    for phase in phases {
      if let last = merged.last, last.isUp == phase.isUp,
        timestamps[phase.origin] - timestamps[last.end] <= Self.longestSticking
      {
        merged[merged.count - 1].end = phase.end
        merged[merged.count - 1].displacement = displacement(merged[merged.count - 1])
      } else {
        merged.append(phase)
      }
    }
    return merged
  }

  private func displacement(_ phase: LiftPhase) -> Double {
    // A phase begins and ends with a known velocity, for which both points are known.
    guard phase.start > 0, let a = path[phase.origin], let b = path[phase.end] else { return 0 }
    return abs(a.y - b.y)
  }
}
