import Apus
import ApusMedia
import Testing

@Suite struct ResizeTests {
  static let pillowFilters: [ResizeFilter] = [.nearest, .box, .antialiasedBilinear, .antialiasedBicubic, .lanczos]
  static let torchFilters: [ResizeFilter] = [.bilinear, .cubic, .antialiasedBilinear, .antialiasedBicubic]

  @Test func bilinearIsTheNearestByteToPyTorchs() throws {
    let fixture = try TransformFixture()
    for item in try fixture.cases("bilinear") {
      let exact = try fixture.elements(item.name, as: Float.self)
      try inEverySetting { setting in
        let found = try item.resized(.bilinear)
        try #require(found.samples.count == exact.count)
        let worst = zip(found.samples, exact).map { abs(Float($0) - $1) }.max() ?? 1
        #expect(worst <= 0.53, "\(item.name), \(setting)")
      }
    }
  }

  /// In integers, for halves are common: at 0.8 of a side one value in a hundred is one.
  @Test(arguments: [
    (40, 30, 32, 24), (320, 240, 427, 320), (97, 61, 64, 101), (512, 3, 640, 1), (1, 1, 5, 4), (8, 6, 6, 8),
    (64, 50, 32, 32),
  ])
  func bilinearIsTheNearestByteAndOfHalvesTheUpper(width: Int, height: Int, toWidth: Int, toHeight: Int) throws {
    func taps(_ size: Int, _ count: Int) -> [(first: Int, next: Int, part: Int)] {
      (0..<count).map { index in
        // In parts of 2 · count.
        let place = min(max((2 * index + 1) * size - count, 0), 2 * count * (size - 1))
        let first = place / (2 * count)
        return (first, min(first + 1, size - 1), place % (2 * count))
      }
    }
    for channels in [1, 3] {
      let image = pattern(width: width, height: height, channels: channels)
      let samples = image.samples
      let (fromRows, fromColumns, whole) = (taps(height, toHeight), taps(width, toWidth), 4 * toWidth * toHeight)
      let expected = fromRows.flatMap { row in
        fromColumns.flatMap { column in
          (0..<channels).map { c -> UInt8 in
            func mixed(_ y: Int) -> Int {
              let line = y * width
              return Int(samples[(line + column.first) * channels + c]) * (2 * toWidth - column.part)
                + Int(samples[(line + column.next) * channels + c]) * column.part
            }
            let sum = mixed(row.first) * (2 * toHeight - row.part) + mixed(row.next) * row.part
            return UInt8((2 * sum + whole) / (2 * whole))
          }
        }
      }
      try inEverySetting { setting in
        let found = try image.resized(width: toWidth, height: toHeight, filter: .bilinear)
        #expect(found.samples == expected, "\(channels) channels, \(setting)")
      }
    }
  }

  @Test(arguments: pillowFilters)
  func bytesAreThoseOfPillow(filter: ResizeFilter) throws {
    let fixture = try TransformFixture()
    for item in try fixture.cases("pillow.\(filter.rawValue)") {
      let expected = try fixture.elements(item.name, as: UInt8.self)
      try inEverySetting { setting in
        let found = try item.resized(filter).samples
        #expect(found == expected, "\(item.name), \(setting)")
      }
    }
  }

  @Test(arguments: pillowFilters)
  func largePicturesAreThoseOfPillow(filter: ResizeFilter) throws {
    let fixture = try TransformFixture()
    for item in try fixture.cases("crc.\(filter.rawValue)") {
      let expected = try fixture.elements(item.name, as: UInt32.self)
      try inEverySetting { setting in
        let found = try item.resized(filter).samples
        #expect([checksum(found)] == expected, "\(item.name), \(setting)")
      }
    }
  }

  @Test(arguments: torchFilters)
  func floatsAreThoseOfPyTorch(filter: ResizeFilter) throws {
    let fixture = try TransformFixture()
    for item in try fixture.cases("float.\(filter.rawValue)") {
      let expected = try fixture.elements(item.name, as: Float.self)
      let image = item.image
      let unit = try Image<Float>(
        width: image.width, height: image.height, color: image.color, samples: image.samples.map { Float($0) / 255 })
      var first: [Float]?
      try inEverySetting { setting in
        let found = try unit.resized(width: item.width, height: item.height, filter: filter).samples
        try #require(found.count == expected.count)
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(item.name), \(setting)")
        #expect(found == first ?? found, "\(item.name), \(setting)")
        first = found
      }
    }
  }

