/// Chooses, frame by frame, which of the candidates is the bar.
///
/// A candidate's score is
/// `confidence − wristWeight · distance to the wrists − previousWeight · distance to the bar in the frame before`,
/// without the terms for which there is nothing; the highest wins, the first among equals. Candidates that lie too far
/// from the bar before (``BarPathSettings/jumpGate``), or are larger or smaller than it has been lately
/// (``BarPathSettings/sizeGate``), do not count: where the bar itself is missed, another plate is not taken for it.
///
/// The first choice has no bar before it and may be a neighbour's. So for the first ``BarPathSettings/recheckFrames``
/// frames every candidate begins a track of its own, and the best track is settled on at their end: the one with the
/// highest mean score, less half the share of the frames in which it was not seen.
struct BarSelector: Sendable {
  /// The bar in one frame, and what earlier frames look like now.
  struct Choice: Sendable, Equatable {
    var picked: BarCandidate?
    /// The choices for the frames up to this one, this one last, as they look now; empty where nothing earlier is in
    /// question.
    var believed: [BarCandidate?] = []
    /// Whether the bar that was followed is given up here: no way leads from it to what is picked now.
    var startsAnew = false
  }

  let settings: BarPathSettings

  /// A bar followed from the frame in which it was first seen.
  private struct Track {
    var last: BarCandidate
    var lastTime: Double
    /// The larger side of the box, averaged over the last dozen sightings.
    var side: Double
    var missing = 0
    /// The frames since it began, and in how many of them it was seen.
    var age = 1
    var sightings = 1
    var scoreSum: Double
    var picks: [BarCandidate?]

    var mean: Double {
      let seen = picks.count { $0 != nil }
      let missingShare = Double(picks.count - seen) / Double(picks.count)
      return scoreSum / Double(seen) - missingShare / 2
    }
  }

  /// No more tracks than this are followed at once.
  private static let trackLimit = 8

  private var tracks: [Track] = []
  private var isSettled = false

  init(settings: BarPathSettings) { self.settings = settings }

  mutating func choose(in frame: BarPixelFrame) -> Choice {
    if frame.isChosen { return Choice(picked: frame.candidates.first) }
    if isSettled {
      let picked = follow(&tracks[0], in: frame)
      guard picked == nil, settings.previousExpires, tracks[0].missing > settings.gapFillFrames else {
        return Choice(picked: picked.map { frame.candidates[$0] })
      }
      // A bar that was hardly ever seen was none.
      let takenBack = tracks[0].sightings < settings.recheckFrames ? tracks[0].age - 1 : 0
      (tracks, isSettled) = ([], false)
      var choice = acquire(in: frame)
      if choice.believed.isEmpty { choice.believed = [choice.picked] }
      choice.believed = [BarCandidate?](repeating: nil, count: takenBack) + choice.believed
      choice.startsAnew = true
      return choice
    }
    return acquire(in: frame)
  }

  /// What the frames that are still open look like at the end of the video.
  func settledAtEnd() -> [BarCandidate?] {
    isSettled ? [] : best.map { tracks[$0].picks } ?? []
  }

  /// The score of one candidate.
  func score(_ candidate: BarCandidate, in frame: BarPixelFrame, previous: BarPoint?) -> Double {
    var score = candidate.confidence
    if let (hand, weight) = hand(in: frame) {
      score -= settings.wristWeight * weight * distance(candidate.center, hand, in: frame)
    }
    if let previous { score -= settings.previousWeight * distance(candidate.center, previous, in: frame) }
    return score
  }

  private mutating func acquire(in frame: BarPixelFrame) -> Choice {
    var claimed: Set<Int> = []
    for index in tracks.indices {
      if let picked = follow(&tracks[index], in: frame) {
        claimed.insert(picked)
        tracks[index].picks.append(frame.candidates[picked])
      } else {
        tracks[index].picks.append(nil)
      }
    }
    let before = (tracks.first?.picks.count ?? 1) - 1
    let free = eligible(in: frame).filter { !claimed.contains($0) }.map { index in
      (index, score(frame.candidates[index], in: frame, previous: nil))
    }
    for (index, score) in free.sorted(by: { ($1.1, $0.0) < ($0.1, $1.0) }).prefix(Self.trackLimit - tracks.count) {
      let candidate = frame.candidates[index]
      tracks.append(
        Track(
          last: candidate, lastTime: frame.timestamp, side: candidate.size.larger, scoreSum: score,
          picks: [BarCandidate?](repeating: nil, count: before) + [candidate]))
    }
    guard let best else { return Choice() }
    let picks = tracks[best].picks
    if picks.count >= settings.recheckFrames {
      tracks = [tracks[best]]
      tracks[0].picks = []
      isSettled = true
    }
    return Choice(picked: picks[picks.count - 1], believed: picks)
  }

  private var best: Int? {
    tracks.indices.max { (tracks[$0].mean, $1) < (tracks[$1].mean, $0) }
  }

  /// The index of the candidate with which the track goes on, if there is one.
  private func follow(_ track: inout Track, in frame: BarPixelFrame) -> Int? {
    var found: (index: Int, score: Double)?
    let reach = reach(of: track, in: frame)
    track.age += 1
    for index in eligible(in: frame)
    where distance(frame.candidates[index].center, track.last.center, in: frame) <= reach
      && isOfItsSize(frame.candidates[index], track)
    {
      let score = score(frame.candidates[index], in: frame, previous: track.last.center)
      if found.map({ score > $0.score }) ?? true { found = (index, score) }
    }
    guard let found else {
      track.missing += 1
      return nil
    }
    track.last = frame.candidates[found.index]
    track.lastTime = frame.timestamp
    track.missing = 0
    track.sightings += 1
    track.side += (track.last.size.larger - track.side) / 12
    track.scoreSum += found.score
    return found.index
  }

  /// How far the bar may be from where it was last seen.
  private func reach(of track: Track, in frame: BarPixelFrame) -> Double {
    guard settings.jumpGate > 0, track.missing <= settings.gapFillFrames else { return .infinity }
    return settings.jumpGate * min(1, 30 * (frame.timestamp - track.lastTime)) * (1 + 1e-9)
  }

  /// Whether the box is about as large as the bar's have been. Positions without boxes have no size.
  private func isOfItsSize(_ candidate: BarCandidate, _ track: Track) -> Bool {
    let side = candidate.size.larger
    guard settings.sizeGate > 0, track.missing <= settings.gapFillFrames, side > 0, track.side > 0 else {
      return true
    }
    return abs(side - track.side) <= settings.sizeGate * track.side
  }

  private func eligible(in frame: BarPixelFrame) -> [Int] {
    frame.candidates.indices.filter { frame.candidates[$0].confidence > settings.yoloConfidence }
  }

  private func hand(in frame: BarPixelFrame) -> (BarPoint, weight: Double)? {
    func middle(_ a: BarPoint?, _ b: BarPoint?) -> BarPoint? {
      guard let a, let b else { return a ?? b }
      return BarPoint(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2)
    }
    if let wrists = middle(frame.leftWrist, frame.rightWrist) { return (wrists, 1) }
    guard settings.elbowFallback, let elbows = middle(frame.leftElbow, frame.rightElbow) else { return nil }
    return (elbows, 0.5)
  }

  private func distance(_ a: BarPoint, _ b: BarPoint, in frame: BarPixelFrame) -> Double {
    guard let width = frame.width, let height = frame.height else { return 0 }
    let dx = (a.x - b.x) / (settings.distanceUnit == .mixed ? width : height)
    let dy = (a.y - b.y) / height
    return (dx * dx + dy * dy).squareRoot()
  }
}
