import Testing

@testable import ApusMotion

@Suite struct PoseCSVTests {
  private let header = "t,width,height," + DogKeypoint.names.map { "\($0)_x,\($0)_y" }.joined(separator: ",")

  private func row(_ start: String = "0.5,200,400", _ point: (Int) -> String = { "\($0),\(2 * $0)" }) -> String {
    start + "," + (0..<24).map(point).joined(separator: ",")
  }

  private func reason(_ text: String) -> PoseReadError.Reason? { PoseFrameReader.failure(in: text)?.reason }

  @Test func aFrame() throws {
    let text = header + "\n" + row { $0 == 4 ? "," : "\($0),1e-1" } + "\n"
    let frame = try #require(try PoseFrameReader.frames(in: text).first)
    #expect(frame.timestamp == 0.5 && frame.width == 200 && frame.height == 400 && frame.space == .pixel)
    #expect(frame.points[23] == PosePoint(x: 23, y: 0.1))
    #expect(frame.points[4] == nil)
  }

  /// The same poses in both formats are the same frames.
  @Test func agreesWithJSONLines() throws {
    let csv = ([header] + (0..<4).map { row("\($0),200,400") }).joined(separator: "\r\n")
    let json = (0..<4).map { jsonLine(head: #""t":\#($0),"width":200,"height":400"#) }.joined(separator: "\n")
    let expected = try PoseFrameReader.frames(in: json)
    for chunk in [1, 17, 10_000] {
      #expect(try PoseFrameReader.frames(in: csv, chunk: chunk) == expected)
    }
  }

  @Test func columnsInAnyOrderWithConfidenceSpaceAndStrangers() throws {
    let columns =
      ["space", "comment"]
      + DogKeypoint.names.reversed().flatMap { ["\($0)_confidence", "\($0)_y", "\($0)_x"] } + ["height", "width", "t"]
    let fields =
      ["vision", "\"a, \"\"b\"\"\""]
      + DogKeypoint.names.reversed().flatMap { $0 == "nose" ? ["", "0.2", "0.1"] : ["0.9", "0.4", " 0.3 "] }
      + ["10", "\"20\"", "1"]
    let text = columns.joined(separator: ",") + "\n" + fields.joined(separator: ",")
    let frame = try #require(try PoseFrameReader.frames(in: text).first)
    #expect(frame.space == .vision && frame.width == 20 && frame.height == 10 && frame.timestamp == 1)
    #expect(frame.points[0] == PosePoint(x: 0.1, y: 0.2))
    #expect(frame.points[1] == PosePoint(x: 0.3, y: 0.4, confidence: 0.9))
  }

  @Test func defaultsFillAbsentColumnsAndEmptyFields() throws {
    let options = PoseReaderOptions().with {
      $0.framesPerSecond = 2
      ($0.width, $0.height) = (64, 48)
      $0.space = .vision
    }
    let short = DogKeypoint.names.map { "\($0)_x,\($0)_y" }.joined(separator: ",")
    let values = Array(repeating: "0.5", count: 48).joined(separator: ",")
    var frames = try PoseFrameReader.frames(in: "\(short)\n\(values)\n\(values)", options: options)
    #expect(frames.map(\.timestamp) == [0, 0.5])
    #expect(frames.allSatisfy { $0.width == 64 && $0.height == 48 && $0.space == .vision })
    frames = try PoseFrameReader.frames(in: "\(header)\n,,,\(values)", options: options)
    #expect(frames.first?.width == 64 && frames.first?.timestamp == 0)
  }

  @Test func namesFollowTheOrder() throws {
    let options = PoseReaderOptions().with {
      $0.order = .vision25; $0.space = .vision
    }
    let header = "t,width,height," + VisionDogJoint.names.map { "\($0)_x,\($0)_y" }.joined(separator: ",")
    let row = "1,10,10" + String(repeating: ",0.5", count: 50)
    #expect(try PoseFrameReader.frames(in: header + "\n" + row, options: options).first?.points.count == 25)
    #expect(
      PoseFrameReader.failure(in: self.header + "\n" + self.row(), options: options)?.reason
        == .row(.missingField("column left_ear_top_x")))
  }

  @Test func headerMistakes() {
    #expect(reason("t,width\n") == .row(.missingField("column height")))
    #expect(reason(header.replacing(",throat_y", with: "") + "\n") == .row(.missingField("column throat_y")))
    #expect(reason("t," + header + "\n") == .row(.duplicateField("t")))
    #expect(PoseFrameReader.failure(in: "hello\n")?.description == "line 1: column t is missing")
  }

  @Test func rowMistakes() throws {
    func failure(_ row: String) -> PoseReadError? { PoseFrameReader.failure(in: header + "\n" + row) }
    #expect(failure("1,2,3")?.reason == .row(.wrongColumnCount(found: 3, expected: 51)))
    #expect(failure(row() + ",1")?.reason == .row(.wrongColumnCount(found: 52, expected: 51)))
    #expect(
      failure(row { $0 == 0 ? "abc,1" : "1,1" })?.description
        == "line 2 (frame 0): nose_x is \"abc\", expected a number or nothing")
    #expect(
      failure(row { $0 == 0 ? "1," : "1,1" })?.reason
        == .row(.wrongValue(field: "nose_y", found: "", expected: "a number, or x and y both empty")))
    #expect(
      failure(row(",200,400"))?.description
        == "line 2 (frame 0): t, the time in seconds, without a frame rate to fill it in, is missing")
    #expect(failure(row("1,0,400"))?.reason == .frame(.invalidImageSize(width: 0, height: 400)))
    #expect(failure("\"1" + row())?.reason == .row(.malformed(column: 1, message: "quoted field without an end")))
    #expect(
      failure("\"1\"x," + row())?.reason == .row(.malformed(column: 4, message: "expected ',' after a quoted field")))
  }

  @Test(arguments: ["nan", "NaN", "inf", "-inf", "+Infinity", "1e999"])
  func notFinite(text: String) throws {
    let error = try #require(PoseFrameReader.failure(in: header + "\n" + row { $0 == 7 ? "1,\(text)" : "1,1" }))
    guard case .row(.notFinite(field: "left_front_shoulder_y", _)) = error.reason else {
      Issue.record("unexpected: \(error)")
      return
    }
    #expect(error.line == 2)
  }

  @Test func headerAlone() throws {
    #expect(try PoseFrameReader.frames(in: header + "\n").isEmpty)
  }

  /// A format that is set is not guessed.
  @Test func formatCanBeSet() {
    let csv = PoseReaderOptions().with { $0.format = .csv }
    #expect(PoseFrameReader.failure(in: jsonLine(), options: csv)?.frameIndex == nil)
    let json = PoseReaderOptions().with { $0.format = .jsonLines }
    guard case .row(.malformed)? = PoseFrameReader.failure(in: header, options: json)?.reason else {
      Issue.record("a CSV header is no JSON")
      return
    }
  }
}
