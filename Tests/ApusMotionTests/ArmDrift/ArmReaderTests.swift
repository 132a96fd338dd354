import Testing

@testable import ApusMotion

@Suite struct ArmReaderTests {
  private let points =
    #"{"left_shoulder":{"x":0.6,"y":0.4},"right_shoulder":{"x":0.4,"y":0.4},"left_wrist":{"x":0.9,"y":0.4},"#
    + #""right_wrist":{"x":0.1,"y":0.5,"confidence":0.9}}"#
  private let head = #""width":1000,"height":1000,"coordinate_space":"normalized_topleft""#

  private func read(_ text: String, options: ArmReaderOptions = ArmReaderOptions()) throws(ArmDriftError)
    -> ArmRecording
  {
    try ArmRecording(json: Array(text.utf8), options: options)
  }

  private func failure(_ text: String, options: ArmReaderOptions = ArmReaderOptions()) -> ArmDriftError? {
    do {
      _ = try read(text, options: options)
      return nil
    } catch { return error }
  }

  private func frames(_ count: Int = 12, step: Double = 1, key: String = "t") -> String {
    (0..<count).map { "{\"\(key)\":\(Double($0) * step),\"keypoints\":\(points)}" }.joined(separator: ",\n")
  }

  @Test func framesWithWhatHoldsForAll() throws {
    let flags = "\"subject_left_is_image_left\":true,\"test_duration\":20.0"
    let text = "{\"fps\":30,\(head),\(flags),\"frames\":[\(frames())]}"
    let recording = try read(text)
    #expect(recording.frames.count == 12)
    #expect(recording.subjectLeftIsImageLeft == true && recording.testDuration == 20)
    let frame = recording.frames[11]
    #expect(frame.timestamp == 11 && frame.width == 1000 && frame.height == 1000 && frame.space == .normalizedTopLeft)
    #expect(frame[.rightWrist] == PosePoint(x: 0.1, y: 0.5, confidence: 0.9))
    #expect(frame[.leftWrist] == PosePoint(x: 0.9, y: 0.4))
    #expect(frame[.leftElbow] == nil)
  }

  @Test func allFormsAreTheSameRecording() throws {
    let expected = try read("{\"frames\":[\(frames())],\(head)}").frames
    let history =
      "{\(head),\"eye_closed\":true,\"user_id\":\"x\",\"keypoints_history\":[\(frames(key: "timestamp"))]}"
    #expect(try read(history).frames == expected)
    let lines = (0..<12).map { "{\"t\":\($0),\(head),\"keypoints\":\(points)}" }.joined(separator: "\n")
    #expect(try read(lines + "\r\n\n").frames == expected)
    let body = history.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    let envelope = "{\"statusCode\":200,\"headers\":{\"a\":\"b\"},\"body\":\"\(body)\"}"
    #expect(try read(envelope).frames == expected)
    #expect(try read("\u{FEFF}" + history).frames == expected)
    let single = try read("{\"t\":3,\(head),\"keypoints\":\(points)}")
    #expect(single.frames == [expected[3]])
  }

  @Test func pointsAreInTheSpaceThatTheFileSays() throws {
    let fractions = failure("{\(head.replacing("normalized_topleft", with: "pixel")),\"frames\":[\(frames())]}")
    #expect(fractions?.reason == .spaceMistake(.fractionsForPixels(width: 1000, height: 1000)))
    #expect(fractions?.description.contains("fractions of its sides") == true)
    let inPixels = frames().replacing("0.6", with: "600").replacing("0.9", with: "900").replacing("0.1", with: "100")
      .replacing("0.4", with: "400").replacing("0.5", with: "500")
    guard
      case .spaceMistake(.pixelsForFractions(.normalizedTopLeft, _, _))? = failure(
        "{\(head),\"frames\":[\(inPixels)]}")?.reason
    else {
      Issue.record("pixels were taken for fractions")
      return
    }
    // Wrists that are somewhat outside the picture are no mistake.
    #expect(failure("{\(head),\"frames\":[\(frames().replacing("0.9", with: "1.4"))]}") == nil)
  }

