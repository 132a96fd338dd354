#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
  import Builtin

  // Bytes of a register, as words: of bytes themselves the compiler combines one after the other.

  #if APUS_AVX512
    private typealias ByteLanes = SIMD64<UInt8>
  #else
    private typealias ByteLanes = SIMD32<UInt8>
  #endif

  /// The same sixteen bytes over and over.
  @inline(__always)
  func everySixteen(_ bytes: SIMD16<UInt8>) -> WordLanes {
    let half = SIMD32<UInt8>(lowHalf: bytes, highHalf: bytes)
    #if APUS_AVX512
      return unsafeBitCast(ByteLanes(lowHalf: half, highHalf: half), to: WordLanes.self)
    #else
      return unsafeBitCast(half, to: WordLanes.self)
    #endif
  }

  /// The bytes at these places, in sixteens: of each, those of the same sixteen; 0 at places from 128 on.
  @inline(__always)
  func spread(_ bytes: WordLanes, _ places: WordLanes) -> WordLanes {
    var result = unsafeBitCast(bytes, to: ByteLanes.self)
    let places = unsafeBitCast(places, to: ByteLanes.self)
    #if APUS_AVX512
      result._storage._value = Builtin.int_x86_avx512_pshuf_b_512(result._storage._value, places._storage._value)
    #else
      result._storage._value = Builtin.int_x86_avx2_pshuf_b(result._storage._value, places._storage._value)
    #endif
    return unsafeBitCast(result, to: WordLanes.self)
  }

  /// Each byte less sixteen, wrapping around.
  @inline(__always)
  func minusSixteen(_ bytes: WordLanes) -> WordLanes {
    unsafeBitCast(unsafeBitCast(bytes, to: ByteLanes.self) &- ByteLanes(repeating: 16), to: WordLanes.self)
  }
#endif
