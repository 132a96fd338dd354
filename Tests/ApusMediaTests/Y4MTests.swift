import Apus
import ApusMedia
import Testing

/// Pixels against float64 arithmetic: see `generate/y4m_frames.py`.
@Suite struct Y4MTests {
  private func frames(
    _ bytes: [UInt8], chunk: Int = 7, limits: ImageLimits = .default, matrix: YUVConversion.Matrix = .bt601
  ) throws(VideoError) -> [VideoFrame] {
    var reader = Y4MReader(limits: limits, matrix: matrix)
    var frames: [VideoFrame] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      reader.append(bytes[start..<min(start + chunk, bytes.count)])
      while let frame = try reader.next() { frames.append(frame) }
    }
    reader.end()
    while let frame = try reader.next() { frames.append(frame) }
    return frames
  }

  private func error(_ bytes: [UInt8], limits: ImageLimits = .default) -> VideoError? {
    do {
      _ = try frames(bytes, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  private func reason(_ text: String, limits: ImageLimits = .default) -> VideoError.Reason? {
    error(Array(text.utf8), limits: limits)?.reason
  }

  @Test func everyKindOfColoursIsWithinHalfALevelOfTheFormula() throws {
    let file = try SafetensorsFile(path: mediaFixture("y4m/frames.safetensors"))
    let names = file.tensorNames.filter { $0.hasSuffix(".file") }.map { String($0.dropLast(5)) }
    #expect(names.count == 80)
    for name in names {
      let bytes = try file.tensor(named: "\(name).file", as: UInt8.self).elements
      let expected = try file.tensor(named: "\(name).pixels", as: Float.self).elements.map(Double.init)
      let frames = try frames(bytes, matrix: name.contains("bt709") ? .bt709 : .bt601)
      #expect(frames.map(\.index) == [0, 1])
      let samples = frames.flatMap(\.image.samples)
      try #require(samples.count == expected.count)
      // Rounding costs half a level, factors of 18 bits hardly anything.
      let worst = zip(samples, expected).map { abs(Double($0) - $1) }.max() ?? 1
      #expect(worst <= 0.505, "\(name): \(worst)")
      #expect(frames[0].image.color == (name.hasPrefix("mono") ? .gray : .rgb))
    }
  }

  @Test func whiteGreyAndBlackHaveNoColour() throws {
    let stream = Array("YUV4MPEG2 W3 H1 F25:1 C444\nFRAME\n".utf8) + [16, 126, 235] + [UInt8](repeating: 128, count: 6)
    #expect(try frames(stream)[0].image.samples == [0, 0, 0, 128, 128, 128, 255, 255, 255])
  }

  @Test func timesComeFromTheRateAndPiecesDoNotMatter() throws {
    let frame = Array("FRAME\n".utf8) + [1, 2]
    let stream = Array("YUV4MPEG2 W2 H1 F30000:1001 Cmono\n".utf8) + frame + frame + frame
    for chunk in [1, 2, 3, 5, 100] {
      #expect(try frames(stream, chunk: chunk).map(\.time) == [0, 1001.0 / 30_000, 2002.0 / 30_000])
    }
    let unknown = Array("YUV4MPEG2 W2 H1 F0:0 Cmono\n".utf8) + frame
    #expect(try frames(unknown)[0].time == nil)
    let unsaid = Array("YUV4MPEG2 W2 H1 Cmono\n".utf8)
    #expect(try frames(unsaid).isEmpty)
  }

  @Test func aStreamThatEndsEarlySaysInWhichFrame() {
    let frame = Array("FRAME\n".utf8) + [1, 2]
    let head = Array("YUV4MPEG2 W2 H1 F25:1 Cmono\n".utf8)
    let stream = head + frame + frame
    for count in 0..<stream.count {
      let cut = error(Array(stream.prefix(count)))
      switch count {
      case 0, head.count, head.count + frame.count: #expect(count == 0 || cut == nil)
      case ..<head.count: #expect(cut?.reason == .truncated("the first line"))
      default:
        #expect(cut?.frame == (count - head.count) / frame.count)
        if case .truncated? = cut?.reason { continue }
        Issue.record("cut after \(count) bytes: \(String(describing: cut))")
      }
    }
  }

  @Test func whatTheFormatForbidsIsRefused() {
    #expect(reason("YUV4MPEG3 W1 H1\n") == .malformed("the first line does not begin with YUV4MPEG2"))
    #expect(reason(" YUV4MPEG2 W1 H1\n") == .malformed("the first line does not begin with YUV4MPEG2"))
    #expect(reason("RIFF") == .malformed("the first line does not begin with YUV4MPEG2"))
    #expect(reason("YUV4MPEG2 W1\n") == .malformed("the first line says no width (W) or height (H)"))
    #expect(reason("YUV4MPEG2 W0 H1\n") == .malformed("frames of 0 × 1 pixels"))
    #expect(reason("YUV4MPEG2 W-1 H1\n") == .malformed("W-1 in the first line; a number was expected"))
    #expect(reason("YUV4MPEG2 W1 H1 F25\n") != nil)
    #expect(reason("YUV4MPEG2 W1 H1 F25:0\n") == .malformed("25:0 for frames per second"))
    #expect(
      reason("YUV4MPEG2 W1 H1\nFRAMED\n...") == .malformed("the line before a frame does not begin with FRAME"))
    let long = "YUV4MPEG2 W1 H1 X" + String(repeating: "a", count: 5000)
    #expect(reason(long) == .malformed("the first line has more than 4096 bytes"))
    #expect(error(Array("YUV4MPEG2 W1 H1 Cmono\nFRAME\n.FRIME\n.".utf8))?.frame == 1)
  }

  @Test func whatIsNotReadIsRefusedByName() {
    #expect(reason("YUV4MPEG2 W1 H1 It\n") == .unsupported("interlaced video (It)"))
    for kind in ["420p10", "444alpha", "411", "mono16"] {
      guard case .unsupported(let what)? = reason("YUV4MPEG2 W1 H1 C\(kind)\n") else {
        Issue.record("\(kind) is not refused")
        continue
      }
      #expect(what.contains(kind))
    }
    #expect(reason("YUV4MPEG2 W1 H1\nFRAME Itp\n...") == .unsupported("an interlaced frame"))
  }

  @Test func hugeFramesAreRefusedByTheirFirstLine() {
    #expect(
      reason("YUV4MPEG2 W1000000 H1000000\n") == .tooLarge(width: 1_000_000, height: 1_000_000, limit: 100_000_000))
    #expect(reason("YUV4MPEG2 W9999999999 H9999999999\n", limits: ImageLimits(pixels: .max)) != nil)
    #expect(reason("YUV4MPEG2 W3 H1\n", limits: ImageLimits(pixels: 2)) == .tooLarge(width: 3, height: 1, limit: 2))
  }

  @Test func whatIsWrittenIsReadAgainWithinRounding() throws {
    let samples = (0..<5 * 4 * 3).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let image = try Image<UInt8>(width: 5, height: 4, color: .rgb, samples: samples)
    let rate = try Y4MHeader.Rate(frames: 25, seconds: 2)
    let writer = try Y4MWriter(width: 5, height: 4, rate: rate, chroma: .c444)
    let read = try frames(writer.firstLine + writer.frame(image) + writer.frame(image))
    #expect(read.map(\.time) == [0, 0.08])
    let worst = zip(read[1].image.samples, samples).map { abs(Int($0) - Int($1)) }.max() ?? 255
    #expect(worst <= 2)
  }

  @Test func halvedColoursAreAveraged() throws {
    // Red, green, blue and white of ITU-R 601: their numbers are in the standard's tables.
    let image = try Image<UInt8>(
      width: 2, height: 2, color: .rgb, samples: [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
    let rate = try Y4MHeader.Rate(frames: 25, seconds: 1)
    let halved = try Y4MWriter(width: 2, height: 2, rate: rate)
    #expect(
      String(decoding: halved.firstLine, as: UTF8.self)
        == "YUV4MPEG2 W2 H2 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n")
    // Cb 90, 54, 240, 128 and Cr 240, 34, 110, 128.
    #expect(try halved.frame(image) == Array("FRAME\n".utf8) + [81, 145, 41, 235, 128, 128])
    let full = try Y4MWriter(width: 2, height: 2, rate: rate, chroma: .c444)
    #expect(
      try full.frame(image) == Array("FRAME\n".utf8) + [81, 145, 41, 235, 90, 54, 240, 128, 240, 34, 110, 128])
    #expect(throws: VideoError.self) { try full.frame(Image(width: 1, height: 1, color: .gray, samples: [0])) }
    #expect(throws: VideoError.self) { try Y4MWriter(width: 0, height: 2, rate: rate) }
    #expect(throws: VideoError.self) { try Y4MWriter(width: 1, height: 2, rate: rate, chroma: .mono) }
    #expect(throws: VideoError.self) { try Y4MHeader.Rate(frames: 0, seconds: 1) }
  }
}

