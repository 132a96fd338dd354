import ApusKernelInterface

#if APUS_X86_INTRINSICS
  import Builtin
#endif

// Convolutions of one channel a group, of lines that are staged with their padding: see ``WideWindows``.

extension IntegerKernels {
  package static func sumWideWindows(
    _ w: UnsafePointer<Int32>, parts: Int, _ x: UnsafePointer<UInt8>, lineStep: Int, _ windows: WideWindows, rows: Int,
    _ sums: UnsafeMutablePointer<Int32>
  ) {
    // Elsewhere nobody calls it, and it would be tens of kilobytes.
    guard spreadsBytes else { return }
    let (taps, columns, lanes) = (windows.taps, windows.columns, WordLanes.scalarCount)
    let wordStep = taps.tapsPerWord &* windows.columnDilation
    let words = firstWords(windows.words)
    let bytes = firstWords(windows.bytes)
    var first = 0
    while first < columns {
      // The last vector is moved back, where there are as many columns.
      let column = columns >= lanes ? min(first, columns &- lanes) : 0
      let from = x + column &* windows.columnStride
      sumRowsOfWindows(w, parts: parts, taps, rows: rows, columns: columns, sums + column) { row, word in
        spread(wordsAt(from + (row &* lineStep &+ word &* wordStep), words), bytes)
      }
      first &+= lanes
    }
  }
}

/// As many as a register holds.
@inline(__always)
private func firstWords(_ words: SIMD16<Int32>) -> WordLanes {
  #if APUS_AVX512
    words
  #elseif APUS_AVX2
    words.lowHalf
  #else
    words.lowHalf.lowHalf
  #endif
}

/// Words of what lies at `x`.
@inline(__always)
private func wordsAt(_ x: UnsafePointer<UInt8>, _ places: WordLanes) -> WordLanes {
  var result = UnsafeRawPointer(x).loadUnaligned(as: WordLanes.self)
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    result._storage._value = Builtin.int_x86_avx512_permvar_si_512(result._storage._value, places._storage._value)
  #elseif APUS_AVX2 && APUS_X86_INTRINSICS
    result._storage._value = Builtin.int_x86_avx2_permd(result._storage._value, places._storage._value)
  #endif
  return result
}
