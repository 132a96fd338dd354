import Apus
import ApusMedia
import Testing

/// What is written against what Pillow writes of the same picture: see `generate/jpeg_images.py`.
@Suite struct JPEGEncoderTests {
  private func picture(_ name: String, isGray: Bool = false) throws -> Image<UInt8> {
    let pixels = try JPEGFixtures.pixels(name)
    let samples = try pixels.elements
    return try Image(
      width: pixels.shape[1], height: pixels.shape[0], color: isGray ? .gray : .rgb,
      samples: isGray ? (0..<samples.count / 3).map { samples[3 * $0] } : samples)
  }

  private func signalToNoise(_ a: Image<UInt8>, _ b: Image<UInt8>) -> Double {
    var sum = 0.0
    for (x, y) in zip(a.samples, b.samples) { sum += Double((Int(x) - Int(y)) * (Int(x) - Int(y))) }
    return 10 * log10(255 * 255 * Double(a.samples.count) / sum)
  }

  private func log10(_ x: Double) -> Double {
    var (x, exponent) = (x, 0.0)
    while x >= 10 { (x, exponent) = (x / 10, exponent + 1) }
    // Bisection: the power of ten is between 0 and 1.
    for digit in 1...40 {
      x *= x
      if x >= 10 { (x, exponent) = (x / 10, exponent + 1 / Double(1 << digit)) }
    }
    return exponent
  }

  @Test(arguments: JPEGEncoder.Subsampling.allCases, [1, 10, 50, 75, 90, 100])
  func filesAreAsGoodAndAsSmallAsThoseOfPillow(subsampling: JPEGEncoder.Subsampling, quality: Int) throws {
    let image = try picture("waves")
    let bytes = try JPEGEncoder.encode(image, quality: quality, subsampling: subsampling)
    let name = "encoded_\(subsampling.rawValue)_\(quality)"
    let reference: [Double] = try NPZFile(path: JPEGFixtures.folder + "expected.npz").tensor(named: name).elements
    #expect(abs(signalToNoise(image, try JPEGFixtures.decode(bytes).image) - reference[0]) < 1e-6)
    #expect(bytes.count == Int(reference[1]))
  }

  @Test(arguments: JPEGEncoder.Subsampling.allCases)
  func filesArePillowsByteForByte(subsampling: JPEGEncoder.Subsampling) throws {
    let bytes = try JPEGEncoder.encode(picture("waves"), quality: 75, subsampling: subsampling)
    #expect(try bytes == JPEGFixtures.file("encoded_\(subsampling.rawValue)"))
  }

  @Test func edgesThatFillNoUnitAreWrittenAsPillowDoes() throws {
    let bytes = try JPEGEncoder.encode(picture("420_33x17"))
    #expect(try bytes == JPEGFixtures.file("encoded_odd"))
  }

  @Test(arguments: [1, 10, 50, 75, 90, 100])
  func greyPicturesAreWrittenWithoutColour(quality: Int) throws {
    let image = try picture("waves", isGray: true)
    let decoded = try JPEGFixtures.decode(JPEGEncoder.encode(image, quality: quality)).image
    let reference: [Double] = try NPZFile(path: JPEGFixtures.folder + "expected.npz")
      .tensor(named: "encoded_gray_\(quality)").elements
    #expect(decoded.color == .gray)
    #expect(abs(signalToNoise(image, decoded) - reference[0]) < 1e-6)
  }

  @Test func opacityBecomesWhitePaper() throws {
    let clear = try Image<UInt8>(width: 9, height: 3, color: .rgba, filledWith: [10, 20, 30, 0])
    #expect(try JPEGFixtures.decode(JPEGEncoder.encode(clear)).image.samples.allSatisfy { $0 == 255 })
    let half = try Image<UInt8>(width: 8, height: 8, color: .grayAlpha, filledWith: [55, 51])
    // 55 · 0.2 + 255 · 0.8
    let decoded = try JPEGFixtures.decode(JPEGEncoder.encode(half, quality: 100)).image
    #expect(decoded.color == .gray)
    #expect(decoded.samples.allSatisfy { $0 == 215 })
  }

  @Test func argumentsThatMakeNoSenseAreRefused() throws {
    let image = try Image<UInt8>(width: 1, height: 1, color: .gray, filledWith: [0])
    for quality in [0, -1, 101, Int.max, Int.min] {
      #expect(throws: ImageError.self) { try JPEGEncoder.encode(image, quality: quality) }
    }
    let long = try Image<UInt8>(width: 65_536, height: 1, color: .gray, filledWith: [0])
    #expect(throws: ImageError.self) { try JPEGEncoder.encode(long) }
  }
}
