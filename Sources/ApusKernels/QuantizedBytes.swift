#if APUS_X86_INTRINSICS
  import Builtin
#endif
import ApusKernelInterface

// Levels as bytes, as many at a time as a register holds: what converts and narrows them saturates, so that numbers need no
// limits before, and their limits and zero point are applied to all bytes at once.

#if APUS_AVX512 && APUS_X86_INTRINSICS
  typealias ManyBytes = SIMD64<UInt8>
  private typealias ManyHalves = SIMD32<Int16>
#elseif APUS_AVX2 && APUS_X86_INTRINSICS
  typealias ManyBytes = SIMD32<UInt8>
  private typealias ManyHalves = SIMD16<Int16>
#endif

/// The limits and the zero point of a range; of one with signs, as if they were moved to where bytes have none.
typealias ByteLimits = (least: UInt8, greatest: UInt8, flip: UInt8, zeroPoint: Int16)

func byteLimits(_ range: QuantizedRange) -> ByteLimits {
  let flip: Int32 = range.least < 0 ? 0x80 : 0
  return (
    UInt8(truncatingIfNeeded: range.least &+ flip), UInt8(truncatingIfNeeded: range.greatest &+ flip),
    UInt8(truncatingIfNeeded: flip), Int16(truncatingIfNeeded: range.zeroPoint &+ flip)
  )
}

/// The fewest that are written at once; 0 where the compiler reaches none of what this takes.
#if APUS_AVX512 && APUS_X86_INTRINSICS
  // Less than a register: a map of 7 × 7 has 49.
  let manyBytes = 48
#elseif APUS_AVX2 && APUS_X86_INTRINSICS
  let manyBytes = 32
#else
  let manyBytes = 0
#endif

/// The greatest magnitude of what ``storeLevels(_:_:count:_:)`` takes.
let greatestLevel: Float = 0x1p30

/// Writes `saturate(round(level) + zeroPoint)`, ties to even, of all but the last few of `count` levels, and returns how many:
/// none where there are fewer than ``manyBytes``.
///
/// - Parameter level: sixteen of them, none a NaN or beyond ``greatestLevel``.
@inline(__always)
func storeLevels(
  _ y: UnsafeMutablePointer<UInt8>, _ limits: ByteLimits, count: Int, _ level: (_ place: Int) -> Lanes
) -> Int {
  var done = 0
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    let vectors = byteVectors(limits)
    while done &+ 64 <= count {
      store(bytes(level(done), level(done &+ 16), level(done &+ 32), level(done &+ 48), vectors), bytesAt(y + done))
      done &+= 64
    }
    if done &+ manyBytes <= count {
      // The last sixteen twice, of which one is not written.
      let last = level(done &+ 32)
      let words = bytes(level(done), level(done &+ 16), last, last, vectors)
      store(words.lowHalf, bytesAt(y + done))
      store(words.highHalf.lowHalf, bytesAt(y + (done &+ 32)))
      done &+= manyBytes
    }
  #elseif APUS_AVX2 && APUS_X86_INTRINSICS
    let vectors = byteVectors(limits)
    while done &+ manyBytes <= count {
      store(bytes(level(done), level(done &+ 16), vectors), bytesAt(y + done))
      done &+= manyBytes
    }
  #endif
  return done
}

