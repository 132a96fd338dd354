/// Lines over two axes.
///
/// ```swift
/// var chart = Chart(title: "Velocity", x: .init("time", unit: "s"), y: .init("velocity", unit: "cm/s"))
/// chart.series.append(.init("bar", points: samples.map { .init($0.time, $0.velocity) }))
/// let svg = chart.figure().svg()
/// ```
public struct Chart: Sendable, Hashable {
  /// A direction of a chart: what it shows, in which unit, from where to where.
  public struct Axis: Sendable, Hashable {
    /// What the axis shows, such as `velocity`; without the unit.
    public var title: String
    /// The unit, written in parentheses behind the title; nil for numbers without one.
    public var unit: String?
    /// What it shows, at least; more where the data need it.
    public var range: ClosedRange<Double>?

    /// An axis that shows all data, and `range` where it is given.
    public init(_ title: String, unit: String? = nil, range: ClosedRange<Double>? = nil) {
      self.title = title
      self.unit = unit
      self.range = range
    }

    var label: String { title + (unit.map { " (\($0))" } ?? "") }
  }

  /// How a series is drawn: as an unbroken line, as dashes, or as a dot a point.
  public enum Style: Sendable, Hashable {
    /// An unbroken line, a dashed one, or a dot for each point.
    case line, dashes, dots
  }

  /// Points of one kind, drawn in one colour and named in the legend.
  public struct Series: Sendable, Hashable {
    /// What the legend calls it.
    public var name: String
    /// How its points are joined.
    public var style: Style
    /// Which of the theme's colours; nil is that of its place among the series.
    public var color: Int?
    /// x and y; a y that is nil is a gap.
    public var points: [Sample]

    /// A series in the colour of its place among the series, unless `color` names another of the theme's.
    public init(_ name: String, style: Style = .line, color: Int? = nil, points: [Sample]) {
      self.name = name
      self.style = style
      self.color = color
      self.points = points
    }
  }

  /// A point of a series, or a gap in it.
  public struct Sample: Sendable, Hashable {
    /// The place along the x axis, in its unit.
    public var x: Double
    /// The value along the y axis, in its unit; nil for a gap.
    public var y: Double?

    /// A point, or a gap where `y` is nil.
    public init(_ x: Double, _ y: Double?) {
      self.x = x
      self.y = y
    }
  }

  /// A part of the x axis that is set apart, with its name above it.
  public struct Band: Sendable, Hashable {
    /// From where to where along the x axis, in its unit.
    public var range: ClosedRange<Double>
    /// What is written above the band.
    public var name: String

    /// A band over the whole height of the chart.
    public init(_ name: String, _ range: ClosedRange<Double>) {
      self.name = name
      self.range = range
    }
  }

  /// A value of the y axis that matters, with its name beside it.
  public struct Rule: Sendable, Hashable {
    /// The value along the y axis, in its unit.
    public var value: Double
    /// What is written beside the line.
    public var name: String
    /// Which of the theme's colours for data; nil is that of axes.
    public var color: Int?

    /// A horizontal line over the whole width of the chart.
    public init(_ name: String, _ value: Double, color: Int? = nil) {
      self.value = value
      self.name = name
      self.color = color
    }
  }

  /// What is written above the chart.
  public var title: String
  /// The horizontal axis.
  public var x: Axis
  /// The vertical axis.
  public var y: Axis
  /// The data, each series in front of those before it.
  public var series: [Series] = []
  /// The parts of the x axis that are set apart, behind the data.
  public var bands: [Band] = []
  /// The values of the y axis that matter.
  public var rules: [Rule] = []
  /// Whether a unit is as long on one axis as on the other, as in a map.
  public var keepsProportions = false
  /// Whether y grows downwards, as in a picture.
  public var isUpsideDown = false

  /// A chart without data; add them to ``series``, ``bands`` and ``rules``.
  public init(title: String, x: Axis, y: Axis) {
    self.title = title
    self.x = x
    self.y = y
  }
}
