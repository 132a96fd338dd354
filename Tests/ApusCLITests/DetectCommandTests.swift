import Foundation
import Testing

@testable import ApusMedia

@Suite struct DetectCommandTests {
  static let clip = shipped("detector/samples/squat")

  private func frame(_ number: Int) -> String { "\(Self.clip)/\(String(repeating: "0", count: 3))\(number).jpg" }

  @Test func aPlateIsFoundWhereItWasRendered() throws {
    let truth = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: "\(Self.clip)/truth.json"))) as? [String: Any])
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

  @Test func mistakesEndWithTheirStatus() throws {
    #expect(try Command.run("detect").status == 64)
    #expect(try Command.run("detect", "/nowhere.jpg").status == 66)
    #expect(try Command.run("detect", frame(0), "--model", "/nowhere.onnx").status == 66)
    #expect(try Command.run("detect", frame(0), "--confidence", "2").status == 64)
    #expect(try Command.run("detect", frame(0), "--classes", "plat").errors.contains("plate"))
    #expect(try Command.run("detect", frame(0), "--confidence", "plate=0.999999").status == 0)
    #expect(try Command.run("detect", frame(0), "--max-pixels", "100").status == 65)
    #expect(try Command.run("detect", frame(0), "--size", "333x333").status == 65)
    #expect(try Command.run("detect", "-", input: "neither").status == 65)
    // A model of something else.
    let classifier = try Command.run("detect", frame(0), "--model", shipped("behavior/shipped/behavior-classifier.onnx"))
    #expect(classifier.status == 65)
  }
}
