/// What is lifted, and so which phases make a repetition.
public enum BarLiftType: String, CaseIterable, Sendable, Hashable {
  /// Whatever the path looks like most, see ``BarLiftGuess``.
  case auto
  /// Down, then up.
  case squat
  /// Down, then up.
  case bench
  /// Up from the floor, then perhaps down.
  case deadlift
  /// Up from the shoulders, then perhaps down.
  case press
  /// Up from hanging arms, then perhaps down.
  case row
  /// From the floor, or from the hang, to the shoulders.
  case clean
  /// From the floor, or from the hang, overhead in one pull.
  case snatch
  /// From the shoulders overhead, by a dip and a drive.
  case jerk
  /// From the floor to the shoulders, and from there overhead.
  case cleanAndJerk = "clean-and-jerk"
  /// Any way up, then perhaps down.
  case any

  /// In words.
  public var name: String { self == .cleanAndJerk ? "clean and jerk" : rawValue }

  /// Whether a repetition is several movements one after the other.
  var isOlympic: Bool { [.clean, .snatch, .jerk, .cleanAndJerk].contains(self) }

  /// Whether a repetition needs a way down before the way up.
  var beginsDownwards: Bool { [.squat, .bench, .auto].contains(self) }

  /// The phases of a repetition that is a way down and a way up, or the other way round.
  var simplePhases: (up: BarLiftPhase.Kind, down: BarLiftPhase.Kind) {
    switch self {
    case .deadlift, .row: (.pull, .lowering)
    case .press: (.drive, .lowering)
    default: (.ascent, .descent)
    }
  }

  /// What a repetition is, in a sentence about what was not found.
  var repetition: String {
    switch self {
    case .squat, .bench: "a way down and, within 3 s, one up"
    case .deadlift, .press, .row, .any, .auto: "a way up"
    case .clean, .snatch: "a pull from below and a stand above it"
    case .jerk: "a dip and a drive above it"
    case .cleanAndJerk: "a pull, a stand, a dip, and a drive above it"
    }
  }
}
