import Apus
import ApusMedia
import ApusPlatform
import FoundationEssentials
import Testing

/// A new folder that is removed with everything in it when this goes away.
private final class Folder {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    path = "\(parent)/apus-media-\(String(UInt64.random(in: 0...(.max)), radix: 36))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
}

@Suite struct ImageFileTests {
  private func image(_ color: ColorModel = .rgb) throws -> Image<UInt8> {
    let count = 6 * color.channels
    return try Image(width: 3, height: 2, color: color, samples: (0..<count).map { UInt8($0 * 9) })
  }

  private func reason(_ body: () throws -> Void) -> ImageError.Reason? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ImageError)?.reason
    }
  }

  @Test func theBytesSayWhatAFileIsAndNotItsName() throws {
    let folder = try Folder()
    let files = [
      (PNGEncoder.encode(try image()), ImageFormat.png), (try NetpbmEncoder.encode(try image()), .netpbm),
      (try JPEGEncoder.encode(try image(.gray), quality: 100), .jpeg),
      (try PictureCases("bmp/images.safetensors").bytes("rgb24.40"), .bmp),
    ]
    for (bytes, format) in files {
      let path = try folder.write(bytes, "picture.tiff")
      let contents = try ImageFile.contents(path: path)
      #expect(contents.format == format)
      #expect(contents.orientation == .upright)
      let read = try ImageFile.read(path: path)
      #expect(read == contents.image.eightBit)
      if format == .png || format == .netpbm { #expect(try read == image()) }
    }
  }

  @Test func aTurnedPNGIsTurnedBack() throws {
    // The file says that it has to be turned clockwise by a quarter; it has 3 rows of 2 pixels.
    let cases = try PictureCases("png/images.safetensors")
    let folder = try Folder()
    let path = try folder.write(try cases.bytes("chunks"), "turned.png")
    let stored = try cases.pixels("chunks").eightBit
    let contents = try ImageFile.contents(path: path)
    #expect(contents.orientation == .clockwise)
    #expect(contents.image.eightBit == stored)
    let upright = try ImageFile.read(path: path)
    #expect(upright.width == 3 && upright.height == 2)
    // The upper left pixel comes from the lower left.
    #expect(upright[0, 0] == stored[0, 2])
    #expect(upright[2, 0] == stored[0, 0])
    #expect(upright[2, 1] == stored[1, 0])
  }

  @Test(
    arguments: [
      (Array("GIF89a......".utf8), "a GIF file"), (Array("RIFF....WEBPVP8 ".utf8), "a WebP file"),
      ([0x49, 0x49, 0x2A, 0, 8, 0], "a TIFF file"), ([0x4D, 0x4D, 0, 0x2A], "a TIFF file"),
      ([0, 0, 0, 24] + Array("ftypheic".utf8), "a HEIC file"),
      ([0, 0, 0, 24] + Array("ftypavif".utf8), "an AVIF file"),
      ([0, 0, 0, 24] + Array("ftypisom".utf8), "a video (MP4, QuickTime)"), (Array("%PDF-1.7".utf8), "a PDF file"),
      (Array("<?xml version=\"1.0\"?>\n<svg xmlns".utf8), "an SVG file"), ([0x50, 0x4B, 3, 4, 0], "a ZIP archive"),
      (Array("YUV4MPEG2 W1".utf8), "a video (YUV4MPEG2)"), (Array("Hello, wörld".utf8), "text"),
      (Array("P9 is no picture".utf8), "text"), ([0xDE, 0xAD, 0, 1], "something unknown"), ([], "an empty file"),
    ] as [([UInt8], String)])
  func whatIsNoPictureIsToldByItsKind(bytes: [UInt8], kind: String) {
    let error = refusal { () throws(ImageError) in
      var result: Result<ImageFormat, ImageError>?
      bytes.withUnsafeBytes { bytes in
        result = Result { () throws(ImageError) in try ImageFile.format(of: bytes) }
      }
      _ = try result?.get()
    }
    #expect(error == .unknownFormat("\(kind); pictures are read from PNG, JPEG, PPM (PGM, PBM, PAM) and BMP files"))
  }

  @Test func errorsNameTheFile() throws {
    let folder = try Folder()
    let path = try folder.write(Array(PNGEncoder.encode(try image()).dropLast()), "cut.png")
    let error = #expect(throws: ImageError.self) { try ImageFile.read(path: path) }
    #expect(error?.file == path)
    #expect(error?.description.hasPrefix("\(path): PNG: byte ") == true)
    #expect(throws: FileError.notFound(path: "/nowhere.png")) { try ImageFile.read(path: "/nowhere.png") }
    #expect(throws: FileError.isDirectory(path: folder.path)) { try ImageFile.read(path: folder.path) }
    let empty = try folder.write([], "empty.png")
    #expect(throws: FileError.empty(path: empty)) { try ImageFile.read(path: empty) }
    let limited = try folder.write(PNGEncoder.encode(try image()), "whole.png")
    #expect(
      reason { _ = try ImageFile.read(path: limited, limits: ImageLimits(pixels: 5)) }
        == .tooLarge(width: 3, height: 2, limit: 5))
  }

  @Test func aPipeIsReadToItsEnd() throws {
    let bytes = PNGEncoder.encode(try image())
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    #expect(bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } == bytes.count)
    close(ends[1])
    #expect(try ImageFile.read(path: "/dev/fd/\(ends[0])") == image())
  }

  @Test func theEndOfTheNameSaysWhatIsWritten() throws {
    let folder = try Folder()
    for name in ["a.png", "b.PPM", "c.pnm", "d.e.png"] {
      try ImageFile.write(try image(), to: "\(folder.path)/\(name)")
      let contents = try ImageFile.contents(path: "\(folder.path)/\(name)")
      #expect(try contents.image == .eight(image()))
      #expect(contents.format == (name.hasSuffix("png") ? .png : .netpbm))
    }
    for name in ["a.jpg", "b.jpeg"] {
      try ImageFile.write(try image(), to: "\(folder.path)/\(name)", quality: 80)
      let contents = try ImageFile.contents(path: "\(folder.path)/\(name)")
      #expect(contents.format == .jpeg)
      #expect(contents.image.width == 3)
    }
    try ImageFile.write(try image(.gray), to: "\(folder.path)/g.pgm")
    #expect(try ImageFile.read(path: "\(folder.path)/g.pgm") == image(.gray))
    try ImageFile.write(try image(.gray), to: "\(folder.path)/g.ppm")
    #expect(try ImageFile.read(path: "\(folder.path)/g.ppm") == image(.gray).rgb())
    try ImageFile.write(try image(.rgba), to: "\(folder.path)/t.png")
    #expect(try ImageFile.read(path: "\(folder.path)/t.png") == image(.rgba))
  }

  @Test func sixteenBitsAreWrittenWhereAFileHoldsThem() throws {
    let folder = try Folder()
    let gray = try Image<UInt16>(width: 2, height: 1, color: .gray, samples: [0x1234, 0x00FF])
    for name in ["g.png", "g.pgm", "g.pnm"] {
      #expect(ImageFile.holdsSixteenBits(name, color: .gray))
      try ImageFile.write(gray, to: "\(folder.path)/\(name)")
      #expect(try ImageFile.contents(path: "\(folder.path)/\(name)").image == .sixteen(gray), "\(name)")
    }
    #expect(ImageFile.holdsSixteenBits("g.ppm", color: .gray))
    try ImageFile.write(gray, to: "\(folder.path)/g.ppm")
    let color = try Image<UInt16>(
      width: 2, height: 1, color: .rgb, samples: [0x1234, 0x1234, 0x1234, 0x00FF, 0x00FF, 0x00FF])
    #expect(try ImageFile.contents(path: "\(folder.path)/g.ppm").image == .sixteen(color))
    #expect(!ImageFile.holdsSixteenBits("c.pgm", color: .rgb) && !ImageFile.holdsSixteenBits("g.jpg", color: .gray))
    #expect(
      reason { try ImageFile.write(color, to: "\(folder.path)/c.pgm") }
        == .invalidArgument("a PGM file holds no colours; .ppm does"))
    for name in ["t.ppm", "t.pgm", "t.pnm"] {
      #expect(!ImageFile.holdsSixteenBits(name, color: .grayAlpha) && !ImageFile.holdsSixteenBits(name, color: .rgba))
    }
  }

  @Test func whatAFileCannotHoldIsNotWritten() throws {
    let folder = try Folder()
    #expect(
      reason { try ImageFile.write(try image(), to: "\(folder.path)/a.gif") }
        == .invalidArgument("the name ends in .gif; pictures are written to .png, .jpg, .jpeg, .ppm, .pgm, .pnm"))
    #expect(
      reason { try ImageFile.write(try image(), to: "\(folder.path)/png") }
        == .invalidArgument("the name has no ending; pictures are written to .png, .jpg, .jpeg, .ppm, .pgm, .pnm"))
    for name in ["a.jpg", "a.ppm", "a.pnm", "a.pgm"] {
      #expect(throws: ImageError.self) { try ImageFile.write(try image(.rgba), to: "\(folder.path)/\(name)") }
    }
    #expect(throws: ImageError.self) { try ImageFile.write(try image(.rgb), to: "\(folder.path)/a.pgm") }
    #expect(throws: FileError.self) { try ImageFile.write(try image(), to: "\(folder.path)/no/a.png") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}

