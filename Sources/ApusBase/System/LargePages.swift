import ApusPlatform

/// Memory of large pages, where the system gives them to those who ask: one page fault instead of 512. Without them a
/// third of the time that a large picture takes goes by in page faults.
package enum LargePages {
  /// Memory of so many bytes holds a large page, wherever it begins.
  package static let surelyInside = 4 << 20

  /// Asks for them in fresh memory; the bytes stay what they are.
  ///
  /// - Parameter least: smaller memory is left as it is.
  package static func advise(_ memory: UnsafeMutableRawPointer, byteCount: Int, ifAtLeast least: Int = 0) {
    #if os(Linux)
      guard byteCount >= least else { return }
      let page = AlignedMemory.pageSize
      let start = Int(bitPattern: memory).roundedUp(toMultipleOf: page)
      let end = (Int(bitPattern: memory) + byteCount) / page * page
      guard start < end else { return }
      madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_HUGEPAGE)
    #endif
  }
}
