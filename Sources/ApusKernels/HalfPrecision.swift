#if hasFeature(BuiltinModule)
  import Builtin
#endif

#if hasFeature(BuiltinModule) && APUS_FMA
  // One instruction each where there is multiply-add: F16C on x86-64.

  @inline(__always)
  func widened(half: SIMD16<UInt16>) -> Lanes {
    var wide = Lanes(repeating: 0)
    wide._storage._value = Builtin.fpext_Vec16xFPIEEE16_Vec16xFPIEEE32(
      Builtin.bitcast_Vec16xInt16_Vec16xFPIEEE16(half._storage._value))
    return wide
  }

  @inline(__always)
  private func narrowed(_ x: Lanes) -> SIMD16<UInt16> {
    var half = SIMD16<UInt16>(repeating: 0)
    half._storage._value = Builtin.bitcast_Vec16xFPIEEE16_Vec16xInt16(
      Builtin.fptrunc_Vec16xFPIEEE32_Vec16xFPIEEE16(x._storage._value))
    return half
  }
#else
  @inline(__always)
  func widened(half: SIMD16<UInt16>) -> Lanes {
    var wide = all(0)
    for lane in 0..<16 { wide[lane] = floatFromHalf(half[lane]) }
    return wide
  }
#endif

@inline(__always)
func widened(brain: SIMD16<UInt16>) -> Lanes {
  #if hasFeature(BuiltinModule)
    var wide = IntegerLanes(repeating: 0)
    wide._storage._value = Builtin.zext_Vec16xInt16_Vec16xInt32(brain._storage._value)
  #else
    let wide = IntegerLanes(truncatingIfNeeded: brain)
  #endif
  return float(bits: wide &<< IntegerLanes(repeating: 16))
}

/// Sixteen-bit floats to `Float`; exact.
func widenHalf(_ x: UnsafePointer<UInt16>, _ y: UnsafeMutablePointer<Float>, _ count: Int) {
  var i = 0
  #if hasFeature(BuiltinModule) && APUS_FMA
    while i &+ 16 <= count {
      store(widened(half: load(x + i)), y + i)
      i &+= 16
    }
  #endif
  while i < count {
    y[i] = floatFromHalf(x[i])
    i &+= 1
  }
}

/// `Float` to sixteen-bit floats, to the nearest with ties to even.
func narrowToHalf(_ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<UInt16>, _ count: Int) {
  var i = 0
  #if hasFeature(BuiltinModule) && APUS_FMA
    while i &+ 16 <= count {
      store(narrowed(load(x + i)), y + i)
      i &+= 16
    }
  #endif
  while i < count {
    y[i] = halfFromDouble(Double(x[i]))
    i &+= 1
  }
}

/// `Float` to sixteen-bit floats and back.
func roundToHalf(_ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ count: Int) {
  var i = 0
  #if hasFeature(BuiltinModule) && APUS_FMA
    while i &+ 16 <= count {
      store(widened(half: narrowed(load(x + i))), y + i)
      i &+= 16
    }
  #endif
  while i < count {
    y[i] = floatFromHalf(halfFromDouble(Double(x[i])))
    i &+= 1
  }
}

/// `Float` to `bfloat16`.
func narrowToBrain(_ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<UInt16>, _ count: Int) {
  for i in 0..<count { y[i] = brainFromFloat(x[i]) }
}

/// `Float` to `bfloat16` and back.
func roundToBrain(_ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ count: Int) {
  for i in 0..<count { y[i] = Float(bitPattern: UInt32(truncatingIfNeeded: brainFromFloat(x[i])) &<< 16) }
}

@inline(__always)
func floatFromHalf(_ half: UInt16) -> Float {
  let sign = UInt32(truncatingIfNeeded: half & 0x8000) &<< 16
  let exponent = UInt32(truncatingIfNeeded: half & 0x7C00)
  let fraction = UInt32(truncatingIfNeeded: half & 0x03FF)
  let normal = ((exponent | fraction) &<< 13) &+ (112 &<< 23)
  let special = 0x7F80_0000 | (fraction &<< 13) | (fraction == 0 ? 0 : 0x40_0000)
  let subnormal = (Float(fraction) * 0x1p-24).bitPattern
  return Float(bitPattern: sign | (exponent == 0x7C00 ? special : exponent == 0 ? subnormal : normal))
}

@inline(__always)
func halfFromDouble(_ value: Double) -> UInt16 {
  let bits = value.bitPattern
  let sign = UInt16(truncatingIfNeeded: bits &>> 48) & 0x8000
  let magnitude = value.magnitude
  if magnitude != magnitude { return sign | 0x7E00 }
  // From halfway between the greatest number and the one that would come next.
  if magnitude >= 65520 { return sign | 0x7C00 }
  if magnitude < 0x1p-14 {
    // Subnormal numbers are multiples of 2^-24; adding 2^52 rounds to the nearest integer.
    let rounded = magnitude * 0x1p24 + 0x1p52
    return sign | UInt16(truncatingIfNeeded: rounded.bitPattern)
  }
  let exact = magnitude.bitPattern
  let roundToEven = 0x1FF_FFFF_FFFF &+ ((exact &>> 42) & 1)
  return sign | UInt16(truncatingIfNeeded: ((exact &+ roundToEven) &>> 42) &- (1008 &<< 10))
}

@inline(__always)
func brainFromFloat(_ value: Float) -> UInt16 {
  let bits = value.bitPattern
  let rounded = (bits &+ 0x7FFF &+ ((bits &>> 16) & 1)) &>> 16
  let quiet = (bits &>> 16) | 0x40
  return UInt16(truncatingIfNeeded: value != value ? quiet : rounded)
}
