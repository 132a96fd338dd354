#if hasFeature(BuiltinModule)
  import Builtin
#endif

/// Sixteen floats: one AVX-512 register, two AVX2 ones, four of SSE or NEON. The channel block of the blocked layout.
typealias Lanes = SIMD16<Float>

/// Eight doubles, as many bytes as ``Lanes``.
typealias DoubleLanes = SIMD8<Double>

/// `sum + a * b`, fused where the processor can.
///
/// The only spelling of multiply-add in the kernels: without the FMA instruction `addingProduct` is a call to `fmaf`
/// per lane, with it a plain `sum + a * b` is never fused.
@inline(__always)
func multiplyAdd<L: SIMD>(_ sum: L, _ a: L, _ b: L) -> L where L.Scalar: FloatingPoint {
  #if APUS_FMA && arch(arm64)
    // Gathered again from its lanes, a register tile comes in an order that needs more registers than there are.
    if L.scalarCount == 16, MemoryLayout<L.Scalar>.size == 4 {
      let (sum, a, b) = (lanes(sum), lanes(a), lanes(b))
      return unsafeBitCast(multiplyAdd(sum, a, b), to: L.self)
    }
    return sum.addingProduct(a, b)
  #elseif APUS_FMA
    sum.addingProduct(a, b)
  #else
    sum + a * b
  #endif
}

#if arch(arm64)
  /// A vector of sixteen floats, of a type that is known only to be one.
  @inline(__always)
  private func lanes<L: SIMD>(_ x: L) -> Lanes { unsafeBitCast(x, to: Lanes.self) }
#endif

/// `a + b` for vectors of a type that is known only to be one.
///
/// The standard library's sum is one for each lane, and where several are added up the optimiser gathers them again by what they
/// have in common, not by vector.
@inline(__always)
func vectorSum<L: SIMD>(_ a: L, _ b: L) -> L where L.Scalar: FloatingPoint {
  #if hasFeature(BuiltinModule)
    guard MemoryLayout<L.Scalar>.size == 4 else { return a + b }
    if L.scalarCount == 16 {
      return unsafeBitCast(unsafeBitCast(a, to: Lanes.self) + unsafeBitCast(b, to: Lanes.self), to: L.self)
    }
    if L.scalarCount == 8 {
      var result = unsafeBitCast(a, to: SIMD8<Float>.self)
      result._storage._value = Builtin.fadd_Vec8xFPIEEE32(
        result._storage._value, unsafeBitCast(b, to: SIMD8<Float>.self)._storage._value)
      return unsafeBitCast(result, to: L.self)
    }
  #endif
  return a + b
}

/// The same for one kind of vector, by name.
///
/// `addingProduct` of a vector is a scalar instruction for each lane that the optimiser has to gather again, which it
/// does in the loop of a register tile and fails to do in a long expression. This is one vector operation from the start.
@inline(__always)
func multiplyAdd(_ sum: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
  #if APUS_FMA && hasFeature(BuiltinModule)
    var result = sum
    result._storage._value = Builtin.int_fma_Vec16xFPIEEE32(
      a._storage._value, b._storage._value, sum._storage._value)
    return result
  #elseif APUS_FMA
    return sum.addingProduct(a, b)
  #else
    return sum + a * b
  #endif
}

#if hasFeature(BuiltinModule)
  // The standard library's arithmetic of vectors is a loop over the lanes, which the optimiser gathers again, now and then in
  // pieces of four. These are one vector operation from the start.

  @inline(__always)
  func + (a: Lanes, b: Lanes) -> Lanes {
    var result = a
    result._storage._value = Builtin.fadd_Vec16xFPIEEE32(a._storage._value, b._storage._value)
    return result
  }

  @inline(__always)
  func - (a: Lanes, b: Lanes) -> Lanes {
    var result = a
    result._storage._value = Builtin.fsub_Vec16xFPIEEE32(a._storage._value, b._storage._value)
    return result
  }

  @inline(__always)
  func * (a: Lanes, b: Lanes) -> Lanes {
    var result = a
    result._storage._value = Builtin.fmul_Vec16xFPIEEE32(a._storage._value, b._storage._value)
    return result
  }

  @inline(__always)
  func / (a: Lanes, b: Lanes) -> Lanes {
    var result = a
    result._storage._value = Builtin.fdiv_Vec16xFPIEEE32(a._storage._value, b._storage._value)
    return result
  }
