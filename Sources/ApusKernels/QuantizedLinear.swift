import ApusKernelInterface

extension IntegerKernels {
  package static func quantize(
    _ x: UnsafePointer<Float>, scale: Float, range: QuantizedRange, _ y: UnsafeMutableRawPointer, isWide: Bool,
    count: Int
  ) {
    if range.isOrdinary(scale) {
      let levels = quantizationLevels(scale, range)
      if isWide {
        let zeroPoint = IntegerLanes(repeating: range.zeroPoint)
        forQuantized(y, isWide, count) { i, width in
          nearestIntegers(steps(load(x + i, upTo: width), levels)) &+ zeroPoint
        }
      } else {
        let y = y.assumingMemoryBound(to: UInt8.self)
        forLanes(count) { i, width in
          store(quantizedBytes(load(x + i, upTo: width), levels), y + i, upTo: width)
        }
      }
    } else {
      let scale = all(scale)
      let least = all(Float(range.least &- range.zeroPoint))
      let greatest = all(Float(range.greatest &- range.zeroPoint))
      let zeroPoint = IntegerLanes(repeating: range.zeroPoint)
      forQuantized(y, isWide, count) { i, width in
        nearestIntegers(limited(load(x + i, upTo: width) / scale, least, greatest)) &+ zeroPoint
      }
    }
  }

  package static func quantizeEach(
    _ x: UnsafePointer<Float>, scales: UnsafePointer<Float>, zeroPoints: UnsafePointer<Int32>, range: QuantizedRange,
    _ y: UnsafeMutableRawPointer, isWide: Bool, count: Int
  ) {
    let least = IntegerLanes(repeating: range.least)
    let greatest = IntegerLanes(repeating: range.greatest)
    forQuantized(y, isWide, count) { i, width in
      let zeroPoint = load(zeroPoints + i, upTo: width, as: IntegerLanes.self)
      let quotient = load(x + i, upTo: width) / load(scales + i, upTo: width)
      return nearestIntegers(limited(quotient, floats(least &- zeroPoint), floats(greatest &- zeroPoint))) &+ zeroPoint
    }
  }

  package static func dequantize(
    _ x: UnsafeRawPointer, _ type: StoredType, scale: Float, zeroPoint: Int32, _ y: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    switch type {
    case .int8: dequantizeLoop(x, Int8.self, scale, zeroPoint, y, count) { Int32(truncatingIfNeeded: $0) }
    case .uint8: dequantizeLoop(x, UInt8.self, scale, zeroPoint, y, count) { Int32(truncatingIfNeeded: $0) }
    case .int16: dequantizeLoop(x, Int16.self, scale, zeroPoint, y, count) { Int32(truncatingIfNeeded: $0) }
    case .uint16: dequantizeLoop(x, UInt16.self, scale, zeroPoint, y, count) { Int32(truncatingIfNeeded: $0) }
    default: dequantizeLoop(x, Int32.self, scale, zeroPoint, y, count) { $0 }
    }
  }

  package static func dequantizeEach(
    _ x: UnsafeRawPointer, _ type: StoredType, scales: UnsafePointer<Float>, zeroPoints: UnsafePointer<Int32>,
    _ y: UnsafeMutablePointer<Float>, count: Int
  ) {
    switch type {
    case .int8: dequantizeLoop(x, Int8.self, scales, zeroPoints, y, count) { Int32(truncatingIfNeeded: $0) }
    case .uint8: dequantizeLoop(x, UInt8.self, scales, zeroPoints, y, count) { Int32(truncatingIfNeeded: $0) }
    case .int16: dequantizeLoop(x, Int16.self, scales, zeroPoints, y, count) { Int32(truncatingIfNeeded: $0) }
    case .uint16: dequantizeLoop(x, UInt16.self, scales, zeroPoints, y, count) { Int32(truncatingIfNeeded: $0) }
    default: dequantizeLoop(x, Int32.self, scales, zeroPoints, y, count) { $0 }
    }
  }

