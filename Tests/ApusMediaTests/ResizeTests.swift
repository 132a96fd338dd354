import Apus
import ApusMedia
import Testing

@Suite struct ResizeTests {
  @Test func bilinearIsTheNearestByteToPyTorchs() throws {
    let fixture = try TransformFixture()
    for item in try fixture.cases("bilinear") {
      let exact = try fixture.elements(item.name, as: Float.self)
      try onEveryVariant { setting in
        let found = try item.image.resized(width: item.width, height: item.height, filter: .bilinear)
        try #require(found.samples.count == exact.count)
        let worst = zip(found.samples, exact).map { abs(Float($0) - $1) }.max() ?? 1
        #expect(worst <= 0.53, "\(item.name), \(setting)")
      }
    }
  }
}
