#if canImport(Glibc)
  // The C library's variable is written by `setenv` alone, which nobody here calls.
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#endif

/// The arguments that the process was started with, as bytes, the program's name first; nil where they cannot be found.
///
/// The standard library reads them from `/proc/self/cmdline`, which need not be there, and turns what is no UTF-8 into
/// something else. On Linux the kernel puts them on the stack of a new process: their number, a pointer to each, a null,
/// and then the pointers of the environment (System V ABI, "Initial Process Stack"), to which `environ` points until
/// a variable is changed. Nil from then on, and on any thread but the first.
public func processArguments() -> [[UInt8]]? {
  #if os(Linux)
    let environment = UnsafeMutableRawPointer(environ).assumingMemoryBound(to: UInt.self)
    // The stack of a new process lies right above the frames of its first thread; moved pointers lie far from it.
    var frame: UInt8 = 0
    let distance = withUnsafeMutablePointer(to: &frame) { UInt(bitPattern: environment) &- UInt(bitPattern: $0) }
    guard distance < 16 << 20 else { return nil }
    guard UInt(bitPattern: environment).isMultiple(of: UInt(MemoryLayout<UInt>.alignment)), environment[-1] == 0 else {
      return nil
    }
    // Back to the number of arguments, which is no pointer: no address is as low as this.
    var count = 0
    while environment[-2 - count] != UInt(count) {
      count += 1
      guard count < 1 << 22, environment[-1 - count] > 1 << 22 else { return nil }
    }
    return (0..<count).map { index in
      guard let text = UnsafePointer<UInt8>(bitPattern: environment[index - 1 - count]) else { return [] }
      return Array(
        UnsafeBufferPointer(start: text, count: strlen(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))))
    }
  #else
    return nil
  #endif
}
