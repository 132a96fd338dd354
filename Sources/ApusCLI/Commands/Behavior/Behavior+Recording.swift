import Apus
import ApusMotion

extension SessionRecorder {
  /// How poses are read, classified, and made into segments.
  func set(_ input: PoseReaderOptions, _ stream: BehaviorOptions, _ segments: BehaviorSegmentOptions) {
    settings.add("format", PoseFormatArgument(input.format).rawValue)
    settings.add("keypointOrder", input.order.rawValue)
    settings.add("inputFps", input.framesPerSecond)
    settings.add("width", input.width)
    settings.add("height", input.height)
    settings.add("space", input.space.rawValue)
    if !input.names.isEmpty {
      settings.add("map", input.names.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ","))
    }
    settings.add("individual", input.individual)
    settings.add("fps", stream.framesPerSecond ?? 0)
    settings.add("stride", stream.stride)
    settings.add("missing", stream.missing.description)
    settings.add("threshold", stream.threshold)
    settings.add("minConfidence", stream.minimumConfidence ?? stream.order.defaultMinimumConfidence)
    settings.add("maxGap", stream.maximumGap ?? 0)
    settings.add("enter", segments.enter)
    settings.add("leave", segments.leave)
    settings.add("minDuration", segments.minimumDuration)
  }
}

extension BehaviorCourse {
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