  @Test func detectionsGiveTheSurestPerson() throws {
    func person(_ score: Double, shift: Double, name: String = "person") -> String {
      var points = Array(repeating: "null", count: 17)
      for (keypoint, x, y) in [(5, 600.0, 400.0), (6, 400, 400), (9, 900, 400), (10, 100, 500)] {
        points[keypoint] = "[\(x + shift),\(y),0.9]"
      }
      return #"{"class":"\#(name)","score":\#(score),"box":[0,0,1,1],"keypoints":[\#(points.joined(separator: ","))]}"#
    }
    let people = [person(0.5, shift: 7), person(0.8, shift: 0), person(0.9, shift: 5, name: "dog")]
    let text = (0..<12).map {
      #"{"t":\#($0),"width":1000,"height":1000,"detections":[\#(people.joined(separator: ","))]}"#
    }.joined(separator: "\n")
    let recording = try read(text)
    #expect(recording.frames[3].space == .pixel)
    #expect(recording.frames[3][.leftWrist] == PosePoint(x: 900, y: 400, confidence: 0.9))
    #expect(recording.frames[3][.rightWrist] == PosePoint(x: 100, y: 500, confidence: 0.9))
    #expect(recording.frames[3][.leftElbow] == nil)
    let noPerson = #"{"t":1,"width":9,"height":9,"detections":[{"class":"dog","score":1,"box":[0,0,1,1]}]}"#
    #expect(try read(noPerson).frames[0].points == Array(repeating: nil, count: 6))
    let short = #"{"t":1,"width":9,"height":9,"detections":[{"class":"person","score":1,"keypoints":[[1,2,3]]}]}"#
    #expect(
      failure(short)?.description == #"line 1 (frame 0): "keypoints" is "1 points", expected the 17 of COCO"#)
  }

  /// A person of 17 points whose shoulders are 200 apart, and whose wrists are 300 from them.
  private func person(at x: Double, _ key: String, _ score: Double) -> String {
    var points = Array(repeating: "null", count: 17)
    for (keypoint, offset) in [(5, 100.0), (6, -100), (9, 400), (10, -400)] {
      points[keypoint] = "[\(x + offset),400,0.9]"
    }
    return #"{"class":"person","\#(key)":\#(score),"keypoints":[\#(points.joined(separator: ","))]}"#
  }

  /// Of each frame, where the left wrist is; nil where nobody is taken.
  private func wrists(_ frames: [[String]], step: Double = 0.1) throws -> (x: [Double?], changes: Int) {
    let lines = frames.enumerated().map { index, people in
      let head = #""t":\#(Double(index) * step),"width":2400,"height":1000"#
      return #"{\#(head),"detections":[\#(people.joined(separator: ","))]}"#
    }
    let recording = try read(lines.joined(separator: "\n"))
    return (recording.frames.map { $0[.leftWrist]?.x }, recording.personChanges)
  }

  @Test func aScoreMayBeAConfidence() throws {
    for key in ["score", "confidence"] {
      let found = try wrists([[person(at: 600, key, 0.5), person(at: 1600, key, 0.9)]])
      #expect(found.x == [2000], "\(key)")
    }
  }

  /// Two people whose scores differ by a hundredth, now this way and now that way.
  @Test func onePersonIsFollowed() throws {
    // The first one moves by a tenth of the shoulder width a frame.
    let places = (0..<30).map { 500 + 20 * Double($0) }
    func frames(_ count: Int, without missing: Range<Int> = 0..<0) -> [[String]] {
      (0..<count).map { index in
        let (first, second) = index % 2 == 0 ? (0.9, 0.89) : (0.89, 0.9)
        let other = person(at: 1600, "score", second)
        return missing.contains(index) ? [other] : [other, person(at: places[index], "score", first)]
      }
    }
    let expected: [Double?] = places.map { $0 + 400 }
    let both = try wrists(frames(20))
    #expect(both.x == Array(expected[..<20]) && both.changes == 0)
    // Where that one is missed for a moment, the other one is not taken.
    let missed = try wrists(frames(20, without: 8..<12))
    var seen = Array(expected[..<20])
    for frame in 8..<12 { seen[frame] = nil }
    #expect(missed.x == seen)
    #expect(missed.changes == 0)
    // More than a second after the last frame with that one somebody is chosen anew, and that is said.
    let gone = try wrists(frames(30, without: 8..<30))
    var replaced = Array(expected[..<8])
    replaced += [Double?](repeating: nil, count: 10)
    replaced += [Double?](repeating: 2000, count: 12)
    #expect(gone.x == replaced)
    #expect(gone.changes == 1)
  }

