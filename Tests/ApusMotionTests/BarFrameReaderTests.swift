import Testing

@testable import ApusMotion

extension BarFrameReader: ReaderOfFrames {}
extension BarReaderOptions: Changeable {}

@Suite struct BarPathJSONLinesTests {
  @Test func aFrame() throws {
    let line =
      #"{"t":0.5,"width":640,"height":480,"space":"normalized_topleft","detections":["#
      + #"{"x":0.1,"y":0.2,"w":0.3,"h":0.4,"confidence":0.9},{"box":[0.5,0.5,0.75,1],"score":0.5,"class":"plate"},"#
      + #"{"x":0,"y":0,"w":1,"h":1,"confidence":0.9,"class":"chair"}],"#
      + #""pose":{"left_wrist":[0.1,0.2],"right_elbow":[0.3,0.4,0.8],"left_hip":null,"visibility":0.7},"note":[1]}"#
    let frame = try #require(try BarFrameReader.frames(in: line).first)
    #expect(frame.timestamp == 0.5 && frame.width == 640 && frame.height == 480 && frame.space == .normalizedTopLeft)
    #expect(
      frame.observation
        == .detections([
          BarDetection(x: 0.1, y: 0.2, width: 0.3, height: 0.4, confidence: 0.9),
          BarDetection(x: 0.5, y: 0.5, width: 0.25, height: 0.5, confidence: 0.5),
        ]))
    let pose = BarPose(
      leftWrist: PosePoint(x: 0.1, y: 0.2), rightElbow: PosePoint(x: 0.3, y: 0.4, confidence: 0.8), visibility: 0.7)
    #expect(frame.pose == pose)
  }

  /// The lines of a detector: the largest person is the lifter.
  @Test func detectorLines() throws {
    func person(_ box: String, x: Int) -> String {
      let points = (0..<17).map { $0 == 8 ? "[0,0,0]" : "[\(x),\($0),0.\($0 + 10)]" }.joined(separator: ",")
      return #"{"class":"person","class_id":0,"score":0.9,"box":\#(box),"keypoints":[\#(points)]}"#
    }
    let line =
      #"{"frame":3,"t":0.1,"image":"a.png","width":640,"height":480,"detections":["#
      + person("[0,0,50,50]", x: 1) + "," + person("[0,0,90,200]", x: 2)
      + #",{"class":"plate","class_id":1,"score":0.93,"box":[10,20,110,118]},{"class":1,"score":1,"box":[0,0,30,30]}]}"#
    let frame = try #require(try BarFrameReader.frames(in: line).first)
    #expect(
      frame.observation == .detections([BarDetection(x: 10, y: 20, width: 100, height: 98, confidence: 0.93)]))
    #expect(frame.pose?.leftWrist == PosePoint(x: 2, y: 9, confidence: 0.19))
    #expect(frame.pose?.rightWrist == PosePoint(x: 2, y: 10, confidence: 0.20))
    #expect(frame.pose?.leftElbow == PosePoint(x: 2, y: 7, confidence: 0.17) && frame.pose?.rightElbow == nil)
    #expect(frame.pose?.rightHip == PosePoint(x: 2, y: 12, confidence: 0.22))
    let other = BarReaderOptions().with { ($0.plateClasses, $0.personClass) = (["1", "kettlebell"], "nobody") }
    let second = try #require(try BarFrameReader.frames(in: line, options: other).first)
    #expect(second.observation == .detections([BarDetection(x: 0, y: 0, width: 30, height: 30, confidence: 1)]))
    #expect(second.pose == nil)
  }

  @Test func timesThatAreLeftOut() throws {
    let options = BarReaderOptions().with { ($0.framesPerSecond, $0.width, $0.height) = (10, 640, 480) }
    let heads = [#""frame":5,"#, #""frame":7,"#, #""t":2,"frame":1,"#, "", #""t":null,"#]
    let text = heads.map { #"{\#($0)"detections":[]}"# }
    let frames = try BarFrameReader.frames(in: text.joined(separator: "\n"), options: options)
    #expect(frames.map(\.timestamp) == [0.5, 0.7, 2, 2.1, 2.2])
  }

  @Test func aBarThatIsChosenAlready() throws {
    let text = #"{"t":0,"bar":[3,4]}"# + "\n" + #"{"t":1,"bar":null,"pose":null}"#
    #expect(
      try BarFrameReader.frames(in: text).map(\.observation) == [.center(BarPoint(x: 3, y: 4)), .center(nil)])
  }

  /// However the bytes are cut, the frames are the same; both forms may stand in one file.
  @Test(arguments: [1, 2, 7, 64])
  func chunks(size: Int) throws {
    let text =
      "\u{FEFF}\n"
      + (0..<5).map {
        $0 % 2 == 0
          ? #"{"t":\#($0),"width":20,"height":30,"detections":[{"x":1,"y":2,"w":3,"h":4,"confidence":0.5}]}"#
          : #"{"t":\#($0),"width":20,"height":30,"detections":[{"box":[1,2,4,6],"score":0.5,"class":"plate"}]}"#
      }.joined(separator: "\r\n")
    let frames = try BarFrameReader.frames(in: text, chunk: size)
    #expect(frames.count == 5 && Set(frames.map(\.observation)).count == 1)
  }

  private func reason(_ line: String) -> BarReadError.Reason? {
    BarFrameReader.failure(in: line)?.reason
  }

  private func box(_ box: String) -> String { #"{"t":0,"width":9,"height":9,"detections":[\#(box)]}"# }

  @Test func whatIsMissingOrTwice() {
    #expect(reason(#"{"t":0,"width":9,"height":9}"#) == .row(.missingField("detections")))
    #expect(reason(#"{"t":0,"t":1,"detections":[]}"#) == .row(.duplicateField("t")))
    #expect(reason(#"{"t":0,"detections":[],"bar":null}"#) == .row(.duplicateField("bar beside detections")))
    #expect(reason(#"{"t":0,"detections":[]}"#) == .frame(.missingImageSize))
    #expect(
      reason(#"{"width":9,"height":9,"detections":[]}"#)
        == .row(.missingField("t, the time in seconds, without a frame rate to fill it in,")))
    #expect(
      reason(box(#"{"x":1,"y":1,"w":1,"h":1}"#)) == .row(.missingField("detection 0 confidence (or score)")))
    #expect(reason(box(#"{"x":1,"y":1,"w":1,"score":1}"#)) == .row(.missingField("detection 0 h (or box)")))
  }

  @Test func valuesThatAreWrong() {
    let nan = BarFrameReader.failure(in: box(#"{"x":1,"y":NaN,"w":1,"h":1,"score":1}"#))
    #expect(nan?.description == "line 1 (frame 0): detection 0 y is nan, expected a finite number")
    #expect(
      reason(box(#"{"x":1,"y":1e999,"w":1,"h":1,"score":1}"#))
        == .row(.notFinite(field: "detection 0 y", value: .infinity)))
    #expect(
      reason(box(#"{"box":[5,1,1,1],"score":1}"#))
        == .frame(.outOfRange(field: "detection 0 width", value: -4, expected: "0 to 10000000")))
    #expect(
      reason(box(#"{"box":[5,1,1],"score":1}"#))
        == .row(.wrongValue(field: "detection 0 box", found: "3 values", expected: "4: x0, y0, x1, y1")))
    #expect(
      reason(box(#"{"box":[0,0,1,1],"score":1,"class":"person","keypoints":[[1,2,0.5]]}"#))
        == .row(.wrongValue(field: "detection 0 keypoints", found: "1 values", expected: "17")))
    #expect(
      reason(#"{"t":0,"space":"yards","detections":[]}"#)
        == .row(
          .wrongValue(field: "space", found: "yards", expected: "one of pixel, normalized_topleft, vision")))
  }

  @Test func boxesAreInTheSpaceThatTheirLinesSay() throws {
    func line(_ box: String, space: String = "", t: Int = 0) -> String {
      #"{"t":\#(t),"width":640,"height":480,\#(space)"detections":[{"box":\#(box),"confidence":0.9}]}"#
    }
    let fractions = "[0.4,0.3,0.6,0.7]"
    #expect(
      reason(line(fractions)) == .frame(.spaceMistake(.fractionsForPixels(width: 640, height: 480))))
    #expect(
      reason(line("[256,144,384,336]", space: #""space":"normalized_topleft","#))
        == .frame(.spaceMistake(.pixelsForFractions(.normalizedTopLeft, x: 256, y: 144))))
    #expect(reason(line(fractions, space: #""space":"vision","#)) == nil)
    // A box in the corner of a picture of pixels is one of several.
    let corner = [line("[256,144,384,336]"), line("[0,0,1,0.8]", t: 1)].joined(separator: "\n")
    #expect(try BarFrameReader.frames(in: corner).count == 2)
    #expect(reason(line("[0,0,0,0]")) == nil)
  }

  @Test(arguments: [#"{"t":0,"detections":[{"x":1"#, "{", #"{"t":0,"detections":[1]}"#, "[]", #"{"t":0}}"#, #"{"t":"#])
  func linesCutInTheMiddle(line: String) {
    guard case .row(.malformed(let column, _))? = reason(line) else {
      Issue.record("\(String(describing: reason(line)))")
      return
    }
    #expect(column >= 1)
  }

  /// A bad line is named and skipped; what comes after it is read.
  @Test func aBadLineLosesNothingElse() throws {
    let good = { (t: Int) in #"{"t":\#(t),"width":9,"height":9,"detections":[]}"# + "\n" }
    var reader = try BarFrameReader()
    reader.append((good(0) + good(1) + "{\n" + good(1) + good(2)).utf8)
    #expect(try reader.next()?.timestamp == 0)
    #expect(try reader.next()?.timestamp == 1)
    #expect { try reader.next() } throws: { ($0 as? BarReadError)?.line == 3 && ($0 as? BarReadError)?.frameIndex == 2 }
    #expect(
      throws: BarReadError(
        line: 4, frameIndex: 2, reason: .frame(.timestampNotIncreasing(1, previous: 1)))
    ) { try reader.next() }
    #expect(try reader.next()?.timestamp == 2)
    #expect(reader.frameCount == 3)
  }

  @Test func aLineThatIsTooLong() throws {
    let options = BarReaderOptions().with { $0.lineLimit = 20 }
    let error = BarFrameReader.failure(in: String(repeating: "x", count: 100), options: options)
    #expect(error?.reason == .row(.lineTooLong(limit: 20)))
    #expect(throws: SettingsError.self) { try BarFrameReader(options: options.with { $0.lineLimit = 0 }) }
  }
}

@Suite struct BarPathCSVReadingTests {
  @Test func positionsWithoutTimes() throws {
    let text = "lift,weight_lb,frame,x_px,y_px\n0,75,0,445.179,1022.857\n0,75,1,443.571,1022.857\n0,75,3,,\n"
    let frames = try BarFrameReader.frames(in: text, options: BarReaderOptions().with { $0.framesPerSecond = 30 })
    #expect(frames.map(\.timestamp) == [0, 1 / 30.0, 0.1])
    #expect(
      frames.map(\.observation) == [
        .center(BarPoint(x: 445.179, y: 1022.857)), .center(BarPoint(x: 443.571, y: 1022.857)), .center(nil),
      ])
    guard case .row(.missingField(let field))? = BarFrameReader.failure(in: text)?.reason else {
      Issue.record("taken without a time")
      return
    }
    #expect(field.contains("frame rate"))
  }

  /// Results name frames as the file does; those without a number follow the one before.
  @Test func framesKeepTheirNumbers() throws {
    let text = "frame,t,x,y\n100,0,1,2\n101,0.1,1,2\n103,0.3,,\n,0.4,1,2\n1.5,0.5,1,2\n1e300,0.6,1,2\n"
    let frames = try BarFrameReader.frames(in: text)
    #expect(frames.map(\.number) == [100, 101, 103, nil, nil, nil])
    let result = try BarPathAnalysis.analyze(frames)
    #expect(result.samples.map(\.frame) == [100, 101, 103, 104, 105, 106])
    let rows = result.csv().split(separator: "\n").dropFirst()
    #expect(rows.map { $0.prefix { $0 != "," } } == ["100", "101", "103", "104", "105", "106"])
    let line = try BarFrameReader.frames(in: #"{"frame":12,"t":0.4,"bar":[3,4]}"#)
    #expect(line.map(\.number) == [12])
    var tracker = try BarTracker()
    #expect(try tracker.push(line[0]).frame == 12 && tracker.frameCount == 1)
  }

  @Test func severalLifts() throws {
    let text = "lift,t,x,y\na,0,1,2\na,1,1,2\nb,0,3,4\nb,0.5,3,4\n"
    let error = BarFrameReader.failure(in: text)
    #expect(error == BarReadError(line: 4, frameIndex: 2, reason: .file(.severalLifts(first: "a", found: "b"))))
    let named = try BarFrameReader.frames(in: text, options: BarReaderOptions().with { $0.lift = .named("b") })
    #expect(named.map(\.timestamp) == [0, 0.5])
    var reader = try BarFrameReader(options: BarReaderOptions().with { $0.lift = .each })
    reader.append(text.utf8)
    var found: [String] = []
    while let frame = try reader.next() { found.append("\(reader.lift ?? "") \(frame.timestamp) \(reader.frameCount)") }
    #expect(found == ["a 0.0 1", "a 1.0 2", "b 0.0 1", "b 0.5 2"])
    let wrong = BarFrameReader.failure(in: "t,x,y\n0,1,2", options: BarReaderOptions().with { $0.lift = .named("b") })
    #expect(wrong?.line == 2)
  }

  /// What is written as a table reads back: positions to two decimals, times, wrists.
  @Test func theTableReadsBack() throws {
    let lift = SyntheticLift(reps: 1)
    let frames = lift.frames(times: times(120), dropped: 0.1) { _ in
      []
    } pose: { t in
      BarPose(leftWrist: PosePoint(x: 600, y: lift.y(t)))
    }
    let result = try BarPathAnalysis.analyze(frames, settings: BarPathSettings().with { $0.smoothingType = .kalman })
    let read = try BarFrameReader.frames(in: result.csv(includesMetadata: true))
    #expect(read.count == 120)
    for (sample, frame) in zip(result.samples, read) {
      #expect(abs(frame.timestamp - sample.timestamp) <= 5.1e-6)
      guard case .center(let center) = frame.observation else { continue }
      #expect((center == nil) == (sample.smoothed == nil))
      if let center, let smoothed = sample.smoothed { #expect(center.distance(to: smoothed) < 0.0075) }
      #expect(frame.pose?.leftWrist?.x == 600 && frame.pose?.rightWrist == nil)
    }
    let again = try BarPathAnalysis.analyze(read, settings: BarPathSettings().with { $0.pixelsPerCm = 4 })
    #expect(again.reps.count == 1 && abs(again.summary.averageRom - 40) < 0.4)
  }

  @Test func fractionsOfTheImage() throws {
    let text = "t,bar_x,bar_y,space,width,height\n0,0.5,0.25,vision,1280,720\n"
    let frames = try BarFrameReader.frames(in: text)
    let result = try BarPathAnalysis.analyze(frames)
    #expect(result.samples[0].detected == BarPoint(x: 640, y: 540))
    let sizeless = BarFrameReader.failure(in: "t,bar_x,bar_y,space\n0,0.5,0.25,vision\n")
    #expect(sizeless?.reason == .frame(.missingImageSize))
  }

  @Test(arguments: [
    ("t,bar_x\n", RowFault.missingField("column bar_y")),
    ("t,z\n", .missingField("column bar_x (or x_px, or x)")),
    ("t,x,y,x\n", .duplicateField("x")),
    ("t,x,y,wrist_l_x\n", .missingField("column wrist_l_y")),
    ("t,x,y\n0,1\n", .wrongColumnCount(found: 2, expected: 3)),
    ("t,x,y\n0,1,\n", .wrongValue(field: "y", found: "", expected: "a number, or x and y both empty")),
    ("t,x,y\n0,1,abc\n", .wrongValue(field: "y", found: "abc", expected: "a number or nothing")),
    ("t,x,y\n0,1,inf\n", .notFinite(field: "y", value: .infinity)),
  ])
  func badTables(text: String, expected: RowFault) {
    #expect(BarFrameReader.failure(in: text)?.reason == .row(expected))
  }
}
