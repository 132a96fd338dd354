import ApusMedia

/// A lift as charts: the way of the bar, its height over time, and its speed.
///
/// Lengths are in the units of the result's settings, measured from where the bar was seen first: up and to the right are
/// positive. Without a scale they are pixels.
public struct BarPathCharts: Sendable {
  private let result: BarPathResult
  private let origin: BarPoint
  private let unitsPerPixel: Double
  private let unit: String
  private let speedUnit: String
  private let speedFactor: Double

  /// The charts of a result.
  public init(_ result: BarPathResult) {
    self.result = result
    let isImperial = result.settings.units == .imperial
    origin = result.samples.lazy.compactMap(\.position).first ?? BarPoint(x: 0, y: 0)
    if let calibration = result.calibration {
      unitsPerPixel = result.settings.units.length(1 / calibration.pixelsPerCm)
      (unit, speedUnit) = isImperial ? ("in", "in/s") : ("cm", "m/s")
      speedFactor = isImperial ? result.settings.units.length(1) : 0.01
    } else {
      (unitsPerPixel, unit, speedUnit, speedFactor) = (1, "px", "px/s", 1)
    }
  }

  /// Every chart, with the name of its file.
  public var all: [ReportFigure] {
    [ReportFigure("path", path, height: 560), ReportFigure("height", height), ReportFigure("velocity", velocity)]
  }

  /// Where the bar went, seen from the side.
  public var path: Chart {
    var chart = Chart(title: "Bar path", x: .init("sideways", unit: unit), y: .init("height", unit: unit))
    chart.keepsProportions = true
    let parts = result.reps.map { result.samples[Self.range($0, result.samples.count)].map(place) }
    if parts.isEmpty {
      chart.series = [.init("bar", points: result.samples.map(place))]
    } else if parts.count <= Self.mostColors {
      chart.series = zip(result.reps, parts).map { .init("rep \($0.id + 1)", points: $1) }
    } else {
      chart.series = [.init("\(parts.count) reps", points: Array(parts.joined(separator: [.init(0, nil)])))]
    }
    return chart
  }

  /// More repetitions are of one colour.
  private static let mostColors = 8

  /// How high the bar was.
  public var height: Chart {
    var chart = Chart(title: "Height of the bar", x: .init("time", unit: "s"), y: .init("height", unit: unit))
    chart.series = [
      .init("seen", style: .dashes, points: result.samples.map { .init($0.timestamp, $0.position.map(up)) }),
      .init("smoothed", points: result.samples.map { .init($0.timestamp, $0.drawn.map(up)) }),
    ]
    chart.bands = bands
    return chart
  }

  /// How fast it went up.
  public var velocity: Chart {
    var chart = Chart(title: "Velocity of the bar", x: .init("time", unit: "s"), y: .init("upwards", unit: speedUnit))
    chart.series = [
      .init("velocity", points: result.samples.map { .init($0.timestamp, $0.drawnVelocity.map { $0 * speedFactor }) })
    ]
    chart.bands = bands
    chart.rules = [.init("at rest", 0)]
    return chart
  }

  private var bands: [Chart.Band] {
    result.reps.map { .init("rep \($0.id + 1)", $0.startTime...max($0.startTime, $0.endTime)) }
  }

  private func up(_ point: BarPoint) -> Double { (origin.y - point.y) * unitsPerPixel }

  private func place(_ sample: BarPathSample) -> Chart.Sample {
    guard let point = sample.drawn else { return .init(0, nil) }
    return .init((point.x - origin.x) * unitsPerPixel, up(point))
  }

  /// The samples of a repetition, with the one that it starts from.
  private static func range(_ rep: BarRep, _ count: Int) -> Range<Int> {
    max(0, rep.startFrame - 1)..<min(count, rep.endFrame + 1)
  }
}
