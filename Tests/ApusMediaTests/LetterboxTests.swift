import Apus
import ApusMedia
import Testing

@Suite struct LetterboxTests {
  @Test func theGeometryIsThatOfTheUsualPython() throws {
    let fixture = try TransformFixture()
    let rows = try fixture.elements("letterbox", as: Int16.self).map { Int($0) }
    let scales = try fixture.elements("letterbox.scale", as: Double.self)
    try #require(rows.count == 11 * scales.count && scales.count > 300)
    for (index, scale) in scales.enumerated() {
      let row = Array(rows[11 * index..<11 * index + 11])
      let box = try Letterbox(
        imageWidth: row[0], imageHeight: row[1], width: row[2], height: row[3],
        placement: row[4] == 3 ? .topLeft : .centered, scalesUp: row[4] != 1, stride: row[4] == 2 ? 32 : nil)
      let found = [box.contentWidth, box.contentHeight, box.left, box.top, box.width, box.height]
      #expect(found == Array(row[5...]), "\(row)")
      #expect(box.scale == scale)
    }
  }

  @Test func boxesGoBackToThePicture() throws {
    let box = try Letterbox(imageWidth: 1280, imageHeight: 720, width: 640, height: 640)
    #expect(box.toImage(PixelBox(x0: 0, y0: 140, x1: 320, y1: 320)) == PixelBox(x0: 0, y0: 0, x1: 640, y1: 360))
    #expect(box.toImage(PixelBox(x0: -9, y0: 0, x1: 700, y1: 640)) == PixelBox(x0: 0, y0: 0, x1: 1280, y1: 720))
    let point = box.fromImage(x: 640, y: 360)
    #expect(point == (320, 320))
    #expect(box.toImage(x: point.x, y: point.y) == (640, 360))
    let none = box.toImage(PixelBox(x0: .nan, y0: -.infinity, x1: .infinity, y1: .nan))
    #expect(none == PixelBox(x0: 0, y0: 0, x1: 1280, y1: 0))
    let corner = try Letterbox(imageWidth: 100, imageHeight: 50, width: 64, height: 64, placement: .topLeft)
    #expect(corner.toImage(x: 64, y: 32) == (100, 50))
  }

  @Test func thePictureIsInItsPlaceAndTheRestIsGrey() throws {
    let image = pattern(width: 31, height: 20, channels: 3)
    for placement in Letterbox.Placement.allCases {
      let box = try Letterbox(imageWidth: 31, imageHeight: 20, width: 64, height: 80, placement: placement)
      try inEverySetting { setting in
        let result = try box.applied(to: image)
        let content = try image.resized(width: box.contentWidth, height: box.contentHeight, filter: .bilinear)
        #expect((result.width, result.height) == (64, 80))
        let wrong = (0..<64 * 80).filter { place in
          let (x, y) = (place % 64 - box.left, place / 64 - box.top)
          let isInside = 0..<box.contentWidth ~= x && 0..<box.contentHeight ~= y
          return Array(result[place % 64, place / 64]) != (isInside ? Array(content[x, y]) : [114, 114, 114])
        }
        #expect(wrong.isEmpty, "\(setting)")
      }
    }
  }

  @Test(arguments: [1, 3])
  func theTensorHoldsTheSamePicture(channels: Int) throws {
    let image = pattern(width: 45, height: 70, channels: channels)
    let box = try Letterbox(imageWidth: 45, imageHeight: 70, width: 96, height: 64)
    for normalization in [ImageNormalization.unit, .imageNet, .bytes] {
      for layout in ImageLayout.allCases {
        for order in ColorOrder.allCases {
          let expected = try Tensor(
            try box.applied(to: image), layout: layout, order: order, normalization: normalization)
          try inEverySetting { setting in
            let found = try box.tensor(image, layout: layout, order: order, normalization: normalization)
            #expect(found.shape == expected.shape)
            #expect(try found.elements == expected.elements, "\(layout), \(order), \(setting)")
          }
        }
      }
    }
  }

  @Test(arguments: [(0, 5, 8, 8), (5, 5, 0, 8), (5, 5, 8, -1), (5, 5, 1 << 17, 8), (5, .min, 8, 8)])
  func impossibleSidesAreRefused(width: Int, height: Int, targetWidth: Int, targetHeight: Int) {
    #expect(throws: ImageError.self) {
      try Letterbox(imageWidth: width, imageHeight: height, width: targetWidth, height: targetHeight)
    }
  }

  @Test func whatCannotBeFittedIsRefused() throws {
    #expect(throws: ImageError.self) {
      try Letterbox(imageWidth: 5, imageHeight: 5, width: 8, height: 8, stride: 0)
    }
    let box = try Letterbox(imageWidth: 5, imageHeight: 5, width: 8, height: 8)
    #expect(throws: ImageError.self) { try box.applied(to: pattern(width: 6, height: 5, channels: 3)) }
    #expect(throws: ImageError.self) { try box.applied(to: pattern(width: 5, height: 5, channels: 4)) }
    #expect(throws: ImageError.self) {
      try box.tensor(pattern(width: 5, height: 5, channels: 3), normalization: .init(mean: [0], deviation: [1]))
    }
    #expect(throws: ImageError.self) {
      try box.tensor(pattern(width: 5, height: 5, channels: 3), normalization: .init(divisor: 0))
    }
  }

  @Test func theLongestSidesOverflowNothing() throws {
    let box = try Letterbox(imageWidth: .max, imageHeight: 1, width: 640, height: 640)
    #expect((box.contentWidth, box.contentHeight, box.top) == (640, 1, 319))
    let other = try Letterbox(imageWidth: 1, imageHeight: .max, width: 64, height: 32, placement: .topLeft)
    #expect((other.contentWidth, other.contentHeight) == (1, 32))
  }
}
