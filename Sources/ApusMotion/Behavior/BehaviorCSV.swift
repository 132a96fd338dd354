/// Predictions and segments as tables: line ends LF, decimal points. Numbers are the shortest that read back as the same
/// value; a label with a comma, a quote or a line end is quoted.
public enum BehaviorCSV {
  /// `t,frame,label,raw_label,confidence,missing_fraction,window_seconds`, and a column `p_LABEL` for each label.
  public static func predictionHeader(labels: [String]) -> String {
    (["t", "frame", "label", "raw_label", "confidence", "missing_fraction", "window_seconds"]
      + labels.map { field("p_\($0)") }).joined(separator: ",")
  }

  /// A row without its line end.
  public static func row(_ prediction: BehaviorPrediction) -> String {
    var row =
      "\(prediction.timestamp),\(prediction.frameIndex),\(field(prediction.label)),\(field(prediction.rawLabel)),"
    row += "\(prediction.confidence),\(prediction.missingFraction),\(prediction.windowSeconds)"
    for probability in prediction.probabilities { row += ",\(probability)" }
    return row
  }

  /// The header of a table of segments.
  public static let segmentHeader = "label,start,end,seconds,mean_confidence,predictions"

  /// A row without its line end.
  public static func row(_ segment: BehaviorSegment) -> String {
    "\(field(segment.label)),\(segment.start),\(segment.end),\(segment.seconds),\(segment.meanConfidence),"
      + "\(segment.predictions)"
  }

  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x0A, 0x0D, 0x22, 0x2C].contains($0) }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
