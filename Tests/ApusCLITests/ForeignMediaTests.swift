import Foundation
import Testing

/// Files that are not read, and that ffmpeg reads: the answer is the command line to type.
@Suite struct ForeignMediaTests {
  private static let mp4 = Data([0, 0, 0, 24]) + Data("ftypmp42....".utf8)

  private static let videos: [Data] = [
    mp4, Data([0, 0, 0, 20]) + Data("ftypqt  ....".utf8), Data([0x1A, 0x45, 0xDF, 0xA3]) + Data(count: 20),
    Data("RIFF....AVI LIST".utf8), Data([0, 0, 0, 8]) + Data("moov........".utf8),
  ]

  private static let pictures: [Data] = [
    Data([0, 0, 0, 24]) + Data("ftypheic....".utf8), Data([0, 0, 0, 24]) + Data("ftypavif....".utf8),
    Data("RIFF....WEBPVP8 ".utf8), Data("GIF89a..........".utf8),
  ]

  @Test func aVideoIsAnsweredWithThePipeThatReadsIt() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let path = folder.path("Anna's lift.mov")
      let quoted = path.replacingOccurrences(of: "'", with: #"'\''"#)
      for (index, video) in Self.videos.enumerated() {
        try video.write(to: folder.file("Anna's lift.mov"))
        let detect = try Command.run("detect", path, "--json", "--save", "a b")
        #expect(detect.status == 65)
        #expect(
          detect.errors.hasSuffix(
            "ffmpeg -i '\(quoted)' -pix_fmt yuv420p -f yuv4mpegpipe - | apus detect - --json --save 'a b'\n"),
          "\(index): \(detect.errors)")
        let lift = try Command.run("barpath", path, "--lift", "squat")
        #expect(lift.status == 65 && lift.errors.hasSuffix("- | apus barpath - --lift squat\n"), "\(lift.errors)")
      }
      #expect(try Command.run("detect", folder.path("none.mp4")).status == 66)
    }
  }

  /// Where poses are read, a model comes before.
  @Test func picturesInPlaceOfPosesAreAnsweredWithThePipe() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      try Self.mp4.write(to: folder.file("dog.mp4"))
      let video = try Command.run("behavior", folder.path("dog.mp4"), "--stride", "10")
      #expect(video.status == 65)
      #expect(
        video.errors.hasSuffix(
          "-f yuv4mpegpipe - | apus pose - --model dog-pose.onnx | apus behavior - --stride 10\n"), "\(video.errors)")
      try Data("P6 1 1 255\n123".utf8).write(to: folder.file("arms.ppm"))
      for path in [folder.path("arms.ppm"), folder.path("")] {
        let arms = try Command.run("arm-drift", path)
        #expect(arms.status == 65)
        #expect(
          arms.errors.hasSuffix("apus pose '\(path)' --model yolo11n-pose.onnx | apus arm-drift -\n"), "\(arms.errors)")
      }
    }
  }

  @Test func aPictureIsAnsweredWithTheCommandThatMakesOne() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("model", ClassifyPictureTests.model(classes: 3))
      let path = folder.path("a b.heic")
      let advice = "ffmpeg -i '\(path)' -frames:v 1 '\(folder.path("a b.png"))'\n"
      for picture in Self.pictures {
        try picture.write(to: folder.file("a b.heic"))
        for arguments in [
          ["detect", path], ["classify", path, "--model", model], ["image", path, folder.path("out.png")],
          ["run", model, "--input", path], ["run", model, "--input", "image=\(path)"],
        ] {
          let result = try Command.run(arguments)
          #expect(result.status == 65 && result.errors.hasSuffix(advice), "\(arguments): \(result.errors)")
        }
      }
      // One among others is passed over, and said to be.
      try FileManager.default.createDirectory(at: folder.file("photos"), withIntermediateDirectories: true)
      try Self.pictures[0].write(to: folder.file("photos/a.heic"))
      try Data("P6 1 1 255\n...".utf8).write(to: folder.file("photos/b.ppm"))
      let many = try Command.run("classify", folder.path("photos"), "--model", model)
      #expect(many.status == 0 && many.errors.contains("skipped a.heic: a HEIC file"), "\(many.errors)")
    }
  }

  @Test func whatFfmpegDoesNotReadHasNoAdvice() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      try Data("%PDF-1.7 ............".utf8).write(to: folder.file("paper.pdf"))
      let result = try Command.run("detect", folder.path("paper.pdf"))
      #expect(result.status == 65 && !result.errors.contains("ffmpeg") && result.errors.contains("a PDF file"))
    }
  }
}
