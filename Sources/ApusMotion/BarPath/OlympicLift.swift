/// One lift of a bar to the shoulders or overhead, with its parts, as frames of a path.
struct OlympicLift: Sendable {
  typealias Turn = BarTurns.Turn

  struct Part: Sendable, Equatable {
    var kind: BarLiftPhase.Kind
    var start: Turn
    var end: Turn
  }

  /// The parts in the order of time, the drop apart.
  var parts: [Part] = []
  var drop: Part?
  /// Where the bar is highest.
  var top: Turn
  /// Where the first movement begins.
  var start: Turn

  func part(_ kind: BarLiftPhase.Kind) -> Part? { parts.first { $0.kind == kind } }
}

extension OlympicLift {
  /// A dip begins and ends above this share of the way overhead, and a catch lies below it.
  private static let leastDip = 0.52
  /// A dip goes down by no more than this share of it; the bar comes down farther onto a lifter who squats beneath it.
  private static let deepestDip = 0.18

  /// Reads a lift that begins below and ends above.
  ///
  /// The pull is the fastest way up that begins in the lower part: what comes before it leads to the hang. A low point
  /// after it is the catch; a low point above the middle, after the bar was stood up with, is the dip.
  ///
  /// - Parameters:
  ///   - turns: of one lift, from its first low point on.
  ///   - hasJerk: whether the lift ends overhead by a dip and a drive; without, it ends with the first stand.
  ///   - speed: the greatest upwards from one frame to another.
  /// - Returns: nil where there is no pull, or nothing above it.
  init?(pulled turns: [Turn], hasJerk: Bool, speed: (_ from: Int, _ to: Int) -> Double) {
    guard let start = turns.first, let highest = turns.max(by: { $0.height < $1.height }),
      let topPlace = turns.firstIndex(of: highest), topPlace > 0, highest.height > start.height
    else { return nil }
    let whole = highest.height - start.height
    func level(_ turn: Turn) -> Double { (turn.height - start.height) / whole }
    // Ways up are those that begin at a low point: at every second turn.
    let lows = stride(from: 0, to: topPlace, by: 1).filter { turns[$0].height < turns[$0 + 1].height }
    let pulls = lows.filter { level(turns[$0]) < (hasJerk ? 0.35 : 0.45) }
    guard
      let pull = pulls.max(by: {
        speed(turns[$0].frame, turns[$0 + 1].frame) < speed(turns[$1].frame, turns[$1 + 1].frame)
      })
    else { return nil }
    self.start = start
    for place in 0..<pull {
      let kind: BarLiftPhase.Kind = turns[place].height < turns[place + 1].height ? .lift : .lowering
      parts.append(Part(kind: kind, start: turns[place], end: turns[place + 1]))
    }
    parts.append(Part(kind: .pull, start: turns[pull], end: turns[pull + 1]))
    var place = pull + 1
    // After the pull the bar comes down onto the lifter, and is stood up with; or it has been caught standing.
    let dip = hasJerk ? Self.dip(in: turns, after: place, before: topPlace, level: level) : nil
    if place < topPlace, dip != place + 1 {
      parts.append(Part(kind: .catch, start: turns[place], end: turns[place + 1]))
      let stand = hasJerk ? min(place + 2, topPlace) : topPlace
      parts.append(Part(kind: .recovery, start: turns[place + 1], end: turns[stand]))
      place = stand
    }
    if hasJerk {
      guard let dip, dip > place else { return nil }
      parts.append(Part(kind: .dip, start: turns[dip - 1], end: turns[dip]))
      parts.append(Part(kind: .drive, start: turns[dip], end: turns[topPlace]))
    }
    top = turns[topPlace]
    if topPlace + 1 < turns.count { drop = Part(kind: .drop, start: top, end: turns[topPlace + 1]) }
  }

  /// Reads a lift that begins at the shoulders: the first low point is the dip.
  init?(jerked turns: [Turn]) {
    guard let highest = turns.max(by: { $0.height < $1.height }), let topPlace = turns.firstIndex(of: highest),
      let dip = turns[..<topPlace].indices.min(by: { turns[$0].height < turns[$1].height }), dip > 0
    else { return nil }
    start = turns[dip - 1]
    top = highest
    guard start.height < top.height else { return nil }
    parts = [
      Part(kind: .dip, start: start, end: turns[dip]), Part(kind: .drive, start: turns[dip], end: turns[topPlace]),
    ]
    if topPlace + 1 < turns.count { drop = Part(kind: .drop, start: top, end: turns[topPlace + 1]) }
  }

  /// The lowest of the low points of the upper part.
  private static func dip(in turns: [Turn], after first: Int, before top: Int, level: (Turn) -> Double) -> Int? {
    let lows = (first..<top).filter {
      $0 > first && turns[$0].height < turns[$0 + 1].height && turns[$0].height < turns[$0 - 1].height
        && level(turns[$0]) >= leastDip && level(turns[$0 - 1]) - level(turns[$0]) <= deepestDip
    }
    return lows.min { turns[$0].height < turns[$1].height }
  }
}