  package static func rangeWithZero(_ x: UnsafePointer<Float>, count: Int) -> (least: Float, greatest: Float) {
    var low0 = all(0), low1 = all(0), high0 = all(0), high1 = all(0)
    var i = 0
    while i &+ 32 <= count {
      let a: Lanes = load(x + i)
      let b: Lanes = load(x + (i &+ 16))
      low0 = smaller(low0, a)
      low1 = smaller(low1, b)
      high0 = greater(high0, a)
      high1 = greater(high1, b)
      i &+= 32
    }
    while i < count {
      let a = load(x + i, upTo: count &- i)
      low0 = smaller(low0, a)
      high0 = greater(high0, a)
      i &+= 16
    }
    return (-greatestOfNumbers(-smaller(low0, low1)), greatestOfNumbers(greater(high0, high1)))
  }
}

/// What numbers are quantised to by ``quantizedBytes(_:_:)``; `least` and `greatest` are numbers. A tuple, as ``WordWalk`` is.
typealias QuantizationLevels = (
  scale: Lanes, reciprocal: Lanes, least: Lanes, greatest: Lanes, zeroPoint: SIMD16<UInt8>
)

@inline(__always)
func quantizationLevels(_ scale: Float, _ range: QuantizedRange) -> QuantizationLevels {
  (
    all(scale), all(1 / scale), all(Float(range.least &- range.zeroPoint) * scale),
    all(Float(range.greatest &- range.zeroPoint) * scale), byteLanes(range.zeroPoint)
  )
}

/// The low byte in all lanes.
@inline(__always)
func byteLanes(_ x: Int32) -> SIMD16<UInt8> { SIMD16(repeating: UInt8(truncatingIfNeeded: x)) }

/// `saturate(round(x / scale) + zeroPoint)`, ties to even.
@inline(__always)
func quantizedBytes(_ x: Lanes, _ levels: QuantizationLevels) -> SIMD16<UInt8> {
  nearestBytes(steps(x, levels)) &+ levels.zeroPoint
}

/// `x / scale`, no less and no more than can be quantised.
@inline(__always)
private func steps(_ x: Lanes, _ levels: QuantizationLevels) -> Lanes {
  quotients(limited(x, levels.least, levels.greatest), levels)
}

/// `x / scale`.
///
/// A division takes longer than all the rest. The quotient is that of the product with the reciprocal, corrected by what
/// is left of `x` (P. Markstein, IBM Journal of Research and Development 34, 1990): rounded as a division rounds.
@inline(__always)
func quotients(_ number: Lanes, _ levels: QuantizationLevels) -> Lanes {
  #if APUS_FMA
    let guess = number * levels.reciprocal
    return multiplyAdd(guess, multiplyAdd(number, guess, all(0) - levels.scale), levels.reciprocal)
  #else
    return number / levels.scale
  #endif
}

/// Writes what `body` gives as numbers of one byte or two.
@inline(__always)
private func forQuantized(
  _ y: UnsafeMutableRawPointer, _ isWide: Bool, _ count: Int, _ body: (_ index: Int, _ width: Int) -> IntegerLanes
) {
  var i = 0
  while i < count {
    let width = count &- i
    let value = body(i, width)
    if isWide {
      store(lowHalves(value), y.assumingMemoryBound(to: UInt16.self) + i, upTo: width)
    } else {
      store(lowBytes(value), y.assumingMemoryBound(to: UInt8.self) + i, upTo: width)
    }
    i &+= 16
  }
}

/// `widen` says how an element becomes one of 32 bits.
@inline(__always)
private func dequantizeLoop<Scalar>(
  _ x: UnsafeRawPointer, _: Scalar.Type, _ scale: Float, _ zeroPoint: Int32, _ y: UnsafeMutablePointer<Float>,
  _ count: Int, _ widen: (Scalar) -> Int32
) {
  let x = x.assumingMemoryBound(to: Scalar.self)
  for i in 0..<count { y[i] = Float(widen(x[i]) &- zeroPoint) * scale }
}

@inline(__always)
private func dequantizeLoop<Scalar>(
  _ x: UnsafeRawPointer, _: Scalar.Type, _ scales: UnsafePointer<Float>, _ zeroPoints: UnsafePointer<Int32>,
  _ y: UnsafeMutablePointer<Float>, _ count: Int, _ widen: (Scalar) -> Int32
) {
  let x = x.assumingMemoryBound(to: Scalar.self)
  for i in 0..<count { y[i] = Float(widen(x[i]) &- zeroPoints[i]) * scales[i] }
}
