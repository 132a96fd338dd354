import ApusKernelInterface

extension AnyPixelKernels {
  public static func mixRows(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, weight: Int32, count: Int, channels: Int,
    room: UnsafeMutablePointer<UInt16>, pairs: UnsafeMutablePointer<Int32>
  ) {
    let share = IntegerLanes(repeating: weight)
    let half = IntegerLanes(repeating: 64)
    var i = 0
    while i &+ 16 <= count {
      let a = widened(load(upper + i, as: SIMD16<UInt8>.self))
      let b = widened(load(lower + i, as: SIMD16<UInt8>.self))
      let sum = (a &<< IntegerLanes(repeating: 14)) &+ (b &- a) &* share &+ half
      store(lowHalves(sum &>> IntegerLanes(repeating: 7)), room + i)
      i &+= 16
    }
    while i < count {
      let a = Int32(truncatingIfNeeded: upper[i])
      let b = Int32(truncatingIfNeeded: lower[i])
      room[i] = UInt16(truncatingIfNeeded: ((a &<< 14) &+ (b &- a) &* weight &+ 64) &>> 7)
      i &+= 1
    }
    for c in 0..<channels { room[count &+ c] = 0 }

    i = 0
    while i &+ 16 <= count {
      let here = widened(load(room + i, as: SIMD16<UInt16>.self))
      let next = widened(load(room + (i &+ channels), as: SIMD16<UInt16>.self))
      store(here | (next &<< IntegerLanes(repeating: 16)), pairs + i)
      i &+= 16
    }
    while i < count {
      pairs[i] = Int32(truncatingIfNeeded: room[i]) | (Int32(truncatingIfNeeded: room[i &+ channels]) &<< 16)
      i &+= 1
    }
  }

  public static func mixColumns(
    _ pairs: UnsafePointer<Int32>, _ taps: PixelTaps, _ y: UnsafeMutablePointer<UInt8>
  ) {
    var i = 0
    while i &+ 16 <= taps.count {
      store(lowBytes(mixed(gathered(pairs, taps.offsets + i), load(taps.weights + i))), y + i)
      i &+= 16
    }
    while i < taps.count {
      y[i] = UInt8(truncatingIfNeeded: mixed(pairs[Int(taps.offsets[i])], taps.weights[i]))
      i &+= 1
    }
  }

  public static func mixColumns(
    _ pairs: UnsafePointer<Int32>, _ taps: PixelTaps, _ scale: PixelScale, _ y: UnsafeMutablePointer<Float>
  ) {
    // Dividing by one and subtracting nothing change no number, and take their time.
    let isPlain = scale.mean == 0 && scale.deviation == 1
    let divisor = all(scale.divisor)
    let mean = all(scale.mean)
    let deviation = all(scale.deviation)
    var i = 0
    while i &+ 16 <= taps.count {
      var value = floats(mixed(gathered(pairs, taps.offsets + i), load(taps.weights + i))) / divisor
      if !isPlain { value = (value - mean) / deviation }
      store(value, y + i)
      i &+= 16
    }
    while i < taps.count {
      let value = Float(mixed(pairs[Int(taps.offsets[i])], taps.weights[i]))
      y[i] = (value / scale.divisor - scale.mean) / scale.deviation
      i &+= 1
    }
  }

  public static func lookUp(
    _ x: UnsafePointer<UInt8>, xStep: Int, _ table: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, yStep: Int,
    count: Int
  ) {
    for i in 0..<count { y[i &* yStep] = table[Int(truncatingIfNeeded: x[i &* xStep])] }
  }
}

/// The mean of the halves of each lane, in whole steps of brightness.
@inline(__always)
private func mixed(_ pair: IntegerLanes, _ weight: IntegerLanes) -> IntegerLanes {
  let first = pair & IntegerLanes(repeating: 0xFFFF)
  let second = pair &>> IntegerLanes(repeating: 16)
  let sum = (first &<< IntegerLanes(repeating: 14)) &+ (second &- first) &* weight
  return (sum &+ IntegerLanes(repeating: 1 &<< 20)) &>> IntegerLanes(repeating: 21)
}

@inline(__always)
private func mixed(_ pair: Int32, _ weight: Int32) -> Int32 {
  let first = pair & 0xFFFF
  return ((first &<< 14) &+ ((pair &>> 16) &- first) &* weight &+ (1 &<< 20)) &>> 21
}

/// Sixteen numbers from sixteen places.
@inline(__always)
private func gathered(_ x: UnsafePointer<Int32>, _ offsets: UnsafePointer<Int32>) -> IntegerLanes {
  var lanes = IntegerLanes(repeating: 0)
  unrolled(16) { lane in lanes[lane] = x[Int(offsets[lane])] }
  return lanes
}
