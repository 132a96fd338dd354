import ApusMedia
import Testing

@testable import ApusVision

/// Counts worked out by hand.
@Suite struct DetectionAgreementTests {
  private func object(_ x: Double, _ classIndex: Int = 0) -> Detection {
    Detection(box: PixelBox(x0: x, y0: 0, x1: x + 12, y1: 10), classIndex: classIndex, score: 0.9)
  }

  @Test func boxesOfOneClassThatOverlapByHalfAreMatched() {
    var agreement = DetectionAgreement()
    // Of widths of 12, shifted by 4: 8 of 16 are shared. By 5: 7 of 17.
    agreement.add([object(4), object(105), object(200, 1)], of: [object(0), object(100), object(200)])
    #expect(agreement.matched == 1 && agreement.missed == 2 && agreement.added == 2 && agreement.pictures == 1)
    agreement.add([], of: [])
    #expect(agreement.matched == 1 && agreement.pictures == 2)
  }

  @Test func eachIsMatchedOnceAndTheNearestFirst() {
    var agreement = DetectionAgreement()
    agreement.add([object(3), object(1)], of: [object(0), object(0), object(0)])
    #expect(agreement.matched == 2 && agreement.missed == 1 && agreement.added == 0)
  }
}
