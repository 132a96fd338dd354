import Testing

@testable import Apus

@Suite struct FloatingGridTests {
  @Test func neighboursAreOneApart() {
    for value in [0, 1, -1, 1.5, Float.leastNormalMagnitude / 8, -3e38, 0.1] as [Float] {
      #expect(FloatingGrid.float32.distance(Double(value), Double(value.nextUp)) == 1)
      #expect(FloatingGrid.float64.distance(Double(value), Double(value).nextUp) == 1)
    }
    #expect(FloatingGrid.float32.distance(1, 2) == 1 << 23)
    #expect(FloatingGrid.float16.distance(1, 2) == 1 << 10)
    #expect(FloatingGrid.bfloat16.distance(1, 2) == 1 << 7)
    #expect(FloatingGrid.float64.distance(1, 2) == 1 << 52)
  }

  @Test func distancesCrossZero() {
    let smallest = Double(Float.leastNonzeroMagnitude)
    #expect(FloatingGrid.float32.distance(-smallest, smallest) == 2)
    #expect(FloatingGrid.float32.distance(-0.0, 0) == 0)
    let all = FloatingGrid.float64.distance(-.greatestFiniteMagnitude, .greatestFiniteMagnitude)
    #expect(all == 2 * Double.greatestFiniteMagnitude.bitPattern)
  }

  @Test func valuesAreRoundedToTheNarrowerGrid() {
    // A quarter of a step from 1 rounds back to 1; three quarters to its neighbour; a half to the even one.
    let step = Double(Float(1).ulp)
    #expect(FloatingGrid.float32.distance(1, 1 + step / 4) == 0)
    #expect(FloatingGrid.float32.distance(1, 1 + 3 * step / 4) == 1)
    #expect(FloatingGrid.float32.distance(1, 1 + step / 2) == 0)
    #expect(FloatingGrid.float32.distance(1, 1 + 3 * step / 2) == 2)
    // Too large for the type: as far as infinity, not further.
    let limit = Double(Float.greatestFiniteMagnitude)
    #expect(FloatingGrid.float32.distance(limit, 1e300) == 1)
  }

  #if !(os(macOS) && arch(x86_64))
    @Test func everyHalfPrecisionStepIsOne() {
      for bits in 0..<Float16.infinity.bitPattern - 1 {
        let (lower, upper) = (Float16(bitPattern: bits), Float16(bitPattern: bits + 1))
        guard FloatingGrid.float16.distance(Double(lower), Double(upper)) == 1 else {
          Issue.record("\(lower) and \(upper)")
          return
        }
      }
    }
  #endif

  @Test func agreesWithTheBitsOfRandomFloats() {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<2000 {
      let a = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      let b = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      guard a.isFinite, b.isFinite else { continue }
      func key(_ value: Float) -> Int64 {
        let magnitude = Int64(value.magnitude.bitPattern)
        return value.sign == .minus ? -magnitude : magnitude
      }
      #expect(FloatingGrid.float32.distance(Double(a), Double(b)) == (key(a) - key(b)).magnitude)
    }
  }

  @Test func theNarrowerTypeIsChosen() {
    #expect(FloatingGrid.narrower(.float64, .float32)?.fractionBits == 23)
    #expect(FloatingGrid.narrower(.bfloat16, .float16)?.fractionBits == 7)
    #expect(FloatingGrid.narrower(.int32, .float16)?.fractionBits == 10)
    #expect(FloatingGrid.narrower(.int32, .uint8) == nil)
  }
}
