import Apus
import ApusMedia
import Testing

/// Cutting, filling up, mirroring, and all of it together for a network.
@Suite struct ResizeInputTests {
  private let image = pattern(width: 6, height: 4, channels: 3)

  @Test func aPartIsCutOut() throws {
    let part = try image.cropped(x: 2, y: 1, width: 3, height: 2)
    #expect((part.width, part.height) == (3, 2))
    for y in 0..<2 {
      for x in 0..<3 { #expect(part[x, y] == image[x + 2, y + 1]) }
    }
    #expect(try image.cropped(x: 0, y: 0, width: 6, height: 4) == image)
    #expect(try image.centerSquare() == image.cropped(x: 1, y: 0, width: 4, height: 4))
  }

  @Test(arguments: [
    (0, 0, 0, 1), (0, 0, 1, -1), (-1, 0, 2, 2), (5, 0, 2, 1), (0, 4, 1, 1), (0, 1, 1, 4), (1, 1, .max, 1),
    (.min, .min, .max, .max),
  ])
  func partsOutsideAreRefused(x: Int, y: Int, width: Int, height: Int) {
    #expect(throws: ImageError.self) { try image.cropped(x: x, y: y, width: width, height: height) }
  }

  @Test func marginsAreFilled() throws {
    let result = try image.padded(left: 1, top: 2, right: 3, bottom: 0, with: [9, 8, 7])
    #expect((result.width, result.height) == (10, 6))
    for y in 0..<6 {
      for x in 0..<10 {
        let isInside = 1..<7 ~= x && y >= 2
        #expect(Array(result[x, y]) == (isInside ? Array(image[x - 1, y - 2]) : [9, 8, 7]))
      }
    }
    #expect(throws: ImageError.self) { try image.padded(left: -1, top: 0, right: 0, bottom: 0, with: [1, 2, 3]) }
    #expect(throws: ImageError.self) { try image.padded(left: .max, top: 0, right: 0, bottom: 0, with: [1, 2, 3]) }
    #expect(throws: ImageError.self) { try image.padded(left: 0, top: 0, right: 0, bottom: 0, with: [1]) }
    let most = Int(Int32.max)
    #expect(throws: ImageError.self) {
      try image.padded(left: most, top: most, right: most, bottom: most, with: [1, 2, 3])
    }
  }

  @Test func mirrorsExchangeSides() throws {
    for (across, down) in [(true, false), (false, true), (true, true)] {
      let result = try image.flipped(horizontally: across, vertically: down)
      for y in 0..<4 {
        for x in 0..<6 { #expect(Array(result[x, y]) == Array(image[across ? 5 - x : x, down ? 3 - y : y])) }
      }
    }
    let wide = try Image<Float>(width: 2, height: 1, color: .rgba, samples: [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try wide.flipped(horizontally: true).samples == [5, 6, 7, 8, 1, 2, 3, 4])
  }

  @Test(arguments: [
    (4000, 3000, 500.0, 0.0, 3000.0), (300, 401, 0, 50, 300), (299, 299, 0, 0, 299), (1, 7, 0, 3, 1),
  ])
  func theSquareIsInTheMiddle(width: Int, height: Int, x: Double, y: Double, side: Double) throws {
    let input = ImageInput(width: 299, height: 299, fit: .centerCrop, filter: .antialiasedBilinear)
    let expected = PixelBox(x0: x, y0: y, x1: x + side, y1: y + side)
    #expect(try input.visibleBox(imageWidth: width, imageHeight: height) == expected)
    #expect(PixelBox(centeredSquareOf: width, by: height) == expected)
  }

  @Test(arguments: [(Int.min, 3), (-1, .max), (.min, .max), (0, 5), (.min, .min)])
  func thereIsNoSquareInNoPicture(width: Int, height: Int) {
    for box in [PixelBox(centeredSquareOf: width, by: height), PixelBox(centeredSquareOf: height, by: width)] {
      #expect(box.width == 0 && box.height == 0)
    }
  }

  @Test func otherProportionsAreCutOutToo() throws {
    let input = ImageInput(width: 200, height: 100, fit: .centerCrop, filter: .bilinear)
    #expect(
      try input.visibleBox(imageWidth: 100, imageHeight: 100) == PixelBox(x0: 0, y0: 25, x1: 100, y1: 75))
    #expect(try input.visibleBox(imageWidth: 500, imageHeight: 100) == PixelBox(x0: 150, y0: 0, x1: 350, y1: 100))
  }

  /// Stretched to 256 × 256 and 35 × 35, and cut to 224 from 16 on, and to 32 from 2: 3 / 2 is rounded to the even number.
  @Test(arguments: [
    (224, 0.875, 16.0, 240.0, 256.0), (32, 0.91, 2.0, 34.0, 35.0), (49, 1.0 / 49, 1176.0, 1225.0, 2401.0),
  ])
  func theMiddleOfAStretchedPictureIsCutOut(
    side: Int, fraction: Double, first: Double, last: Double, resized: Double
  ) throws {
    var input = ImageInput(width: side, height: side, fit: .stretch, filter: .antialiasedBicubic)
    input.cropFraction = fraction
    let box = try input.visibleBox(imageWidth: 512, imageHeight: 384)
    #expect(
      box
        == PixelBox(
          x0: first * 512 / resized, y0: first * 384 / resized, x1: last * 512 / resized, y1: last * 384 / resized))
    // At least a pixel is kept.
    for fraction in [0, -1, 1e-300, .nan] {
      input.cropFraction = fraction
      #expect(try input.tensor(image).shape == [1, 3, side, side])
    }
  }

