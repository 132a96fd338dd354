/// Lines over two axes.
///
/// ```swift
/// var chart = Chart(title: "Velocity", x: .init("time", unit: "s"), y: .init("velocity", unit: "cm/s"))
/// chart.series.append(.init("bar", points: samples.map { ($0.time, $0.velocity) }))
/// let svg = chart.figure().svg()
/// ```
public struct Chart: Sendable, Hashable {
  public struct Axis: Sendable, Hashable {
    public var title: String
    public var unit: String?
    /// What it shows, at least; more where the data need it.
    public var range: ClosedRange<Double>?

    public init(_ title: String, unit: String? = nil, range: ClosedRange<Double>? = nil) {
      self.title = title
      self.unit = unit
      self.range = range
    }

    var label: String { title + (unit.map { " (\($0))" } ?? "") }
  }

  public enum Style: Sendable, Hashable {
    case line, dashes, dots
  }

  public struct Series: Sendable, Hashable {
    public var name: String
    public var style: Style
    /// Which of the theme's colours; nil is that of its place among the series.
    public var color: Int?
    /// x and y; a y that is nil is a gap.
    public var points: [Sample]

    public init(_ name: String, style: Style = .line, color: Int? = nil, points: [Sample]) {
      self.name = name
      self.style = style
      self.color = color
      self.points = points
    }
  }

  /// A point of a series, or a gap in it.
  public struct Sample: Sendable, Hashable {
    public var x: Double
    public var y: Double?

    public init(_ x: Double, _ y: Double?) {
      self.x = x
      self.y = y
    }
  }

  /// A part of the x axis that is set apart, with its name above it.
  public struct Band: Sendable, Hashable {
    public var range: ClosedRange<Double>
    public var name: String

    public init(_ name: String, _ range: ClosedRange<Double>) {
      self.name = name
      self.range = range
    }
  }

  /// A value of the y axis that matters, with its name beside it.
  public struct Rule: Sendable, Hashable {
    public var value: Double
    public var name: String
    /// Which of the theme's colours for data; nil is that of axes.
    public var color: Int?

    public init(_ name: String, _ value: Double, color: Int? = nil) {
      self.value = value
      self.name = name
      self.color = color
    }
  }

  public var title: String
  public var x: Axis
  public var y: Axis
  public var series: [Series] = []
  public var bands: [Band] = []
  public var rules: [Rule] = []
  /// Whether a unit is as long on one axis as on the other, as in a map.
  public var keepsProportions = false
  /// Whether y grows downwards, as in a picture.
  public var isUpsideDown = false

  public init(title: String, x: Axis, y: Axis) {
    self.title = title
    self.x = x
    self.y = y
  }
}
