#if hasFeature(BuiltinModule)
  import Builtin
#endif
#if APUS_DOTPROD || APUS_I8MM
  import _Builtin_intrinsics.arm.neon
#endif

#if APUS_AVX512
  /// Sums of one register.
  typealias WordLanes = SIMD16<Int32>
#elseif APUS_AVX2
  typealias WordLanes = SIMD8<Int32>
#else
  typealias WordLanes = SIMD4<Int32>
#endif

// Sums of four products of unsigned and signed bytes. VNNI is an instruction for it, of AVX-512 and beside AVX2, and arm64's
// extensions have theirs. Elsewhere on x86-64 even and odd bytes become two numbers of sixteen bits each, whose products are
// added in pairs; that of two bytes fits. Weights are laid out so, since taking them apart took longer than multiplying with
// them. AVX2 has an instruction that multiplies bytes and adds them in pairs of sixteen bits, but it saturates: where weights
// are small enough it serves, and they are laid out as they are (see ExcessWords.swift).
//
// How many words of 32 bits a weight's four bytes take so is known where code is compiled: a function's last parameter.

#if (APUS_AVX512 || APUS_AVXVNNI) && APUS_X86_INTRINSICS
  typealias UnsignedWords = WordLanes
  typealias SignedWords = WordLanes

  @inline(__always)
  func unsignedWords(_ x: WordLanes, _ wordsPerWeight: Int) -> UnsignedWords { x }

  let wordsPerWeight = 1

  @inline(__always)
  func storeWeight(_ word: Int32, _ y: UnsafeMutablePointer<Int32>) { y[0] = word }

  @inline(__always)
  func signedWords(_ w: UnsafePointer<Int32>, _ wordsPerWeight: Int) -> SignedWords { WordLanes(repeating: w[0]) }

  @inline(__always)
  func addProducts(_ sum: WordLanes, _ x: UnsignedWords, _ w: SignedWords, _ wordsPerWeight: Int) -> WordLanes {
    var result = sum
    #if APUS_AVX512
      result._storage._value = Builtin.int_x86_avx512_vpdpbusd_512(
        sum._storage._value, x._storage._value, w._storage._value)
    #else
      result._storage._value = Builtin.int_x86_avx512_vpdpbusd_256(
        sum._storage._value, x._storage._value, w._storage._value)
    #endif
    return result
  }
#elseif APUS_DOTPROD || APUS_I8MM
  typealias UnsignedWords = WordLanes
  typealias SignedWords = WordLanes

  let wordsPerWeight = 1

  @inline(__always)
  func storeWeight(_ word: Int32, _ y: UnsafeMutablePointer<Int32>) { y[0] = word }

  #if APUS_I8MM
    @inline(__always)
    func unsignedWords(_ x: WordLanes, _ wordsPerWeight: Int) -> UnsignedWords { x }

    @inline(__always)
    func addProducts(_ sum: WordLanes, _ x: UnsignedWords, _ w: SignedWords, _ wordsPerWeight: Int) -> WordLanes {
      vusdotq_s32(sum, unsafeBitCast(x, to: SIMD16<UInt8>.self), unsafeBitCast(w, to: SIMD16<Int8>.self))
    }
  #else
    /// Less 128 each, as signed bytes: both operands of the older instruction have signs. ``StartingSums`` make up for it.
    @inline(__always)
    func unsignedWords(_ x: WordLanes, _ wordsPerWeight: Int) -> UnsignedWords {
      x ^ WordLanes(repeating: Int32(bitPattern: 0x8080_8080))
    }

    @inline(__always)
    func addProducts(_ sum: WordLanes, _ x: UnsignedWords, _ w: SignedWords, _ wordsPerWeight: Int) -> WordLanes {
      vdotq_s32(sum, unsafeBitCast(x, to: SIMD16<Int8>.self), unsafeBitCast(w, to: SIMD16<Int8>.self))
    }
  #endif
