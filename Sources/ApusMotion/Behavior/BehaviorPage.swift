import ApusBase
import ApusMedia

/// A dog's behaviour over time on one page: how long each behaviour lasted, stretch by stretch, charts, and frames with
/// the skeleton drawn on them.
public struct BehaviorPage: Sendable {
  /// What the analysis came to.
  public var result: BehaviorResult
  /// What was looked at.
  public var source: String
  /// Frames to show.
  public var pictures: [HTMLReport.Picture]

  /// Tables of more rows are cut off, and say so.
  static let mostRows = 1000

  /// A page of a result.
  public init(_ result: BehaviorResult, source: String, pictures: [HTMLReport.Picture] = []) {
    self.result = result
    self.source = source
    self.pictures = pictures
  }

  /// The page: one HTML file that needs nothing else.
  public var html: String { page.html }

  var page: HTMLReport {
    var page = HTMLReport(title: "Behaviour over time", subtitle: source)
    page.blocks = [.notice(reliance), .facts(facts)]
    if !result.abstentions.isEmpty {
      let points = result.lackingPoints.keypoints.map(\.name).joined(separator: ", ")
      page.blocks.append(
        .notice(
          "In \(result.abstentions.count) of \(result.count) predictions nothing is said, for these points were never "
            + "seen in their windows, and the model cannot do without them: \(points)."))
    }
    if let rate = result.unlearnedRate {
      page.blocks.append(.notice("In \(result.unlearnedRateCount) of \(result.count) predictions \(rate)."))
    }
    if result.totals.isEmpty {
      page.blocks.append(.notice("No behaviour was sure enough, for long enough, to be a segment."))
    } else {
      page.blocks += [.heading("Totals"), totals, .heading("Segments"), segments]
      if result.segments.count > Self.mostRows {
        page.blocks.append(
          .paragraph("These are the first \(Self.mostRows) of \(result.segments.count) segments."))
      }
    }
    page.blocks.append(.heading("Charts"))
    page.blocks += BehaviorCharts(result).all.map(HTMLReport.Block.figure)
    if !pictures.isEmpty { page.blocks += [.heading("Frames"), .pictures(pictures)] }
    page.blocks += [.heading("How it was measured"), .paragraph(method)]
    return page
  }

  /// What the network knows, and what it cannot.
  private var reliance: String {
    let info = result.info
    var text = "\(info.name): \(info.trainedClasses.count) of \(info.labels.count) labels were trained"
    if let data = info.trainingData { text += "; learned from \(data)" }
    text += ". How right it is on other recordings is unknown."
    if !info.untrainedClasses.isEmpty {
      text += " Never trained, and without meaning: \(info.untrainedClasses.joined(separator: ", "))."
    }
    return text
  }

  private var facts: [HTMLReport.Fact] {
    var facts: [HTMLReport.Fact] = []
    if let first = result.times.first, let last = result.times.last {
      facts.append(.init("time classified", "\(NumberText.fixed(last - first, decimals: 1)) s"))
    }
    facts.append(.init("predictions", "\(result.count)"))
    facts.append(.init("of them uncertain", "\(result.uncertainCount)"))
    facts.append(.init("segments", "\(result.segments.count)"))
    if let summary = result.summary {
      facts.append(.init("frames", "\(summary.frames), \(summary.accepted) used"))
      facts.append(.init("pauses", "\(summary.gaps)"))
    }
    if let missing = result.missingFraction {
      facts.append(.init("points not found", "\(NumberText.fixed(100 * missing, decimals: 1)) %"))
    }
    return facts
  }

  private var totals: HTMLReport.Block {
    let seconds = result.totals.reduce(0) { $0 + $1.seconds }
    return .table(
      columns: ["behaviour", "segments", "seconds", "longest", "share"],
      rows: result.totals.map { total in
        [
          total.label, "\(total.segments)", NumberText.fixed(total.seconds, decimals: 1),
          "\(NumberText.fixed(total.longest, decimals: 1)) s",
          seconds > 0 ? "\(NumberText.fixed(100 * total.seconds / seconds, decimals: 0)) %" : "–",
        ]
      })
  }

  private var segments: HTMLReport.Block {
    let clock = ChartClock(first: result.times.first ?? 0, last: result.times.last ?? 0)
    return .table(
      columns: ["behaviour", "from", "to", "lasts", "confidence"],
      rows: result.segments.prefix(Self.mostRows).map { segment in
        [
          segment.label, clock.text(segment.start), clock.text(segment.end),
          "\(NumberText.fixed(segment.seconds, decimals: 1)) s", NumberText.fixed(segment.meanConfidence, decimals: 2),
        ]
      })
  }

  private var method: String {
    let settings = result.settings
    let segments = settings.segments
    func number(_ value: Double) -> String { NumberText.short(value) }
    let rate = settings.framesPerSecond.map { "at most \(number($0)) frames a second" } ?? "every frame"
    return
      "Each prediction is of a window of \(result.info.windowLength) poses (\(rate)) and has the time of the newest: "
      + "a behaviour shows up some seconds after it began. A probability below \(number(Double(settings.threshold))) "
      + "is called uncertain. A segment begins at \(number(Double(segments.enter))), goes on at "
      + "\(number(Double(segments.leave))), and lasts \(number(segments.minimumDuration)) s or more."
  }
}
