import Testing

@testable import Apus

/// The search for what is beyond a limit, against a look at one element after the other.
@Suite struct SelectionKernelTests {
  private static let limits: [Float] = [
    0, -0.0, 1.5, -3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
  ]

  /// Rows with one that is beyond at every place, and with none: what equals the limit is not, what is no number is.
  @Test(arguments: [true, false])
  func theFirstElementBeyondALimit(isLess: Bool) {
    for limit in Self.limits {
      let (nearest, farthest) = isLess ? (limit.nextDown, -Float.infinity) : (limit.nextUp, .infinity)
      let within = [limit, -farthest, isLess ? limit.nextUp : limit.nextDown]
      for count in 0...50 {
        for place in 0...count {
          for other in [nearest, farthest, .nan] {
            var x = (0..<count).map { within[$0 % 3] }
            for index in [place, place + 3] where index < count { x[index] = other }
            let expected = x.firstIndex { $0.isNaN || (isLess ? $0 < limit : $0 > limit) } ?? count
            for variant in Execution.availableVariants {
              let found = Execution.with(variant: variant) {
                Execution.current.dataKernels.firstBeyond(x, limit, isLess: isLess, count: count)
              }
              if found != expected { Issue.record("\(variant), \(limit), \(other) at \(place) of \(count): \(found)") }
            }
          }
        }
      }
    }
  }

  /// Every element may come before what is no number.
  @Test(arguments: [true, false])
  func aLimitThatIsNoNumberLeavesNothingOut(isLess: Bool) {
    for count in [0, 1, 16, 33] {
      let x = (0..<count).map { Float($0) }
      for variant in Execution.availableVariants {
        let found = Execution.with(variant: variant) {
          Execution.current.dataKernels.firstBeyond(x, .nan, isLess: isLess, count: count)
        }
        #expect(found == 0, "\(variant), \(count) elements")
      }
    }
  }
}
