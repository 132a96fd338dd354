import Apus
import ApusMotion

extension SessionRecorder {
  /// How poses are read, classified, and made into segments; what a keypoint order decides is written out.
  func set(_ reading: PoseReaderOptions, _ analysis: BehaviorSettings) {
    var (reading, analysis) = (reading, analysis)
    reading.space = reading.space ?? reading.order.defaultSpace
    analysis.minimumConfidence = analysis.minimumConfidence ?? analysis.order.defaultMinimumConfidence
    set(reading)
    set(analysis)
  }
}

extension BehaviorResult {
  /// What is kept of a stream of behaviours.
  /// - Parameter predictions: the table of all predictions.
  func kept(predictions: String, page: String) -> SessionRecorder.Outcome {
    let totals = totals
    var entries: [SessionEntry] = []
    entries.add("frames", summary?.frames)
    entries.add("used_frames", summary?.accepted)
    entries.add("predictions", count)
    entries.add("uncertain", uncertainCount)
    entries.add("gaps", summary?.gaps)
    entries.add("missing_fraction", missingFraction)
    entries.add("segments", segments.count)
    for total in totals {
      entries.add("segments.\(total.label)", total.segments)
      entries.add("seconds.\(total.label)", total.seconds)
    }
    let longest = totals.prefix(3).map { "\($0.label) \(NumberText.fixed($0.seconds, decimals: 1)) s" }
    return SessionRecorder.Outcome(
      summary: entries, headline: longest.isEmpty ? "no segments" : longest.joined(separator: ", "),
      files: [
        ("results.json", jsonLine + "\n"), ("predictions.csv", predictions),
        ("segments.csv", ([BehaviorCSV.segmentHeader] + segments.map(BehaviorCSV.row)).joined(separator: "\n") + "\n"),
        ("report.html", page),
      ])
  }
}
