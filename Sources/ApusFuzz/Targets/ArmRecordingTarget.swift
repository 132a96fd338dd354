import Apus
import ApusMotion

/// Recordings of two arms: every form of their JSON, and what is computed from them.
struct ArmRecordingTarget: JSONFuzzTarget {
  let name = "arms"
  let summary = "recordings of arms: JSON of every form, and their analysis"
  let dictionary = [
    "\"t\":", "\"timestamp\":", "\"width\":", "\"height\":", "\"coordinate_space\":", "\"pixel\"", "\"vision\"",
    "\"normalized_topleft\"", "\"keypoints\":", "\"keypoints_history\":", "\"frames\":", "\"detections\":", "\"body\":",
    "\"statusCode\":", "\"fps\":", "\"left_wrist\":", "\"right_shoulder\":", "\"confidence\":", "\"score\":", "null",
    "NaN", "1e308", "1e-320", "-0.0", "true", "false", "{", "}", "[", "]", ",", "\n",
  ]

  func seeds() -> [[UInt8]] {
    func points(_ index: Int) -> String {
      #"{"left_shoulder":{"x":0.6,"y":0.4},"right_shoulder":{"x":0.4,"y":0.4},"left_wrist":{"x":0.9,"y":0.4},"#
        + #""right_wrist":{"x":0.1,"y":0.\#(40 + index),"confidence":0.9}}"#
    }
    let head = #""width":100,"height":200,"coordinate_space":"normalized_topleft""#
    let frames = (0..<21).map { "{\"t\":\(Double($0) / 2),\"keypoints\":\(points($0))}" }.joined(separator: ",")
    let lines = (0..<21).map { "{\"t\":\(Double($0) / 2),\(head),\"keypoints\":\(points($0))}" }
    let coco =
      Array(repeating: "[1,2,0.9]", count: 5) + ["[60,40,1]", "[40,40,1]"] + Array(repeating: "null", count: 2)
      + ["[90,40,1]", "[10,50,1]"] + Array(repeating: "[1,2]", count: 6)
    let person = #"{"class":"person","score":0.9,"box":[0,0,1,1],"keypoints":[\#(coco.joined(separator: ","))]}"#
    let detections = (0..<21).map {
      "{\"t\":\(Double($0) / 2),\"width\":100,\"height\":200,\"detections\":[\(person)]}"
    }
    let body = "{\(head),\"keypoints_history\":[\(frames)]}".replacing("\"", with: "\\\"")
    return [
      "{\"fps\":2,\(head),\"subject_left_is_image_left\":true,\"frames\":[\(frames)]}",
      lines.joined(separator: "\n"), detections.joined(separator: "\r\n"),
      "{\"statusCode\":200,\"headers\":{},\"body\":\"\(body)\"}",
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ArmDriftError.self) {
      let recording = try ArmRecording(json: Array(input))
      // Each input meets one of the ways to analyse it, which its bytes choose.
      let choice = Int(Adler32.checksum(input))
      var settings = ArmDriftSettings()
      settings.profile = ArmDriftProfile.allCases[choice % ArmDriftProfile.allCases.count]
      settings.mode = ArmDriftMode.allCases[choice / 7 % ArmDriftMode.allCases.count]
      let found = ArmDriftAnalysis.analyze(recording, settings: settings)
      let json = found.json
      if choice.isMultiple(of: 16), json != ArmDriftAnalysis.analyze(recording, settings: settings).json {
        throw FuzzFinding(message: "two analyses of one recording differ")
      }
      switch found {
      case .measured(let measurement): try check(measurement, json: json)
      case .insufficientData(let reason):
        guard !"\(reason)".isEmpty, !json.hasBytes(of: "nihss_motor_score") else {
          throw FuzzFinding(message: "a score without the data for it")
        }
      }
    }
  }

  private func check(_ measurement: ArmDriftMeasurement, json: String) throws {
    guard (0...4).contains(measurement.estimatedMotorLevel), !json.hasBytes(of: "null") else {
      throw FuzzFinding(message: "a report with a number that is not finite")
    }
    guard measurement.csv.utf8.count(where: { $0 == 0x0A }) == measurement.coverage.frames + 1 else {
      throw FuzzFinding(message: "another number of rows than frames")
    }
  }
}
