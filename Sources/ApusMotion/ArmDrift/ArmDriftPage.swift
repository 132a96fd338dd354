import ApusBase
import ApusMedia

/// A test of two arms on one page: what it came to, arm by arm, how far it can be relied on, charts, and frames with the
/// arms drawn on them.
///
/// A recording that shows too little for a level gets a page that says why; no score stands on it.
public struct ArmDriftPage: Sendable {
  public var outcome: ArmDriftOutcome
  public var charts: ArmDriftCharts
  /// What was looked at.
  public var source: String
  /// Frames to show.
  public var pictures: [HTMLReport.Picture]

  public init(
    _ outcome: ArmDriftOutcome, charts: ArmDriftCharts, source: String, pictures: [HTMLReport.Picture] = []
  ) {
    self.outcome = outcome
    self.charts = charts
    self.source = source
    self.pictures = pictures
  }

  public var html: String { page.html }

  var page: HTMLReport {
    var page = HTMLReport(title: "Arm drift", subtitle: source)
    page.blocks = [.notice(ArmDriftText.disclaimer)]
    let method: String
    switch outcome {
    case .report(let report):
      page.blocks += blocks(report)
      method = Self.method(report.profile, report.mode)
    case .insufficientData(let outcome):
      page.blocks += [
        .heading("Insufficient data"),
        .paragraph("The recording shows too little for a level, and none is given. \(outcome.cause)."),
        .facts(Self.facts(outcome.coverage)),
      ]
      method = Self.method(outcome.profile, outcome.mode)
    }
    page.blocks.append(.heading("Charts"))
    page.blocks += charts.all.map(HTMLReport.Block.figure)
    if !pictures.isEmpty { page.blocks += [.heading("Frames"), .pictures(pictures)] }
    page.blocks += [.heading("How it was measured"), .paragraph(method), .paragraph(ArmDriftText.standard)]
    return page
  }

  private func blocks(_ report: ArmDriftReport) -> [HTMLReport.Block] {
    var blocks: [HTMLReport.Block] = [
      .facts([
        .init("estimated level", "\(report.estimatedMotorLevel) of 4"), .init("severity", report.severity),
        .init("arms that drift", report.driftSide.rawValue), .init("lower arm", report.lowerSide.rawValue),
        .init("quality of the points", report.quality.rawValue),
      ]),
      .paragraph(report.interpretation),
    ]
    blocks += report.notes.map { .notice($0.sentence) }
    blocks += [
      .heading("Arms"),
      .table(
        columns: ["arm", "start", "end", "sank by", "drifts after"],
        rows: [("left", report.left), ("right", report.right)].map { name, hold in
          [
            name, degrees(hold.startAngle), degrees(hold.endAngle), degrees(hold.drift),
            hold.timeToDrift.map { "\(NumberText.fixed($0, decimals: 1)) s" } ?? "–",
          ]
        }),
      .paragraph("Degrees below the horizontal. Start and end are the medians of the first and of the last second."),
      .heading("Asymmetry over time"), .facts(Self.facts(report.asymmetry)),
      .heading("Recording"), .facts(Self.facts(report.coverage)),
      .paragraph("Quality \(report.quality.rawValue): \(report.qualityReason)."),
    ]
    return blocks
  }

  private static func facts(_ course: AsymmetryCourse) -> [HTMLReport.Fact] {
    func number(_ value: Double) -> String { NumberText.short(value) }
    return [
      .init("mean", number(course.mean)), .init("lowest", number(course.minimum)),
      .init("highest", number(course.maximum)), .init("deviation", number(course.deviation)),
      .init("trend", "\(number(course.trend)) /s"), .init("mean velocity", "\(number(course.meanVelocity)) /s"),
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

  private static func method(_ profile: ArmDriftProfile, _ mode: ArmDriftMode) -> String {
    let boundaries = profile.boundaries.map { NumberText.short($0) }.joined(separator: ", ")
    return "Profile \(profile.rawValue) (levels 1 to 4 from a mean asymmetry of \(boundaries)), mode \(mode.rawValue). "
      + "The asymmetry is how much the heights of the wrists differ, in mean lengths of the arms. An arm drifts when it "
      + "stays more than 10° below its own start for half a second. A level needs ten seconds, and 80 % of the frames "
      + "with both wrists and both shoulders. No boundary has been validated on patients."
  }

  private func degrees(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) + "°" }
}

extension ArmDriftInsufficientData {
  /// Why there is no level, as a sentence without its end.
  fileprivate var cause: String {
    let prefix = "insufficient_data: "
    return (description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description).capitalizedFirst
  }
}

extension String {
  fileprivate var sentence: String { capitalizedFirst + "." }
}
