/// A person in a frame of detections.
struct ArmPerson {
  var score: Double
  var points: [ArmKeypoint: PosePoint]
}

/// Chooses one of several people, and stays with that one: the surest at first, then the one whose shoulders are
/// nearest to where they were. Who is more than a shoulder width away from there is somebody else, and the frame shows
/// nobody; after a second of that the surest is chosen anew.
///
/// Scores alone change from frame to frame, and would put the arms of two people into one recording.
struct ArmPersonFollower {
  /// How often somebody was chosen anew.
  private(set) var changes = 0

  /// Nobody is waited for longer than this, in seconds.
  static let longestAbsence = 1.0
  /// Shoulders seen from aside are near each other; this share of the picture's height counts at least.
  private static let leastWidth = 0.05

  /// Whom it follows.
  private var followed: Place?
  private var lastSeen = 0.0

  /// Where a person's shoulders are, in pixels.
  private struct Place {
    var x: Double
    var y: Double
    var width: Double

    /// Nil where no shoulder was found.
    init?(_ frame: ArmFrame) {
      let shoulders = [ArmKeypoint.leftShoulder, .rightShoulder].compactMap {
        frame.position(of: $0, minimumConfidence: ArmSamples.minimumConfidence)
      }
      guard let first = shoulders.first, let last = shoulders.last else { return nil }
      (x, y) = ((first.x + last.x) / 2, (first.y + last.y) / 2)
      let distance = ((first.x - last.x) * (first.x - last.x) + (first.y - last.y) * (first.y - last.y)).squareRoot()
      width = max(distance, ArmPersonFollower.leastWidth * frame.height)
    }

    func distance(to other: Place) -> Double {
      ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
  }

  /// The points of the person in a frame; none where that one is not in it.
  ///
  /// - Parameter frame: anything but its points.
  mutating func points(among people: [ArmPerson], in frame: ArmFrame) -> [ArmKeypoint: PosePoint] {
    let places = people.map { person in
      Place(
        ArmFrame(
          timestamp: frame.timestamp, width: frame.width, height: frame.height, space: frame.space,
          points: person.points))
    }
    if let followed {
      let nearest = people.indices.filter { places[$0] != nil }.min {
        distance(places[$0], followed) < distance(places[$1], followed)
      }
      if let nearest, distance(places[nearest], followed) <= followed.width {
        follow(places[nearest], at: frame.timestamp)
        return people[nearest].points
      }
      guard frame.timestamp - lastSeen > Self.longestAbsence + ArmSamples.slack else { return [:] }
    }
    guard let surest = people.surest else { return [:] }
    if followed != nil { changes += 1 }
    followed = nil
    follow(places[surest], at: frame.timestamp)
    return people[surest].points
  }

  private mutating func follow(_ place: Place?, at time: Double) {
    guard var place else { return }
    // Whoever turns aside is as wide as before.
    place.width = max(place.width, followed?.width ?? 0)
    (followed, lastSeen) = (place, time)
  }

  private func distance(_ place: Place?, _ other: Place) -> Double { place?.distance(to: other) ?? .infinity }
}

extension [ArmPerson] {
  /// Where the highest score is; the first of those that are equal.
  var surest: Int? { indices.max { self[$0].score < self[$1].score || (self[$0].score == self[$1].score && $0 > $1) } }
}
