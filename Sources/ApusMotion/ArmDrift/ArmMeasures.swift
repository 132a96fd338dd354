import ApusPlatform

/// What one frame measures. Distances are in pixels, where x and y are of one length.
public struct ArmMeasures: Sendable, Hashable {
  /// |y of the left wrist − y of the right wrist| / ((L + R) / 2), where L and R are the lengths of the arms. 0 where
  /// both wrists are at one height.
  public let asymmetry: Double
  /// Degrees below the horizontal of the line from shoulder to wrist, −90...90: 0 is held out, 90 hangs.
  public let leftAngle: Double
  /// The same of the right arm, in degrees.
  public let rightAngle: Double
  /// Distance from shoulder to wrist, in pixels.
  public let leftLength: Double
  /// The same of the right arm, in pixels.
  public let rightLength: Double
  /// Distance between the shoulders, in pixels.
  public let shoulderWidth: Double
  /// Height of the right wrist above the left one, as a fraction of the image's height: above 0 where the left one is
  /// lower.
  public let verticalDifference: Double

  /// (L + R) / 2.
  public var meanLength: Double { (leftLength + rightLength) / 2 }

  /// ``meanLength`` in shoulder widths, infinite where the shoulders are one.
  public var shoulderWidths: Double { shoulderWidth > 0 ? meanLength / shoulderWidth : .infinity }

  /// |L − R| / max(L, R).
  public var lengthDifference: Double {
    let longest = max(leftLength, rightLength)
    return longest > 0 ? abs(leftLength - rightLength) / longest : 1
  }

  /// Shorter arms than this, in pixels, have no direction: the wrists lie on the shoulders.
  static let shortestLength = 1e-3

  /// - Parameters: positions in pixels from the top left, and the image's height in pixels.
  /// - Returns: nil where the arms have no length.
  init?(
    leftShoulder: (x: Double, y: Double), rightShoulder: (x: Double, y: Double), leftWrist: (x: Double, y: Double),
    rightWrist: (x: Double, y: Double), height: Double
  ) {
    leftLength = Self.distance(leftShoulder, leftWrist)
    rightLength = Self.distance(rightShoulder, rightWrist)
    shoulderWidth = Self.distance(leftShoulder, rightShoulder)
    let meanLength = (leftLength + rightLength) / 2
    guard meanLength >= Self.shortestLength else { return nil }
    asymmetry = abs(leftWrist.y - rightWrist.y) / meanLength
    leftAngle = Self.angle(leftShoulder, leftWrist)
    rightAngle = Self.angle(rightShoulder, rightWrist)
    verticalDifference = (leftWrist.y - rightWrist.y) / height
  }

  private static func distance(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double)) -> Double {
    let (dx, dy) = (a.x - b.x, a.y - b.y)
    return (dx * dx + dy * dy).squareRoot()
  }

  private static func angle(_ shoulder: (x: Double, y: Double), _ wrist: (x: Double, y: Double)) -> Double {
    atan2(wrist.y - shoulder.y, abs(wrist.x - shoulder.x)) * 180 / .pi
  }
}
