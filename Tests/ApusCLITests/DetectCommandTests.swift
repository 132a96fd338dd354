import ApusTestSupport
import Foundation
import Testing

import func ApusTestSupport.fixture
import struct ApusTestSupport.ZipBuilder

@testable import ApusCLI
@testable import ApusMedia

@Suite final class DetectCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")

  /// Unpacks the first frames of the squat that ships.
  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let clip = try ImageArchive(path: shipped("detector/samples/squat.zip"))
    for picture in clip.pictures.prefix(3) {
      try clip.withBytes(of: picture) { Data($0) }.write(to: folder.appending(path: picture.name))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func frame(_ number: Int) -> String { folder.appending(path: "000\(number).jpg").path(percentEncoded: false) }

  @Test func aPlateIsFoundWhereItWasRendered() throws {
    let truth = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: shipped("detector/samples/squat.json"))))
        as? [String: Any])
    let frames = try #require(truth["frames"] as? [[String: Any]])
    let result = try Command.run("detect", frame(0), "--json", "--classes", "plate")
    #expect(result.status == 0)
    let report = try result.object
    #expect(report["width"] as? Int == truth["width"] as? Int)
    let detections = try #require(report["detections"] as? [[String: Any]])
    let bar = try #require(frames[0]["bar"] as? [Double])
    let near = try detections.contains { detection in
      #expect(detection["class"] as? String == "plate")
      let box = try #require(detection["box"] as? [Double])
      return abs((box[0] + box[2]) / 2 - bar[0]) < 3 && abs((box[1] + box[3]) / 2 - bar[1]) < 3
    }
    #expect(near)
  }

  @Test func severalPicturesGiveALineEach() throws {
    let result = try Command.run("detect", frame(0), frame(1), frame(2), "--json")
    #expect(result.status == 0 && result.lines.count == 3)
    let rows = try Command.run("detect", frame(0))
    #expect(rows.output.contains("plate") && rows.output.contains("score"))
  }

  /// As a shell's `<(…)` gives it.
  @Test func aPictureComesThroughANamedPipe() throws {
    try TemporaryFolder.with { folder in
      let pipe = folder.path("pipe")
      try #require(mkfifo(pipe, 0o600) == 0)
      let writer = Process()
      writer.executableURL = URL(filePath: "/bin/sh")
      writer.arguments = ["-c", "exec cat \"$1\" > \"$2\"", "sh", frame(0), pipe]
      try writer.run()
      let piped = try Command.run("detect", pipe, "--json")
      writer.waitUntilExit()
      let read = try Command.run("detect", frame(0), "--json")
      #expect(piped.status == 0 && piped.errors == read.errors)
      #expect(piped.output == read.output.replacingOccurrences(of: frame(0), with: pipe))
    }
  }

  @Test func aFolderIsReadInOrderAndOtherFilesAreNamed() throws {
    try TemporaryFolder.with { folder in
      for (name, number) in [("frame_10.jpg", 1), ("frame_2.jpg", 0)] {
        try FileManager.default.copyItem(atPath: frame(number), toPath: folder.file(name).path(percentEncoded: false))
      }
      try Data("notes".utf8).write(to: folder.file("notes.txt"))
      let path = folder.url.path(percentEncoded: false)
      let result = try Command.run("detect", path, "--json", "--fps", "10")
      #expect(result.status == 0)
      #expect(result.errors.contains("notes.txt"))
      #expect(result.lines.count == 2)
      #expect(result.lines[0].contains("frame_2.jpg") && result.lines[1].contains(#""t":0.1"#))
      // A file among others that is not a picture is named, and the rest is done.
      try Data("\u{FF}\u{D8}\u{FF}".utf8).write(to: folder.file("frame_3.jpg"))
      try Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4]).write(to: folder.file("frame_4.jpg"))
      let damaged = try Command.run("detect", path, "--json")
      #expect(damaged.status == 65)
      #expect(damaged.errors.contains("frame_4.jpg"))
      #expect(damaged.lines.count == 2)
    }
  }

  @Test func anArchiveIsReadAsAFolderIs() throws {
    try TemporaryFolder.with { out in
      let pictures = try (0..<3).map { try Array(Data(contentsOf: URL(filePath: frame($0)))) }
      func archive(_ name: String, _ entries: [(String, [UInt8])]) throws -> String {
        var builder = ZipBuilder([:])
        builder.entries = entries.map { .init($0, $1) }
        try Data(builder.bytes).write(to: out.file(name))
        return out.path(name)
      }
      // Not in the order of the names, and not named as an archive.
      let clip = try archive("clip", [("f/10.jpg", pictures[2]), ("f/9.jpg", pictures[1]), ("f/1.jpg", pictures[0])])
      let packed = try Command.run("detect", clip, "--json", "--fps", "10", "--save", out.path("boxes"))
      let files = try Command.run("detect", frame(0), frame(1), frame(2), "--json", "--fps", "10")
      #expect(packed.status == 0 && files.status == 0)
      #expect(
        packed.lines
          == zip(files.lines, ["1", "9", "10"]).enumerated().map { index, line in
            line.0.replacingOccurrences(of: frame(index), with: "\(clip)/f/\(line.1).jpg")
          })
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: out.path("boxes")).sorted() == ["1.png", "10.png", "9.png"])

      let mixed = try archive(
        "mixed.zip", [("1.jpg", pictures[0]), ("2.jpg", Array(pictures[1].prefix(600))), ("notes", [65])])
      let result = try Command.run("detect", mixed, "--json")
      #expect(result.status == 65 && result.lines.count == 1)
      #expect(result.errors.contains("skipped notes: text") && result.errors.contains("mixed.zip/2.jpg: "))

      let bytes = Array(try Data(contentsOf: out.file("clip")))
      try Data(bytes.dropLast(100)).write(to: out.file("cut.zip"))
      let cut = try Command.run("barpath", out.path("cut.zip"), "--fps", "30")
      #expect(cut.status == 65 && cut.errors.contains("cut.zip: not a ZIP archive, or cut short"))
      let leaving = try archive("leaving.zip", [("../1.jpg", pictures[0])])
      let refused = try Command.run("barpath", leaving, "--fps", "30")
      #expect(refused.status == 65 && refused.errors.contains("leads out of the archive"))
      for empty in [try archive("empty.zip", []), try archive("texts.zip", [("a", [65])])] {
        let nothing = try Command.run("detect", empty)
        #expect(nothing.status == 65 && nothing.errors.contains("there are no pictures in this archive"))
      }
      let piped = try Command.run("detect", "-", input: "PK\u{3}\u{4}")
      #expect(piped.status == 65 && piped.errors.contains("a ZIP archive"))
    }
  }

  @Test func whatIsFoundIsDrawn() throws {
    try TemporaryFolder.with { folder in
      let out = folder.file("boxes.png").path(percentEncoded: false)
      #expect(try Command.run("detect", frame(0), "--save", out).status == 0)
      let (before, after) = (try ImageFile.read(path: frame(0)), try ImageFile.read(path: out))
      #expect((before.width, before.height) == (after.width, after.height))
      #expect(before.samples != after.samples)
      let video = folder.file("boxes.y4m").path(percentEncoded: false)
      #expect(try Command.run("detect", frame(0), frame(1), "--save", video).status == 0)
      let again = try Command.run("detect", video, "--json")
      #expect(again.status == 0 && again.lines.count == 2)
      #expect(again.lines[1].contains(#""t":0.0333"#))
    }
  }

  @Test(arguments: ["detect", "pose"]) func aVideoWithoutFramesIsAnErrorAndLeavesNothing(command: String) throws {
    try TemporaryFolder.with { folder in
      try Data("YUV4MPEG2 W4 H4 F30:1 Ip C420jpeg\n".utf8).write(to: folder.file("no-frames.y4m"))
      try Data().write(to: folder.file("empty.y4m"))
      for (name, reason) in [("no-frames.y4m", "there are no frames in it"), ("empty.y4m", "is empty")] {
        let outputs = command == "pose" ? [["--csv", "x.csv"]] : [["--save", "x.y4m"], ["--save", "x"]]
        for output in outputs {
          let model = command == "pose" ? [] : ["--size", "64"]
          let result = try Command.run([command, folder.path(name), output[0], folder.path(output[1])] + model)
          #expect(result.status == 65 && result.errors.contains("\(name): \(reason)"))
        }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).count == 2)
      let bar = try Command.run("barpath", folder.path("empty.y4m"))
      #expect(bar.status == 65 && bar.errors.contains("is empty"))
    }
  }

  @Test func timesWithoutFramesAndInOtherUnitsAreSaid() throws {
    try TemporaryFolder.with { folder in
      let video = try OverlayFixtures.video(3, rate: 25, in: folder)
      func errors(_ times: String) throws -> String {
        try Data(times.utf8).write(to: folder.file("times.txt"))
        let result = try Command.run("detect", video, "--size", "64", "--timestamps", folder.path("times.txt"))
        #expect(result.status == 0)
        return result.errors
      }
      #expect(try errors("0\n0.1\n0.2\n0.3\n0.4\n").contains("--timestamps: 5 times for 3 frames"))
      #expect(try !errors("0\n0.1\n0.2\n").contains("--timestamps"))
      #expect(try errors("0\n33\n67\n").contains("frames are 33.5 s apart; where times are milliseconds"))
      #expect(try !errors("# timecode format v2\n0\n33\n67\n").contains("--timestamps"))
    }
  }

  /// Numbers that rise by as much each, but for a hole; photographs have any.
  @Test(arguments: [
    (["a_1.png", "a_2.png", "a_3.png", "a_4.png", "a_7.png"], 2), (["0.png", "3.png", "6.png", "9.png", "15.png"], 1),
    (["1.png", "2.png", "3.png", "4.png"], 0), (["0.png", "3.png", "6.png"], 0), (["7.png"], 0), ([], 0),
    (["IMG_12.jpg", "IMG_50.jpg", "IMG_51.jpg", "IMG_99.jpg"], 0), (["a.png", "b.png", "c.png"], 0),
    (["a1.png", "a2.png", "a3.png", "b9.png", "b10.png", "b11.png"], 0),
    (["99999999999999999999.png", "1.png", "2.png", "3.png"], 0),
  ])
  func missingFramesAreCounted(names: [String], missing: Int) {
    let gap = PictureGap(names.map { "folder.2/\($0)" })
    #expect((gap?.missing ?? 0) == missing)
    if missing == 2 { #expect(gap.map { "\($0)" }?.contains("2 pictures missing") == true) }
    if missing == 2 { #expect(gap?.before == "a_4.png" && gap?.after == "a_7.png") }
  }

  @Test func missingFramesAreSaid() throws {
    try TemporaryFolder.with { folder in
      let pictures = try OverlayFixtures.pictures(6, in: folder)
      try FileManager.default.removeItem(atPath: pictures + "/picture-1003.png")
      let said = "1 picture missing by the numbers in the names, first between picture-1002.png and picture-1004.png"
      #expect(try Command.run("detect", pictures, "--size", "64", "--fps", "10").errors.contains(said))
      #expect(try !Command.run("detect", pictures, "--size", "64").errors.contains("missing"))
    }
  }

  /// --fps counts before what a video says, and so do times, by their median.
  @Test func savedVideosHaveTheStatedRate() throws {
    try TemporaryFolder.with { folder in
      let (video, saved) = (try OverlayFixtures.video(4, rate: 25, in: folder), folder.path("saved.y4m"))
      try Data("0\n0.05\n0.1\n0.9\n".utf8).write(to: folder.file("times.txt"))
      let pictures = try OverlayFixtures.pictures(2, in: folder)
      for (arguments, rate) in [
        ([video], "F25:1"), ([video, "--fps", "10"], "F10:1"),
        ([video, "--timestamps", folder.path("times.txt")], "F20:1"),
        ([pictures, "--fps", "12"], "F12:1"), ([pictures], "F30:1"),
      ] {
        #expect(try Command.run(["detect"] + arguments + ["--size", "64", "--save", saved]).status == 0)
        #expect(try OverlayFixtures.frames(ofVideo: saved).header.contains(" \(rate) "), "\(arguments)")
      }
    }
  }

  /// The pictures of `generate/detection_shapes.py` have this size; what is on them does not matter to its models.
  private func blank(_ folder: TemporaryFolder) throws -> String {
    try ImageFile.write(
      Image<UInt8>(width: 211, height: 120, color: .rgb, filledWith: [90, 120, 150]), to: folder.path("blank.png"))
    return folder.path("blank.png")
  }

  @Test func masksArePolygonsAndDrawn() throws {
    try TemporaryFolder.with { folder in
      let picture = try blank(folder)
      let arguments = ["detect", picture, "--model", fixture("detector/seg.onnx"), "--max", "6"]
      let found = try #require(try Command.run(arguments + ["--json"]).object["detections"] as? [[String: Any]])
      #expect(found.count == 6)
      for detection in found {
        let area = try #require(detection["mask_area"] as? Int)
        let polygons = try #require(detection["polygons"] as? [[[Double]]])
        let outlined = polygons.reduce(0.0) { sum, points in
          zip(points, points.dropFirst() + points.prefix(1)).reduce(sum) {
            $0 + ($1.0[0] * $1.1[1] - $1.1[0] * $1.0[1]) / 2
          }
        }
        #expect(abs(outlined - Double(area)) <= 0.03 * Double(area) + Double(polygons.joined().count))
        let box = try #require(detection["box"] as? [Double])
        #expect(polygons.joined().allSatisfy { $0[0] >= box[0] - 1 && $0[0] <= box[2] + 1 && $0[1] >= box[1] - 1 })
      }
      #expect(try Command.run(arguments + ["--save", folder.path("drawn.png")]).output.contains("pixels"))
      let drawn = try ImageFile.read(path: folder.path("drawn.png"))
      #expect(try drawn.samples != ImageFile.read(path: picture).samples)
    }
  }

  @Test func turnedBoxesHaveCornersAndAnAngle() throws {
    try TemporaryFolder.with { folder in
      let picture = try blank(folder)
      let arguments = ["detect", picture, "--model", fixture("detector/obb.onnx"), "--iou", "0.3"]
      let found = try #require(try Command.run(arguments + ["--json"]).object["detections"] as? [[String: Any]])
      #expect(found.count == 11)
      for detection in found {
        let corners = try #require(detection["corners"] as? [[Double]])
        #expect(corners.count == 4 && corners.allSatisfy { $0.count == 2 })
        let angle = try #require(detection["angle"] as? Double)
        #expect(0..<90 ~= angle)
        let box = try #require(detection["box"] as? [Double])
        #expect(abs((corners.map { $0[0] }.min() ?? 0).clamped(to: 0...211) - box[0]) < 1e-3)
      }
      let text = try Command.run(arguments + ["--save", folder.path("drawn.png")])
      #expect(text.output.contains("angle") && text.output.contains("°"))
      // Whether an unnamed model's boxes are turned is the caller's to say.
      let upright = try Command.run("detect", picture, "--rotated", "--model", fixture("detector/seg.onnx"))
      #expect(upright.status == 65)
    }
  }

  @Test func labelsNameTheClasses() throws {
    try TemporaryFolder.with { folder in
      let picture = try blank(folder)
      func detect(_ labels: String) throws -> CommandResult {
        try Data(labels.utf8).write(to: folder.file("labels.txt"))
        return try Command.run(
          "detect", picture, "--model", fixture("detector/obb.onnx"), "--labels", folder.path("labels.txt"))
      }
      for labels in [
        "ant\nbee\r\ncow dog\n\n", #"["ant", "bee", "cow dog"]"#, #"{"0": "ant", "1": "bee", "2": "cow dog"}"#,
      ] {
        let result = try detect(labels)
        #expect(result.status == 0 && result.output.contains("cow dog") && result.output.contains("bee"))
      }
      let few = try detect("ant\nbee\n")
      #expect(few.status == 65 && few.errors.contains("the labels name 2 classes; the network distinguishes 3"))
      for labels in ["", "  \n", "[1]", "{0: 'ant', 0: 'bee'}", "\u{0}["] { #expect(try detect(labels).status == 65) }
      let missing = try Command.run("detect", picture, "--labels", folder.path("none.txt"))
      #expect(missing.status == 66)
    }
  }

  @Test func theDetectorThatRanIsNamedWhenNoneWasChosen() throws {
    let result = try Command.run("detect", frame(0), "--json")
    #expect(result.errors.contains("the detector that ships looks for plate") && result.errors.contains("--model"))
    try TemporaryFolder.with { folder in
      let chosen = try Command.run("detect", blank(folder), "--model", fixture("detector/obb.onnx"))
      #expect(chosen.status == 0 && chosen.errors.isEmpty)
    }
  }

  @Test func mistakesEndWithTheirStatus() throws {
    #expect(try Command.run("detect").status == 64)
    #expect(try Command.run("detect", "/nowhere.jpg").status == 66)
    #expect(try Command.run("detect", frame(0), "--model", "/nowhere.onnx").status == 66)
    #expect(try Command.run("detect", frame(0), "--confidence", "2").status == 64)
    #expect(try Command.run("detect", frame(0), "--classes", "plat").errors.contains("plate"))
    for (option, list) in [("--classes", ""), ("--classes", "plate,"), ("--classes", "0,,1"), ("--round", " ")] {
      let result = try Command.run("detect", frame(0), option, list)
      #expect(result.status == 64 && result.errors.contains("\(option): the model has no class ''"), "\(list)")
    }
    #expect(try Command.run("detect", frame(0), "--confidence", "plate=0.999999").status == 0)
    #expect(try Command.run("detect", frame(0), "--max-pixels", "100").status == 65)
    #expect(try Command.run("detect", frame(0), "--size", "333x333").status == 65)
    #expect(try Command.run("detect", "-", input: "neither").status == 65)
    // A model of something else.
    let classifier = try Command.run(
      "detect", frame(0), "--model", shipped("behavior/shipped/behavior-classifier.onnx"))
    #expect(classifier.status == 65)
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
