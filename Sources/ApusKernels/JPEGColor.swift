import ApusKernelInterface

#if arch(arm64)
  import _Builtin_intrinsics.arm.neon
#endif

// red = Y + 1.402 · Cr, green = Y − 0.34414 · Cb − 0.71414 · Cr, blue = Y + 1.772 · Cb, the differences of colour
// being 128 too large, with constants of 16 bits after the point. Whole multiples of a difference are added apart
// from the rest, so that constants fit into sixteen bits.

extension AnyPixelKernels {
  package static func rgbFromYCC(
    _ luminance: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>, _ red: UnsafePointer<UInt8>,
    _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    var tail = InlineArray<96, UInt8>(repeating: 0)
    withUnsafeMutableBytes(of: &tail) { bytes in
      let rest = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
      var i = 0
      while i < count {
        let isWhole = i &+ 32 <= count
        let light = bytes32(luminance + i)
        let cb = bytes32(blue + i)
        let cr = bytes32(red + i)
        let low = BlockLanes(repeating: 0x00FF_00FF)
        let even = converted(light & low, cb & low, cr & low)
        let odd = converted(upperBytes(light), upperBytes(cb), upperBytes(cr))
        storePixels(
          joined(even.red, odd.red), joined(even.green, odd.green), joined(even.blue, odd.blue),
          isWhole ? y + 3 &* i : rest)
        if !isWhole {
          UnsafeMutableRawPointer(y + 3 &* i).copyMemory(from: rest, byteCount: 3 &* (count &- i))
        }
        i &+= 32
      }
    }
  }

  package static func interleave(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ c: UnsafePointer<UInt8>,
    _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    for i in 0..<count {
      y[3 &* i] = a[i]
      y[3 &* i &+ 1] = b[i]
      y[3 &* i &+ 2] = c[i]
    }
  }

  package static func darken(_ y: UnsafeMutablePointer<UInt8>, _ factor: UnsafePointer<UInt8>, count: Int) {
    for i in 0..<count {
      let light = Int32(factor[i])
      for channel in 0..<3 {
        let product = (255 &- Int32(y[3 &* i &+ channel])) &* light &+ 128
        let left = light &- (product &>> 8 &+ product) &>> 8
        y[3 &* i &+ channel] = UInt8(truncatingIfNeeded: left < 0 ? 0 : left)
      }
    }
  }

  package static func invert(_ y: UnsafeMutablePointer<UInt8>, count: Int) {
    for i in 0..<count { y[i] = ~y[i] }
  }

  @inline(__always)
  private static func upperBytes(_ x: BlockLanes) -> BlockLanes {
    (x &>> BlockLanes(repeating: 8)) & BlockLanes(repeating: 0x00FF_00FF)
  }

  @inline(__always)
  private static func halves(_ x: BlockLanes) -> SampleHalves { unsafeBitCast(x, to: SampleHalves.self) }

  @inline(__always)
  private static func joined(_ even: SampleHalves, _ odd: SampleHalves) -> BlockLanes {
    unsafeBitCast(even | (odd &<< SampleHalves(repeating: 8)), to: BlockLanes.self)
  }

  /// Two pixels in each word.
  @inline(__always)
  private static func converted(
    _ light: BlockLanes, _ cb: BlockLanes, _ cr: BlockLanes
  ) -> (red: SampleHalves, green: SampleHalves, blue: SampleHalves) {
    let centre = SampleHalves(repeating: 128)
    let (y, blue, red) = (halves(light), halves(cb) &- centre, halves(cr) &- centre)
    let (b, r) = (unsafeBitCast(blue, to: BlockLanes.self), unsafeBitCast(red, to: BlockLanes.self))
    let (half, low) = (BlockLanes(repeating: 16), BlockLanes(repeating: 0xFFFF))
    // Both differences of the first pixel of each word, and of the second.
    let first = (b & low) | (r &<< half)
    let second = ((b &>> half) & low) | (r & ~low)
    return (
      clamped(y &+ red &+ scaled(first, second, 0, 26_345)),
      clamped(y &- red &+ scaled(first, second, -22_554, 18_734)),
      clamped(y &+ blue &+ blue &+ scaled(first, second, -14_942, 0))
    )
  }

  @inline(__always)
  private static func scaled(_ first: BlockLanes, _ second: BlockLanes, _ blue: Int32, _ red: Int32) -> SampleHalves {
    let factors = BlockLanes(repeating: (blue & 0xFFFF) | (red &<< 16))
    let (rounding, low) = (BlockLanes(repeating: 1 &<< 15), BlockLanes(repeating: 0xFFFF))
    let one = (addPairProducts(rounding, first, factors) &>> BlockLanes(repeating: 16)) & low
    return halves(one | (addPairProducts(rounding, second, factors) & ~low))
  }

