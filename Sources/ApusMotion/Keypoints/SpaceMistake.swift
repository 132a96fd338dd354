import ApusBase

/// Points that cannot be in the space that a file says they are in.
public enum SpaceMistake: Error, Sendable, Hashable {
  /// All points lie in the one pixel in the corner of their image: they are fractions of its sides.
  case fractionsForPixels(width: Double, height: Double)
  /// Most points lie far outside 0...1, as at `x` and `y`: they are pixels.
  case pixelsForFractions(ImageSpace, x: Double, y: Double)
}

extension SpaceMistake: CustomStringConvertible {
  /// What is wrong, and what the points seem to be.
  public var description: String {
    switch self {
    case .fractionsForPixels(let width, let height):
      "all points lie between 0 and 1, in an image of \(NumberText.short(width)) x \(NumberText.short(height)) "
        + "pixels: these are fractions of its sides, of the space normalized_topleft or vision"
    case .pixelsForFractions(let space, let x, let y):
      "most points lie far outside 0 to 1, as \(NumberText.short(x)), \(NumberText.short(y)): these are no fractions "
        + "of the image's sides, as the space \(space.rawValue) has them, but of the space pixel"
    }
  }
}

/// Tells from points whether they are in the space that they are said to be in.
struct SpaceFit: Sendable {
  private var count = 0
  private var farCount = 0
  private var far: (space: ImageSpace, x: Double, y: Double)?
  /// The image, while all points so far would fit into its corner pixel.
  private var corner: (width: Double, height: Double)?
  private var areFractions = true
  private var areAllZero = true

  /// An image of fewer pixels a side may be all fractions.
  static let leastSide = 20.0
  /// A detector that guesses at what is outside the picture goes up to here in fractions, and somewhat beyond.
  static let mostFraction = 1.05
  /// Fractions beyond this are pixels.
  private static let farFraction = 3.0

  /// Whether a point would fit into the corner pixel of an image that has many.
  static func isInCorner(x: Double, y: Double, width: Double, height: Double) -> Bool {
    abs(x) <= mostFraction && abs(y) <= mostFraction && min(width, height) >= leastSide
  }

  mutating func add(x: Double, y: Double, in space: ImageSpace, width: Double, height: Double) {
    count += 1
    if x != 0 || y != 0 { areAllZero = false }
    if space == .pixel, Self.isInCorner(x: x, y: y, width: width, height: height) {
      corner = (width, height)
    } else {
      areFractions = false
    }
    if space != .pixel, max(abs(x), abs(y)) > Self.farFraction {
      farCount += 1
      far = far ?? (space, x, y)
    }
  }

  /// What is wrong with the points so far, if anything is.
  var mistake: SpaceMistake? {
    if areFractions, !areAllZero, let corner {
      return .fractionsForPixels(width: corner.width, height: corner.height)
    }
    guard let far, 2 * farCount > count else { return nil }
    return .pixelsForFractions(far.space, x: far.x, y: far.y)
  }
}