#elseif APUS_X86_INTRINSICS
  /// Bytes 0 and 2, and bytes 1 and 3, as sixteen bits each; of weights that are laid out as they are, all bytes twice.
  typealias UnsignedWords = (even: WordLanes, odd: WordLanes)
  /// The same; beside weights that are laid out as they are, ones of sixteen bits.
  typealias SignedWords = (even: WordLanes, odd: WordLanes)

  @inline(__always)
  func unsignedWords(_ x: WordLanes, _ wordsPerWeight: Int) -> UnsignedWords {
    if wordsPerWeight == 1 { return (x, x) }
    let low = WordLanes(repeating: 0x00FF_00FF)
    return (x & low, (x &>> WordLanes(repeating: 8)) & low)
  }

  let wordsPerWeight = 2

  /// Bytes 0 and 2, and bytes 1 and 3, as sixteen bits each.
  @inline(__always)
  func storeWeight(_ word: Int32, _ y: UnsafeMutablePointer<Int32>) {
    y[0] = (((word &<< 24) &>> 24) & 0xFFFF) | (((word &<< 8) &>> 24) &<< 16)
    y[1] = (((word &<< 16) &>> 24) & 0xFFFF) | ((word &>> 24) &<< 16)
  }

  @inline(__always)
  func signedWords(_ w: UnsafePointer<Int32>, _ wordsPerWeight: Int) -> SignedWords {
    (WordLanes(repeating: w[0]), WordLanes(repeating: wordsPerWeight == 1 ? 0x0001_0001 : w[1]))
  }

  @inline(__always)
  func addProducts(_ sum: WordLanes, _ x: UnsignedWords, _ w: SignedWords, _ wordsPerWeight: Int) -> WordLanes {
    #if APUS_SATURATING
      if wordsPerWeight == 1 { return sum &+ pairProducts(bytePairProducts(x.even, w.even), w.odd) }
    #endif
    return sum &+ pairProducts(x.even, w.even) &+ pairProducts(x.odd, w.odd)
  }
#else
  typealias UnsignedWords = (WordLanes, WordLanes, WordLanes, WordLanes)

  @inline(__always)
  func unsignedWords(_ x: WordLanes, _ wordsPerWeight: Int) -> UnsignedWords {
    let low = WordLanes(repeating: 0xFF)
    return (
      x & low, (x &>> WordLanes(repeating: 8)) & low, (x &>> WordLanes(repeating: 16)) & low,
      (x &>> WordLanes(repeating: 24)) & low
    )
  }

  let wordsPerWeight = 4

  @inline(__always)
  func storeWeight(_ word: Int32, _ y: UnsafeMutablePointer<Int32>) {
    y[0] = (word &<< 24) &>> 24
    y[1] = (word &<< 16) &>> 24
    y[2] = (word &<< 8) &>> 24
    y[3] = word &>> 24
  }

  #if arch(arm64)
    /// One load: an instruction that multiplies takes any lane of a register.
    typealias SignedWords = WordLanes

    @inline(__always)
    func signedWords(_ w: UnsafePointer<Int32>, _ wordsPerWeight: Int) -> SignedWords { load(w) }

    @inline(__always)
    func addProducts(_ sum: WordLanes, _ x: UnsignedWords, _ w: SignedWords, _ wordsPerWeight: Int) -> WordLanes {
      let two = sum &+ x.0 &* WordLanes(repeating: w[0]) &+ x.1 &* WordLanes(repeating: w[1])
      return two &+ x.2 &* WordLanes(repeating: w[2]) &+ x.3 &* WordLanes(repeating: w[3])
    }
  #else
    typealias SignedWords = (WordLanes, WordLanes, WordLanes, WordLanes)

    @inline(__always)
    func signedWords(_ w: UnsafePointer<Int32>, _ wordsPerWeight: Int) -> SignedWords {
      (
        WordLanes(repeating: w[0]), WordLanes(repeating: w[1]), WordLanes(repeating: w[2]), WordLanes(repeating: w[3])
      )
    }

    @inline(__always)
    func addProducts(_ sum: WordLanes, _ x: UnsignedWords, _ w: SignedWords, _ wordsPerWeight: Int) -> WordLanes {
      sum &+ (x.0 &* w.0 &+ x.1 &* w.1) &+ (x.2 &* w.2 &+ x.3 &* w.3)
    }
  #endif
