import Apus
import ApusMedia
import ApusMotion

/// The frames of a test of two arms, drawn: all of them for an overlay, a few for a page.
struct ArmDriftPictures {
  let recording: ArmRecording
  let samples: ArmSamples
  let result: ArmDriftResult

  /// Draws what was asked for.
  /// - Returns: pictures for the page, none where there is no page.
  func draw(
    frames: FrameOptions, results: ReportOptions, recorder: SessionRecorder?
  ) throws -> [HTMLReport.Picture] {
    guard results.overlay != nil || results.needsPage else { return [] }
    let all = recording.frames
    let wanted = results.needsPage ? moments : []
    var ground = try FrameGround(frames, recorder: recorder)
    try ground.check(frameCount: all.count)
    var sink: OverlaySink?
    var progress = results.overlay == nil ? nil : ProgressBar(total: all.count)
    defer { progress?.clear() }
    var pictures: [HTMLReport.Picture] = []
    for (index, frame) in all.enumerated() {
      let caption = wanted.first { $0.frame == index }?.caption
      guard results.overlay != nil || caption != nil else { continue }
      let place = try ground.place(
        forFrame: index, number: frame.pictureNumber, at: frame.timestamp, width: frame.width, height: frame.height)
      func drawn(_ annotationScale: Double = 1) -> Image<UInt8> {
        place.drawn(annotationScale: annotationScale) { $0.drawArms(of: samples, frame: index, scale: place.scale) }
      }
      // Once there is a first frame to write.
      if sink == nil, let path = results.overlay { sink = try OverlaySink(path: path, framesPerSecond: rate) }
      if sink != nil { try sink?.write(drawn(), name: place.name, index: index, time: frame.timestamp) }
      if let caption { pictures.append(try ReportPicture.make(drawn(ReportPicture.annotationScale), caption)) }
      progress?.update(index + 1, note: "\(index + 1) of \(all.count) frames drawn")
    }
    try sink?.close()
    return pictures
  }

  private var rate: Double? {
    switch result {
    case .measured(let measurement): measurement.coverage.framesPerSecond
    case .insufficientData(let insufficient): insufficient.coverage.framesPerSecond
    }
  }

  /// The frames that a page shows, in order: the first, where a drift begins, the largest difference, the last.
  private var moments: [(frame: Int, caption: String)] {
    let measured = samples.samples.enumerated().compactMap { index, sample in
      sample.measures.map { (frame: index, time: sample.timestamp, asymmetry: $0.asymmetry) }
    }
    guard let first = measured.first, let last = measured.last else { return [] }
    var moments: [(frame: Int, caption: String)] = [(first.frame, "the first frame")]
    func add(_ frame: Int, _ caption: String) {
      if let index = moments.firstIndex(where: { $0.frame == frame }) {
        moments[index].caption += "; \(caption)"
      } else {
        moments.append((frame, caption))
      }
    }
    if case .measured(let measurement) = result {
      for (name, hold) in [("left", measurement.left), ("right", measurement.right)] {
        guard let after = hold.timeToDrift,
          let begin = measured.first(where: { $0.time >= first.time + after - 1e-6 })
        else { continue }
        add(begin.frame, "the \(name) arm drifts from here")
      }
    }
    if let most = measured.max(by: { $0.asymmetry < $1.asymmetry }) { add(most.frame, "the largest difference") }
    add(last.frame, "the last frame")
    return moments.sorted { $0.frame < $1.frame }
  }
}
