import Testing

@testable import ApusMedia

@Suite struct DrawingTests {
  private func black(_ width: Int = 60, _ height: Int = 40) throws -> Canvas {
    try Canvas(width: width, height: height, color: .black)
  }

  /// How many pixels are white, parts of pixels added up.
  private func area(_ canvas: Canvas) -> Double {
    Double(canvas.image.samples.reduce(0) { $0 + Int($1) }) / (3 * 255)
  }

  @Test func aLineCoversItsLengthTimesItsWidth() throws {
    for width in [1.0, 2.5, 6] {
      for (dx, dy) in [(30.0, 0.0), (0, 18.5), (20, 15), (-22, 9.5)] {
        var canvas = try black(80)
        let start = PixelPoint(x: 29.7, y: 11.2)
        canvas.drawLine(from: start, to: PixelPoint(x: 29.7 + dx, y: 11.2 + dy), width: width, color: .white)
        let length = (dx * dx + dy * dy).squareRoot()
        let expected = length * width + Double.pi * width * width / 4
        #expect(abs(area(canvas) - expected) < 0.03 * expected + 0.5, "\(dx), \(dy), \(width)")
      }
    }
  }

  @Test func whatTouchesCoversNoMore() throws {
    var once = try black()
    var twice = try black()
    let color = PixelColor.white.with(alpha: 100)
    let (a, b, c) = (PixelPoint(x: 5, y: 5), PixelPoint(x: 30, y: 20), PixelPoint(x: 55, y: 35))
    once.drawLine(from: a, to: c, width: 4, color: color)
    twice.drawPolyline([a, b, c, b, a], width: 4, color: color)
    for (one, two) in zip(once.image.samples, twice.image.samples) { #expect(abs(Int(one) - Int(two)) <= 1) }
    #expect(once.image.samples.max() == 100)
  }

  @Test func areasAreExact() throws {
    var canvas = try black()
    canvas.fillRectangle(PixelBox(x0: 3.25, y0: 4.5, x1: 20.75, y1: 9), color: .white)
    #expect(abs(area(canvas) - 17.5 * 4.5) < 0.2)
    #expect(canvas.image[3, 5].first == 191 && canvas.image[4, 4].first == 128 && canvas.image[4, 5].first == 255)
    #expect(canvas.image[4, 9].first == 0 && canvas.image[21, 5].first == 0)
    var triangle = try black()
    triangle.fillPolygon(
      [PixelPoint(x: 5, y: 5), PixelPoint(x: 50.5, y: 12), PixelPoint(x: 17, y: 38)], color: .white)
    let twice = 45.5 * 33 - 7 * 12.0
    #expect(abs(area(triangle) - twice / 2) < 0.5)
    var disc = try black()
    disc.fillCircle(center: PixelPoint(x: 30, y: 20.3), radius: 12.4, color: .white)
    #expect(abs(area(disc) - Double.pi * 12.4 * 12.4) < 3)
    var ring = try black()
    ring.drawCircle(center: PixelPoint(x: 30, y: 20.3), radius: 12.4, width: 3, color: .white)
    #expect(abs(area(ring) - 2 * Double.pi * 12.4 * 3) < 3)
    var frame = try black()
    frame.drawRectangle(PixelBox(x0: 10, y0: 10, x1: 40, y1: 30), width: 2, color: .white)
    #expect(abs(area(frame) - 200) < 0.1)
    #expect(frame.image[9, 9].first == 255 && frame.image[10, 29].first == 255 && frame.image[11, 11].first == 0)
  }

  @Test func partsOutsideAreCutOff() throws {
    var whole = try black(200, 200)
    var part = try black(60, 40)
    func draw(_ canvas: inout Canvas, _ dx: Double, _ dy: Double) {
      func at(_ x: Double, _ y: Double) -> PixelPoint { PixelPoint(x: x + dx, y: y + dy) }
      canvas.drawPolyline(
        [at(20, 30), at(150, 90), at(100, 180)], width: 7, color: PixelColor(0x3040FF), isClosed: true)
      canvas.fillPolygon([at(40, 60), at(190, 95), at(90, 150)], color: PixelColor(0xFF8000).with(alpha: 77))
      canvas.drawCircle(center: at(90, 90), radius: 50, width: 5, color: PixelColor(0x00FF30))
      canvas.fillCircle(center: at(75, 75), radius: 9, color: .white)
      canvas.drawRectangle(
        PixelBox(x0: 80 + dx, y0: 75 + dy, x1: 300 + dx, y1: 300 + dy), width: 3, color: .white)
      canvas.drawText("Clipped text", at: at(30, 100), size: 22, color: .white)
    }
    draw(&whole, 0, 0)
    draw(&part, -70, -70)
    let expected = try whole.image.cropped(x: 70, y: 70, width: 60, height: 40)
    for (found, wanted) in zip(part.image.samples, expected.samples) { #expect(abs(Int(found) - Int(wanted)) <= 1) }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e30, -1e30, 1e300, .greatestFiniteMagnitude])
  func whatIsNoPlaceDoesNoHarm(value: Double) throws {
    var canvas = try black()
    let near = PixelPoint(x: 5, y: 5)
    for far in [PixelPoint(x: value, y: 3), PixelPoint(x: 3, y: value), PixelPoint(x: value, y: -value)] {
      canvas.drawLine(from: near, to: far, width: 2, color: .white)
      canvas.drawLine(from: PixelPoint(x: -far.x, y: -far.y), to: far, width: 2, color: .white)
      canvas.drawPolyline([near, far, PixelPoint(x: 9, y: 9)], width: 3, color: .white, isClosed: true)
      canvas.fillPolygon([near, far, PixelPoint(x: 9, y: 9)], color: .white)
      canvas.fillCircle(center: far, radius: 5, color: .white)
      canvas.drawCircle(center: far, radius: value, width: 2, color: .white)
      canvas.drawCircle(center: near, radius: value, width: value, color: .white)
      canvas.fillRectangle(PixelBox(x0: far.x, y0: far.y, x1: 30, y1: 30), color: .white)
      canvas.drawText("text", at: far, size: 12, color: .white)
      canvas.drawText("text", at: near, size: value, color: .white)
      canvas.drawBox(
        PixelBox(x0: 1, y0: far.x, x1: far.y, y1: 20), label: "box", color: .white, lineWidth: value, textSize: value)
      canvas.drawBox(PixelBox(x0: 1, y0: far.x, x1: far.y, y1: 20), label: "box", color: .white)
      canvas.drawTrail([near, far, nil, near], from: .black, to: .white)
      canvas.drawTrail([near, far, nil, near], from: .black, to: .white, lineWidth: value)
      canvas.drawSkeleton(points: [near, far, nil], edges: [(0, 1), (0, 2), (-1, 7)]) { .palette(forClass: $0) }
    }
    canvas.drawLine(from: near, to: PixelPoint(x: 9, y: 5), width: value, color: .white)
    #expect(canvas.width == 60)
  }

  @Test func aLineFromFarAwayPassesWhereItShould() throws {
    var canvas = try black()
    canvas.drawLine(from: PixelPoint(x: 10, y: 20), to: PixelPoint(x: 1e30, y: 20), width: 2, color: .white)
    for x in 10..<60 { #expect(canvas.image[x, 19].first == 255 && canvas.image[x, 20].first == 255) }
    #expect(canvas.image[5, 20].first == 0 && canvas.image[30, 22].first == 0)
    var half = try black()
    half.fillPolygon(
      [PixelPoint(x: -1e12, y: 10), PixelPoint(x: 1e12, y: 10), PixelPoint(x: 0, y: 1e15)], color: .white)
    #expect(half.image[0, 9].first == 0 && half.image[0, 10].first == 255 && half.image[59, 39].first == 255)
  }

  @Test func theLabelStaysInThePicture() throws {
    let canvas = try black(200, 150)
    for box in [
      PixelBox(x0: 50, y0: 60, x1: 90, y1: 100), PixelBox(x0: 190, y0: 2, x1: 199, y1: 20),
      PixelBox(x0: -30, y0: -5, x1: 300, y1: 400), PixelBox(x0: 150, y0: 149, x1: 199, y1: 150),
      PixelBox(x0: 500, y0: 500, x1: 600, y1: 600),
    ] {
      let label = try #require(canvas.labelBox("person 0.87", for: box, lineWidth: 2, textSize: 12))
      #expect(label.x0 >= 0 && label.y0 >= 0 && label.x1 <= 200 && label.y1 <= 150, "\(box)")
      #expect(label.width > 60 && label.height == 15)
    }
    let above = try #require(
      canvas.labelBox("a", for: PixelBox(x0: 50, y0: 60, x1: 90, y1: 100), lineWidth: 2, textSize: 12))
    #expect(above.y1 == 59 && above.x0 == 49)
  }

  @Test func theLabelIsReadable() throws {
    for index in 0..<20 {
      let color = PixelColor.palette(forClass: index)
      var canvas = try black(200, 150)
      canvas.drawBox(PixelBox(x0: 20, y0: 50, x1: 150, y1: 120), label: "HHH", color: color, textSize: 20)
      let label = try canvas.image.cropped(x: 20, y: 25, width: 40, height: 22)
      func luma(_ pixel: ArraySlice<UInt8>) -> Int {
        let p = Array(pixel)
        return (299 * Int(p[0]) + 587 * Int(p[1]) + 114 * Int(p[2])) / 1000
      }
      let all = (0..<22).flatMap { y in (0..<40).map { luma(label[$0, y]) } }
      #expect((all.max() ?? 0) - (all.min() ?? 0) > 90, "\(index)")
      #expect(canvas.image[100, 80].first == 0)
    }
  }

  @Test func classesHaveColoursOfTheirOwn() {
    let colors = (0..<20).map { PixelColor.palette(forClass: $0) }
    for (index, a) in colors.enumerated() {
      for b in colors[(index + 1)...] {
        let difference = [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)].map { abs(Int($0) - Int($1)) }
        #expect(difference.reduce(0, +) >= 60, "\(a), \(b)")
      }
    }
    #expect(PixelColor.palette(forClass: 20) == colors[0])
    #expect(PixelColor.palette(forClass: -1) == colors[19])
    _ = PixelColor.palette(forClass: .min)
  }

  @Test func aTrailGoesFromColourToColour() throws {
    var canvas = try black(100, 20)
    let points = (0...9).map { PixelPoint(x: 5 + 10 * Double($0), y: 10) }
    canvas.drawTrail(points, from: PixelColor(0xFF0000), to: PixelColor(0x0000FF), lineWidth: 4)
    let reds = points.dropFirst().map { Int(canvas.image[Int($0.x) - 4, 10].first ?? 0) }
    #expect(reds == reds.sorted(by: >) && reds[0] > 200 && reds[8] == 0)
    #expect(Array(canvas.image[90, 10]) == [0, 0, 255])
    var gap = try black(100, 20)
    gap.drawTrail([points[0], points[1], nil, points[8], points[9]], from: .white, to: .white, lineWidth: 4)
    #expect(gap.image[50, 10].first == 0 && gap.image[10, 10].first == 255 && gap.image[90, 10].first == 255)
  }

  @Test func aCaptionStaysInThePicture() throws {
    let room = Canvas.captionSize(["0.5 s", "left 20°"], textSize: 10)
    #expect(room.width > 0 && room.height > 20)
    #expect(Canvas.captionSize([], textSize: 10) == (0, 0))
    for origin in [PixelPoint(x: -500, y: -500), PixelPoint(x: 500, y: 500), PixelPoint(x: .nan, y: 0)] {
      var canvas = try Canvas(width: 100, height: 60, color: PixelColor(0x808080))
      canvas.drawCaption(["0.5 s", "left 20°"], at: origin, textSize: 10)
      // White letters, and a ground that is darker than the picture.
      #expect((canvas.image.samples.max() == 255) == origin.x.isFinite)
      #expect((canvas.image.samples.min() ?? 0 < 0x40) == origin.x.isFinite)
      let corner = origin.x < 0 ? canvas.image[0, 0] : canvas.image[99, 59]
      #expect((corner.first ?? 0 < 0x40) == origin.x.isFinite)
    }
  }

  @Test func dashesAreHalfOfALine() throws {
    func sum(_ draw: (inout Canvas) -> Void) throws -> Double {
      var canvas = try black(100, 20)
      draw(&canvas)
      return area(canvas)
    }
    let (from, to) = (PixelPoint(x: 10, y: 10), PixelPoint(x: 90, y: 10))
    let line = try sum { $0.drawLine(from: from, to: to, width: 2, color: .white) }
    let dashes = try sum { $0.drawDashedLine(from: from, to: to, width: 2, dash: 8, color: .white) }
    // Five dashes of 8 with round ends of radius 1: 5 · (16 + π) of 160 + π.
    #expect(abs(dashes - 5 * (16 + Double.pi)) < 2, "\(dashes) of \(line)")
    #expect(try sum { $0.drawDashedLine(from: from, to: from, width: 2, dash: 8, color: .white) } == 0)
    #expect(try sum { $0.drawDashedLine(from: from, to: to, width: 2, dash: 1e-9, color: .white) } == line)
  }

  @Test func skeletonsLeaveOutWhatWasNotFound() throws {
    var canvas = try black()
    canvas.drawSkeleton(
      points: [PixelPoint(x: 10, y: 10), nil, PixelPoint(x: 50, y: 10)], edges: [(0, 1), (1, 2), (5, 0), (-1, 2)]
    ) { _ in .white }
    #expect(canvas.image[30, 10].first == 0 && canvas.image[10, 10].first == 255 && canvas.image[50, 10].first == 255)
    canvas.drawSkeleton(points: [PixelPoint(x: 10, y: 10), PixelPoint(x: 50, y: 10)], edges: [(0, 1)]) { _ in .white }
    #expect(canvas.image[30, 10].first == 255)
  }

  @Test func theGroundIsOpaque() throws {
    let clear = try Image<UInt8>(width: 2, height: 1, color: .grayAlpha, samples: [10, 0, 20, 255])
    #expect(Canvas(clear).image.samples == [255, 255, 255, 20, 20, 20])
    #expect(throws: ImageError.self) { try Canvas(width: 0, height: 5) }
    #expect(throws: ImageError.self) { try Canvas(width: 1 << 40, height: 1 << 20) }
  }
}
