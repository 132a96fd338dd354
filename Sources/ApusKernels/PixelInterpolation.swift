#if hasFeature(BuiltinModule)
  import Builtin
#endif
import ApusKernelInterface

extension AnyPixelKernels {
  public static func mixRows(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, weight: Double, count: Int,
    _ y: UnsafeMutablePointer<Double>
  ) {
    let share = WideLanes(repeating: weight)
    var i = 0
    while i &+ 16 <= count {
      let a = widened(load(upper + i, as: SIMD16<UInt8>.self))
      let b = widened(load(lower + i, as: SIMD16<UInt8>.self))
      store(widened(floats(a)) + widened(floats(b &- a)) * share, y + i)
      i &+= 16
    }
    while i < count {
      let a = Int32(truncatingIfNeeded: upper[i])
      y[i] = Double(a) + Double(Int32(truncatingIfNeeded: lower[i]) &- a) * weight
      i &+= 1
    }
  }

  public static func mixColumns(
    _ x: UnsafePointer<Double>, _ taps: PixelTaps, channels: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    if channels == 1 {
      for i in 0..<taps.count {
        let first = x + Int(taps.offsets[i])
        y[i] = Float(nearest(first[0] + (first[1] - first[0]) * taps.weights[i]))
      }
    } else {
      for i in 0..<taps.count {
        let first = x + Int(taps.offsets[i])
        let a: SIMD4<Double> = load(first)
        let b: SIMD4<Double> = load(first + channels)
        store(narrowed(nearest(a + (b - a) * SIMD4(repeating: taps.weights[i]))), y + 4 &* i)
      }
    }
  }

  public static func levels(
    _ x: UnsafePointer<Float>, count: Int, channels: Int, _ y: UnsafeMutablePointer<UInt8>
  ) {
    var i = 0
    if channels == 3 {
      // Sixteen bytes are written for twelve, and the next twelve over the rest.
      while i &+ 6 <= count {
        store(withoutFourths(lowBytes(truncated(load(x + 4 &* i)))), y + 3 &* i)
        i &+= 4
      }
    } else if channels == 1 {
      while i &+ 16 <= count {
        store(lowBytes(truncated(load(x + i))), y + i)
        i &+= 16
      }
    }
    let step = channels == 1 ? 1 : 4
    while i < count {
      for c in 0..<channels { y[channels &* i &+ c] = UInt8(truncatingIfNeeded: Int(x[step &* i &+ c])) }
      i &+= 1
    }
  }

  public static func levels(
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
      var value = raw / divisor
      if !isPlain { value = (value - mean) / deviation }
      store(value, y + i)
      i &+= 16
    }
    while i < count {
      y[i] = (x[step &* i] / scale.divisor - scale.mean) / scale.deviation
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

/// What an exact half may have lost on its way, and far more: halves are common where sides are as 4 to 5, and all go up.
@inline(__always) private var lift: Double { 0x1p-27 }

/// Numbers of this size have no fractions.
@inline(__always) private var whole: Double { 0x1p52 }

/// The nearest level of brightness.
@inline(__always)
private func nearest(_ x: Double) -> Double { (x + lift + whole) - whole }

@inline(__always)
private func nearest(_ x: SIMD4<Double>) -> SIMD4<Double> {
  (x + SIMD4(repeating: lift) + SIMD4(repeating: whole)) - SIMD4(repeating: whole)
}

@inline(__always)
private func narrowed(_ x: SIMD4<Double>) -> SIMD4<Float> {
  #if hasFeature(BuiltinModule)
    var result = SIMD4<Float>(repeating: 0)
    result._storage._value = Builtin.fptrunc_Vec4xFPIEEE64_Vec4xFPIEEE32(x._storage._value)
    return result
  #else
    return SIMD4<Float>(x)
  #endif
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
