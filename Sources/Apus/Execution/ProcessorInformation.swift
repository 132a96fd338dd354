import ApusBase
import ApusPlatform

/// What the operating system tells about the processor.
enum ProcessorInformation {
  /// The processor's name as its maker writes it. Under an emulator, that of the machine outside.
  static let name: String = {
    #if canImport(Darwin)
      return systemString("machdep.cpu.brand_string") ?? architecture
    #else
      return field("model name") ?? architecture
    #endif
  }()

  /// The flags in `/proc/cpuinfo`, as Linux names them on x86-64 and on arm64; none elsewhere.
  static var flags: [Substring] { (field("flags") ?? field("Features"))?.split(separator: " ") ?? [] }

  /// The processors this process may use: its affinity mask, and its control group's share of time rounded up.
  static let coreCount: Int = {
    let available = affinityCount ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    guard let quota = ControlGroup.current.processorQuota else { return available }
    return max(1, min(available, Int(quota.rounded(.up))))
  }()

  /// The processors in this process's affinity mask, which the kernel prints as hexadecimal words.
  private static var affinityCount: Int? {
    guard let mask = field("Cpus_allowed", of: "/proc/self/status") else { return nil }
    let count = mask.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
    return count > 0 ? count : nil
  }

  private static var architecture: String {
    #if arch(x86_64)
      return "x86-64"
    #elseif arch(arm64)
      return "arm64"
    #else
      return "unknown"
    #endif
  }

  /// The first value of `key` in a file of lines "key: value".
  private static func field(_ key: String, of path: String = "/proc/cpuinfo") -> String? {
    guard let text = contentsOfSystemFile(path) else { return nil }
    for line in text.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":"), trimmed(line[..<colon]) == key else { continue }
      return String(trimmed(line[line.index(after: colon)...]))
    }
    return nil
  }

  #if canImport(Darwin)
    private static func systemString(_ name: String) -> String? {
      var size = 0
      guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  #endif
}
