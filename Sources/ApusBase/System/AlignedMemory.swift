import ApusPlatform

/// Memory of which a tensor may be a view.
package enum AlignedMemory {
  /// Where it begins: at a multiple of a cache line, and of the widest vector.
  package static let alignment = 64

  /// Bytes that the system gives and takes at a time.
  package static let pageSize = max(1, Int(sysconf(Int32(_SC_PAGESIZE))))

  /// Memory for the caller to fill, and to give back with `free`; nil where the system has no more.
  package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    return posix_memalign(&memory, alignment, max(byteCount, 1)) == 0 ? memory : nil
  }
}
