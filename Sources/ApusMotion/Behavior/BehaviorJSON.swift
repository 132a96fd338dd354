import ApusBase

/// Results as JSON, one object a line, without a line end: snake_case keys in a fixed order, what is absent left out.
/// The same result is the same bytes everywhere. Numbers are the shortest that read back as the same value.
extension BehaviorPrediction {
  /// `{"t": …, "frame": …, "label": …, "raw_label": …, "confidence": …, "probabilities": {label: …},
  /// "missing_fraction": …, "window_seconds": …}`, labels in the model's order. Where points were never seen there are
  /// `"never_seen": [name, …]`, and `"lacking": [name, …]` for want of which the model abstains. `"warning": …` says that
  /// the frames come at a rate that the model did not learn.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("t", timestamp)
    object.add("frame", frameIndex)
    object.add("label", label)
    object.add("raw_label", rawLabel)
    object.add("confidence", confidence)
    var byLabel = JSONObject()
    for (label, probability) in zip(labels, probabilities) { byLabel.add(label, probability) }
    object.add("probabilities", byLabel)
    object.add("missing_fraction", missingFraction)
    object.add("window_seconds", windowSeconds)
    if !neverSeen.isEmpty { object.add("never_seen", neverSeen.keypoints.map(\.name)) }
    if isAbstention { object.add("lacking", lackingPoints.map(\.name)) }
    if let unlearnedRate { object.add("warning", "\(unlearnedRate)") }
    return object.text
  }
}

extension InsufficientFrames {
  /// `{"insufficient_frames": "37/100", "available": 37, "required": 100}`.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("insufficient_frames", "\(available)/\(required)")
    object.add("available", available)
    object.add("required", required)
    return object.text
  }
}

extension FrameGap {
  /// `{"gap_seconds": …, "frame": …, "frames_discarded": …}`.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("gap_seconds", seconds)
    object.add("frame", frameIndex)
    object.add("frames_discarded", framesDiscarded)
    return object.text
  }
}

extension BehaviorEvent {
  /// The line of whatever happened.
  public var jsonLine: String {
    switch self {
    case .prediction(let prediction): prediction.jsonLine
    case .gap(let gap): gap.jsonLine
    case .insufficientFrames(let outcome): outcome.jsonLine
    }
  }
}

extension BehaviorSegment {
  /// `{"label": …, "start": …, "end": …, "seconds": …, "mean_confidence": …, "predictions": …}`.
  public var jsonLine: String { jsonObject.text }

  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("label", label)
    object.add("start", start)
    object.add("end", end)
    object.add("seconds", seconds)
    object.add("mean_confidence", meanConfidence)
    object.add("predictions", predictions)
    return object
  }
}

extension BehaviorSegmenter {
  /// `{"totals": {label: {"segments": …, "seconds": …, "longest": …}, …}}`, longest first.
  public var totalsJSONLine: String {
    var object = JSONObject()
    object.add("totals", totals.jsonObject)
    return object.text
  }
}

extension [BehaviorTotal] {
  fileprivate var jsonObject: JSONObject {
    var byLabel = JSONObject()
    for total in self {
      var object = JSONObject()
      object.add("segments", total.segments)
      object.add("seconds", total.seconds)
      object.add("longest", total.longest)
      byLabel.add(total.label, object)
    }
    return byLabel
  }
}

extension BehaviorResult {
  /// `{"model": {…}, "frames": …, "used_frames": …, "predictions": …, "uncertain": …, "gaps": …,
  /// "missing_fraction": …, "totals": {label: {"segments": …, "seconds": …, "longest": …}, …}, "segments": [{…}, …]}`:
  /// the whole without its predictions. `"warning": …` follows where frames came at a rate that the model did not learn.
  /// Frames and gaps are there after ``finish(_:)``.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("model", info.jsonObject)
    if let summary {
      object.add("frames", summary.frames)
      object.add("used_frames", summary.accepted)
    }
    object.add("predictions", count)
    object.add("uncertain", uncertainCount)
    if let summary { object.add("gaps", summary.gaps) }
    if let missingFraction { object.add("missing_fraction", missingFraction) }
    object.add("totals", totals.jsonObject)
    object.add("segments", segments.map(\.jsonObject))
    if let unlearnedRate { object.add("warning", "\(unlearnedRate)") }
    return object.text
  }
}

extension BehaviorModelInfo {
  /// `{"name": …, "labels": […], "trained_classes": […], "window_length": …, "frames_per_second": …, "training_data": …}`.
  public var jsonLine: String { jsonObject.text }

  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("labels", labels)
    object.add("trained_classes", trainedClasses)
    object.add("window_length", windowLength)
    if let framesPerSecond { object.add("frames_per_second", framesPerSecond) }
    if let trainingData { object.add("training_data", trainingData) }
    return object
  }
}

extension BehaviorSensitivity {
  /// `{"samples": …, "maximum_change": …, "most_changed_label": …, "predicted_labels": […]}`.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("samples", samples)
    object.add("maximum_change", maximumChange)
    object.add("most_changed_label", mostChangedLabel)
    object.add("predicted_labels", predictedLabels)
    return object.text
  }
}