#endif

/// The square root of each lane. `squareRoot()` of a vector is sixteen calls.
@inline(__always)
func squareRoot(_ x: Lanes) -> Lanes {
  #if hasFeature(BuiltinModule)
    var result = x
    result._storage._value = Builtin.int_sqrt_Vec16xFPIEEE32(x._storage._value)
    return result
  #else
    return x.squareRoot()
  #endif
}

/// The lanes at `pointer`, at any alignment.
///
/// `loadUnaligned` is a generic function of the standard library that the optimiser inlines only where a caller is
/// small: in a register tile it stayed a call for each vector, and the tile ran at an eighth of its speed.
@inline(__always)
func load<L: SIMD>(_ pointer: UnsafePointer<L.Scalar>, as: L.Type = L.self) -> L {
  #if hasFeature(BuiltinModule)
    Builtin.loadRaw(UnsafeRawPointer(pointer)._rawValue)
  #else
    UnsafeRawPointer(pointer).loadUnaligned(as: L.self)
  #endif
}

/// Fetches `count` vectors, a cache line each, into the second-level cache. There may be nothing at the address.
@inline(__always)
func prefetch<L: SIMD>(_ pointer: UnsafePointer<L.Scalar>, _ count: Int, _: L.Type) {
  #if hasFeature(BuiltinModule)
    for i in 0..<count {
      Builtin.int_prefetch_RawPointer(
        UnsafeRawPointer(pointer + i &* L.scalarCount)._rawValue, (0 as Int32)._value, (2 as Int32)._value,
        (1 as Int32)._value)
    }
  #endif
}

/// Fetches the cache line at `pointer` into the first-level cache. There may be nothing at the address.
@inline(__always)
func prefetchClose<Scalar>(_ pointer: UnsafePointer<Scalar>) {
  #if hasFeature(BuiltinModule)
    Builtin.int_prefetch_RawPointer(
      UnsafeRawPointer(pointer)._rawValue, (0 as Int32)._value, (3 as Int32)._value, (1 as Int32)._value)
  #endif
}

/// The lanes at `pointer`, at any alignment.
@inline(__always)
func load<L: SIMD>(_ pointer: UnsafeMutablePointer<L.Scalar>, as: L.Type = L.self) -> L {
  load(UnsafePointer(pointer))
}

/// The first and the second of each of sixteen pairs.
@inline(__always)
func loadPairs<T: SIMDScalar>(_ pointer: UnsafePointer<T>) -> (first: SIMD16<T>, second: SIMD16<T>) {
  let (low, high): (SIMD16<T>, SIMD16<T>) = (load(pointer), load(pointer + 16))
  return (SIMD16(lowHalf: low.evenHalf, highHalf: high.evenHalf), SIMD16(lowHalf: low.oddHalf, highHalf: high.oddHalf))
}

/// Writes the lanes to `pointer`, at any alignment.
@inline(__always)
func store<L: SIMD>(_ value: L, _ pointer: UnsafeMutablePointer<L.Scalar>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: L.self)
}

/// `body(0)`, `body(1)` … `body(count - 1)` as straight-line code, for a constant `count` of at most 16.
///
/// A register tile is an `InlineArray` indexed by constants: unrolled before the optimiser looks, its elements become
/// registers; as a loop it stays in memory and runs four times slower. Transparent rather than always inlined, so that
/// branches not taken are gone before the optimiser copies them: the kernels compile four times faster.
@_transparent
func unrolled(_ count: Int, _ body: (Int) -> Void) {
  if count > 0 { body(0) }
  if count > 1 { body(1) }
  if count > 2 { body(2) }
  if count > 3 { body(3) }
  if count > 4 { body(4) }
  if count > 5 { body(5) }
  if count > 6 { body(6) }
  if count > 7 { body(7) }
  if count > 8 { body(8) }
  if count > 9 { body(9) }
  if count > 10 { body(10) }
  if count > 11 { body(11) }
  if count > 12 { body(12) }
  if count > 13 { body(13) }
  if count > 14 { body(14) }
  if count > 15 { body(15) }
}
