import ApusBase

/// Results as JSON on one line, without a line end: snake_case keys in a fixed order, what is absent left out. The same
/// result is the same bytes everywhere.
extension BarPathResult {
  /// What the table does not say of itself, for a file beside it: size, rate, scale and units.
  public var metadataJSON: String {
    var object = JSONObject()
    object.add("frames", samples.count)
    if let width { object.add("width", width) }
    if let height { object.add("height", height) }
    if let framesPerSecond { object.add("fps", framesPerSecond) }
    if let calibration { object.add("pixels_per_cm", calibration.pixelsPerCm) }
    object.add("units", settings.units.rawValue)
    object.add("position_unit", "px")
    object.add("velocity_unit", csvVelocityUnit)
    object.add("lift_type", settings.liftType.rawValue)
    object.add("gravity_angle", settings.gravityAngle)
    object.add("smoothing_type", settings.smoothingType.rawValue)
    return object.text
  }

  /// Repetitions, their means, the scale, the settings, and what makes them unsure.
  ///
  /// Lengths are in `length_unit` and have it in their key (`rom_cm`, or `rom_px` without a scale), speeds are in
  /// `velocity_unit`, whatever the display units are. Frames are those of the input, times those of these frames.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("lift_type", settings.liftType.rawValue)
    object.add("frames", samples.count)
    object.add("missing_frames", missingCount)
    object.add("filled_frames", filledCount)
    if let first = samples.first, let last = samples.last {
      object.add("duration_s", last.timestamp - first.timestamp)
    }
    if let framesPerSecond { object.add("fps", framesPerSecond) }
    if let width { object.add("width", width) }
    if let height { object.add("height", height) }
    if let calibration { object.add("calibration", calibration.jsonObject) }
    object.add("length_unit", lengthUnit)
    object.add("velocity_unit", velocityUnit)
    object.add("rep_count", summary.repCount)
    if let best = summary.bestRep { object.add("best_rep", best) }
    object.add("avg_rom_\(lengthUnit)", summary.averageRom)
    object.add("avg_max_velocity", summary.averageMaxVelocity)
    object.add("avg_mean_concentric_velocity", summary.averageMeanConcentricVelocity)
    object.add("reps", reps.map { jsonObject(of: $0) })
    object.add(
      "windows",
      windows.map { window in
        var object = JSONObject()
        object.add("start_frame", samples[window.start].frame)
        object.add("end_frame", samples[window.end].frame)
        return object
      })
    object.add(
      "warnings",
      warnings.map { warning in
        var object = JSONObject()
        object.add("code", warning.code)
        object.add("message", warning.description)
        return object
      })
    object.add("settings", settings.jsonObject)
    object.add("lift_asked", askedLift.rawValue)
    if let guess {
      object.add("lift_confidence", guess.share(of: settings.liftType))
      object.add(
        "lift_candidates",
        guess.candidates.map { candidate in
          var object = JSONObject()
          object.add("lift_type", candidate.type.rawValue)
          object.add("share", candidate.share)
          return object
        })
    }
    return object.text
  }

  private func jsonObject(of rep: BarRep) -> JSONObject {
    var object = JSONObject()
    object.add("rep_id", rep.id)
    object.add("start_frame", samples[rep.startFrame].frame)
    object.add("end_frame", samples[rep.endFrame].frame)
    object.add("bottom_frame", samples[rep.bottomFrame].frame)
    object.add("top_frame", samples[rep.topFrame].frame)
    // Of the frames beside them: the movement itself begins a frame before the first that it reached.
    object.add("start_t", samples[rep.startFrame].timestamp)
    object.add("end_t", rep.endTime)
    object.add("rom_\(lengthUnit)", rep.rom)
    object.add("max_velocity", rep.maxVelocity)
    object.add("avg_velocity", rep.averageVelocity)
    object.add("mean_concentric_velocity", rep.meanConcentricVelocity)
    object.add("peak_concentric_velocity", rep.peakConcentricVelocity)
    object.add("concentric_duration_s", rep.concentricDuration)
    if let duration = rep.eccentricDuration { object.add("eccentric_duration_s", duration) }
    object.add("x_deviation_\(lengthUnit)", rep.xDeviation)
    if let percent = rep.depthPercent { object.add("depth_percent", percent) }
    if let isReached = rep.isDepthReached { object.add("depth_reached", isReached) }
    if rep.isInterrupted { object.add("interrupted", true) }
    object.add("phases", rep.phases.map { jsonObject(of: $0) })
    return object
  }

  private func jsonObject(of phase: BarLiftPhase) -> JSONObject {
    var object = JSONObject()
    object.add("phase", phase.kind.rawValue)
    object.add("start_frame", samples[phase.startFrame].frame)
    object.add("end_frame", samples[phase.endFrame].frame)
    object.add("start_t", phase.startTime)
    object.add("end_t", phase.endTime)
    object.add("duration_s", phase.duration)
    object.add("start_height_\(lengthUnit)", phase.startHeight)
    object.add("end_height_\(lengthUnit)", phase.endHeight)
    object.add("mean_velocity", phase.meanVelocity)
    object.add("peak_velocity", phase.peakVelocity)
    return object
  }
}

extension BarCalibration {
  var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("pixels_per_cm", pixelsPerCm)
    switch source {
    case .given: object.add("source", "given")
    case .plate: object.add("source", "plate")
    case .automatic(let frames, let spread):
      object.add("source", "automatic")
      object.add("frames", frames)
      object.add("spread", spread)
    }
    return object
  }
}

extension BarPathUpdate {
  /// `{"t": …, "frame": …, "bar_x": …, "bar_y": …, "smoothed_x": …, "smoothed_y": …, "velocity_px": …,
  /// "velocity": …, "moving": …}`: speeds in px/s and, with a scale, cm/s.
  public var jsonLine: String {
    var object = JSONObject()
    object.add("t", timestamp)
    object.add("frame", frame)
    if let bar {
      object.add("bar_x", bar.x)
      object.add("bar_y", bar.y)
    }
    if let smoothed {
      object.add("smoothed_x", smoothed.x)
      object.add("smoothed_y", smoothed.y)
    }
    if let pixelVelocity { object.add("velocity_px", pixelVelocity) }
    if let velocity { object.add("velocity", velocity) }
    object.add("moving", isMoving)
    return object.text
  }
}
