import ApusMedia
import Testing

@Suite struct ImageTests {
  @Test func aPictureHasAsManySamplesAsItsSidesSay() throws {
    let image = try Image<UInt8>(width: 2, height: 1, color: .rgb, samples: [1, 2, 3, 4, 5, 6])
    #expect(Array(image[1, 0]) == [4, 5, 6])
    #expect(throws: ImageError.self) { try Image<UInt8>(width: 2, height: 2, color: .rgb, samples: [1, 2, 3]) }
  }

  @Test(arguments: [(0, 1), (1, 0), (-1, 5), (Int.max, Int.max), (Int.max, 2), (1 << 20, 1 << 20)])
  func impossibleSidesAreRefused(width: Int, height: Int) {
    #expect(throws: ImageError.self) {
      try Image<UInt8>(width: width, height: height, color: .gray, filledWith: [0])
    }
  }
}