  /// Where nobody else is ever seen, whoever is seen counts, wherever that is.
  @Test func oneAloneMayJump() throws {
    let jumping = try wrists((0..<6).map { [person(at: $0 < 3 ? 500 : 1600, "score", 0.9)] })
    #expect(jumping.x == [900, 900, 900, 2000, 2000, 2000] && jumping.changes == 0)
  }

  @Test func whatIsLeftOutIsFilledIn() throws {
    var options = ArmReaderOptions()
    options.framesPerSecond = 2
    (options.width, options.height, options.space) = (100, 200, .vision)
    let line = "{\"keypoints\":\(points)}"
    let recording = try read("\(line)\n\(line)\n{\"t\":10,\"keypoints\":\(points)}\n\(line)", options: options)
    #expect(recording.frames.map(\.timestamp) == [0, 0.5, 10, 10.5])
    #expect(recording.frames[0].width == 100 && recording.frames[0].height == 200)
    #expect(recording.frames[0].space == .vision)
    // What the file says comes first.
    let own = try read("{\"fps\":4,\(head),\"frames\":[\(line),\(line)]}", options: options)
    #expect(own.frames.map(\.timestamp) == [0, 0.25] && own.frames[0].width == 1000)
    #expect(own.frames[0].space == .normalizedTopLeft)
  }

