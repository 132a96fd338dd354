import Foundation
import Testing

@testable import ApusCLI
@testable import ApusMedia

@Suite struct ArmDriftFilesTests {
  private func run(_ arguments: String..., input: String = OverlayFixtures.arms()) throws -> CommandResult {
    try Command.run(["arm-drift", "-"] + arguments, input: input)
  }

  @Test func reportAndChartsAreWritten() throws {
    try TemporaryFolder.with { folder in
      let result = try run(
        "--report", folder.path("arms.html"), "--charts", folder.path("charts"), "--theme", "dark")
      #expect(result.status == 0 && result.output.contains("estimated level 1 of 4"))
      let html = try String(contentsOfFile: folder.path("arms.html"), encoding: .utf8)
      #expect(html.contains("Not a medical device") && html.contains("standard input"))
      #expect(html.contains("<dt>estimated level</dt><dd>1 of 4</dd>"))
      // The first frame, where the drift begins, the largest difference, which is the end of the sinking, the last.
      #expect(html.components(separatedBy: "data:image/jpeg").count == 5)
      for name in ["angles", "asymmetry", "wrists"] {
        #expect(try String(contentsOfFile: folder.path("charts/\(name).svg"), encoding: .utf8).contains("</svg>"))
        let picture = try ImageFile.read(path: folder.path("charts/\(name).png"))
        #expect(picture.width == 1440 && Array(picture[0, 0]) == [0x14, 0x17, 0x1A])
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("charts")).count == 6)
    }
  }

  @Test func tooLittleHasAPageWithoutAScore() throws {
    try TemporaryFolder.with { folder in
      let result = try run(
        "--report", folder.path("arms.html"), "--charts", folder.path("charts"), "--overlay", folder.path("arms.y4m"),
        "--json", input: OverlayFixtures.arms(seconds: 5))
      #expect(result.status == 65)
      #expect(try result.object["status"] as? String == "insufficient_data")
      let html = try String(contentsOfFile: folder.path("arms.html"), encoding: .utf8)
      #expect(html.contains("Insufficient data") && html.contains("expected 10 s or more"))
      #expect(!html.contains("estimated level") && !html.contains("severity"))
      #expect(try OverlayFixtures.frames(ofVideo: folder.path("arms.y4m")).frames.count == 11)
    }
  }

  @Test func everyFrameIsDrawn() throws {
    try TemporaryFolder.with { folder in
      #expect(try run("--overlay", folder.path("arms.y4m")).status == 0)
      let video = try OverlayFixtures.frames(ofVideo: folder.path("arms.y4m"))
      #expect(video.frames.count == 25)
      #expect(video.header.contains("W320 H240 F2:1"))
      #expect(try run("--overlay", folder.path("frames")).status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("frames")).sorted()
      #expect(names.count == 25 && names.first == "000000.png")
      // The left arm, in its colour, along y 100 to x 280.
      let picture = try ImageFile.read(path: folder.path("frames/000024.png"))
      #expect(Array(picture[235, 100]) == [0x00, 0xC2, 0xFF])
      #expect(Array(picture[300, 230]) == [0x14, 0x17, 0x1A])
    }
  }

  @Test func framesOfAFolderAreTheGround() throws {
    try TemporaryFolder.with { folder in
      let pictures = try OverlayFixtures.pictures(25, in: folder)
      let result = try run(
        "--overlay", folder.path("out"), "--report", folder.path("arms.html"), "--frames", pictures)
      #expect(result.status == 0 && result.errors.isEmpty)
      let picture = try ImageFile.read(path: folder.path("out/picture-1024.png"))
      #expect(Array(picture[235, 100]) == [0x00, 0xC2, 0xFF] && Array(picture[300, 230]) == [200, 200, 200])
      // Pictures of half the size have the same points at half the place.
      let small = try OverlayFixtures.pictures(25, width: 160, height: 120, in: folder)
      #expect(try run("--overlay", folder.path("small"), "--frames", small).status == 0)
      #expect(Array(try ImageFile.read(path: folder.path("small/picture-1024.png"))[117, 50]) == [0x00, 0xC2, 0xFF])
    }
  }

  @Test func framesOfAVideoAreFoundByTheirTime() throws {
    try TemporaryFolder.with { folder in
      // Ten pictures a second, of which every fifth has keypoints.
      let video = try OverlayFixtures.video(121, rate: 10, in: folder)
      #expect(try run("--overlay", folder.path("out.y4m"), "--frames", video).status == 0)
      #expect(try OverlayFixtures.frames(ofVideo: folder.path("out.y4m")).frames.count == 25)
      let short = try OverlayFixtures.video(60, rate: 10, in: folder)
      let result = try run("--overlay", folder.path("out"), "--frames", short)
      #expect(result.status == 65 && result.errors.contains("no picture at 6 s") && result.errors.contains("5.9 s"))
    }
  }

  /// A video says one rate for all its frames: where the camera's varied, their numbers say which is which, and times
  /// do not.
  @Test func framesOfAVideoAreFoundByTheirNumber() throws {
    try TemporaryFolder.with { folder in
      let writer = try Y4MWriter(width: 64, height: 48, rate: .init(frames: 20, seconds: 1))
      var bytes = writer.firstLine
      for index in 0..<20 {
        let grey = UInt8(10 * index)
        bytes += try writer.frame(Image(width: 64, height: 48, color: .rgb, filledWith: [grey, grey, grey]))
      }
      try Data(bytes).write(to: folder.file("clip.y4m"))
      func pictures(_ frames: [(number: Int?, time: Double)]) throws -> [Int] {
        var ground = try FrameGround(FrameOptions.parse(["--frames", folder.path("clip.y4m")]))
        return try frames.enumerated().map { index, frame in
          let place = try ground.place(
            forFrame: index, number: frame.number, at: frame.time, width: 64, height: 48)
          return (Int(place.canvas.image[5, 5].first ?? 0) + 5) / 10
        }
      }
      // Ten frames of 1/30 s, then of 1/15 s.
      let times = (0..<10).map { Double($0) / 30 } + (5..<15).map { Double($0) / 15 }
      let varied: [(number: Int?, time: Double)] = times.enumerated().map { ($0.offset, $0.element) }
      #expect(try pictures(varied) == Array(0..<20))
      #expect(try pictures([(3, 0), (7, 0.1), (19, 0.2)]) == [3, 7, 19])
      // Without numbers, and with some that are none, by the time.
      #expect(try pictures([(nil, 0), (nil, 0.15), (nil, 0.95)]) == [0, 3, 19])
      #expect(try pictures([(0, 0), (0, 0.15), (0, 0.95)]) == [0, 3, 19])
      let error = try #require(throws: CommandFailure.self) { try pictures([(0, 0), (20, 0.1)]) }
      #expect("\(error)".contains("no picture 20") && "\(error)".contains("20 pictures"))
    }
  }

  @Test func picturesThatDoNotFitAreNamed() throws {
    try TemporaryFolder.with { folder in
      let few = try run(
        "--overlay", folder.path("out"), "--frames", try OverlayFixtures.pictures(20, in: folder))
      #expect(few.status == 65 && few.errors.contains("20 pictures for 25 frames"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
      let many = try run(
        "--report", folder.path("arms.html"), "--frames", try OverlayFixtures.pictures(26, in: folder))
      #expect(many.status == 0 && many.errors.contains("26 pictures for 25 frames"))
      let wide = try run(
        "--overlay", folder.path("out"), "--frames", try OverlayFixtures.pictures(25, width: 400, in: folder))
      #expect(wide.status == 65 && wide.errors.contains("400 × 240") && wide.errors.contains("320 × 240"))
      let huge = OverlayFixtures.arms().replacing("\"width\":320", with: "\"width\":1e9")
      let refused = try run("--overlay", folder.path("huge"), input: huge)
      #expect(refused.status == 65 && refused.errors.contains("cannot be drawn"))
      #expect(refused.errors.contains("× 240 pixels") && refused.errors.contains("16384"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("huge")))
      let none = folder.path("none")
      try FileManager.default.createDirectory(atPath: none, withIntermediateDirectories: true)
      #expect(try run("--overlay", folder.path("out"), "--frames", none).status == 65)
    }
  }

  /// A few bytes that speak of many pixels do not become as many bytes for each frame.
  @Test func plainGroundsOfManyPixelsAreDrawnSmaller() throws {
    try TemporaryFolder.with { folder in
      let thin = OverlayFixtures.arms().replacing("\"width\":320", with: "\"width\":99999999")
        .replacing("\"height\":240", with: "\"height\":1")
      let refused = try run("--overlay", folder.path("thin.y4m"), input: thin)
      #expect(refused.status == 65 && refused.errors.contains("× 1 pixels cannot be drawn"))
      var ground = try FrameGround(FrameOptions.parse([]))
      let place = try ground.place(forFrame: 0, at: 0, width: 16000, height: 4000)
      // 4 : 1, and as many pixels as 3840 × 2160.
      #expect(place.canvas.width == 5760 && place.canvas.height == 1440 && abs(place.scale - 0.36) < 1e-12)
    }
  }

  @Test func mistakesAreRefused() throws {
    #expect(try run("--frames", "/nowhere").status == 64)
    #expect(try run("--theme", "blue").status == 64)
    #expect(try run("--overlay", "-").status == 64)
    let overlay = FileManager.default.temporaryDirectory.appending(path: "never-\(UUID().uuidString).y4m")
      .path(percentEncoded: false)
    #expect(try run("--overlay", overlay, "--frames", "/nowhere").status == 66)
    #expect(try run("--overlay", "/nowhere/never.y4m", "--frames", "/nowhere").status == 74)
    #expect(try run("--report", "/nowhere/arms.html").status == 74)
    #expect(try run("--charts", "/dev/null").status == 74)
  }
}
