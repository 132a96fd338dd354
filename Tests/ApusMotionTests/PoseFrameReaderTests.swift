import ApusBase
import Testing

@testable import ApusMotion

@Suite struct JSONLinesTests {
  @Test func aFrame() throws {
    let line = jsonLine(head: #""t":0.5,"width":1920,"height":1080,"space":"vision""#) { index in
      switch index {
      case 3: "null"
      case 5: "[0.25, 0.5, 0.75]"
      case 6: "[0.25,0.5,null]"
      default: "[\(index),-1.5e-1]"
      }
    }
    let frame = try #require(try PoseFrameReader.frames(in: line).first)
    #expect(frame.timestamp == 0.5)
    #expect(frame.width == 1920 && frame.height == 1080)
    #expect(frame.space == .vision)
    #expect(frame.points.count == 24)
    #expect(frame.points[0] == PosePoint(x: 0, y: -0.15))
    #expect(frame.points[3] == nil)
    #expect(frame.points[5] == PosePoint(x: 0.25, y: 0.5, confidence: 0.75))
    #expect(frame.points[6] == PosePoint(x: 0.25, y: 0.5))
  }

  @Test func separateConfidences() throws {
    let confidences = (0..<24).map { $0 == 2 ? "null" : "0.\($0 + 10)" }.joined(separator: ",")
    let line = jsonLine(tail: ",\"confidence\":[\(confidences)]") { $0 == 1 ? "null" : "[1,2]" }
    let frame = try #require(try PoseFrameReader.frames(in: line).first)
    #expect(frame.points[0]?.confidence == 0.10)
    #expect(frame.points[1] == nil)
    #expect(frame.points[2] == PosePoint(x: 1, y: 2))
    #expect(frame.points[23]?.confidence == 0.33)
  }

  @Test func keysInAnyOrderAndUnknownOnes() throws {
    let line =
      #"{"id":{"a":[1,{"b":null}]},"keypoints":["#
      + Array(repeating: "[1,2]", count: 24).joined(separator: ",")
      + #"],"height":4,"extra":"x","width":3,"t":7, "note":true}"#
    let frame = try #require(try PoseFrameReader.frames(in: line).first)
    #expect(frame.timestamp == 7 && frame.width == 3 && frame.height == 4 && frame.space == .pixel)
  }

  /// Of a key `frame` only what can be the number of a picture counts; nothing else is an error.
  @Test(
    arguments: [
      ("7", 7), ("0", 0), ("-1", nil), ("2.5", nil), ("1e30", nil), ("\"a\"", nil), ("[1,2]", nil), ("null", nil),
    ] as [(String, Int?)])
  func picturesHaveNumbers(text: String, number: Int?) throws {
    let pose = try PoseFrameReader.frames(in: jsonLine(tail: ",\"frame\":\(text)"))
    #expect(pose.map(\.pictureNumber) == [number])
    let arms = #"{"t":1,"width":9,"height":9,"space":"pixel","keypoints":{"left_wrist":{"x":1,"y":2}}"#
    #expect(try ArmRecording(json: Array("\(arms),\"frame\":\(text)}".utf8)).frames.map(\.pictureNumber) == [number])
  }

