import ApusPlatform

/// Memory of large pages, where the system gives them to those who ask: one page fault instead of 512. Without them a
/// third of the time that a large picture takes goes by in page faults.
enum LargePages {
  /// Asks for them in fresh memory of at least 4 MB; the bytes stay what they are.
  static func advise(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
    #if os(Linux)
      guard byteCount >= 4 << 20 else { return }
      let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
      let start = roundedUp(Int(bitPattern: memory), by: page) * page
      let end = (Int(bitPattern: memory) + byteCount) / page * page
      madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_HUGEPAGE)
    #endif
  }
}
