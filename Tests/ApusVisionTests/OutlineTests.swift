import ApusMedia
import ApusPlatform
import ApusVision
import Testing

/// Boxes around round things, against discs whose size is known.
@Suite struct OutlineTests {
  /// A disc with a hub and a ring, on a ground of stripes; edges as soft as a pixel.
  private func picture(
    x: Double, y: Double, across: Double, down: Double, channels: Int = 3, disc: Double = 60, ground: Double = 150
  ) throws -> Image<UInt8> {
    var samples: [UInt8] = []
    for row in 0..<160 {
      for column in 0..<200 {
        let (dx, dy) = ((Double(column) + 0.5 - x) / across, (Double(row) + 0.5 - y) / down)
        let distance = (dx * dx + dy * dy).squareRoot()
        let inside = min(max((1 - distance) * min(across, down) + 0.5, 0), 1)
        let stripes = ground + 25 * sin(Double(column) / 5) + Double(row % 11)
        let face = distance < 0.2 ? disc + 60 : distance > 0.55 && distance < 0.6 ? disc + 30 : disc
        for channel in 0..<channels {
          samples.append(UInt8(face * inside + stripes * (1 - inside) + Double(channel) * 20))
        }
      }
    }
    return try Image(width: 200, height: 160, color: channels == 1 ? .gray : .rgb, samples: samples)
  }

  private func box(x: Double, y: Double, across: Double, down: Double) -> PixelBox {
    PixelBox(x0: x - across, y0: y - down, x1: x + across, y1: y + down)
  }

  @Test(arguments: [0.9, 0.95, 0.98, 1, 1.03, 1.06, 1.1], [1, 3])
  func sizesThatAreOffAreMended(off: Double, channels: Int) throws {
    for (across, down) in [(40.0, 40.0), (31.5, 36.0), (14.0, 14.0)] {
      let image = try picture(x: 97.3, y: 81.6, across: across, down: down, channels: channels)
      // The middle is off as well.
      let start = box(x: 97.3 + 0.4, y: 81.6 - 0.3, across: across * off, down: down * off)
      let fitted = start.fittedToOutline(in: image)
      // Four tenths of a pixel, or 1.5 %.
      #expect(abs(fitted.width / 2 - across) < max(0.4, 0.015 * across), "\(across), \(off)")
      #expect(abs(fitted.height / 2 - down) < max(0.4, 0.015 * down), "\(across), \(off)")
      #expect(abs(fitted.x0 + fitted.x1 - start.x0 - start.x1) < 1e-9)
      #expect(abs(fitted.y0 + fitted.y1 - start.y0 - start.y1) < 1e-9)
    }
  }

  @Test func whereNothingStandsOutABoxStays() throws {
    let flat = try Image<UInt8>(width: 200, height: 160, color: .rgb, filledWith: [90, 80, 70])
    let start = box(x: 100, y: 80, across: 30, down: 30)
    #expect(start.fittedToOutline(in: flat) == start)
  }

  /// Near the end of the sizes that are looked at, and beyond it.
  @Test(arguments: [43.0, 40, 58, 60])
  func anOutlineFarFromTheBoxIsNotTaken(radius: Double) throws {
    let far = try picture(x: 100, y: 80, across: 50, down: 50)
    let start = box(x: 100, y: 80, across: radius, down: radius)
    #expect(start.fittedToOutline(in: far) == start)
  }

  @Test func whatCannotBeMeasuredStays() throws {
    let image = try picture(x: 30, y: 80, across: 40, down: 40)
    let tiny = try picture(x: 100, y: 80, across: 5, down: 5)
    let cut = box(x: 35, y: 80, across: 35, down: 40)
    #expect(cut.fittedToOutline(in: image) == cut)
    let small = box(x: 100, y: 80, across: 5.5, down: 5.5)
    #expect(small.fittedToOutline(in: tiny) == small)
    for bad in [Double.nan, .infinity, -.infinity, 1e300] {
      let box = PixelBox(x0: 20, y0: 20, x1: bad, y1: 60)
      #expect(box.fittedToOutline(in: image).y0 == 20)
      _ = PixelBox(x0: bad, y0: bad, x1: 50, y1: 60).fittedToOutline(in: image)
    }
    let inverted = PixelBox(x0: 60, y0: 60, x1: 20, y1: 20)
    #expect(inverted.fittedToOutline(in: image) == inverted)
  }

  @Test func aPartInFrontOfSomethingBrightDoesNotDecide() throws {
    var image = try picture(x: 100, y: 80, across: 36, down: 36, disc: 40, ground: 120)
    // A bright post whose edge is near the disc's.
    image.withUnsafeMutableSamples { samples in
      for row in 40..<120 { for column in 141..<200 { for c in 0..<3 { samples[(row * 200 + column) * 3 + c] = 255 } } }
    }
    let fitted = box(x: 100, y: 80, across: 37.5, down: 37.5).fittedToOutline(in: image)
    #expect(abs(fitted.width / 72 - 1) < 0.015)
  }
}
