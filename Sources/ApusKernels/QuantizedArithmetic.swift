import ApusKernelInterface

extension IntegerKernels {
  package static func addBytes(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, aScale: Float, bScale: Float, rest: Float, isSigned: Bool,
    _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let (first, second, rest) = (all(aScale), all(bScale), all(rest))
    let (least, greatest) = (all(isSigned ? -128 : 0), all(isSigned ? 127 : 255))
    combineBytes(a, b, isSigned, y, count) { a, b in
      let sum = fused(fused(rest, floats(b), second), floats(a), first)
      return nearestBytes(limited(sum, least, greatest))
    }
  }

  package static func multiplyBytes(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, aZeroPoint: Int32, bZeroPoint: Int32, scale: Float,
    zeroPoint: Int32, isSigned: Bool, _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let (least, greatest) = (all(isSigned ? -128 : 0), all(isSigned ? 127 : 255))
    let (first, second) = (IntegerLanes(repeating: aZeroPoint), IntegerLanes(repeating: bZeroPoint))
    let (scale, zeroPoint) = (all(scale), all(Float(zeroPoint)))
    combineBytes(a, b, isSigned, y, count) { a, b in
      let product = floats((a &- first) &* (b &- second)) * scale
      return nearestBytes(limited(product + zeroPoint, least, greatest))
    }
  }
}

/// `sum + a * b` in one rounding; without the instruction in float64, where the product of a byte and a float is exact.
@inline(__always)
private func fused(_ sum: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
  #if APUS_FMA
    return multiplyAdd(sum, a, b)
  #else
    var result = sum
    for i in 0..<16 { result[i] = Float(Double(sum[i]) + Double(a[i]) * Double(b[i])) }
    return result
  #endif
}

/// Sixteen at a time, the last ones moved back where there are as many.
@inline(__always)
private func combineBytes(
  _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ isSigned: Bool, _ y: UnsafeMutablePointer<UInt8>,
  _ count: Int, _ body: (_ a: IntegerLanes, _ b: IntegerLanes) -> SIMD16<UInt8>
) {
  var done = 0
  while done < count {
    let at = done &+ 16 > count && count >= 16 ? count &- 16 : done
    let width = count &- at
    let first = load(a + at, upTo: width, as: SIMD16<UInt8>.self)
    let second = load(b + at, upTo: width, as: SIMD16<UInt8>.self)
    let result =
      isSigned ? body(signExtended(first), signExtended(second)) : body(widened(first), widened(second))
    store(result, y + at, upTo: width)
    done &+= 16
  }
}
