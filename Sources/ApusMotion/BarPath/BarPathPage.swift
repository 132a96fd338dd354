import ApusBase
import ApusMedia

/// A lift on one page: what it came to, repetition by repetition, charts, and frames with the bar's way drawn on them.
public struct BarPathPage: Sendable {
  /// What the analysis came to.
  public var result: BarPathResult
  /// What was looked at.
  public var source: String
  /// Frames to show.
  public var pictures: [HTMLReport.Picture]

  /// A page of a result.
  public init(_ result: BarPathResult, source: String, pictures: [HTMLReport.Picture] = []) {
    self.result = result
    self.source = source
    self.pictures = pictures
  }

  /// The page: one HTML file that needs nothing else.
  public var html: String { page.html }

  var page: HTMLReport {
    var page = HTMLReport(
      title: "\(result.settings.liftType.name.capitalizedFirst): bar path", subtitle: source)
    page.blocks = result.warnings.map { .notice("\($0)") }
    page.blocks.append(.facts(facts))
    if !result.reps.isEmpty {
      page.blocks += [.heading("Repetitions"), .table(columns: columns, rows: result.reps.map(row))]
    }
    let phases = result.reps.flatMap { rep in rep.phases.map { phaseRow(rep, $0) } }
    if !phases.isEmpty { page.blocks += [.heading("Phases"), .table(columns: phaseColumns, rows: phases)] }
    page.blocks.append(.heading("Charts"))
    page.blocks += BarPathCharts(result).all.map(HTMLReport.Block.figure)
    if !pictures.isEmpty { page.blocks += [.heading("Frames"), .pictures(pictures)] }
    page.blocks += [.heading("How it was measured"), .paragraph(method)]
    return page
  }

  private var facts: [HTMLReport.Fact] {
    let summary = result.summary
    var facts: [HTMLReport.Fact] = [.init("repetitions", "\(summary.repCount)")]
    if result.askedLift == .auto, let guess = result.guess { facts.append(.init("looks like", "\(guess)")) }
    if summary.repCount > 0 {
      facts += [
        .init("mean range of motion", result.lengthText(summary.averageRom)),
        .init("mean concentric velocity", result.velocityText(summary.averageMeanConcentricVelocity)),
        .init("mean of highest speeds", result.velocityText(summary.averageMaxVelocity)),
      ]
      if let best = summary.bestRep { facts.append(.init("fastest", "rep \(best + 1)")) }
    }
    if let rate = result.framesPerSecond {
      facts.append(.init("frames", "\(result.samples.count) at \(NumberText.short(rate)) fps"))
    }
    if result.missingCount > 0 {
      facts.append(.init("without a bar", "\(result.missingCount), \(result.filledCount) filled in"))
    }
    if let calibration = result.calibration {
      facts.append(.init("scale", "\(NumberText.short(calibration.pixelsPerCm)) px/cm"))
    }
    return facts
  }

  private var columns: [String] {
    ["rep", "start", "time", "range", "depth", "down", "up", "mean up", "highest up", "sideways"]
  }

  private func row(_ rep: BarRep) -> [String] {
    func seconds(_ value: Double) -> String { NumberText.fixed(value, decimals: 2) + " s" }
    return [
      "\(rep.id + 1)", seconds(rep.startTime), seconds(rep.duration), result.lengthText(rep.rom),
      rep.depthPercent.map { "\(NumberText.fixed($0, decimals: 0)) %" } ?? "–",
      rep.eccentricDuration.map(seconds) ?? "–", seconds(rep.concentricDuration),
      result.velocityText(rep.meanConcentricVelocity), result.velocityText(rep.peakConcentricVelocity),
      result.lengthText(rep.xDeviation),
    ]
  }

  private let phaseColumns = ["rep", "phase", "start", "time", "from", "to", "mean", "highest"]

  private func phaseRow(_ rep: BarRep, _ phase: BarLiftPhase) -> [String] {
    func seconds(_ value: Double) -> String { NumberText.fixed(value, decimals: 2) + " s" }
    return [
      "\(rep.id + 1)", phase.kind.rawValue, seconds(phase.startTime), seconds(phase.duration),
      result.lengthText(phase.startHeight), result.lengthText(phase.endHeight),
      result.velocityText(phase.meanVelocity), result.velocityText(phase.peakVelocity),
    ]
  }

  private var method: String {
    let settings = result.settings
    let plate = "\(NumberText.short(settings.plateDiameterCm)) cm"
    let scale =
      switch result.calibration?.source {
      case nil: "No scale is known, so lengths are in pixels."
      case .given: "The scale was given."
      case .plate: "The scale rests on a plate of \(plate) whose diameter in the picture was given."
      case .automatic(let frames, _): "The scale rests on plates of \(plate), as \(frames) frames show them."
      }
    return "\(scale) Range of motion and turning points are measured on the \(settings.metricsPath.rawValue) path, "
      + "velocities from the times of the frames. Depth is the range in percent of "
      + "\(NumberText.short(settings.depthReferenceCm)) cm."
  }
}