#endif

#if APUS_DOTPROD || APUS_I8MM
  /// Those of all rows of a step, four a register: a dot product takes any word of one.
  typealias RowWords = (WordLanes, WordLanes)

  @inline(__always)
  func rowWords(_ w: UnsafePointer<Int32>, _ rows: Int) -> RowWords {
    if rows == 1 { return (WordLanes(repeating: w[0]), WordLanes(repeating: 0)) }
    if rows == 2 { return (WordLanes(w[0], w[1], 0, 0), WordLanes(repeating: 0)) }
    return (load(w), rows > 4 ? load(w + 4) : WordLanes(repeating: 0))
  }

  @inline(__always)
  func signedWords(_ w: RowWords, _ row: Int, _ wordsPerWeight: Int) -> SignedWords {
    WordLanes(repeating: row < 4 ? w.0[row & 3] : w.1[row & 3])
  }
#else
  /// Where those of the rows of a step lie.
  typealias RowWords = UnsafePointer<Int32>

  @inline(__always)
  func rowWords(_ w: UnsafePointer<Int32>, _ rows: Int) -> RowWords { w }

  @inline(__always)
  func signedWords(_ w: RowWords, _ row: Int, _ wordsPerWeight: Int) -> SignedWords {
    signedWords(w + row &* wordsPerWeight, wordsPerWeight)
  }
#endif

#if APUS_DOTPROD
  /// What the sums of up to eight rows begin with: 128 times those of the rows' weights.
  typealias StartingSums = RowWords

  /// - Parameter steps: how often `rows` words follow each other.
  @inline(__always)
  func startingSums(_ w: UnsafePointer<Int32>, rows: Int, steps: Int) -> StartingSums {
    var sums = RowWords(WordLanes(repeating: 0), WordLanes(repeating: 0))
    let ones = WordLanes(repeating: 0x0101_0101)
    for step in 0..<steps {
      let weights = rowWords(w + step &* rows, rows)
      sums.0 = addProducts(sums.0, ones, weights.0, wordsPerWeight)
      sums.1 = addProducts(sums.1, ones, weights.1, wordsPerWeight)
    }
    return (sums.0 &<< WordLanes(repeating: 7), sums.1 &<< WordLanes(repeating: 7))
  }

  @inline(__always)
  func startingSum(_ sums: StartingSums, _ row: Int) -> WordLanes { signedWords(sums, row, wordsPerWeight) }
#else
  typealias StartingSums = Void

  @inline(__always)
  func startingSums(_ w: UnsafePointer<Int32>, rows: Int, steps: Int) -> StartingSums {}

  @inline(__always)
  func startingSum(_ sums: StartingSums, _ row: Int) -> WordLanes { WordLanes(repeating: 0) }
#endif

/// The nearest floats.
@inline(__always)
func floats(_ x: IntegerLanes) -> Lanes {
  #if hasFeature(BuiltinModule)
    var result = Lanes(repeating: 0)
    result._storage._value = Builtin.sitofp_Vec16xInt32_Vec16xFPIEEE32(x._storage._value)
    return result
  #else
    return Lanes(x)
  #endif
}

/// The nearest integers of floats within ±2²², ties to even.
@inline(__always)
func nearestIntegers(_ x: Lanes) -> IntegerLanes {
  // 1.5 · 2²³: a float of this size holds an integer in its low bits.
  bits(x + all(12_582_912)) &- IntegerLanes(repeating: 0x4B40_0000)
}

