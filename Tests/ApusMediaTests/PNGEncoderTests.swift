import Apus
import ApusMedia
import Testing

@Suite struct PNGEncoderTests {
  /// Slopes and noise, so that every filter is the best one somewhere.
  private func samples(_ count: Int, rowCount: Int, seed: Int) -> [Int] {
    (0..<count).map { index in
      let (y, x) = index.quotientAndRemainder(dividingBy: rowCount)
      return x * 3 * (y % 3) + y * 7 * (y % 2) + (y % 5 == 4 ? index * index * 31 + seed : (index * seed) % 3)
    }
  }

  @Test(arguments: ColorModel.allCases, [(1, 1), (7, 1), (1, 9), (33, 40)])
  func whatIsWrittenIsReadAgain(color: ColorModel, sides: (width: Int, height: Int)) throws {
    let rowCount = sides.width * color.channels
    let numbers = samples(rowCount * sides.height, rowCount: rowCount, seed: 5)
    let eight = try Image<UInt8>(
      width: sides.width, height: sides.height, color: color, samples: numbers.map { UInt8(truncatingIfNeeded: $0) })
    #expect(try decodePNG(PNGEncoder.encode(eight)).image == .eight(eight))
    let sixteen = try Image<UInt16>(
      width: sides.width, height: sides.height, color: color,
      samples: numbers.map { UInt16(truncatingIfNeeded: $0 &* 0x9E37) })
    #expect(try decodePNG(PNGEncoder.encode(sixteen)).image == .sixteen(sixteen))
  }

  @Test func aSmoothPictureIsFilteredBeforeItIsCompressed() throws {
    // A slope both ways: its rows have no repetitions, but their differences hardly anything else.
    let slope = (0..<64 * 64).map { UInt8(truncatingIfNeeded: ($0 % 64) * 3 + ($0 / 64) * 5) }
    let image = try Image<UInt8>(width: 64, height: 64, color: .gray, samples: slope)
    #expect(PNGEncoder.encode(image).count < 300)
  }

  @Test func theFirstChunkSaysWhatThePictureIs() throws {
    let image = try Image<UInt16>(width: 3, height: 2, color: .grayAlpha, filledWith: [1, 2])
    let file = PNGEncoder.encode(image)
    #expect(Array(file.prefix(33)) == PNGBuilder.signature + PNGBuilder.header(width: 3, height: 2, depth: 16, kind: 4))
    #expect(Array(file.suffix(12)) == PNGBuilder.end)
  }
}
