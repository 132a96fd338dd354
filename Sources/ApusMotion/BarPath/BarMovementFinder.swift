/// Looks for ways up that make no repetition.
struct BarMovementFinder {
  let path: [BarPoint?]
  /// Upwards, in px/s.
  let velocity: [Double?]
  let timestamps: [Double]
  let settings: BarPathSettings
  /// In pixels.
  let minimumRom: Double
  let calibration: BarCalibration?

  /// The share of a way up that its beginning and its end are no part of.
  private static let restShare = 0.03

  private var scale: Double { calibration?.pixelsPerCm ?? 1 }

  /// The greatest way up; nil where the bar does not move.
  var greatest: BarMovement? {
    guard let turns = BarTurns(path, least: { $0 / 2 })?.all else { return nil }
    let rises = turns.indices.dropFirst().filter { turns[$0].height > turns[$0 - 1].height }
    let highest = rises.max {
      turns[$0].height - turns[$0 - 1].height < turns[$1].height - turns[$1 - 1].height
    }
    return highest.map { movement(turns, to: $0) }
  }

  /// The ways up beside repetitions that are as long as one of them could be: half their median range or more. Where the
  /// bar was lost on the way, nothing is said of it.
  func uncounted(beside reps: [BarRep]) -> [BarMovement] {
    guard let usual = reps.map(\.rom).median else { return [] }
    let least = max(minimumRom, usual * scale / 2)
    guard let turns = BarTurns(path, least: { _ in least })?.all else { return [] }
    return turns.indices.dropFirst().filter { place in
      let (low, high) = (turns[place - 1], turns[place])
      guard high.height - low.height >= least, velocity[(low.frame + 1)...high.frame].allSatisfy({ $0 != nil })
      else { return false }
      // Its ends may reach into the rest beside a repetition, its middle does not.
      let middle = path[low.frame...high.frame].firstIndex { -($0?.y ?? .infinity) >= (low.height + high.height) / 2 }
      return !reps.contains { rep in middle.map { (rep.startFrame...rep.endFrame).contains($0) } ?? true }
    }.map { movement(turns, to: $0) }
  }

  /// - Parameter place: of the turn that a way up leads to; one comes before it.
  private func movement(_ turns: [BarTurns.Turn], to place: Int) -> BarMovement {
    let (low, high) = (turns[place - 1], turns[place])
    let rise = high.height - low.height
    let peak = greatestSpeed(low.frame...high.frame)
    let (start, type) = (settings.liftStartSpeedPxPerSec, settings.liftType)
    // The greatest speed of the way down before it.
    let lowering = place > 1 ? greatestSpeed(turns[place - 2].frame...low.frame, downwards: true) : nil
    let shortfall: BarMovement.Shortfall =
      if rise < minimumRom {
        .tooShort(least: minimumRom / scale)
      } else if peak <= start {
        .tooSlow(least: start / scale)
      } else if type.beginsDownwards, let lowering, lowering <= start {
        .loweredTooSlowly(at: lowering / scale, least: start / scale)
      } else {
        .otherLift(type)
      }
    // Turns are the farthest points, somewhere in the rest before and after.
    let heights = (low.frame...high.frame).compactMap { frame in path[frame].map { (frame: frame, height: -$0.y) } }
    let begin = heights.last { $0.height <= low.height + Self.restShare * rise }?.frame ?? low.frame
    let end = heights.first { $0.height >= high.height - Self.restShare * rise }?.frame ?? high.frame
    return BarMovement(
      rise: rise / scale, time: timestamps[begin], duration: timestamps[end] - timestamps[begin],
      peakVelocity: peak / scale, unit: calibration == nil ? "px" : "cm", shortfall: shortfall)
  }

  /// The greatest speed that as many frames in a row have as it takes to move: noise alone is faster in one of them.
  private func greatestSpeed(_ frames: ClosedRange<Int>, downwards: Bool = false) -> Double {
    let speeds = velocity[frames].compactMap { speed in speed.map { downwards ? -$0 : $0 } }
    let count = min(LiftWindowFinder.confirmation, speeds.count)
    guard count > 0 else { return 0 }
    let steady = (count...speeds.count).compactMap { speeds[($0 - count)..<$0].min() }
    return max(steady.max() ?? 0, 0)
  }
}
