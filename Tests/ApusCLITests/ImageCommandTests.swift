import ApusMedia
import Foundation
import Testing

@Suite struct ImageCommandTests {
  /// A picture of 4 × 2 pixels, as a PPM file.
  static let ppm = Data("P6 4 2 255\n".utf8) + Data((0..<24).map { UInt8($0 * 10) })

  private func with<Result>(_ body: (TemporaryFolder, String) throws -> Result) throws -> Result {
    try TemporaryFolder.with { folder in
      let input = folder.file("in.ppm")
      try Self.ppm.write(to: input)
      return try body(folder, input.path(percentEncoded: false))
    }
  }

  @Test func picturesAreConvertedWithoutLoss() throws {
    try with { folder, input in
      let png = folder.file("out.png").path(percentEncoded: false)
      let back = folder.file("back.ppm").path(percentEncoded: false)
      #expect(try Command.run("image", input, png).status == 0)
      #expect(try Command.run("image", png, back).status == 0)
      let image = try ImageFile.read(path: back)
      #expect(image.samples == Array(stride(from: 0, to: 240, by: 10)))
    }
  }

  @Test func sixteenBitsAreKept() throws {
    try TemporaryFolder.with { folder in
      // Grey, 0x1234 and 0x00FF.
      let samples: [UInt8] = [0x12, 0x34, 0x00, 0xFF]
      try (Data("P5 2 1 65535\n".utf8) + Data(samples)).write(to: folder.file("in.pgm"))
      let threefold: [UInt8] = [0x12, 0x34, 0x12, 0x34, 0x12, 0x34, 0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF]
      for (name, file) in [
        ("out.pgm", Data("P5\n2 1\n65535\n".utf8) + Data(samples)),
        ("out.pnm", Data("P5\n2 1\n65535\n".utf8) + Data(samples)),
        ("out.ppm", Data("P6\n2 1\n65535\n".utf8) + Data(threefold)),
      ] {
        #expect(try Command.run("image", folder.path("in.pgm"), folder.path(name)).status == 0)
        #expect(try Data(contentsOf: folder.file(name)) == file, "\(name)")
      }
    }
  }

  @Test func sizesBeyondTheMostPixelsAreRefused() throws {
    try with { folder, input in
      let out = folder.path("out.png")
      for option in ["--resize", "--letterbox"] {
        let result = try Command.run("image", input, out, option, "60000x60000")
        #expect(result.status == 64)
        #expect(result.errors.contains("3600000000 pixels; --max-pixels allows 100000000"), "\(result.errors)")
        #expect(try Command.run("image", input, out, option, "10x10", "--max-pixels", "99").status == 64)
        #expect(try Command.run("image", input, out, option, "10x10", "--max-pixels", "100").status == 0)
      }
    }
  }

  @Test func sizesAreThoseAskedFor() throws {
    try with { folder, input in
      let out = folder.file("out.png").path(percentEncoded: false)
      for (arguments, width, height) in [
        (["--resize", "8x6"], 8, 6), (["--resize", "5"], 5, 5), (["--letterbox", "7x9"], 7, 9),
        (["--crop", "1,0,2,2"], 2, 2), (["--crop", "1,0,2,2", "--resize", "3x3", "--filter", "nearest"], 3, 3),
      ] {
        let result = try Command.run(["image", input, out, "--json"] + arguments)
        #expect(result.status == 0)
        let report = try result.object
        #expect(report["output_width"] as? Int == width && report["output_height"] as? Int == height)
        let image = try ImageFile.read(path: out)
        #expect((image.width, image.height) == (width, height))
      }
    }
  }

  @Test func mistakesEndWithTheirStatus() throws {
    try with { folder, input in
      let out = folder.file("out.png").path(percentEncoded: false)
      #expect(try Command.run("image", "/nowhere.png", out).status == 66)
      #expect(try Command.run("image", input, folder.file("out.gif").path(percentEncoded: false)).status == 64)
      #expect(try Command.run("image", input, out, "--resize", "0x5").status == 64)
      #expect(try Command.run("image", input, out, "--resize", "5x5", "--letterbox", "5x5").status == 64)
      #expect(try Command.run("image", input, out, "--crop", "3,0,2,2").status == 64)
      #expect(try Command.run("image", input, out, "--max-pixels", "7").status == 65)
      let text = folder.file("text.png")
      try Data("no picture".utf8).write(to: text)
      let result = try Command.run("image", text.path(percentEncoded: false), out)
      #expect(result.status == 65)
      #expect(result.errors.contains("text.png"))
      try Self.ppm.dropLast(3).write(to: text)
      #expect(try Command.run("image", text.path(percentEncoded: false), out).status == 65)
    }
  }
}