  /// Sixteen bits hold a multiple of every byte, so both sorts of pictures become the same, but for rounding. Where
  /// weights are negative, bytes are also cut off between the two passes.
  @Test(arguments: [ResizeFilter.nearest, .bilinear, .antialiasedBilinear, .box], [1, 2, 3, 4])
  func sixteenBitsAgreeWithEight(filter: ResizeFilter, channels: Int) throws {
    let image = pattern(width: 37, height: 23, channels: channels)
    let wide = try Image<UInt16>(
      width: 37, height: 23, color: image.color, samples: image.samples.map { UInt16($0) * 257 })
    for (width, height) in [(13, 11), (50, 40), (37, 10)] {
      let bytes = try image.resized(width: width, height: height, filter: filter).samples
      let words = try wide.resized(width: width, height: height, filter: filter).samples
      let wrong = bytes.indices.filter { place in
        let alpha = bytes[place / channels * channels + channels - 1]
        let isColor = channels % 2 == 0 && place % channels < channels - 1
        // A colour that is hardly seen is known no better than that.
        let most = isColor ? 1 + 3 * 255 / max(1, Float(alpha)) : 2.1
        return abs(Float(words[place]) / 257 - Float(bytes[place])) > most
      }
      #expect(wrong.isEmpty, "\(width) × \(height)")
    }
  }

  @Test(arguments: ResizeFilter.allCases)
  func sixteenBitsAreTheNearestToFloats(filter: ResizeFilter) throws {
    let image = pattern(width: 37, height: 23, channels: 3)
    let words = try Image<UInt16>(
      width: 37, height: 23, color: .rgb, samples: image.samples.map { UInt16($0) * 257 })
    let floats = try Image<Float>(width: 37, height: 23, color: .rgb, samples: words.samples.map { Float($0) / 65_535 })
    let found = try words.resized(width: 20, height: 31, filter: filter).samples
    let expected = try floats.resized(width: 20, height: 31, filter: filter).samples
    #expect(zip(found, expected).allSatisfy { abs(Float($0) - max(0, min(1, $1)) * 65_535) < 0.6 })
  }

  @Test(arguments: ResizeFilter.allCases)
  func theSameSizeIsTheSamePicture(filter: ResizeFilter) throws {
    for channels in [1, 3] {
      let image = pattern(width: 29, height: 31, channels: channels)
      #expect(try image.resized(width: 29, height: 31, filter: filter) == image)
      let part = try image.cropped(x: 3, y: 5, width: 20, height: 17)
      let box = PixelBox(x0: 3, y0: 5, x1: 23, y1: 22)
      #expect(try image.resized(width: 20, height: 17, filter: filter, from: box) == part)
    }
  }

  @Test(arguments: ResizeFilter.allCases)
  func onePixelFillsEverything(filter: ResizeFilter) throws {
    let dot = try Image<UInt8>(width: 1, height: 1, color: .rgb, samples: [7, 100, 255])
    let result = try dot.resized(width: 9, height: 4, filter: filter)
    #expect(result.samples == Array(repeatElement([7, 100, 255] as [UInt8], count: 36).joined()))
  }

  @Test func seenColoursAloneCount() throws {
    let image = try Image<UInt8>(width: 2, height: 1, color: .rgba, samples: [255, 0, 0, 255, 0, 0, 255, 0])
    for filter in ResizeFilter.allCases where filter != .nearest {
      let pixel = try image.resized(width: 1, height: 1, filter: filter)
      #expect(pixel.samples[0] >= 253 && pixel.samples[2] == 0 && pixel.samples[3] == 128, "\(filter)")
    }
  }

  @Test(arguments: [
    PixelBox(x0: -1, y0: 0, x1: 5, y1: 5), PixelBox(x0: 0, y0: 0, x1: 11, y1: 5), PixelBox(x0: 3, y0: 0, x1: 3, y1: 5),
    PixelBox(x0: .nan, y0: 0, x1: 5, y1: 5), PixelBox(x0: 0, y0: 0, x1: 5, y1: .infinity),
    PixelBox(x0: 0, y0: 4, x1: 5, y1: 2),
  ])
  func boxesOutsideAreRefused(box: PixelBox) {
    let image = pattern(width: 10, height: 9, channels: 3)
    for filter in ResizeFilter.allCases {
      #expect(throws: ImageError.self) { try image.resized(width: 4, height: 4, filter: filter, from: box) }
    }
  }

  @Test(arguments: [(0, 4), (4, -1), (1 << 40, 1 << 20), (.max, 1)])
  func impossibleSidesAreRefused(width: Int, height: Int) {
    let image = pattern(width: 10, height: 9, channels: 3)
    for filter in ResizeFilter.allCases {
      #expect(throws: ImageError.self) { try image.resized(width: width, height: height, filter: filter) }
    }
  }
}

extension ResizeCase {
  func resized(_ filter: ResizeFilter) throws -> Image<UInt8> {
    try image.resized(width: width, height: height, filter: filter, from: box)
  }
}

/// CRC-32 as in zip files.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
  var table: [UInt32] = []
  for value in 0..<256 as Range<UInt32> {
    var crc = value
    for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    table.append(crc)
  }
  var crc = UInt32.max
  for byte in bytes { crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
  return ~crc
}