  /// Of 60 × 30 pixels the 48 × 24 in the middle are kept. (`box` jumps where rounding decides.)
  @Test func theMiddleOfAStretchedPictureIsTheStretchedPicturesMiddle() throws {
    let image = pattern(width: 101, height: 77, channels: 3)
    for filter in ResizeFilter.allCases where filter != .box {
      var input = ImageInput(width: 48, height: 24, fit: .stretch, filter: filter)
      input.cropFraction = 0.8
      let whole = try image.resized(width: 60, height: 30, filter: filter)
      #expect(try input.applied(to: image) == whole.cropped(x: 6, y: 3, width: 48, height: 24), "\(filter)")
    }
  }

  /// The shorter side is made 60 pixels long and the other in proportion, and 48 × 48 in the middle are kept: of 87 from
  /// 19.5 on, which is the even 20 in torchvision and 19 in Hugging Face's processors.
  @Test(arguments: [(101, 77, 78, 60, 15, 15), (112, 77, 87, 60, 20, 19), (77, 112, 60, 87, 20, 19)])
  func theMiddleOfAResizedPictureIsTheResizedPicturesMiddle(
    width: Int, height: Int, resizedWidth: Int, resizedHeight: Int, even: Int, whole: Int
  ) throws {
    let image = pattern(width: width, height: height, channels: 3)
    for filter in [ResizeFilter.antialiasedBilinear, .antialiasedBicubic] {
      let resized = try image.resized(width: resizedWidth, height: resizedHeight, filter: filter)
      for cutsWholePixels in [false, true] {
        var input = ImageInput(width: 48, height: 48, fit: .centerCrop, filter: filter)
        (input.cropFraction, input.cutsWholePixels) = (0.8, cutsWholePixels)
        let first = cutsWholePixels ? whole : even
        let (x, y) = width > height ? (first, 6) : (6, first)
        #expect(try input.applied(to: image) == resized.cropped(x: x, y: y, width: 48, height: 48), "\(filter)")
      }
    }
  }

  @Test func aPictureOfTheInputsSidesIsTheInput() throws {
    let image = pattern(width: 299, height: 299, channels: 3)
    for fit in [ImageInput.Fit.stretch, .letterbox, .letterboxTopLeft, .centerCrop] {
      for filter in ResizeFilter.allCases {
        let input = ImageInput(width: 299, height: 299, fit: fit, filter: filter)
        #expect(try input.applied(to: image) == image, "\(fit), \(filter)")
      }
    }
  }

  @Test func anEdgeInTheMiddleStaysThere() throws {
    let samples = (0..<300).flatMap { _ in
      (0..<400).flatMap { x -> [UInt8] in x < 200 ? [255, 0, 0] : [0, 0, 255] }
    }
    let image = try Image<UInt8>(width: 400, height: 300, color: .rgb, samples: samples)
    for filter in ResizeFilter.allCases {
      let input = ImageInput(width: 299, height: 299, fit: .centerCrop, filter: filter)
      let result = try input.applied(to: image)
      for y in [0, 150, 298] {
        #expect(Array(result[0, y]) == [255, 0, 0])
        #expect(Array(result[298, y]) == [0, 0, 255])
        for x in 0..<299 where !(145...153).contains(x) {
          #expect(Array(result[x, y]) == (x < 149 ? [255, 0, 0] : [0, 0, 255]), "\(filter), \(x)")
        }
      }
      guard filter == .antialiasedBilinear else { continue }
      for x in 0..<299 where !(148...150).contains(x) {
        #expect(Array(result[x, 7]) == (x < 149 ? [255, 0, 0] : [0, 0, 255]), "\(x)")
      }
    }
  }

  @Test(arguments: [ImageInput.Fit.stretch, .letterbox, .letterboxTopLeft, .centerCrop])
  func theTensorIsThePictureThatTheNetworkSees(fit: ImageInput.Fit) throws {
    for channels in 1...4 {
      let image = pattern(width: 50, height: 33, channels: channels)
      for filter in [ResizeFilter.bilinear, .antialiasedBicubic] {
        var input = ImageInput(width: 40, height: 24, fit: fit, filter: filter, normalization: .imageNet)
        for layout in ImageLayout.allCases {
          input.layout = layout
          let seen = try input.applied(to: image)
          #expect((seen.width, seen.height, seen.color) == (40, 24, .rgb))
          let tensor = try input.tensor(image)
          #expect(tensor.shape == input.shape)
          #expect(try tensor.elements == Tensor(seen, layout: layout, normalization: .imageNet).elements)
        }
      }
    }
  }

  @Test func impossibleInputsAreRefused() {
    for fit in [ImageInput.Fit.stretch, .letterbox, .letterboxTopLeft, .centerCrop] {
      for (width, height) in [(0, 5), (5, -1), (1 << 30, 5)] {
        let input = ImageInput(width: width, height: height, fit: fit, filter: .bilinear)
        #expect(throws: ImageError.self) { try input.tensor(image) }
        #expect(throws: ImageError.self) { try input.visibleBox(imageWidth: 5, imageHeight: 5) }
      }
    }
  }
}
