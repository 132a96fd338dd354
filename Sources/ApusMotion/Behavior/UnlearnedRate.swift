import ApusBase

/// A window whose frames come faster or slower than those that the model learned from: motion in it looks hurried or
/// dragged, and the model is as sure as ever of another label.
public struct UnlearnedRate: Sendable, Hashable {
  /// Seconds from the window's oldest frame to its newest.
  public let windowSeconds: Double
  /// What they were in training.
  public let learnedSeconds: Double
  /// Frames a second in the window.
  public let framesPerSecond: Double
  /// What they were in training.
  public let learnedFramesPerSecond: Double

  /// Windows may be this share longer or shorter than those learned: a dog's own tempo varies as much.
  static let tolerance = 0.25

  /// - Returns: nil where the window lasts about as long as those in training, or that is unknown.
  init?(windowSeconds: Double, info: BehaviorModelInfo) {
    guard let rate = info.framesPerSecond, let learned = info.windowSeconds, learned > 0,
      windowSeconds > 0, abs(windowSeconds - learned) > Self.tolerance * learned
    else { return nil }
    self.windowSeconds = windowSeconds
    learnedSeconds = learned
    framesPerSecond = Double(info.windowLength - 1) / windowSeconds
    learnedFramesPerSecond = rate
  }
}

extension UnlearnedRate: CustomStringConvertible {
  /// What it is, what was learned, and what helps.
  public var description: String {
    let (found, learned) = (NumberText.short(framesPerSecond), NumberText.short(learnedFramesPerSecond))
    return "windows last \(NumberText.fixed(windowSeconds, decimals: 1)) s (\(found) frames a second); the model "
      + "learned from \(NumberText.fixed(learnedSeconds, decimals: 1)) s (\(learned) a second), and its labels mean "
      + "little at another rate: give poses at \(learned) a second or more, with --fps \(learned)"
  }
}
