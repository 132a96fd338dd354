import ApusMedia
import ApusMotion
import ApusVision

extension SessionRecorder {
  /// How the bar was found in pictures.
  func set(
    _ detector: Detector, _ network: DetectorOptions, _ pictures: PictureOptions, plates: Set<String>, fitsOutline: Bool
  ) {
    _ = digest("model", detector.file)
    for path in detector.externalFiles { _ = digest("model data", path) }
    settings.add("fps", pictures.fps)
    settings.add("maxPixels", pictures.pixelLimit.maxPixels)
    settings.add("plateClass", plates.sorted().joined(separator: ","))
    settings.add("outline", fitsOutline)
    settings.add("layout", detector.format.layout.rawValue)
    settings.add("size", "\(detector.input.width)x\(detector.input.height)")
    settings.add("colors", detector.input.order.rawValue)
    settings.add("range", detector.input.normalization == .bytes ? 255 : 1)
    if detector.format.scores == .logits { settings.add("scores", detector.format.scores.rawValue) }
    settings.add("precision", network.precision.rawValue)
  }
}

extension BarPathResult {
  /// What is kept of a lift.
  func kept(page: String) -> SessionRecorder.Outcome {
    var entries: [SessionEntry] = []
    entries.add("frames", samples.count)
    entries.add("missing_frames", missingCount)
    entries.add("filled_frames", filledCount)
    entries.add("rep_count", summary.repCount)
    entries.add("best_rep", summary.bestRep)
    entries.add("pixels_per_cm", calibration?.pixelsPerCm)
    entries.add("velocity_unit", velocityUnit)
    entries.add("avg_rom_\(lengthUnit)", summary.averageRom)
    entries.add("avg_max_velocity", summary.averageMaxVelocity)
    entries.add("avg_mean_concentric_velocity", summary.averageMeanConcentricVelocity)
    entries.add("warnings", warnings.count)
    var headline = CountText.counted(summary.repCount, "rep")
    if summary.repCount > 0 {
      headline += ", \(lengthText(summary.averageRom)), \(velocityText(summary.averageMeanConcentricVelocity))"
    }
    return SessionRecorder.Outcome(
      summary: entries, headline: headline,
      files: [
        ("results.json", jsonLine + "\n"), ("frames.csv", csv()), ("frames.json", metadataJSON + "\n"),
        ("report.html", page),
      ])
  }
}
