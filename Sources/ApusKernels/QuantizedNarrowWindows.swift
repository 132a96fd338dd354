import ApusKernelInterface

#if arch(arm64)
  import _Builtin_intrinsics.arm.neon
#endif

// Convolutions of one channel a group, of maps whose rows a register holds: see ``NarrowWindows``.

extension IntegerKernels {
  package static var spreadsBytes: Bool {
    #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS || arch(arm64)
      true
    #else
      false
    #endif
  }

  package static func sumNarrowWindows(
    _ w: UnsafePointer<Int32>, _ x: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, flip: UInt8,
    _ windows: NarrowWindows, _ room: UnsafeMutablePointer<Int32>, _ sums: UnsafeMutablePointer<Int32>
  ) {
    windows.tables.withUnsafeBufferPointer { tables in
      guard let tables = tables.baseAddress else { return }
      for pair in 0..<windows.pairs {
        spreadRows(x, end, flip, windows, tables + pair &* 48, room + pair &* 16)
      }
    }
    let weights = room + windows.paddedRows &* windows.pairs &* 16
    for row in 0..<windows.kernelRows {
      for pair in 0..<windows.pairs {
        let taps = w + (row &* windows.kernelColumns &+ 2 &* pair)
        let second = 2 &* pair &+ 1 < windows.kernelColumns ? taps[1] : 0
        weights[row &* windows.pairs &+ pair] = taps[0] & 0xFFFF | second &<< 16
      }
    }
    if windows.kernelRows == 3, windows.pairs == 2 {
      sumThreeByFour(room, weights, windows, sums)
    } else {
      sumPairs(room, weights, windows, sums)
    }
  }
}

/// The words of one pair of taps, of all rows and of padding above and below them, `windows.pairs` vectors apart.
@inline(__always)
private func spreadRows(
  _ x: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ flip: UInt8, _ windows: NarrowWindows,
  _ table: UnsafePointer<Int32>, _ y: UnsafeMutablePointer<Int32>
) {
  let places = load(table, as: IntegerLanes.self)
  let fillers = load(table + 16, as: IntegerLanes.self)
  let outside = load(table + 32, as: IntegerLanes.self)
  let flips = SIMD16<UInt8>(repeating: flip)
  let (count, step) = (windows.paddedRows, windows.pairs &* 16)
  let first = min(windows.top, count)
  let last = max(first, min(windows.top &+ windows.height, count))
  // Rows of which sixteen bytes may be read: at the end of the map's memory a few may not.
  let reach = (end - x) &- 16
  let whole = reach < 0 ? first : min(last, first &+ reach / windows.width &+ 1)
  for row in 0..<first { store(outside, y + row &* step) }
  var from = x
  for row in first..<whole {
    store(spread(load(from, as: SIMD16<UInt8>.self) ^ flips, places) | fillers, y + row &* step)
    from += windows.width
  }
  for row in whole..<last {
    store(spread(lastBytes(from, windows.width) ^ flips, places) | fillers, y + row &* step)
    from += windows.width
  }
  for row in last..<max(count, last) { store(outside, y + row &* step) }
}

/// `count` bytes, and zeros.
@inline(never)
private func lastBytes(_ x: UnsafePointer<UInt8>, _ count: Int) -> SIMD16<UInt8> {
  var bytes = SIMD16<UInt8>(repeating: 0)
  for index in 0..<count { bytes[index] = x[index] }
  return bytes
}

/// The sums of three rows of two pairs, as almost all such kernels have them.
@inline(__always)
private func sumThreeByFour(
  _ words: UnsafePointer<Int32>, _ weights: UnsafePointer<Int32>, _ windows: NarrowWindows,
  _ sums: UnsafeMutablePointer<Int32>
) {
  @inline(__always) func weight(_ index: Int) -> IntegerLanes { IntegerLanes(repeating: weights[index]) }
  let (w0, w1, w2) = (weight(0), weight(1), weight(2))
  let (w3, w4, w5) = (weight(3), weight(4), weight(5))
  let zero = IntegerLanes(repeating: 0)
  let next = windows.rowDilation &* 32
  var from = words
  var y = sums
  for _ in 0..<windows.rows {
    let (second, third) = (from + next, from + 2 &* next)
    let even = addPairProducts(
      addPairProducts(addPairProducts(zero, load(from), w0), load(second), w2), load(third), w4)
    let odd = addPairProducts(
      addPairProducts(addPairProducts(zero, load(from + 16), w1), load(second + 16), w3), load(third + 16), w5)
    store(even &+ odd, y)
    from += windows.rowStride &* 32
    y += windows.columns
  }
}

/// The sums of any rows of any pairs.
@inline(__always)
private func sumPairs(
  _ words: UnsafePointer<Int32>, _ weights: UnsafePointer<Int32>, _ windows: NarrowWindows,
  _ sums: UnsafeMutablePointer<Int32>
) {
  let step = windows.pairs &* 16
  for row in 0..<windows.rows {
    var from = words + row &* windows.rowStride &* step
    var weight = weights
    var sum = IntegerLanes(repeating: 0)
    for _ in 0..<windows.kernelRows {
      for pair in 0..<windows.pairs {
        sum = addPairProducts(sum, load(from + pair &* 16), IntegerLanes(repeating: weight[pair]))
      }
      from += windows.rowDilation &* step
      weight += windows.pairs
    }
    store(sum, sums + row &* windows.columns)
  }
}

/// The bytes at these places, 0 at place 128.
@inline(__always)
private func spread(_ bytes: SIMD16<UInt8>, _ places: IntegerLanes) -> IntegerLanes {
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    return spread(everySixteen(bytes), places)
  #elseif APUS_AVX2 && APUS_X86_INTRINSICS
    let twice = everySixteen(bytes)
    return IntegerLanes(lowHalf: spread(twice, places.lowHalf), highHalf: spread(twice, places.highHalf))
  #elseif arch(arm64)
    func four(_ places: SIMD4<Int32>) -> SIMD4<Int32> {
      unsafeBitCast(vqtbl1q_u8(bytes, unsafeBitCast(places, to: SIMD16<UInt8>.self)), to: SIMD4<Int32>.self)
    }
    return IntegerLanes(
      lowHalf: SIMD8(lowHalf: four(places.lowHalf.lowHalf), highHalf: four(places.lowHalf.highHalf)),
      highHalf: SIMD8(lowHalf: four(places.highHalf.lowHalf), highHalf: four(places.highHalf.highHalf)))
  #else
    let places = unsafeBitCast(places, to: SIMD64<UInt8>.self)
    var result = SIMD64<UInt8>(repeating: 0)
    for index in 0..<64 where places[index] < 16 { result[index] = bytes[Int(places[index])] }
    return unsafeBitCast(result, to: IntegerLanes.self)
  #endif
}