extension OlympicLift {
  /// The lifts in a path, one after the other: each ends where the bar comes back down after it was at the top.
  static func lifts(
    in turns: BarTurns, type: BarLiftType, speed: (_ from: Int, _ to: Int) -> Double
  ) -> [OlympicLift] {
    // The bar comes to the floor again, or, between two jerks, to the shoulders.
    let (low, high) = (type == .jerk ? 0.45 : 0.25, 0.75)
    var lifts: [OlympicLift] = []
    var (part, wasHigh) = ([Turn](), false)
    func end() {
      if wasHigh {
        let lift =
          type == .jerk
          ? OlympicLift(jerked: part)
          : OlympicLift(pulled: part, hasJerk: type == .cleanAndJerk, speed: speed)
        if let lift { lifts.append(lift) }
      }
      (part, wasHigh) = ([], false)
    }
    for turn in turns.all {
      // A lift from the floor begins there.
      if part.isEmpty, type != .jerk, turns.level(turn) > low { continue }
      part.append(turn)
      if turns.level(turn) >= high { wasHigh = true }
      if wasHigh, turns.level(turn) <= low {
        end()
        part = [turn]
      }
    }
    end()
    return lifts
  }
}

extension OlympicLift {
  /// Its phases, trimmed to where the bar moves, and held where it is held.
  func phases(_ ruler: PhaseRuler) -> [BarLiftPhase] {
    var phases = (parts + [drop].compactMap(\.self)).compactMap { part -> BarLiftPhase? in
      var (start, end) = ruler.moving(part.start.frame, part.end.frame)
      // Before the dip the bar settles for seconds.
      if part.kind == .dip { start = ruler.lastRest(start, end) }
      return ruler.phase(part.kind, start, end)
    }
    guard let last = phases.lastIndex(where: { $0.kind != .drop }) else { return phases }
    // The bar is caught overhead where it first stops; what comes after, standing up from a split as well, is lockout.
    let final = phases[last]
    let caught = final.kind == .drive ? ruler.firstStop(final.startFrame, final.endFrame) : final.endFrame
    if caught < final.endFrame, let drive = ruler.phase(.drive, final.startFrame, caught) { phases[last] = drive }
    let held = phases.indices.contains(last + 1) ? phases[last + 1].startFrame : ruler.lastHeld(top.frame)
    if let lockout = ruler.phase(.lockout, phases[last].endFrame, held) { phases.insert(lockout, at: last + 1) }
    return phases
  }
}

extension OlympicLift {
  /// The lift as a repetition: its first movement to the end of lockout, and the way up that its speed is told by: the
  /// pull, or of a jerk the drive.
  func span(_ ruler: PhaseRuler) -> RepSpan? {
    let phases = phases(ruler).filter { $0.kind != .drop }
    guard let first = phases.first, let last = phases.last,
      let up = phases.first(where: { $0.kind == .pull }) ?? phases.first(where: { $0.kind == .drive })
    else { return nil }
    let concentric = LiftPhase(
      isUp: true, start: up.startFrame + 1, end: up.endFrame, displacement: up.rise)
    return RepSpan(concentric: concentric, whole: (first.startFrame + 1)...last.endFrame)
  }
}

extension PhaseRuler {
  /// A movement begins at the last frame that has not gone more than this share of the way, and ends likewise.
  private static let restingShare = 0.03
  /// A drive has come to its end where the bar is slower than this share of its greatest speed.
  private static let stoppedShare = 0.1

  /// The frames between two turns in which the bar moves.
  func moving(_ start: Int, _ end: Int) -> (Int, Int) {
    guard let a = path[start]?.y, let b = path[end]?.y, a != b else { return (start, end) }
    func share(_ index: Int) -> Double? { path[index].map { ($0.y - a) / (b - a) } }
    let first = (start...end).last { share($0).map { $0 <= Self.restingShare } ?? false } ?? start
    let last = (first...end).first { share($0).map { $0 >= 1 - Self.restingShare } ?? false } ?? end
    return first < last ? (first, last) : (start, end)
  }

  /// The last frame before the fastest one on the way down at which the bar had not begun it.
  func lastRest(_ start: Int, _ end: Int) -> Int {
    guard let fastest = (start...end).min(by: { (velocity[$0] ?? 0) < (velocity[$1] ?? 0) }),
      let peak = velocity[fastest]
    else { return start }
    return (start...fastest).last { (velocity[$0] ?? 0) > peak * Self.stoppedShare } ?? start
  }

  /// The first frame after the fastest one at which the bar has all but stopped.
  func firstStop(_ start: Int, _ end: Int) -> Int {
    guard let fastest = (start...end).max(by: { (velocity[$0] ?? 0) < (velocity[$1] ?? 0) }),
      let peak = velocity[fastest]
    else { return end }
    return (fastest...end).first { (velocity[$0] ?? 0) < peak * Self.stoppedShare } ?? end
  }

  /// The last frame at which the bar is known, from one on.
  func lastHeld(_ frame: Int) -> Int { path.indices.last { $0 >= frame && path[$0] != nil } ?? frame }
}
