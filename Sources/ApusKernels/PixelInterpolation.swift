import ApusKernelInterface

extension AnyPixelKernels {
  package static func mixRows(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, weight: Float, count: Int,
    _ y: UnsafeMutablePointer<Float>
  ) {
    let share = all(weight)
    var i = 0
    while i &+ 16 <= count {
      let a = widened(load(upper + i, as: SIMD16<UInt8>.self))
      let b = widened(load(lower + i, as: SIMD16<UInt8>.self))
      store(floats(a) + floats(b &- a) * share, y + i)
      i &+= 16
    }
    while i < count {
      let a = Int32(truncatingIfNeeded: upper[i])
      y[i] = Float(a) + Float(Int32(truncatingIfNeeded: lower[i]) &- a) * weight
      i &+= 1
    }
  }

  package static func mixColumns(
    _ x: UnsafePointer<Float>, _ taps: PixelTaps, channels: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    if channels == 1 {
      for i in 0..<taps.count {
        let first = x + Int(taps.offsets[i])
        y[i] = first[0] + (first[1] - first[0]) * taps.weights[i]
      }
    } else {
      for i in 0..<taps.count {
        let first = x + Int(taps.offsets[i])
        let a: SIMD4<Float> = load(first)
        let b: SIMD4<Float> = load(first + channels)
        store(a + (b - a) * SIMD4(repeating: taps.weights[i]), y + 4 &* i)
      }
    }
  }

  package static func settleHalves(
    _ y: UnsafeMutablePointer<Float>, _ taps: PixelTaps, channels: Int, _ upper: UnsafePointer<UInt8>,
    _ lower: UnsafePointer<UInt8>, weight: Double
  ) {
    let step = channels == 1 ? 1 : 4
    let count = taps.count &* step
    var i = 0
    while i < count {
      let end = min(i &+ 16, count)
      if i &+ 16 > count || isAny(areNearHalves(load(y + i))) {
        while i < end {
          if isNearHalf(y[i]) {
            let pixel = step == 1 ? i : i &>> 2
            let channel = i &- pixel &* step
            if channel < channels { y[i] = exactLevel(upper, lower, weight, taps, pixel, channels, channel) }
          }
          i &+= 1
        }
      }
      i = end
    }
  }

  package static func levels(
    _ x: UnsafePointer<Float>, count: Int, channels: Int, _ y: UnsafeMutablePointer<UInt8>
  ) {
    var i = 0
    if channels == 3 {
      // Sixteen bytes are written for twelve, and the next twelve over the rest.
      while i &+ 6 <= count {
        store(withoutFourths(lowBytes(level(load(x + 4 &* i)))), y + 3 &* i)
        i &+= 4
      }
    } else if channels == 1 {
      while i &+ 16 <= count {
        store(lowBytes(level(load(x + i))), y + i)
        i &+= 16
      }
    }
    let step = channels == 1 ? 1 : 4
    while i < count {
      for c in 0..<channels { y[channels &* i &+ c] = UInt8(truncatingIfNeeded: level(x[step &* i &+ c])) }
      i &+= 1
    }
  }

  package static func levels(
    _ x: UnsafePointer<Float>, step: Int, count: Int, _ scale: PixelScale, _ y: UnsafeMutablePointer<Float>
  ) {
    // Dividing by one and subtracting nothing change no number, and take their time.
    let isPlain = scale.mean == 0 && scale.deviation == 1
    let divisor = all(scale.divisor)
    let mean = all(scale.mean)
    let deviation = all(scale.deviation)
    var i = 0
    while i &+ 17 <= count {
      let raw: Lanes = step == 1 ? load(x + i) : everyFourth(x + 4 &* i)
      var value = floats(level(raw)) / divisor
      if !isPlain { value = (value - mean) / deviation }
      store(value, y + i)
      i &+= 16
    }
    while i < count {
      y[i] = (Float(level(x[step &* i])) / scale.divisor - scale.mean) / scale.deviation
      i &+= 1
    }
  }

  package static func lookUp(
    _ x: UnsafePointer<UInt8>, xStep: Int, _ table: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, yStep: Int,
    count: Int
  ) {
    for i in 0..<count { y[i &* yStep] = table[Int(truncatingIfNeeded: x[i &* xStep])] }
  }
}

/// The nearest level of brightness.
@inline(__always)
private func level(_ x: Lanes) -> IntegerLanes { truncated(x + all(0.5)) }

@inline(__always)
private func level(_ x: Float) -> Int32 { Int32(truncatingIfNeeded: Int(x + 0.5)) }

/// More than what two mixtures in `Float` lose.
@inline(__always) private var doubt: Float { 0x1p-13 }

@inline(__always)
private func areNearHalves(_ x: Lanes) -> LaneMask {
  let beyond = x - floats(truncated(x)) - all(0.5)
  return greater(beyond, -beyond) .< all(doubt)
}

@inline(__always)
private func isNearHalf(_ x: Float) -> Bool {
  let beyond = x - Float(Int32(truncatingIfNeeded: Int(x))) - 0.5
  return beyond < doubt && -beyond < doubt
}

/// The nearest level to the mixture of four bytes, of halves the upper one. What `Double` may have taken from a half is
/// less than what is added.
@inline(never)
private func exactLevel(
  _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, _ weight: Double, _ taps: PixelTaps, _ pixel: Int,
  _ channels: Int, _ channel: Int
) -> Float {
  let place = Int(taps.offsets[pixel]) &+ channel
  let share = taps.exactWeights[pixel]
  // The last pixel has no next one, and no share of it.
  let next = share > 0 ? place &+ channels : place
  let first = mixed(upper[place], lower[place], weight)
  let value = first + (mixed(upper[next], lower[next], weight) - first) * share
  return Float(Int(value + 0.5 + 0x1p-27))
}

@inline(__always)
private func mixed(_ a: UInt8, _ b: UInt8, _ share: Double) -> Double {
  let a = Double(a)
  return a + (Double(b) - a) * share
}

/// Four pixels of four bytes as four of three; the last four bytes mean nothing.
@inline(__always)
private func withoutFourths(_ x: SIMD16<UInt8>) -> SIMD16<UInt8> {
  SIMD16(
    x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10], x[12], x[13], x[14], x[15], x[15], x[15], x[15])
}

/// The first of each four of 64 numbers.
@inline(__always)
private func everyFourth(_ x: UnsafePointer<Float>) -> Lanes {
  let (a, b): (Lanes, Lanes) = (load(x), load(x + 16))
  let (c, d): (Lanes, Lanes) = (load(x + 32), load(x + 48))
  return Lanes(
    a[0], a[4], a[8], a[12], b[0], b[4], b[8], b[12], c[0], c[4], c[8], c[12], d[0], d[4], d[8], d[12])
}