  @inline(__always)
  private static func clamped(_ x: SampleHalves) -> SampleHalves {
    let (least, most) = (SampleHalves(repeating: 0), SampleHalves(repeating: 255))
    let positive = x.replacing(with: least, where: x .< least)
    return positive.replacing(with: most, where: positive .> most)
  }

  @inline(__always)
  private static func bytes32(_ pointer: UnsafePointer<UInt8>) -> BlockLanes {
    unsafeBitCast(load(pointer, as: SIMD32<UInt8>.self), to: BlockLanes.self)
  }

  /// Three bytes per pixel.
  @inline(__always)
  private static func storePixels(
    _ red: BlockLanes, _ green: BlockLanes, _ blue: BlockLanes, _ y: UnsafeMutablePointer<UInt8>
  ) {
    #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
      // Sixteen pixels become three times sixteen bytes, which take a third of their bytes from each row.
      let x: UInt8 = 0x80
      let a =
        reordered(red, SIMD16(0, x, x, 1, x, x, 2, x, x, 3, x, x, 4, x, x, 5))
        | reordered(green, SIMD16(x, 0, x, x, 1, x, x, 2, x, x, 3, x, x, 4, x, x))
        | reordered(blue, SIMD16(x, x, 0, x, x, 1, x, x, 2, x, x, 3, x, x, 4, x))
      let b =
        reordered(red, SIMD16(x, x, 6, x, x, 7, x, x, 8, x, x, 9, x, x, 10, x))
        | reordered(green, SIMD16(5, x, x, 6, x, x, 7, x, x, 8, x, x, 9, x, x, 10))
        | reordered(blue, SIMD16(x, 5, x, x, 6, x, x, 7, x, x, 8, x, x, 9, x, x))
      let c =
        reordered(red, SIMD16(x, 11, x, x, 12, x, x, 13, x, x, 14, x, x, 15, x, x))
        | reordered(green, SIMD16(x, x, 11, x, x, 12, x, x, 13, x, x, 14, x, x, 15, x))
        | reordered(blue, SIMD16(10, x, x, 11, x, x, 12, x, x, 13, x, x, 14, x, x, 15))
      let words = UnsafeMutableRawPointer(y)
      words.storeBytes(of: a.lowHalf, as: SIMD4<Int32>.self)
      words.storeBytes(of: b.lowHalf, toByteOffset: 16, as: SIMD4<Int32>.self)
      words.storeBytes(of: c.lowHalf, toByteOffset: 32, as: SIMD4<Int32>.self)
      words.storeBytes(of: a.highHalf, toByteOffset: 48, as: SIMD4<Int32>.self)
      words.storeBytes(of: b.highHalf, toByteOffset: 64, as: SIMD4<Int32>.self)
      words.storeBytes(of: c.highHalf, toByteOffset: 80, as: SIMD4<Int32>.self)
    #elseif arch(arm64)
      let (r, g) = (unsafeBitCast(red, to: SIMD32<UInt8>.self), unsafeBitCast(green, to: SIMD32<UInt8>.self))
      let b = unsafeBitCast(blue, to: SIMD32<UInt8>.self)
      storePixels(uint8x16x3_t(val: (r.lowHalf, g.lowHalf, b.lowHalf)), y)
      storePixels(uint8x16x3_t(val: (r.highHalf, g.highHalf, b.highHalf)), y + 48)
    #else
      let (r, g) = (unsafeBitCast(red, to: SIMD32<UInt8>.self), unsafeBitCast(green, to: SIMD32<UInt8>.self))
      let b = unsafeBitCast(blue, to: SIMD32<UInt8>.self)
      for i in 0..<32 {
        y[3 &* i] = r[i]
        y[3 &* i &+ 1] = g[i]
        y[3 &* i &+ 2] = b[i]
      }
    #endif
  }

  #if arch(arm64)
    /// Sixteen pixels. The instruction that stores three registers so is a macro in C, which Swift does not see.
    @inline(__always)
    private static func storePixels(_ colors: uint8x16x3_t, _ y: UnsafeMutablePointer<UInt8>) {
      store(vqtbl3q_u8(colors, SIMD16(0, 16, 32, 1, 17, 33, 2, 18, 34, 3, 19, 35, 4, 20, 36, 5)), y)
      store(vqtbl3q_u8(colors, SIMD16(21, 37, 6, 22, 38, 7, 23, 39, 8, 24, 40, 9, 25, 41, 10, 26)), y + 16)
      store(vqtbl3q_u8(colors, SIMD16(42, 11, 27, 43, 12, 28, 44, 13, 29, 45, 14, 30, 46, 15, 31, 47)), y + 32)
    }
  #endif
}
