import Apus
import ApusMotion

/// The readers of detections and bar positions, and the analysis of whatever they give.
struct DetectionsTarget: JSONFuzzTarget {
  let name = "detections"
  let summary = "detections and bar positions: JSON Lines and CSV, analysed as a lift"
  let dictionary = [
    "\"t\":", "\"frame\":", "\"width\":", "\"height\":", "\"space\":", "\"detections\":", "\"pose\":", "\"bar\":",
    "\"box\":", "\"score\":", "\"confidence\":", "\"class\":", "\"plate\"", "\"person\"", "\"keypoints\":",
    "\"left_wrist\":", "\"visibility\":", "\"vision\"", "\"normalized_topleft\"", "null", "nan", "1e308", "1e-400",
    "1e-7", "-0.0", "\n", ",", "[", "]", "{", "}", "bar_x", "bar_y", "timestamp_ms", "lift", "wrist_l_x", "# ",
  ]

  func seeds() -> [[UInt8]] {
    let ys = (0..<12).map { 100 + 16 * ($0 < 6 ? $0 : 11 - $0) }
    let lines = ys.enumerated().map { index, y in
      index % 2 == 0
        ? #"{"t":\#(Double(index) / 10),"width":320,"height":240,"detections":"#
          + #"[{"x":90,"y":\#(y - 20),"w":40,"h":40,"confidence":0.9}],"pose":{"left_wrist":[110,\#(y)]}}"#
        : #"{"frame":\#(index),"t":\#(Double(index) / 10),"width":320,"height":240,"detections":"#
          + #"[{"class":"plate","score":0.8,"box":[90,\#(y - 20),130,\#(y + 20)]}]}"#
    }
    let rows = ys.enumerated().map { index, y in
      index == 5 ? "\(index),\(index * 100),,,0" : "\(index),\(index * 100),110.5,\(y),0"
    }
    let keypoints = Array(repeating: "[110,100,0.9]", count: 17).joined(separator: ",")
    let person =
      #"{"t":0,"width":320,"height":240,"detections":[{"class":"person","score":0.9,"box":[0,0,9,9],"#
      + #""keypoints":[\#(keypoints)]},{"class":"plate","score":0.9,"box":[90,80,130,120]}]}"#
    return [
      lines.joined(separator: "\n"), "# {}\nframe,timestamp_ms,bar_x,bar_y,lift\n" + rows.joined(separator: "\n"),
      person, #"{"smoothingType":"kalman","gapFillFrames":3,"lift_type":"deadlift","pixels_per_cm":2}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    // The same bytes as settings.
    var settings = BarPathSettings()
    let asSettings = try outcome(allowing: SettingsError.self) {
      try settings.apply(json: input)
      guard try BarPathSettings(json: settings.jsonLine.utf8) == settings else {
        throw FuzzFinding(message: "settings do not read back")
      }
    }
    var frames: [BarFrame] = []
    var failures = 0
    let asFrames = try outcome(allowing: BarReadError.self) {
      var options = BarReaderOptions()
      options.lift = .each
      options.framesPerSecond = 30
      var reader = try BarFrameReader(options: options)
      reader.append(input)
      reader.finish()
      while true {
        do throws(BarReadError) {
          guard let frame = try reader.next() else { break }
          frames.append(frame)
        } catch {
          failures += 1
          guard !"\(error)".isEmpty, failures <= input.count + 1 else {
            throw FuzzFinding(message: "an error without a text, or errors without end")
          }
        }
      }
      if frames.isEmpty { throw BarReadError(line: 1, frameIndex: nil, reason: .row(.missingField("frames"))) }
    }
    // Each input meets one of the ways to analyse it, which its bytes choose.
    let choice = Int(Adler32.checksum(input))
    settings.smoothingType = BarSmoothing.allCases[choice % BarSmoothing.allCases.count]
    settings.liftType = BarLiftType.allCases[choice / 7 % BarLiftType.allCases.count]
    settings.metricsPath = BarMetricsPath.allCases[choice / 49 % BarMetricsPath.allCases.count]
    try analyze(frames, settings, isRepeated: choice.isMultiple(of: 16))
    if case .accepted = asSettings { return .accepted }
    return asFrames
  }

  /// Frames of several lifts follow each other, so that times go backwards, which must be refused and nothing else.
  private func analyze(
    _ frames: [BarFrame], _ settings: BarPathSettings, isRepeated: Bool
  ) throws(FuzzFinding) {
    guard var stream = try? BarPathStream(settings: settings) else {
      throw FuzzFinding(message: "settings in their ranges are refused")
    }
    for frame in frames {
      do throws(BarFrameError) {
        try stream.push(frame)
      } catch {
        guard case .timestampNotIncreasing = error.reason else {
          throw FuzzFinding(message: "a frame that was read is refused: \(error)")
        }
      }
    }
    let result = stream.finish()
    guard result == (isRepeated ? stream.finish() : result) else {
      throw FuzzFinding(message: "two analyses differ, or a result is NaN")
    }
    for rep in result.reps {
      let isSound =
        rep.rom >= 0 && rep.rom.isFinite && rep.meanConcentricVelocity > 0 && rep.concentricDuration > 0
        && rep.maxVelocity.isFinite && result.samples.indices.contains(rep.startFrame) && rep.startFrame <= rep.endFrame
        && result.samples.indices.contains(rep.endFrame)
      guard isSound else { throw FuzzFinding(message: "a repetition is impossible: \(rep)") }
    }
    guard !result.jsonLine.hasBytes(of: "null"), !result.csv(includesMetadata: true).hasBytes(of: "nan") else {
      throw FuzzFinding(message: "a result is not finite")
    }
  }
}
