import Apus
import ApusMotion

extension ArmDriftResult {
  /// What is kept of a test of two arms. One without a level has no table of angles.
  func kept(page: String) -> SessionRecorder.Outcome {
    var kept: SessionRecorder.Outcome
    switch self {
    case .measured(let measurement): kept = measurement.kept
    case .insufficientData(let insufficient): kept = insufficient.kept
    }
    kept.files += [("results.json", json + "\n"), ("report.html", page)]
    return kept
  }
}

extension ArmDriftMeasurement {
  fileprivate var kept: SessionRecorder.Outcome {
    var entries: [SessionEntry] = []
    entries.add("status", "ok")
    entries.add("estimated_level", estimatedMotorLevel)
    entries.add("severity", severity)
    entries.add("drift_side", driftSide.rawValue)
    entries.add("lower_side", lowerSide.rawValue)
    for (name, hold) in [("left", left), ("right", right)] {
      entries.add("\(name)_drift_deg", hold.drift)
      entries.add("\(name)_time_to_drift_s", hold.timeToDrift)
    }
    entries.add("mean_asymmetry", asymmetry.mean)
    entries.add("drift_trend", asymmetry.trend)
    entries.add("stability_score", asymmetry.stability)
    entries.add("detection_quality", quality.rawValue)
    coverage.add(to: &entries)
    let drift =
      switch driftSide {
      case .none: "no arm drifts"
      case .both: "both arms drift"
      case .left, .right: "the \(driftSide.rawValue) arm drifts"
      }
    return SessionRecorder.Outcome(
      summary: entries, headline: "estimated level \(estimatedMotorLevel) of 4, \(drift)",
      files: [("angles.csv", csv)])
  }
}

extension ArmDriftInsufficientData {
  fileprivate var kept: SessionRecorder.Outcome {
    var entries: [SessionEntry] = []
    entries.add("status", "insufficient_data")
    coverage.add(to: &entries)
    return SessionRecorder.Outcome(summary: entries, headline: "insufficient data, no level", files: [])
  }
}

extension ArmCoverage {
  fileprivate func add(to entries: inout [SessionEntry]) {
    entries.add("frames", frames)
    entries.add("valid_frames", validFrames)
    entries.add("interpolated_frames", interpolatedFrames)
    entries.add("seconds", seconds)
    entries.add("seen_seconds", seenSeconds)
  }
}
