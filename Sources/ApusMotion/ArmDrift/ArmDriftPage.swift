import ApusBase
import ApusMedia

/// A test of two arms on one page: what it came to, arm by arm, how far it can be relied on, charts, and frames with the
/// arms drawn on them.
///
/// A recording that shows too little for a level gets a page that says why; no score stands on it.
public struct ArmDriftPage: Sendable {
  /// What the analysis came to.
  public var result: ArmDriftResult
  /// Its charts.
  public var charts: ArmDriftCharts
  /// What was looked at.
  public var source: String
  /// Frames to show.
  public var pictures: [HTMLReport.Picture]

  /// A page of a result and its charts.
  public init(
    _ result: ArmDriftResult, charts: ArmDriftCharts, source: String, pictures: [HTMLReport.Picture] = []
  ) {
    self.result = result
    self.charts = charts
    self.source = source
    self.pictures = pictures
  }

  /// The page: one HTML file that needs nothing else.
  public var html: String { page.html }

  var page: HTMLReport {
    var page = HTMLReport(title: "Arm drift", subtitle: source)
    page.blocks = [.notice(ArmDriftNotice.disclaimer)]
    let method: String
    switch result {
    case .measured(let measurement):
      page.blocks += blocks(measurement)
      method = Self.method(measurement.settings)
    case .insufficientData(let insufficient):
      page.blocks += [
        .heading("Insufficient data"),
        .paragraph("The recording shows too little for a level, and none is given. \(insufficient.cause.sentence)"),
        .facts(Self.facts(insufficient.coverage)),
      ]
      method = Self.method(insufficient.settings)
    }
    page.blocks.append(.heading("Charts"))
    page.blocks += charts.all.map(HTMLReport.Block.figure)
    if !pictures.isEmpty { page.blocks += [.heading("Frames"), .pictures(pictures)] }
    page.blocks += [.heading("How it was measured"), .paragraph(method), .paragraph(ArmDriftNotice.standard)]
    return page
  }

  private func blocks(_ measurement: ArmDriftMeasurement) -> [HTMLReport.Block] {
    var blocks: [HTMLReport.Block] = [
      .facts([
        .init("estimated level", "\(measurement.estimatedMotorLevel) of 4"), .init("severity", measurement.severity),
        .init("arms that drift", measurement.driftSide.rawValue), .init("lower arm", measurement.lowerSide.rawValue),
        .init("quality of the points", measurement.quality.rawValue),
      ]),
      .paragraph(measurement.interpretation),
    ]
    blocks += measurement.notes.map { .notice($0.sentence) }
    blocks += [
      .heading("Arms"),
      .table(
        columns: ["arm", "start", "end", "sank by", "drifts after"],
        rows: [("left", measurement.left), ("right", measurement.right)].map { name, hold in
          [
            name, degrees(hold.startAngle), degrees(hold.endAngle), degrees(hold.drift),
            hold.timeToDrift.map { "\(NumberText.fixed($0, decimals: 1)) s" } ?? "–",
          ]
        }),
      .paragraph("Degrees below the horizontal. Start and end are the medians of the first and of the last second."),
      .heading("Asymmetry over time"), .facts(Self.facts(measurement.asymmetry)),
      .heading("Recording"), .facts(Self.facts(measurement.coverage)),
      .paragraph("Quality \(measurement.quality.rawValue): \(measurement.qualityReason)."),
    ]
    return blocks
  }

  private static func facts(_ course: AsymmetryCourse) -> [HTMLReport.Fact] {
    func number(_ value: Double) -> String { NumberText.short(value) }
    return [
      .init("mean", number(course.mean)), .init("lowest", number(course.minimum)),
      .init("highest", number(course.maximum)), .init("deviation", number(course.deviation)),
      .init("trend", "\(number(course.shownTrend)) /s"), .init("mean velocity", "\(number(course.meanVelocity)) /s"),
      .init("highest velocity", "\(number(course.maximumVelocity)) /s"),
      .init("stability", course.stability.map(number) ?? "fewer than ten samples"),
      .init("as in a tremor", course.isTremorLike.map { $0 ? "yes" : "no" } ?? "cannot be told"),
    ]
  }

  private static func facts(_ coverage: ArmCoverage) -> [HTMLReport.Fact] {
    var facts: [HTMLReport.Fact] = [
      .init("frames", "\(coverage.frames)"), .init("usable", "\(coverage.validFrames)"),
      .init("with points filled in", "\(coverage.interpolatedFrames)"),
      .init("length", "\(NumberText.fixed(coverage.seconds, decimals: 1)) s"),
      .init("of that seen", "\(NumberText.fixed(coverage.seenSeconds, decimals: 1)) s"),
      .init("longest interval", "\(NumberText.fixed(coverage.longestInterval, decimals: 2)) s"),
    ]
    if let rate = coverage.framesPerSecond { facts.append(.init("frames a second", NumberText.short(rate))) }
    return facts
  }

  private static func method(_ settings: ArmDriftSettings) -> String {
    let (profile, mode) = (settings.profile, settings.mode)
    let boundaries = profile.boundaries.map { NumberText.short($0) }.joined(separator: ", ")
    return "Profile \(profile.rawValue) (levels 1 to 4 from a mean asymmetry of \(boundaries)), mode \(mode.rawValue). "
      + "The asymmetry is how much the heights of the wrists differ, in mean lengths of the arms. An arm drifts when it "
      + "stays more than \(ArmHold.driftAngleText) below its own start for half a second. A level needs ten seconds, "
      + "and \(ArmDriftAnalysis.leastCoverageText) of the frames with both wrists and both shoulders. "
      + "No boundary has been validated on patients."
  }

  private func degrees(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) + "°" }
}

extension String {
  fileprivate var sentence: String { capitalizedFirst + "." }
}
