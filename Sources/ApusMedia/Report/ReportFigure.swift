/// A chart of a report, drawn for its place: for files and wide screens, and for narrow ones with letters as large.
public struct ReportFigure: Sendable, Hashable {
  /// For its file.
  public var name: String
  /// 720 units wide, for files and wide screens.
  public var wide: Figure
  /// 360 units wide, for narrow screens.
  public var narrow: Figure

  private static let (wideWidth, narrowWidth) = (720.0, 360.0)

  /// The chart drawn twice; the narrow one is 0.8 times as high.
  public init(_ name: String, _ chart: Chart, height: Double = 360) {
    self.name = name
    wide = chart.figure(width: Self.wideWidth, height: height)
    narrow = chart.figure(width: Self.narrowWidth, height: height * 0.8)
  }

  /// Timelines are as high as their rows.
  public init(_ name: String, _ chart: TimelineChart) {
    self.name = name
    wide = chart.figure(width: Self.wideWidth)
    narrow = chart.figure(width: Self.narrowWidth)
  }
}