  @Test func defaultsFillIn() throws {
    let options = PoseReaderOptions().with {
      $0.framesPerSecond = 10
      $0.space = .normalizedTopLeft
      ($0.width, $0.height) = (640, 480)
    }
    let line = jsonLine(head: #""t":null,"width":null"#) { _ in "null" }
    let text = Array(repeating: line, count: 31).joined(separator: "\n")
    let frames = try PoseFrameReader.frames(in: text, options: options)
    #expect(frames.map(\.timestamp) == (0..<31).map { Double($0) / 10 })
    #expect(frames.allSatisfy { $0.width == 640 && $0.height == 480 && $0.space == .normalizedTopLeft })
  }

  @Test func filledTimesGoOnFromGivenOnes() throws {
    let options = PoseReaderOptions().with { $0.framesPerSecond = 4 }
    let heads = [#""t":10,"#, "", "", #""t":20,"#, ""]
    let text = heads.map { jsonLine(head: $0 + #""width":1,"height":1"#) }.joined(separator: "\n")
    #expect(try PoseFrameReader.frames(in: text, options: options).map(\.timestamp) == [10, 10.25, 10.5, 20, 20.25])
  }

  /// However the bytes are cut, the frames are the same.
  @Test(arguments: [1, 2, 3, 64, 1000])
  func chunks(size: Int) throws {
    let text = (0..<5).map { jsonLine(head: #""t":\#($0),"width":20,"height":30"#) }.joined(separator: "\r\n") + "\n\n"
    let frames = try PoseFrameReader.frames(in: text, chunk: size)
    #expect(frames == (try PoseFrameReader.frames(in: text)))
    #expect(frames.count == 5)
  }

  @Test func aFrameIsHandedOutAsSoonAsItsLineEnds() throws {
    var reader = try PoseFrameReader()
    let line = jsonLine()
    reader.append(line.utf8)
    #expect(try reader.next() == nil)
    reader.append([0x0A])
    #expect(try reader.next() != nil)
    #expect(try reader.next() == nil)
    #expect(reader.lineNumber == 1 && reader.frameCount == 1)
  }

  @Test func linesCanBeAddedWhole() throws {
    var reader = try PoseFrameReader()
    for index in 0..<3 {
      reader.append(line: jsonLine(head: #""t":\#(index),"width":1,"height":1"#))
      #expect(try reader.next()?.timestamp == Double(index))
    }
  }

  @Test func byteOrderMarkAndBlankLines() throws {
    let text = "\u{FEFF}\n  \r\n" + jsonLine() + "\n\t\n"
    #expect(try PoseFrameReader.frames(in: text).count == 1)
    #expect(try PoseFrameReader.frames(in: "\u{FEFF}" + jsonLine()).count == 1)
    #expect(try PoseFrameReader.frames(in: "").isEmpty)
  }

  @Test func visionOrderTakes25() throws {
    let options = PoseReaderOptions().with {
      $0.order = .vision25; $0.space = .vision
    }
    let frame = try #require(try PoseFrameReader.frames(in: jsonLine(count: 25), options: options).first)
    #expect(frame.points.count == 25 && frame.space == .vision)
    let error = PoseFrameReader.failure(in: jsonLine(), options: options)
    #expect(error?.reason == .frame(.wrongPointCount(found: 24, expected: 25, order: .vision25)))
  }
}

@Suite struct BadJSONLinesTests {
  private func reason(_ line: String) -> PoseReadError.Reason? { PoseFrameReader.failure(in: line)?.reason }

  @Test(arguments: [0, 1, 23, 25, 1000])
  func pointCount(count: Int) {
    #expect(
      reason(jsonLine(count: count)) == .frame(.wrongPointCount(found: count, expected: 24, order: .cvat)))
  }

  @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e999"])
  func notFinite(token: String) throws {
    let good = (0..<7).map { jsonLine(head: #""t":\#($0),"width":1,"height":1"#) + "\n" }.joined()
    let bad = jsonLine(head: #""t":7,"width":1,"height":1"#) { $0 == 3 ? "[1,\(token)]" : "[1,2]" }
    let error = try #require(PoseFrameReader.failure(in: good + bad))
    #expect(error.line == 8 && error.frameIndex == 7)
    #expect(error.description.hasPrefix("line 8 (frame 7): keypoint 3 (left_ear) y is "))
    #expect(error.description.hasSuffix(", expected a finite number"))
    guard case .row(.notFinite(let field, _))? = reason(jsonLine(head: #""t":\#(token),"width":1,"height":1"#))
    else {
      Issue.record("a time that is not finite must be refused")
      return
    }
    #expect(field == "t")
  }

  @Test func imageSize() {
    #expect(
      reason(jsonLine(head: #""t":1,"width":0,"height":1"#)) == .frame(.invalidImageSize(width: 0, height: 1)))
    #expect(
      reason(jsonLine(head: #""t":1,"width":1,"height":-1"#)) == .frame(.invalidImageSize(width: 1, height: -1)))
  }

  @Test func timestampsThatDoNotIncrease() throws {
    let text = [0.2, 0.1].map { jsonLine(head: #""t":\#($0),"width":1,"height":1"#) }.joined(separator: "\n")
    let error = try #require(PoseFrameReader.failure(in: text))
    #expect(error.line == 2)
    #expect(error.reason == .frame(.timestampNotIncreasing(0.1, previous: 0.2)))
  }

  @Test func missingFields() {
    #expect(reason(jsonLine(head: #""t":1,"height":1"#)) == .row(.missingField("width")))
    #expect(reason(jsonLine(head: #""t":1,"width":1"#)) == .row(.missingField("height")))
    #expect(reason(#"{"t":1,"width":1,"height":1}"#) == .row(.missingField("keypoints")))
    #expect(reason("{}") == .row(.missingField("keypoints")))
    let time = PoseFrameReader.failure(in: jsonLine(head: #""width":1,"height":1"#))
    #expect(
      time?.description
        == "line 1 (frame 0): t, the time in seconds, without a frame rate to fill it in, is missing")
  }

  @Test func duplicates() {
    #expect(reason(jsonLine(head: #""t":1,"t":2,"width":1,"height":1"#)) == .row(.duplicateField("t")))
    let confidences = Array(repeating: "0.5", count: 24).joined(separator: ",")
    #expect(
      reason(jsonLine(tail: ",\"confidence\":[\(confidences)]") { _ in "[1,2,0.5]" })
        == .row(.duplicateField("confidence of keypoint 0 (nose)")))
  }

  @Test func wrongTypes() {
    #expect(
      reason(jsonLine(head: #""t":1,"width":1,"height":1,"space":"metres""#))
        == .row(.wrongValue(field: "space", found: "metres", expected: "one of pixel, normalized_topleft, vision")))
    #expect(
      reason(jsonLine(tail: #","confidence":[1,2]"#))
        == .row(.wrongValue(field: "confidence", found: "2 values", expected: "24, one a keypoint")))
    for line in [
      jsonLine(head: #""t":"1","width":1,"height":1"#), jsonLine(head: #""t":[1],"width":1,"height":1"#),
      jsonLine(tail: #","confidence":0.5"#), jsonLine(tail: #","space":3"#), jsonLine { _ in "[1]" },
      jsonLine { _ in "[1,2,3,4]" }, jsonLine { _ in "{\"x\":1,\"y\":2}" }, jsonLine { _ in "1" },
      jsonLine { _ in "[null,null]" }, #"{"keypoints":7}"#,
    ] {
      guard case .row(.malformed)? = reason(line) else {
        Issue.record("expected a malformed line: \(line)")
        continue
      }
    }
  }

  @Test func notJSON() {
    let good = jsonLine()
    for line in ["{", "{]", good + "x", good + good, String(good.dropLast()), "[1,2]", "{\u{0}}"] {
      guard case .row(.malformed)? = reason(line) else {
        Issue.record("expected a malformed line: \(line)")
        continue
      }
    }
    #expect(
      PoseFrameReader.failure(in: "[\n")?.description
        == "line 1 (frame 0): column 1: expected '{': one JSON object a line")
  }

  @Test func deepNestingIsRefused() {
    let bomb = "{\"x\":" + String(repeating: "[", count: 500_000)
    guard case .row(.malformed(_, let message))? = reason(bomb) else {
      Issue.record("expected a malformed line")
      return
    }
    #expect(message == "nested more than 128 deep")
  }

  @Test func textFromTheFileIsHarmlessInMessages() {
    let line = jsonLine(head: #""t":1,"width":1,"height":1,"space":"\u001b[31m\#(String(repeating: "x", count: 99))""#)
    let description = PoseFrameReader.failure(in: line)?.description ?? ""
    #expect(!description.unicodeScalars.contains("\u{1B}"))
    #expect(description.contains(#"\u{1B}[31m"#))
    #expect(description.count < 200)
  }

  @Test func aBadLineCanBeSkipped() throws {
    var reader = try PoseFrameReader()
    let good = [0, 1].map { jsonLine(head: #""t":\#($0),"width":1,"height":1"#) }
    reader.append("\(good[0])\n{oops\n\(good[1])\n".utf8)
    #expect(try reader.next()?.timestamp == 0)
    let error = try #require(throws: PoseReadError.self) { try reader.next() }
    #expect(error.line == 2 && error.frameIndex == 1)
    #expect(try reader.next()?.timestamp == 1)
    #expect(reader.lineNumber == 3)
  }
}

@Suite struct LineLimitTests {
  private let options = PoseReaderOptions().with { $0.lineLimit = 400 }

  @Test func aLineOfTheLimitPasses() throws {
    let line = jsonLine()
    let padded = line + String(repeating: " ", count: 400 - line.utf8.count)
    for end in ["", "\n", "\r\n"] {
      #expect(try PoseFrameReader.frames(in: padded + end, chunk: 1, options: options).count == 1)
      #expect(
        PoseFrameReader.failure(in: padded + " " + end, options: options)
          == PoseReadError(line: 1, frameIndex: 0, reason: .row(.lineTooLong(limit: 400))))
    }
  }

  /// A line without an end is refused before it ends, and what follows it is read.
  @Test func anEndlessLine() throws {
    var reader = try PoseFrameReader(options: options)
    reader.append(Array(repeating: UInt8(ascii: " "), count: 1000))
    let error = try #require(throws: PoseReadError.self) { try reader.next() }
    #expect(error.reason == .row(.lineTooLong(limit: 400)))
    for _ in 0..<100 {
      reader.append(Array(repeating: UInt8(ascii: "x"), count: 1000))
      #expect(try reader.next() == nil)
    }
    reader.append(line: "")
    reader.append(line: jsonLine())
    #expect(try reader.next() != nil)
    #expect(reader.lineNumber == 2)
  }

  @Test func theDefaultIsAMebibyte() throws {
    #expect(PoseReaderOptions().lineLimit == 1_048_576)
  }

  @Test func badSettings() {
    let cases: [((inout PoseReaderOptions) -> Void, SettingsError)] = [
      ({ $0.lineLimit = 0 }, .wrongValue(setting: "lineLimit", found: "0", expected: "an integer, 1 or more")),
      ({ $0.framesPerSecond = -1 }, .wrongValue(setting: "inputFps", found: "-1", expected: "above 0")),
      ({ $0.width = 0 }, .wrongValue(setting: "width", found: "0", expected: "above 0")),
      ({ $0.height = .infinity }, .wrongValue(setting: "height", found: "inf", expected: "above 0")),
    ]
    for (change, expected) in cases {
      #expect(throws: expected) { try PoseFrameReader(options: PoseReaderOptions().with(change)) }
    }
  }
}

@Suite struct ReaderRobustnessTests {
  /// Good input with bytes changed, removed, and put in: every outcome is a frame or a typed error, and no bad line
  /// takes the one after it along.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func mutations(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let header = "t,width,height," + DogKeypoint.names.map { "\($0)_x,\($0)_y" }.joined(separator: ",") + "\n"
    let row = "0.5,200,400" + String(repeating: ",1,\"2\"", count: 24)
    for (start, line, format) in [("", jsonLine(), PoseFormat.jsonLines), (header, row, .csv)] {
      for _ in 0..<1000 {
        var bytes = Array(line.utf8)
        for _ in 0...generator.next() % 4 {
          let place = Int(generator.next() % UInt64(bytes.count))
          let alphabet = Array("[]{}\",:\\-+.eE0123456789nul tNaI\u{0}\u{1}".utf8) + [0x80, 0xC3, 0xFF]
          let byte = alphabet[Int(generator.next() % UInt64(alphabet.count))]
          switch generator.next() % 3 {
          case 0: bytes[place] = byte
          case 1: bytes.insert(byte, at: place)
          default: bytes.remove(at: place)
          }
        }
        var reader = try PoseFrameReader(options: PoseReaderOptions().with { $0.format = format })
        reader.append(start.utf8)
        reader.append(bytes + [0x0A])
        do throws(PoseReadError) {
          if let frame = try reader.next() { #expect(frame.points.count == 24) }
        } catch {
          #expect(error.line == reader.lineNumber)
        }
        reader.append(line: line.replacing("0.5", with: "1e9", maxReplacements: 1))
        #expect(try reader.next() != nil)
      }
    }
  }
}
