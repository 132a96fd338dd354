/// A drawing of lines, areas and text, to be written as SVG or drawn into a picture.
///
/// Coordinates are in units of the figure, which become pixels at scale 1: x to the right, y downwards.
public struct Figure: Sendable, Hashable {
  /// A place in units of the figure.
  public struct Point: Sendable, Hashable {
    /// To the right of the figure's left edge.
    public var x: Double
    /// Down from the figure's upper edge.
    public var y: Double

    /// A point in or outside the figure.
    public init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// How a line is drawn.
  public struct Stroke: Sendable, Hashable {
    /// What the line's colour is for.
    public var ink: Ink
    /// The width of the line in units of the figure.
    public var width: Double
    /// Alternating lengths of dashes and gaps; none for a line without gaps.
    public var dashes: [Double] = []

    /// A line without gaps, unless `dashes` gives their lengths.
    public init(_ ink: Ink, width: Double = 1, dashes: [Double] = []) {
      self.ink = ink
      self.width = width
      self.dashes = dashes
    }
  }

  /// Which point of a text its position is.
  public enum Anchor: String, Sendable, Hashable {
    /// Its beginning, its middle, or its end.
    case start, middle, end
  }

  /// A line of text.
  public struct Text: Sendable, Hashable {
    /// What is written; line breaks are not observed.
    public var text: String
    /// Where its baseline begins, has its middle, or ends.
    public var position: Point
    /// Which point of the text ``position`` is.
    public var anchor = Anchor.start
    /// The height of the letters, as CSS's `font-size` measures it, in units of the figure.
    public var size = 12.0
    /// What the text's colour is for.
    public var ink = Ink.foreground
    /// Whether the text is set in a bold face.
    public var isBold = false
    /// Turned by a quarter against the clock, to be read from below.
    public var isVertical = false

    /// Upright text from left to right, unless `isVertical` turns it.
    public init(
      _ text: String, at position: Point, anchor: Anchor = .start, size: Double = 12, ink: Ink = .foreground,
      isBold: Bool = false, isVertical: Bool = false
    ) {
      self.text = text
      self.position = position
      self.anchor = anchor
      self.size = size
      self.ink = ink
      self.isBold = isBold
      self.isVertical = isVertical
    }
  }

  /// Something that is drawn; opacity is from 0 to 1.
  public enum Item: Sendable, Hashable {
    /// Straight lines from each point to the next.
    case line([Point], Stroke)
    /// The inside of an outline.
    case area([Point], Ink, opacity: Double)
    /// The inside of a circle.
    case disc(center: Point, radius: Double, Ink)
    /// A line of text.
    case text(Text)
  }

  /// The width in units of the figure.
  public let width: Double
  /// The height in units of the figure.
  public let height: Double
  /// What it shows, in a sentence, for readers who cannot see it.
  public var summary: String
  /// From back to front.
  public private(set) var items: [Item] = []

  /// An empty figure.
  public init(width: Double, height: Double, summary: String) {
    self.width = width
    self.height = height
    self.summary = summary
  }

  /// Adds something in front of what is there. Coordinates that are not finite are ignored.
  public mutating func add(_ item: Item) {
    switch item {
    case .line(let points, let stroke):
      let points = points.filter(\.isFinite)
      if points.count > 1 { items.append(.line(points, stroke)) }
    case .area(let points, let ink, let opacity):
      let points = points.filter(\.isFinite)
      if points.count > 2 { items.append(.area(points, ink, opacity: opacity)) }
    case .disc(let center, let radius, _):
      if center.isFinite, radius.isFinite, radius > 0 { items.append(item) }
    case .text(let text):
      if text.position.isFinite, !text.text.isEmpty { items.append(item) }
    }
  }

  /// Adds a rectangle.
  public mutating func addRectangle(
    x: Double, y: Double, width: Double, height: Double, _ ink: Ink, opacity: Double = 1
  ) {
    let corners = [Point(x, y), Point(x + width, y), Point(x + width, y + height), Point(x, y + height)]
    add(.area(corners, ink, opacity: opacity))
  }

  /// About how wide a text is: digits and small letters of usual fonts are half as wide as high.
  package static func width(of text: String, size: Double) -> Double {
    Double(text.count) * size * 0.56
  }
}

extension Figure.Point {
  var isFinite: Bool { x.isFinite && y.isFinite }
}
