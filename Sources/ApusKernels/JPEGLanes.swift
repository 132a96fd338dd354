#if hasFeature(BuiltinModule)
  import Builtin
#endif
#if arch(arm64)
  import _Builtin_intrinsics.arm.neon
#endif

// Vectors of integers as the loops of JPEG use them.

/// Eight sums, a row of a block.
typealias BlockLanes = SIMD8<Int32>

/// `sum` and, in each lane, the products of the low and of the high sixteen bits, signed.
@inline(__always)
func addPairProducts(_ sum: BlockLanes, _ a: BlockLanes, _ b: BlockLanes) -> BlockLanes {
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    var result = sum
    result._storage._value = Builtin.int_x86_avx512_vpdpwssd_256(
      sum._storage._value, a._storage._value, b._storage._value)
    return result
  #else
    return sum &+ pairProducts(a, b)
  #endif
}

/// A pair of numbers of sixteen bits in each lane.
@inline(__always)
func pairs(_ low: Int32, _ high: Int32) -> BlockLanes {
  BlockLanes(repeating: (low & 0xFFFF) | (high &<< 16))
}

/// The lanes of `a` and `b` as numbers of sixteen bits, those that do not fit as the nearest that do: four of `a`,
/// four of `b`, and so on again.
@inline(__always)
func packed(_ a: BlockLanes, _ b: BlockLanes) -> SIMD16<Int16> {
  #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
    var result = SIMD16<Int16>(repeating: 0)
    result._storage._value = Builtin.int_x86_avx2_packssdw(a._storage._value, b._storage._value)
    return result
  #elseif APUS_X86_INTRINSICS
    var (low, high) = (SIMD8<Int16>(repeating: 0), SIMD8<Int16>(repeating: 0))
    low._storage._value = Builtin.int_x86_sse2_packssdw_128(a.lowHalf._storage._value, b.lowHalf._storage._value)
    high._storage._value = Builtin.int_x86_sse2_packssdw_128(a.highHalf._storage._value, b.highHalf._storage._value)
    return SIMD16(lowHalf: low, highHalf: high)
  #elseif arch(arm64)
    return SIMD16(
      lowHalf: SIMD8(lowHalf: vqmovn_s32(a.lowHalf), highHalf: vqmovn_s32(b.lowHalf)),
      highHalf: SIMD8(lowHalf: vqmovn_s32(a.highHalf), highHalf: vqmovn_s32(b.highHalf)))
  #else
    var result = SIMD16<Int16>(repeating: 0)
    for i in 0..<4 {
      result[i] = Int16(clampedTo16Bits: a[i])
      result[i &+ 4] = Int16(clampedTo16Bits: b[i])
      result[i &+ 8] = Int16(clampedTo16Bits: a[i &+ 4])
      result[i &+ 12] = Int16(clampedTo16Bits: b[i &+ 4])
    }
    return result
  #endif
}

/// The rows 0, 1, 2 and 3 of a block, eight bytes each, of two results of ``packed(_:_:)``: their numbers plus 128,
/// those that do not fit as the nearest that do.
@inline(__always)
func samples(_ a: SIMD16<Int16>, _ b: SIMD16<Int16>) -> SIMD4<UInt64> {
  #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
    var lanes = SIMD32<UInt8>(repeating: 0)
    lanes._storage._value = Builtin.int_x86_avx2_packsswb(a._storage._value, b._storage._value)
    let bytes = unsafeBitCast(lanes, to: BlockLanes.self)
  #elseif APUS_X86_INTRINSICS
    var (low, high) = (SIMD16<UInt8>(repeating: 0), SIMD16<UInt8>(repeating: 0))
    low._storage._value = Builtin.int_x86_sse2_packsswb_128(a.lowHalf._storage._value, b.lowHalf._storage._value)
    high._storage._value = Builtin.int_x86_sse2_packsswb_128(a.highHalf._storage._value, b.highHalf._storage._value)
    let bytes = BlockLanes(
      lowHalf: unsafeBitCast(low, to: SIMD4<Int32>.self), highHalf: unsafeBitCast(high, to: SIMD4<Int32>.self))
  #elseif arch(arm64)
    let low = SIMD16(lowHalf: vqmovn_s16(a.lowHalf), highHalf: vqmovn_s16(b.lowHalf))
    let high = SIMD16(lowHalf: vqmovn_s16(a.highHalf), highHalf: vqmovn_s16(b.highHalf))
    let bytes = unsafeBitCast(SIMD32(lowHalf: low, highHalf: high), to: BlockLanes.self)
  #else
    var lanes = SIMD32<UInt8>(repeating: 0)
    for i in 0..<8 {
      lanes[i] = UInt8(bitPattern: Int8(clampedTo8Bits: a[i]))
      lanes[i &+ 8] = UInt8(bitPattern: Int8(clampedTo8Bits: b[i]))
      lanes[i &+ 16] = UInt8(bitPattern: Int8(clampedTo8Bits: a[i &+ 8]))
      lanes[i &+ 24] = UInt8(bitPattern: Int8(clampedTo8Bits: b[i &+ 8]))
    }
    let bytes = unsafeBitCast(lanes, to: BlockLanes.self)
  #endif
  let rows = BlockLanes(bytes[0], bytes[4], bytes[1], bytes[5], bytes[2], bytes[6], bytes[3], bytes[7])
  return unsafeBitCast(rows ^ BlockLanes(repeating: Int32(bitPattern: 0x8080_8080)), to: SIMD4<UInt64>.self)
}

extension Int16 {
  @inline(__always)
  fileprivate init(clampedTo16Bits value: Int32) {
    self.init(truncatingIfNeeded: value < -32_768 ? -32_768 : value > 32_767 ? 32_767 : value)
  }
}

extension Int8 {
  @inline(__always)
  fileprivate init(clampedTo8Bits value: Int16) {
    self.init(truncatingIfNeeded: value < -128 ? -128 : value > 127 ? 127 : value)
  }
}

// MARK: - Rows of samples

/// As many bytes as a register of 32 bytes has numbers of sixteen bits. Wider ones would gain little: a row is in the
/// first-level cache for a moment only.
typealias SampleLanes = SIMD16<UInt8>
typealias SampleHalves = SIMD16<Int16>

/// Bytes as numbers of sixteen bits.
@inline(__always)
func sixteenBits(_ x: SampleLanes) -> SampleHalves {
  #if hasFeature(BuiltinModule)
    var result = SampleHalves(repeating: 0)
    result._storage._value = Builtin.zext_Vec16xInt8_Vec16xInt16(x._storage._value)
    return result
  #else
    return SampleHalves(truncatingIfNeeded: x)
  #endif
}

/// The low byte of each number.
@inline(__always)
func lowBytes(_ x: SampleHalves) -> SampleLanes {
  #if hasFeature(BuiltinModule)
    var result = SampleLanes(repeating: 0)
    result._storage._value = Builtin.trunc_Vec16xInt16_Vec16xInt8(x._storage._value)
    return result
  #else
    return SampleLanes(truncatingIfNeeded: x)
  #endif
}

#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
  /// In each sixteen bytes those whose places `order` says, and nought where it says a negative one.
  @inline(__always)
  func reordered(_ x: BlockLanes, _ order: SIMD16<UInt8>) -> BlockLanes {
    let orders = SIMD32<UInt8>(lowHalf: order, highHalf: order)
    var bytes = unsafeBitCast(x, to: SIMD32<UInt8>.self)
    bytes._storage._value = Builtin.int_x86_avx2_pshuf_b(bytes._storage._value, orders._storage._value)
    return unsafeBitCast(bytes, to: BlockLanes.self)
  }
#endif