/// The whole parts of floats within ±2³¹.
@inline(__always)
func truncated(_ x: Lanes) -> IntegerLanes {
  #if hasFeature(BuiltinModule)
    var result = IntegerLanes(repeating: 0)
    result._storage._value = Builtin.fptosi_Vec16xFPIEEE32_Vec16xInt32(x._storage._value)
    return result
  #else
    return IntegerLanes(truncatingIfNeeded: x, rounding: .towardZero)
  #endif
}

/// The low byte of each lane.
@inline(__always)
func lowBytes(_ x: IntegerLanes) -> SIMD16<UInt8> {
  #if hasFeature(BuiltinModule)
    var result = SIMD16<UInt8>(repeating: 0)
    result._storage._value = Builtin.trunc_Vec16xInt32_Vec16xInt8(x._storage._value)
    return result
  #else
    return SIMD16<UInt8>(truncatingIfNeeded: x)
  #endif
}

/// The low byte of the nearest integer of each lane, ties to even, of floats within ±2¹⁵.
@inline(__always)
func nearestBytes(_ x: Lanes) -> SIMD16<UInt8> {
  #if APUS_AVX2 && APUS_X86_INTRINSICS
    // Numbers of sixteen bits first, of which half as many are cut to bytes; fours of either half take turns in them.
    let low = Builtin.int_x86_avx_cvt_ps2dq_256(x.lowHalf._storage._value)
    let high = Builtin.int_x86_avx_cvt_ps2dq_256(x.highHalf._storage._value)
    var bytes = SIMD16<UInt8>(repeating: 0)
    bytes._storage._value = Builtin.trunc_Vec16xInt16_Vec16xInt8(Builtin.int_x86_avx2_packssdw(low, high))
    let fours = unsafeBitCast(bytes, to: SIMD4<UInt32>.self)
    return unsafeBitCast(SIMD4(fours[0], fours[2], fours[1], fours[3]), to: SIMD16<UInt8>.self)
  #else
    return lowBytes(nearestIntegers(x))
  #endif
}

/// The low sixteen bits of each lane.
@inline(__always)
func lowHalves(_ x: IntegerLanes) -> SIMD16<UInt16> {
  #if hasFeature(BuiltinModule)
    var result = SIMD16<UInt16>(repeating: 0)
    result._storage._value = Builtin.trunc_Vec16xInt32_Vec16xInt16(x._storage._value)
    return result
  #else
    return SIMD16<UInt16>(truncatingIfNeeded: x)
  #endif
}

/// Unsigned bytes as numbers of 32 bits.
@inline(__always)
func widened(_ x: SIMD16<UInt8>) -> IntegerLanes {
  #if hasFeature(BuiltinModule)
    var result = IntegerLanes(repeating: 0)
    result._storage._value = Builtin.zext_Vec16xInt8_Vec16xInt32(x._storage._value)
    return result
  #else
    return IntegerLanes(truncatingIfNeeded: x)
  #endif
}

/// Signed bytes as numbers of 32 bits.
@inline(__always)
func signExtended(_ x: SIMD16<UInt8>) -> IntegerLanes {
  #if hasFeature(BuiltinModule)
    var result = IntegerLanes(repeating: 0)
    result._storage._value = Builtin.sext_Vec16xInt8_Vec16xInt32(x._storage._value)
    return result
  #else
    return IntegerLanes(truncatingIfNeeded: SIMD16<Int8>(truncatingIfNeeded: x))
  #endif
}

/// Unsigned numbers of sixteen bits as numbers of 32.
@inline(__always)
func widened(_ x: SIMD16<UInt16>) -> IntegerLanes {
  #if hasFeature(BuiltinModule)
    var result = IntegerLanes(repeating: 0)
    result._storage._value = Builtin.zext_Vec16xInt16_Vec16xInt32(x._storage._value)
    return result
  #else
    return IntegerLanes(truncatingIfNeeded: x)
  #endif
}