  @Test func nothingIsGuessed() {
    let size = #""width":1,"height":1"#
    #expect(failure("{\"t\":0,\(size),\"keypoints\":\(points)}")?.reason == .missingField("coordinate_space"))
    #expect(failure("{\"t\":0,\"height\":1,\"keypoints\":\(points)}")?.reason == .missingField("width"))
    #expect(failure("{\"t\":0,\"width\":1,\"keypoints\":\(points)}")?.reason == .missingField("height"))
    #expect(
      failure("{\(head),\"keypoints\":\(points)}")?.description
        == "line 1 (frame 0): t, the time in seconds, without a frame rate to fill it in, is missing")
  }

  @Test func notANumberIsNamed() {
    for (number, shown) in [("NaN", "nan"), ("Infinity", "inf"), ("1e999", "inf"), ("-Infinity", "-inf")] {
      let last = "{\"t\":7,\"keypoints\":{\"left_wrist\":{\"x\":0,\"y\":\(number)}}}"
      let text = "{\(head),\"frames\":[\(frames(7)),\n\(last)]}"
      #expect(
        failure(text)?.description
          == "line 8 (frame 7): left_wrist y is \(shown), expected a finite number")
    }
    #expect(failure("{\"t\":NaN,\(head),\"keypoints\":{}}")?.reason != nil)
    #expect(
      failure("{\"fps\":0,\(head),\"frames\":[\(frames())]}")?.description
        == #"line 1: "fps" is "0.0", expected frames per second above 0"#)
  }

  @Test func timesMustIncrease() {
    let text = "{\(head),\"frames\":[\(frames(3)),\(frames(1))]}"
    let error = failure(text)
    #expect(error?.frameIndex == 3)
    #expect(error?.reason == .timestampNotIncreasing(0, previous: 2))
  }

  @Test func formsDoNotMix() throws {
    #expect(
      failure("{\(head),\"frames\":[\(frames())],\"keypoints\":\(points)}")?.reason
        == .mixedForms("frames", "keypoints"))
    let line = "{\"t\":0,\(head),\"keypoints\":\(points)}"
    #expect(
      failure("\(line)\n{\"t\":1,\"width\":9,\"height\":9,\"detections\":[]}")?.reason
        == .mixedForms("keypoints", "detections"))
    #expect(failure("\(line)\n{\(head),\"frames\":[\(frames())]}")?.reason == .mixedForms("keypoints", "frames"))
    let whole = "{\(head),\"frames\":[\(frames())]}"
    #expect(failure("\(whole)\n\(whole)")?.reason == .mixedForms("frames", "frames"))
    let nested = #"{"statusCode":200,"body":"{\"body\":\"{}\"}"}"#
    #expect(failure(nested)?.description.hasPrefix("body: line 1: ") == true)
    let sides = #"{"t":0,"subject_left_is_image_left":true,\#(head),"keypoints":{}}"#
    #expect(
      failure(sides + "\n" + sides.replacing("true", with: "false").replacing(":0,", with: ":1,"))?.reason
        == .wrongValue(field: "subject_left_is_image_left", found: "false", expected: "true, as before"))
  }

  @Test func everyCutIsAnError() throws {
    let text = "{\(head),\"frames\":[\(frames(2))]}"
    #expect(failure(text) == nil)
    for length in 0..<text.utf8.count {
      #expect(failure(String(decoding: Array(text.utf8).prefix(length), as: UTF8.self)) != nil, "\(length) bytes")
    }
    #expect(failure("")?.description == "no frames")
    #expect(failure("{\(head),\"frames\":[]}")?.reason == .noFrames)
  }

  @Test func strangeTextIsRefused() {
    #expect(failure("[]")?.description == "line 1: column 1: expected '{'")
    #expect(failure("hello")?.description == "line 1: column 1: expected '{'")
    #expect(failure("{\n  \"frames\": 3}")?.description == "line 2: column 13: expected frames to be an array")
    #expect(failure(#"{"error":"x","statusCode":500}"#)?.reason == .missingField("body"))
    #expect(failure("{}")?.reason == .missingField("keypoints, keypoints_history, frames or detections"))
    // What an older client sends: pictures in base64.
    #expect(
      failure(#"{"frames":["iVBORw0KGgo="],"fps":30}"#)?.description
        == #"line 1 (frame 0): "frames" is "text", expected objects with keypoints: pictures are not read"#)
    #expect(failure(#"{"isBase64Encoded":true,"body":"e30="}"#)?.description.contains("base64 is not read") == true)
    #expect(
      failure(#"{"t":0,"t":1,\#(head),"keypoints":{}}"#)?.description == #"line 1: "t" occurs twice"#)
    #expect(
      failure(#"{"t":0,"timestamp":1,\#(head),"keypoints":{}}"#)?.reason == .duplicateField("t"))
    #expect(
      failure(#"{"t":0,\#(head),"keypoints":{"left_wrist":{"x":1}}}"#)?.reason == .missingField("left_wrist y"))
    #expect(
      failure(#"{"t":0,"coordinate_space":"inches","keypoints":{}}"#)?.description.contains("expected one of pixel")
        == true)
  }

  @Test func otherPointsAndKeysArePassedOver() throws {
    let text =
      #"{"t":0,\#(head),"note":[1,{"a":null}],"keypoints":{"nose":{"x":1},"left_wrist":{"x":0.5,"y":0.25,"z":9},"#
      + #""right_wrist":null}}"#
    let frame = try read(text).frames[0]
    #expect(frame[.leftWrist] == PosePoint(x: 0.5, y: 0.25) && frame[.rightWrist] == nil)
  }

  @Test func errorsAreJSONToo() throws {
    let json = try #require(failure("{}")).json
    #expect(json.hasPrefix(#"{"status":"invalid","error":"line 1: keypoints, "#))
    #expect(json.contains(ArmDriftNotice.disclaimer) && !json.contains("nihss_"))
  }
}
