#if APUS_X86_INTRINSICS
  import Builtin
#elseif arch(arm64)
  import _Builtin_intrinsics.arm.neon
#endif

/// `sum + a * b` for numbers of sixteen bits, of which those of `a` are not negative.
@inline(__always)
func addShortProducts(_ sum: IntegerLanes, _ a: IntegerLanes, _ b: IntegerLanes) -> IntegerLanes {
  #if APUS_X86_INTRINSICS
    // A product of 32 bits takes several times as long.
    return addPairProducts(sum, a, b)
  #else
    return sum &+ a &* b
  #endif
}

/// `sum` and, in each lane, the products of the low and of the high sixteen bits, signed.
@inline(__always)
func addPairProducts(_ sum: IntegerLanes, _ a: IntegerLanes, _ b: IntegerLanes) -> IntegerLanes {
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    var result = sum
    result._storage._value = Builtin.int_x86_avx512_vpdpwssd_512(
      sum._storage._value, a._storage._value, b._storage._value)
    return result
  #else
    return sum
      &+ IntegerLanes(
        lowHalf: pairProducts(a.lowHalf, b.lowHalf), highHalf: pairProducts(a.highHalf, b.highHalf))
  #endif
}

/// In each lane, the sum of the products of the low and of the high sixteen bits, signed.
@inline(__always)
func pairProducts(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD4<Int32> {
  #if APUS_X86_INTRINSICS
    var result = a
    result._storage._value = Builtin.int_x86_sse2_pmadd_wd(
      unsafeBitCast(a, to: SIMD8<Int16>.self)._storage._value, unsafeBitCast(b, to: SIMD8<Int16>.self)._storage._value)
    return result
  #elseif arch(arm64)
    let (x, y) = (unsafeBitCast(a, to: SIMD8<Int16>.self), unsafeBitCast(b, to: SIMD8<Int16>.self))
    return vpaddq_s32(vmull_s16(x.lowHalf, y.lowHalf), vmull_high_s16(x, y))
  #else
    let half = SIMD4<Int32>(repeating: 16)
    let low = ((a &<< half) &>> half) &* ((b &<< half) &>> half)
    let high = (a &>> half) &* (b &>> half)
    return low &+ high
  #endif
}

/// The same of eight lanes.
@inline(__always)
func pairProducts(_ a: SIMD8<Int32>, _ b: SIMD8<Int32>) -> SIMD8<Int32> {
  #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
    var result = a
    result._storage._value = Builtin.int_x86_avx2_pmadd_wd(
      unsafeBitCast(a, to: SIMD16<Int16>.self)._storage._value,
      unsafeBitCast(b, to: SIMD16<Int16>.self)._storage._value)
    return result
  #else
    return SIMD8(lowHalf: pairProducts(a.lowHalf, b.lowHalf), highHalf: pairProducts(a.highHalf, b.highHalf))
  #endif
}

#if APUS_SATURATING
  /// In each sixteen bits, the sum of the products of two unsigned bytes of `a` and the signed ones of `b`: saturated, where it
  /// does not fit.
  @inline(__always)
  func bytePairProducts(_ a: SIMD8<Int32>, _ b: SIMD8<Int32>) -> SIMD8<Int32> {
    var result = unsafeBitCast(a, to: SIMD16<Int16>.self)
    result._storage._value = Builtin.int_x86_avx2_pmadd_ub_sw(
      unsafeBitCast(a, to: SIMD32<Int8>.self)._storage._value, unsafeBitCast(b, to: SIMD32<Int8>.self)._storage._value)
    return unsafeBitCast(result, to: SIMD8<Int32>.self)
  }
#endif
