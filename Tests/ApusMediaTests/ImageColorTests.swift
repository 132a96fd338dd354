import ApusMedia
import Testing

@Suite struct ImageColorTests {
  @Test func greyIsWhatPillowMakesOfColours() throws {
    let image = try Image<UInt8>(
      width: 5, height: 1, color: .rgb, samples: [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 12, 200, 77])
    // Image.convert("L") of Pillow.
    #expect(image.gray().samples == [76, 150, 29, 255, 130])
    #expect(image.gray().color == .gray)
    #expect(image.gray().rgb().samples.prefix(6) == [76, 76, 76, 150, 150, 150])
  }

  @Test func opacityIsDroppedOrPutOnAColour() throws {
    let image = try Image<UInt8>(width: 2, height: 1, color: .rgba, samples: [10, 20, 30, 255, 100, 200, 0, 51])
    #expect(image.rgb().samples == [10, 20, 30, 100, 200, 0])
    // 100 · 0.2 + 255 · 0.8 = 224, 200 · 0.2 + 255 · 0.8 = 244, 0 + 255 · 0.8 = 204
    #expect(image.flattened().samples == [10, 20, 30, 224, 244, 204])
    #expect(image.flattened(on: (0, 5, 10)).samples == [10, 20, 30, 20, 44, 8])
    let gray = try Image<UInt8>(width: 1, height: 1, color: .grayAlpha, samples: [100, 0])
    #expect(gray.flattened(on: (255, 0, 0)).samples == [76])
    #expect(gray.flattened().color == .gray)
    #expect(gray.rgb().samples == [100, 100, 100])
    #expect(gray.gray().samples == [100])
  }
}