#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
  /// ``ByteLimits`` in every lane. A tuple, as ``WordWalk`` is.
  private typealias ByteVectors = (least: ManyBytes, greatest: ManyBytes, flips: WordLanes, zeroPoint: ManyHalves)

  @inline(__always)
  private func byteVectors(_ limits: ByteLimits) -> ByteVectors {
    // A combination of bytes would be made byte by byte: of them words are.
    let flips = WordLanes(repeating: Int32(bitPattern: UInt32(limits.flip) &* 0x0101_0101))
    return (
      ManyBytes(repeating: limits.least), ManyBytes(repeating: limits.greatest), flips,
      ManyHalves(repeating: limits.zeroPoint)
    )
  }

  @inline(__always)
  private func limited(_ bytes: ManyBytes, _ vectors: ByteVectors) -> WordLanes {
    var result = bytes
    let (least, greatest) = (vectors.least._storage._value, vectors.greatest._storage._value)
    #if APUS_AVX512
      result._storage._value = Builtin.int_umin_Vec64xInt8(
        Builtin.int_umax_Vec64xInt8(bytes._storage._value, least), greatest)
    #else
      result._storage._value = Builtin.int_umin_Vec32xInt8(
        Builtin.int_umax_Vec32xInt8(bytes._storage._value, least), greatest)
    #endif
    return unsafeBitCast(result, to: WordLanes.self) ^ vectors.flips
  }

  @inline(__always)
  private func bytesAt(_ y: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<Int32> {
    UnsafeMutableRawPointer(y).assumingMemoryBound(to: Int32.self)
  }
#endif

#if APUS_AVX512 && APUS_X86_INTRINSICS
  /// The bytes of four times sixteen levels.
  @inline(__always)
  private func bytes(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ vectors: ByteVectors) -> WordLanes {
    limited(saturated(saturated(a, b, plus: vectors.zeroPoint), saturated(c, d, plus: vectors.zeroPoint)), vectors)
  }

  /// The nearest numbers of sixteen bits, fours of one and the other in turn, and `zeroPoint` added.
  @inline(__always)
  private func saturated(_ a: Lanes, _ b: Lanes, plus zeroPoint: ManyHalves) -> ManyHalves {
    var result = zeroPoint
    let halves = Builtin.int_x86_avx512_packssdw_512(nearest(a)._storage._value, nearest(b)._storage._value)
    result._storage._value = Builtin.int_sadd_sat_Vec32xInt16(halves, zeroPoint._storage._value)
    return result
  }

  /// The nearest integers, ties to even; of numbers that are not in their range the least.
  @inline(__always)
  private func nearest(_ x: Lanes) -> IntegerLanes {
    var result = IntegerLanes(repeating: 0)
    result._storage._value = Builtin.int_x86_avx512_mask_cvtps2dq_512(
      x._storage._value, result._storage._value, (-1 as Int16)._value, (4 as Int32)._value)
    return result
  }

  /// Bytes in the order of the numbers that `low` and `high` were.
  @inline(__always)
  private func saturated(_ low: ManyHalves, _ high: ManyHalves) -> ManyBytes {
    var bytes = ManyBytes(repeating: 0)
    bytes._storage._value = Builtin.int_x86_avx512_packuswb_512(low._storage._value, high._storage._value)
    let fours = SIMD16<Int32>(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
    var words = unsafeBitCast(bytes, to: SIMD16<Int32>.self)
    words._storage._value = Builtin.int_x86_avx512_permvar_si_512(words._storage._value, fours._storage._value)
    return unsafeBitCast(words, to: ManyBytes.self)
  }
#elseif APUS_AVX2 && APUS_X86_INTRINSICS
  /// The bytes of twice sixteen levels.
  @inline(__always)
  private func bytes(_ a: Lanes, _ b: Lanes, _ vectors: ByteVectors) -> WordLanes {
    limited(saturated((saturated(a, plus: vectors.zeroPoint), saturated(b, plus: vectors.zeroPoint))), vectors)
  }

  /// The nearest numbers of sixteen bits, fours of either half in turn, and `zeroPoint` added.
  @inline(__always)
  private func saturated(_ x: Lanes, plus zeroPoint: ManyHalves) -> ManyHalves {
    var result = zeroPoint
    let halves = Builtin.int_x86_avx2_packssdw(
      Builtin.int_x86_avx_cvt_ps2dq_256(x.lowHalf._storage._value),
      Builtin.int_x86_avx_cvt_ps2dq_256(x.highHalf._storage._value))
    result._storage._value = Builtin.int_sadd_sat_Vec16xInt16(halves, zeroPoint._storage._value)
    return result
  }

  /// Bytes in the order of the numbers that `halves` were.
  @inline(__always)
  private func saturated(_ halves: (ManyHalves, ManyHalves)) -> ManyBytes {
    var bytes = ManyBytes(repeating: 0)
    bytes._storage._value = Builtin.int_x86_avx2_packuswb(halves.0._storage._value, halves.1._storage._value)
    let fours = SIMD8<Int32>(0, 4, 1, 5, 2, 6, 3, 7)
    var words = unsafeBitCast(bytes, to: SIMD8<Int32>.self)
    words._storage._value = Builtin.int_x86_avx2_permd(words._storage._value, fours._storage._value)
    return unsafeBitCast(words, to: ManyBytes.self)
  }
#endif
