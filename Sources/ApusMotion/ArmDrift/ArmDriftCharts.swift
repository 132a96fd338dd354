import ApusBase
import ApusMedia

/// A test of two arms as charts: how far each is below the horizontal, how much the heights of the wrists differ, and
/// where the wrists were.
///
/// A recording that shows too little for a level has the same charts of what it does show, without the marks that only
/// a measurement has.
public struct ArmDriftCharts: Sendable {
  private let samples: ArmSamples
  private let frames: [ArmFrame]
  private let measurement: ArmDriftMeasurement?
  private let profile: ArmDriftProfile
  private let clock: ChartClock

  /// Left and right have these colours of the theme in every chart.
  private static let (leftColor, rightColor, otherColor) = (0, 1, 2)

  /// - Parameter samples: of the recording that the result is about.
  public init(_ result: ArmDriftResult, of recording: ArmRecording, samples: ArmSamples) {
    self.samples = samples
    frames = recording.frames
    clock = ChartClock(first: frames.first?.timestamp ?? 0, last: frames.last?.timestamp ?? 0)
    switch result {
    case .measured(let measurement): (self.measurement, profile) = (measurement, measurement.settings.profile)
    case .insufficientData(let insufficient): (measurement, profile) = (nil, insufficient.settings.profile)
    }
  }

  /// Every chart, with the name of its file.
  public var all: [ReportFigure] {
    [ReportFigure("angles", angles), ReportFigure("asymmetry", asymmetry), ReportFigure("wrists", wrists)]
  }

  /// How far each arm is below the horizontal, with the start of each and where a drift begins.
  public var angles: Chart {
    var chart = Chart(title: "Angle of the arms", x: clock.axis, y: .init("below the horizontal", unit: "°"))
    chart.isUpsideDown = true
    chart.series = [
      .init("left arm", color: Self.leftColor, points: points(\.leftAngle)),
      .init("right arm", color: Self.rightColor, points: points(\.rightAngle)),
    ]
    guard let measurement else { return chart }
    let (left, right) = (measurement.left.startAngle, measurement.right.startAngle)
    let below = "\(ArmHold.driftAngleText) below"
    if abs(left - right) < 0.05 {
      chart.rules = Self.rules("start of both", left, below, color: nil)
    } else {
      chart.rules = Self.rules("left: start", left, "left: \(below)", color: Self.leftColor)
      chart.rules += Self.rules("right: start", right, "right: \(below)", color: Self.rightColor)
    }
    for (name, hold, color) in [
      ("left", measurement.left, Self.leftColor), ("right", measurement.right, Self.rightColor),
    ] {
      guard let after = hold.timeToDrift, let first = firstTime else { continue }
      chart.series.append(
        .init(
          "\(name) drifts after \(NumberText.fixed(after, decimals: 1)) s", style: .dots, color: color,
          points: [.init(clock.place(first + after), hold.startAngle + ArmHold.driftAngle)]))
    }
    if let bands { chart.bands = bands }
    return chart
  }

  /// How much the heights of the wrists differ, and the boundaries of the levels.
  public var asymmetry: Chart {
    var chart = Chart(
      title: "Asymmetry", x: clock.axis, y: .init("height difference", unit: "arm lengths"))
    chart.series = [.init("asymmetry", color: Self.otherColor, points: points(\.asymmetry))]
    chart.rules = profile.boundaries.enumerated().map { index, boundary in
      .init("level \(index + 1) from \(NumberText.short(boundary))", boundary)
    }
    if let measurement {
      chart.series.append(
        .init(
          "mean, \(NumberText.short(measurement.asymmetry.mean))", style: .dashes, color: 3,
          points: [firstTime, lastTime].map { .init(clock.place($0 ?? 0), measurement.asymmetry.mean) }))
    }
    chart.y.range = 0...0
    return chart
  }

  /// Where wrists and shoulders are, from the lower edge of the picture.
  public var wrists: Chart {
    var chart = Chart(title: "Heights", x: clock.axis, y: .init("height in the picture", unit: "%"))
    func series(_ name: String, _ keypoint: ArmKeypoint, _ color: Int, _ style: Chart.Style) -> Chart.Series {
      .init(
        name, style: style, color: color,
        points: frames.indices.map { index in
          let frame = frames[index]
          let height = samples.position(of: keypoint, inFrame: index).map { 100 * (1 - $0.y / frame.height) }
          return .init(clock.place(frame.timestamp), height)
        })
    }
    chart.series = [
      series("left wrist", .leftWrist, Self.leftColor, .line),
      series("right wrist", .rightWrist, Self.rightColor, .line),
      series("left shoulder", .leftShoulder, Self.leftColor, .dashes),
      series("right shoulder", .rightShoulder, Self.rightColor, .dashes),
    ]
    return chart
  }

  private static func rules(_ start: String, _ angle: Double, _ drift: String, color: Int?) -> [Chart.Rule] {
    let threshold = angle + ArmHold.driftAngle
    return [
      .init("\(start), \(NumberText.fixed(angle, decimals: 1))°", angle, color: color),
      .init("\(drift), \(NumberText.fixed(threshold, decimals: 1))°", threshold, color: color),
    ]
  }

  /// The seconds that the start and the end are measured in.
  private var bands: [Chart.Band]? {
    guard let first = firstTime, let last = lastTime, last - first > 2 * ArmHold.window else { return nil }
    return [
      .init("start", clock.range(first, first + ArmHold.window)),
      .init("end", clock.range(last - ArmHold.window, last)),
    ]
  }

  private var firstTime: Double? { samples.samples.first { $0.measures != nil }?.timestamp }
  private var lastTime: Double? { samples.samples.last { $0.measures != nil }?.timestamp }

  private func points(_ value: KeyPath<ArmMeasures, Double>) -> [Chart.Sample] {
    samples.samples.map { .init(clock.place($0.timestamp), $0.measures?[keyPath: value]) }
  }
}