@Suite struct ImageFolderTests {
  @Test func picturesComeInTheOrderOfTheirNumbersAndTheRestIsNamed() throws {
    let folder = try Folder()
    let picture = PNGEncoder.encode(try Image<UInt8>(width: 1, height: 1, color: .gray, samples: [0]))
    for name in ["frame_10.png", "frame_2.png", "frame_1.dat", "Other.png", "frame_02.png", ".hidden.png"] {
      _ = try folder.write(picture, name)
    }
    _ = try folder.write(Array("GIF89a".utf8), "a.gif")
    _ = try folder.write([], "empty.png")
    try FileManager.default.createDirectory(atPath: folder.path + "/inner", withIntermediateDirectories: false)
    let list = try ImageFolder(path: folder.path)
    #expect(list.pictures.map(\.name) == ["Other.png", "frame_1.dat", "frame_2.png", "frame_02.png", "frame_10.png"])
    #expect(list.pictures.allSatisfy { $0.format == .png && $0.path == "\(folder.path)/\($0.name)" })
    #expect(list.skipped.map(\.name) == [".hidden.png", "a.gif", "empty.png", "inner"])
    #expect(list.skipped[0].reason == "hidden")
    #expect(list.skipped[1].reason.hasPrefix("a GIF file"))
    #expect(list.skipped[2].reason.contains("empty"))
    #expect(list.skipped[3].reason == "a folder")
    #expect(throws: FileError.notFound(path: "/nowhere")) { try ImageFolder(path: "/nowhere") }
    #expect(throws: FileError.self) { try ImageFolder(path: folder.path + "/a.gif") }
  }

  @Test func numbersInNamesCountAsNumbers() {
    let names = ["", "1", "01", "1a", "2", "10", "a", "a1b", "a1c", "a2b", "a10b", "a99999999999999999999999", "b"]
    #expect(names.reversed().sorted(by: ImageFolder.comesBefore) == names)
    for name in names { #expect(!ImageFolder.comesBefore(name, name)) }
  }
}
