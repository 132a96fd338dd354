import ApusKernelInterface

// Differences of colour at half the resolution become rows of the whole one.

extension AnyPixelKernels {
  package static func upsampleColumns(
    _ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let (one, two) = (SampleHalves(repeating: 1), SampleHalves(repeating: 2))
    var i = 0
    while i < count {
      let middle = sixteenBits(load(x + i, as: SampleLanes.self))
      let before = sixteenBits(load(x + (i &- 1), as: SampleLanes.self))
      let after = sixteenBits(load(x + (i &+ 1), as: SampleLanes.self))
      let heavy = middle &+ middle &+ middle
      storePairs((heavy &+ before &+ one) &>> two, (heavy &+ after &+ two) &>> two, y + 2 &* i)
      i &+= SampleLanes.scalarCount
    }
  }

  package static func upsampleColumns(
    near: UnsafePointer<UInt8>, far: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let four = SampleHalves(repeating: 4)
    let (seven, eight) = (SampleHalves(repeating: 7), SampleHalves(repeating: 8))
    var i = 0
    while i < count {
      let middle = columnSum(near + i, far + i)
      let before = columnSum(near + (i &- 1), far + (i &- 1))
      let after = columnSum(near + (i &+ 1), far + (i &+ 1))
      let heavy = middle &+ middle &+ middle
      storePairs((heavy &+ before &+ eight) &>> four, (heavy &+ after &+ seven) &>> four, y + 2 &* i)
      i &+= SampleLanes.scalarCount
    }
  }

  package static func upsampleRows(
    near: UnsafePointer<UInt8>, far: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int,
    rounding: Int
  ) {
    let added = SampleHalves(repeating: Int16(truncatingIfNeeded: rounding))
    let two = SampleHalves(repeating: 2)
    var i = 0
    while i < count {
      store(lowBytes((columnSum(near + i, far + i) &+ added) &>> two), y + i)
      i &+= SampleLanes.scalarCount
    }
  }

  package static func repeatColumns(
    _ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, count: Int, numerator: Int, denominator: Int
  ) {
    // The place as an integer and a fraction, which is kept without a division.
    var (place, rest) = (0, 0)
    for i in 0..<count {
      y[i] = x[place]
      rest &+= numerator
      if rest >= denominator {
        rest &-= denominator
        place &+= 1
      }
    }
  }

  /// Three parts of a row and one of the other.
  @inline(__always)
  private static func columnSum(_ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>) -> SampleHalves {
    let middle = sixteenBits(load(near, as: SampleLanes.self))
    return middle &+ middle &+ middle &+ sixteenBits(load(far, as: SampleLanes.self))
  }

  /// Bytes of both interleaved.
  @inline(__always)
  private static func storePairs(_ even: SampleHalves, _ odd: SampleHalves, _ y: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(y).storeBytes(of: even | (odd &<< SampleHalves(repeating: 8)), as: SampleHalves.self)
  }
}
