/// What takes the place of a keypoint that was not seen.
///
/// The text form, on the command line, is `zero` or `hold:N`.
public enum MissingPolicy: Sendable, Hashable {
  /// The point becomes (0, 0), as in the original application.
  case zero
  /// The point keeps its last seen position for at most this many frames in a row (0 or more), then becomes (0, 0).
  case hold(frames: Int)
}

extension MissingPolicy: LosslessStringConvertible {
  /// Reads `zero` or `hold:N` with N an integer of 0 or more; nil for anything else.
  public init?(_ description: String) {
    if description == "zero" {
      self = .zero
    } else if description.hasPrefix("hold:"),
      description.dropFirst(5).utf8.allSatisfy({ (48...57).contains($0) }),
      let frames = Int(description.dropFirst(5))
    {
      self = .hold(frames: frames)
    } else {
      return nil
    }
  }

  /// `zero` or `hold:N`.
  public var description: String {
    switch self {
    case .zero: "zero"
    case .hold(let frames): "hold:\(frames)"
    }
  }
}

/// What happens to a normalised coordinate outside the image.
public enum RangePolicy: Sendable, Hashable {
  /// Coordinates up to `margin` outside 0...1 are clamped to it; a point further out counts as missing.
  case clamp(margin: Double)
  /// Coordinates are used as they are. For parity tests with inputs that are no poses.
  case unchecked

  /// A margin of 0.05: −0.05...1.05 is clamped to 0...1.
  public static let standard = RangePolicy.clamp(margin: 0.05)

  /// How far past the margin still counts as on it. 1 − 1.05 is −0.05000000000000004 in binary, so without
  /// it a flipped y would be judged differently from an unflipped one.
  static let roundingSlack = 1e-9

  /// The point to use, or nil where it counts as missing.
  func apply(_ point: (x: Double, y: Double)) -> (x: Double, y: Double)? {
    switch self {
    case .unchecked:
      return point
    case .clamp(let margin):
      let (lowest, highest) = (-margin - Self.roundingSlack, 1 + margin + Self.roundingSlack)
      guard point.x >= lowest, point.x <= highest, point.y >= lowest, point.y <= highest else { return nil }
      return (min(max(point.x, 0), 1), min(max(point.y, 0), 1))
    }
  }
}
