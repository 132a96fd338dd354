/// A frame of a recording, and what it measures.
public struct ArmSample: Sendable, Hashable {
  /// Seconds, as the recording has them.
  public let timestamp: Double
  /// Nil for a frame in which a wrist or a shoulder was not found.
  public let measures: ArmMeasures?
  /// Whether a point was filled in from the frames before and after.
  public let isInterpolated: Bool
}

/// The frames of a recording in pixels, with short gaps filled: what ``ArmDriftAnalysis`` measures.
public struct ArmSamples: Sendable {
  /// One a frame.
  public let samples: [ArmSample]
  /// Whether the labels of left and right were exchanged.
  public let areSidesExchanged: Bool
  /// For each point that is needed, in how many frames it is there.
  let found: [(keypoint: ArmKeypoint, frames: Int)]
  /// In how many frames all of these are there and measure nothing: the wrists lie on the shoulders.
  let lengthlessFrames: Int
  /// One for each ``ArmKeypoint``, in its order.
  private let tracks: [Track]

  /// A point is filled in where the frames that have it are at most this far apart, in seconds.
  static let longestGap = 0.25
  static let slack = 1e-6
  /// A point must be surer than this.
  static let minimumConfidence = 0.3

  /// Converts a recording to pixels, fills gaps, and puts left and right on their sides.
  public init(_ recording: ArmRecording) {
    let frames = recording.frames
    var tracks = ArmKeypoint.allCases.map { keypoint in
      Track(frames.map { $0.position(of: keypoint, minimumConfidence: Self.minimumConfidence) })
    }
    let times = frames.map(\.timestamp)
    for index in tracks.indices { tracks[index].fillGaps(times: times) }
    found = ArmKeypoint.required.map { ($0, tracks[$0.rawValue].positions.count { $0 != nil }) }

    areSidesExchanged = Self.areExchanged(
      tracks[ArmKeypoint.leftShoulder.rawValue].positions, tracks[ArmKeypoint.rightShoulder.rawValue].positions,
      subjectLeftIsImageLeft: recording.subjectLeftIsImageLeft)
    if areSidesExchanged { tracks = ArmKeypoint.allCases.map { tracks[$0.mirrored.rawValue] } }
    self.tracks = tracks
    let needed = ArmKeypoint.required.map { tracks[$0.rawValue] }
    var lengthlessFrames = 0
    samples = frames.indices.map { index in
      var measures: ArmMeasures?
      let points = needed.map { $0.positions[index] }
      if let lw = points[0], let rw = points[1], let ls = points[2], let rs = points[3] {
        measures = ArmMeasures(
          leftShoulder: ls, rightShoulder: rs, leftWrist: lw, rightWrist: rw, height: frames[index].height)
        if measures == nil { lengthlessFrames += 1 }
      }
      return ArmSample(
        timestamp: times[index], measures: measures,
        isInterpolated: measures != nil && needed.contains { $0.isFilled[index] })
    }
    self.lengthlessFrames = lengthlessFrames
  }

  /// Where a point is in a frame, in pixels from the top left: filled in and on its side as it is measured. Nil where
  /// it was not found, and for a frame that there is not.
  public func position(of keypoint: ArmKeypoint, inFrame index: Int) -> PosePoint? {
    let positions = tracks[keypoint.rawValue].positions
    guard positions.indices.contains(index), let position = positions[index] else { return nil }
    return PosePoint(x: position.x, y: position.y)
  }

  /// Whether most frames show the shoulders on the other sides than the recording says they are.
  private static func areExchanged(
    _ left: [(x: Double, y: Double)?], _ right: [(x: Double, y: Double)?], subjectLeftIsImageLeft: Bool?
  ) -> Bool {
    guard let subjectLeftIsImageLeft else { return false }
    var balance = 0
    for case (let left?, let right?) in zip(left, right) where left.x != right.x {
      balance += (left.x < right.x) == subjectLeftIsImageLeft ? 1 : -1
    }
    return balance < 0
  }

  /// One point through all frames.
  private struct Track: Sendable {
    var positions: [(x: Double, y: Double)?]
    var isFilled: [Bool]

    init(_ positions: [(x: Double, y: Double)?]) {
      self.positions = positions
      isFilled = Array(repeating: false, count: positions.count)
    }

    /// Fills what is missing between two frames that are near enough, on the straight line between them.
    mutating func fillGaps(times: [Double]) {
      var last: Int?
      for index in positions.indices {
        guard let after = positions[index] else { continue }
        defer { last = index }
        guard let first = last, index - first > 1, let before = positions[first] else { continue }
        let duration = times[index] - times[first]
        guard duration <= ArmSamples.longestGap + ArmSamples.slack else { continue }
        for missing in first + 1..<index {
          let part = (times[missing] - times[first]) / duration
          positions[missing] = (before.x + (after.x - before.x) * part, before.y + (after.y - before.y) * part)
          isFilled[missing] = true
        }
      }
    }
  }
}