@Suite struct TimestampFileTests {
  private func read(_ text: String) throws(VideoError) -> [Double] {
    let memory = Array(text.utf8)
    var result: Result<TimestampFile, VideoError>?
    memory.withUnsafeBytes { bytes in result = Result { () throws(VideoError) in try TimestampFile(bytes: bytes) } }
    return try result?.get().seconds ?? []
  }

  @Test func secondsAndMillisecondsAreRead() throws {
    #expect(try read("0\n0.5\r\n\n# later\n 1e1 \n") == [0, 0.5, 10])
    #expect(try read("# timecode format v2\n0\n40\n80.5") == [0, 0.04, 0.0805])
    #expect(try read("# timestamp format v2\n1000\n") == [1])
    #expect(try read("# a note\n1\n") == [1])
    #expect(try read("") == [])
    #expect(try read("\u{FEFF}0\n0.5\n") == [0, 0.5])
    #expect(try read("\u{FEFF}# timecode format v2\n0\n40\n") == [0, 0.04])
  }

  @Test(arguments: [("0\n1\n1\n", 3), ("# x\n1\n0.5", 3), ("a\n", 1), ("1\nnan\n", 2), ("inf", 1), ("1 2\n", 1)])
  func whatIsNoTimeOrTooEarlyIsToldByItsLine(text: String, line: Int) {
    let error = #expect(throws: VideoError.self) { try read(text) }
    #expect(error?.line == line)
  }

  @Test func otherFormatsOfTimesAreRefusedByName() {
    let error = #expect(throws: VideoError.self) { try read("# timecode format v1\nAssume 25\n") }
    #expect(error?.reason == .unsupported("times of the format v1"))
  }
}
