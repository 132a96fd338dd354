#if APUS_X86_INTRINSICS
  import Builtin
#elseif arch(arm64)
  import _Builtin_intrinsics.arm.neon
#endif

// Bytes of a register, as words: of bytes themselves the compiler combines one after the other.

#if APUS_AVX512
  private typealias ByteLanes = SIMD64<UInt8>
#elseif APUS_AVX2
  private typealias ByteLanes = SIMD32<UInt8>
#else
  private typealias ByteLanes = SIMD16<UInt8>
#endif

/// The same sixteen bytes over and over.
@inline(__always)
func everySixteen(_ bytes: SIMD16<UInt8>) -> WordLanes {
  #if APUS_AVX512
    let half = SIMD32<UInt8>(lowHalf: bytes, highHalf: bytes)
    return unsafeBitCast(ByteLanes(lowHalf: half, highHalf: half), to: WordLanes.self)
  #elseif APUS_AVX2
    return unsafeBitCast(ByteLanes(lowHalf: bytes, highHalf: bytes), to: WordLanes.self)
  #else
    return unsafeBitCast(bytes, to: WordLanes.self)
  #endif
}

/// The bytes at these places, in sixteens: of each, those of the same sixteen; 0 at places from 128 on.
@inline(__always)
func spread(_ bytes: WordLanes, _ places: WordLanes) -> WordLanes {
  let bytes = unsafeBitCast(bytes, to: ByteLanes.self)
  let places = unsafeBitCast(places, to: ByteLanes.self)
  #if arch(arm64)
    return unsafeBitCast(vqtbl1q_u8(bytes, places), to: WordLanes.self)
  #else
    var result = ByteLanes(repeating: 0)
    #if APUS_AVX512 && APUS_X86_INTRINSICS
      result._storage._value = Builtin.int_x86_avx512_pshuf_b_512(bytes._storage._value, places._storage._value)
    #elseif APUS_AVX2 && APUS_X86_INTRINSICS
      result._storage._value = Builtin.int_x86_avx2_pshuf_b(bytes._storage._value, places._storage._value)
    #else
      for index in 0..<ByteLanes.scalarCount where places[index] < 128 {
        result[index] = bytes[index & ~15 | Int(places[index] & 15)]
      }
    #endif
    return unsafeBitCast(result, to: WordLanes.self)
  #endif
}

/// Each byte less sixteen, wrapping around.
@inline(__always)
func minusSixteen(_ bytes: WordLanes) -> WordLanes {
  unsafeBitCast(unsafeBitCast(bytes, to: ByteLanes.self) &- ByteLanes(repeating: 16), to: WordLanes.self)
}
