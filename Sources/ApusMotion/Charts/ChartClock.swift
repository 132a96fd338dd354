import ApusBase
import ApusMedia

/// The time axis of charts and tables: seconds as the data have them, or minutes where there are many of them. Times
/// that count from somewhere far away, such as those of a calendar, are counted from the first one instead.
struct ChartClock: Sendable, Hashable {
  let axis: Chart.Axis
  private let origin: Double
  private let unitsPerSecond: Double

  /// More seconds are shown as minutes.
  private static let mostSeconds = 600.0
  /// Later times are counted from the first.
  private static let latestStart = 1e5

  /// - Parameters: the first and the last time, in seconds.
  init(first: Double, last: Double) {
    origin = abs(first) > Self.latestStart ? first : 0
    let isLong = last - first > Self.mostSeconds
    unitsPerSecond = isLong ? 1.0 / 60 : 1
    axis = .init(origin == 0 ? "time" : "time since the first frame", unit: isLong ? "min" : "s")
  }

  /// Where a time is on the axis.
  func place(_ time: Double) -> Double { (time - origin) * unitsPerSecond }

  func range(_ start: Double, _ end: Double) -> ClosedRange<Double> {
    let (start, end) = (place(start), place(end))
    return start...max(start, end)
  }

  /// A time for a table: in seconds, or as minutes and seconds.
  func text(_ time: Double) -> String {
    let seconds = time - origin
    guard unitsPerSecond < 1, seconds.magnitude < 1e9 else { return NumberText.fixed(seconds, decimals: 1) + " s" }
    let tenths = Int((seconds.magnitude * 10).rounded())
    let rest = "\(tenths % 600 / 10).\(tenths % 10)"
    return (seconds < 0 ? "-" : "") + "\(tenths / 600):" + (rest.count < 4 ? "0" : "") + rest
  }
}
