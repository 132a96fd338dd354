import ApusBase

/// Results as one JSON object: snake_case keys in a fixed order, what is absent left out. The same result is the same
/// bytes everywhere. Without a level there is no key of a score.
extension ArmDriftResult {
  /// The object of whichever of the two it is.
  public var json: String {
    switch self {
    case .measured(let measurement): measurement.json
    case .insufficientData(let outcome): outcome.json
    }
  }
}

extension ArmDriftMeasurement {
  /// `{"status": "ok", "drift_detected": …, …, "disclaimer": …}`.
  public var json: String {
    var object = JSONObject()
    object.add("status", "ok")
    object.add("drift_detected", isDriftDetected)
    // No keypoint shows how a hand is turned: clients expect the key.
    object.add("pronation_detected", false)
    object.add("y_difference", asymmetry.mean)
    for key in ["clinical_score", "nihss_motor_score", "nihss_total"] { object.add(key, estimatedMotorLevel) }
    object.add("test_quality", "enhanced_keypoint_frame_by_frame")
    object.add("severity", severity)
    object.add("drift_severity", driftSeverity)
    object.add("message", message)
    object.add("research_based", false)
    object.add("analysis_method", "keypoints_\(settings.mode.rawValue)")
    object.add("clinical_interpretation", interpretation)
    object.add("clinical_standards", ArmDriftNotice.standard)
    object.add("frames_analyzed", coverage.frames)
    add(coverage.framesPerSecond, to: &object)
    object.add("drift_trend", asymmetry.trend)
    object.add("mean_velocity", asymmetry.meanVelocity)
    object.add("max_velocity", asymmetry.maximumVelocity)
    if let stability = asymmetry.stability { object.add("stability_score", stability) }
    var metrics = JSONObject()
    metrics.add("mean_asymmetry", asymmetry.mean)
    metrics.add("asymmetry_std", asymmetry.deviation)
    metrics.add("velocity_std", asymmetry.velocityDeviation)
    metrics.add("analysis_duration", asymmetry.duration)
    object.add("temporal_metrics", metrics)
    object.add("asymmetry_score", asymmetry.mean)
    object.add("asymmetry_percent", asymmetry.mean * 100)
    object.add("vertical_drift", verticalDrift)
    object.add("detection_quality", quality.rawValue)
    object.add("quality_reason", qualityReason)
    if let testDuration { object.add("test_duration", testDuration) }
    object.add("profile", settings.profile.rawValue)
    object.add("mode", settings.mode.rawValue)
    object.add("left", left.json)
    object.add("right", right.json)
    object.add("drift_side", driftSide.rawValue)
    object.add("lower_side", lowerSide.rawValue)
    object.add("bilateral_low_arms", hasBilateralLowArms)
    object.add("arms_held_out", areArmsHeldOut)
    if let tremor = asymmetry.isTremorLike { object.add("tremor_detected", tremor) }
    object.add("sides_exchanged", areSidesExchanged)
    if personChanges > 0 { object.add("person_changes", personChanges) }
    coverage.add(to: &object)
    object.add("disclaimer", ArmDriftNotice.disclaimer)
    return object.text
  }
}

/// The rate of frames: whole, as clients decode it, unless that is another rate.
private func add(_ rate: Double?, to object: inout JSONObject) {
  guard let rate else { return }
  if let whole = Int(exactly: rate.rounded()), abs(rate - Double(whole)) <= 0.02 * rate {
    object.add("fps", whole)
  } else {
    object.add("fps", rate)
  }
}

extension ArmDriftInsufficientData {
  /// `{"status": "insufficient_data", "error": …, …, "disclaimer": …}`.
  public var json: String {
    var object = JSONObject()
    object.add("status", "insufficient_data")
    object.add("error", description)
    object.add("frames_analyzed", coverage.frames)
    object.add("profile", settings.profile.rawValue)
    object.add("mode", settings.mode.rawValue)
    coverage.add(to: &object)
    object.add("disclaimer", ArmDriftNotice.disclaimer)
    return object.text
  }
}

extension ArmDriftError {
  /// `{"status": "invalid", "error": …, "disclaimer": …}`.
  public var json: String {
    var object = JSONObject()
    object.add("status", "invalid")
    object.add("error", description)
    object.add("disclaimer", ArmDriftNotice.disclaimer)
    return object.text
  }
}

extension ArmHold {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("drop_deg_start", startAngle)
    object.add("drop_deg_end", endAngle)
    object.add("drift_deg", drift)
    if let timeToDrift { object.add("time_to_drift_s", timeToDrift) }
    return object
  }
}

extension ArmCoverage {
  fileprivate func add(to object: inout JSONObject) {
    object.add("valid_frames", validFrames)
    object.add("interpolated_frames", interpolatedFrames)
    object.add("seconds", seconds)
    object.add("seen_seconds", seenSeconds)
    if let unseenAtStart { object.add("unseen_at_start_s", unseenAtStart) }
    if let unseenAtEnd { object.add("unseen_at_end_s", unseenAtEnd) }
    object.add("gaps", gaps)
    object.add("longest_interval_s", longestInterval)
  }
}
