import ApusPlatform

/// The bytes of this process that are in memory now, mapped files included.
/// - Throws: ``BenchmarkUnavailable`` where the system does not say.
func residentBytes() throws -> Int {
  #if os(Linux)
    guard let file = fopen("/proc/self/statm", "r") else { throw BenchmarkUnavailable("/proc/self/statm is missing") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else {
      throw BenchmarkUnavailable("/proc/self/statm cannot be read")
    }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else {
      throw BenchmarkUnavailable("/proc/self/statm cannot be understood")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  #else
    throw BenchmarkUnavailable("resident memory is measured on Linux only")
  #endif
}

/// The most bytes of this process that were ever in memory.
/// - Throws: ``BenchmarkUnavailable`` where the system does not say.
func peakResidentBytes() throws -> Int {
  #if os(Linux)
    guard let file = fopen("/proc/self/status", "r") else { throw BenchmarkUnavailable("/proc/self/status is missing") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("VmHWM:"), let kilobytes = text.split(whereSeparator: \.isWhitespace).dropFirst().first {
        return (Int(kilobytes) ?? 0) * 1024
      }
    }
    throw BenchmarkUnavailable("/proc/self/status has no VmHWM")
  #else
    throw BenchmarkUnavailable("resident memory is measured on Linux only")
  #endif
}

/// Bytes as people read them.
func megabytes(_ bytes: Int) -> String { (Double(bytes) / 1e6).text(2) + " MB" }
