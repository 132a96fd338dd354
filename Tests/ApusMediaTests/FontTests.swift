import Testing

@testable import ApusMedia

@Suite struct FontTests {
  private static let beyondASCII: [Unicode.Scalar] = ["\u{B0}", "\u{B1}", "\u{B7}", "\u{D7}", "\u{2013}", "\u{2026}"]
  static let characters = (32...126).compactMap { Unicode.Scalar($0) } + beyondASCII

  @Test func everyLetterIsThereAndNoTwoAreAlike() {
    let letters = StrokeFont.letters
    #expect(letters.map(\.character).sorted() == Self.characters.sorted())
    #expect(Set(letters.map(\.strokes)).count == letters.count)
  }

  @Test(arguments: characters)
  func lettersStayInTheirPlace(character: Unicode.Scalar) {
    let glyph = StrokeFont.glyph(character)
    #expect(glyph.lines.isEmpty == (character == " "))
    for point in glyph.lines.joined() {
      #expect(point.x > -0.6 && point.x < glyph.width + 0.6, "\(point)")
      #expect(point.y > -1.3 && point.y < 13.4, "\(point)")
    }
    // A line of a single point is a dot, and commands that say nothing would leave none.
    #expect(glyph.lines.allSatisfy { !$0.isEmpty })
  }

  @Test func textIsAsWideAsItSays() throws {
    for size in [10.0, 17, 40] {
      let text = "HELLO person 0.87 ABCH"
      let (width, height) = Canvas.textSize(text, size: size)
      var canvas = try Canvas(width: 700, height: 60, color: .black)
      canvas.drawText(text, at: PixelPoint(x: 5, y: 5), size: size, color: .white)
      let columns = (0..<700).filter { x in (0..<60).contains { (canvas.image[x, $0].first ?? 0) > 127 } }
      #expect(abs(Double(columns.first ?? 0) - 5) <= 1.5)
      #expect(abs(Double(columns.last ?? 0) - 5 - width) <= 1.5, "\(size)")
      #expect(height == size * 0.72)
    }
    #expect(Canvas.textSize("", size: 20).width == 0)
  }

  @Test func unknownLettersAreBoxes() throws {
    func drawn(_ text: String) throws -> [UInt8] {
      var canvas = try Canvas(width: 80, height: 30)
      canvas.drawText(text, at: PixelPoint(x: 2, y: 2), size: 20, color: .black)
      return canvas.image.samples
    }
    #expect(try drawn("\u{4E2D}") == drawn("\u{0}"))
    #expect(try drawn("\u{4E2D}") != drawn(" "))
    #expect(try drawn("A") != drawn("B"))
  }

  @Test func endlessTextEndsAtTheEdge() throws {
    var canvas = try Canvas(width: 20, height: 20)
    canvas.drawText(String(repeating: "W", count: 1_000_000), at: PixelPoint(x: 0, y: 0), size: 12, color: .black)
    #expect(canvas.image.samples.contains(0))
  }
}
