import ApusPlatform

/// The instruction-set extensions that matter here, where processor and operating system both support them.
struct ProcessorFeatures: OptionSet, Sendable, Hashable {
  let rawValue: UInt32

  static let sse42 = Self(rawValue: 1 << 0)
  static let popcnt = Self(rawValue: 1 << 1)
  static let movbe = Self(rawValue: 1 << 2)
  static let lzcnt = Self(rawValue: 1 << 3)
  static let bmi1 = Self(rawValue: 1 << 4)
  static let bmi2 = Self(rawValue: 1 << 5)
  static let avx = Self(rawValue: 1 << 6)
  static let f16c = Self(rawValue: 1 << 7)
  static let fma = Self(rawValue: 1 << 8)
  static let avx2 = Self(rawValue: 1 << 9)
  static let avx512f = Self(rawValue: 1 << 10)
  static let avx512cd = Self(rawValue: 1 << 11)
  static let avx512bw = Self(rawValue: 1 << 12)
  static let avx512dq = Self(rawValue: 1 << 13)
  static let avx512vl = Self(rawValue: 1 << 14)
  static let avx512vnni = Self(rawValue: 1 << 15)
  static let neon = Self(rawValue: 1 << 16)
  /// Sums of four products of bytes, both signed or both unsigned.
  static let dotprod = Self(rawValue: 1 << 17)
  /// Those of unsigned and signed bytes.
  static let i8mm = Self(rawValue: 1 << 18)
  /// Sums of four products of unsigned and signed bytes, in the registers of AVX2.
  static let avxvnni = Self(rawValue: 1 << 19)

  /// What a compiler with `-march=haswell` takes for granted.
  static let haswell: Self = [.sse42, .popcnt, .movbe, .lzcnt, .bmi1, .bmi2, .avx, .f16c, .fma, .avx2]
  /// The AVX-512 of Skylake servers and everything later.
  static let skylakeServer: Self = haswell.union([.avx512f, .avx512cd, .avx512bw, .avx512dq, .avx512vl])
  /// What a compiler with `-march=cascadelake` takes for granted.
  static let cascadeLake: Self = skylakeServer.union(.avx512vnni)

  /// The name of each feature, as `/proc/cpuinfo` spells it, and its bit in what CPUID reports.
  private static let table: [(feature: Self, name: String, leaf: CPUID.Leaf, register: CPUID.Register, bit: UInt32)] = [
    (.sse42, "sse4_2", .basic, .ecx, 20),
    (.popcnt, "popcnt", .basic, .ecx, 23),
    (.movbe, "movbe", .basic, .ecx, 22),
    (.lzcnt, "abm", .extended, .ecx, 5),
    (.bmi1, "bmi1", .structured, .ebx, 3),
    (.bmi2, "bmi2", .structured, .ebx, 8),
    (.avx, "avx", .basic, .ecx, 28),
    (.f16c, "f16c", .basic, .ecx, 29),
    (.fma, "fma", .basic, .ecx, 12),
    (.avx2, "avx2", .structured, .ebx, 5),
    (.avx512f, "avx512f", .structured, .ebx, 16),
    (.avx512cd, "avx512cd", .structured, .ebx, 28),
    (.avx512bw, "avx512bw", .structured, .ebx, 30),
    (.avx512dq, "avx512dq", .structured, .ebx, 17),
    (.avx512vl, "avx512vl", .structured, .ebx, 31),
    (.avx512vnni, "avx512_vnni", .structured, .ecx, 11),
    (.avxvnni, "avx_vnni", .structuredFurther, .eax, 4),
  ]

  /// The same of arm64: what every processor has, and what Linux counts in its words of capabilities.
  static let armTable: [(feature: Self, name: String, word: UInt, bit: UInt)] = [
    (.neon, "asimd", 16, 1),
    (.dotprod, "asimddp", 16, 20),
    (.i8mm, "i8mm", 26, 13),
  ]
}

extension ProcessorFeatures {
  /// The features of the processor this program runs on.
  static let current: ProcessorFeatures = {
    #if arch(arm64)
      return fromCapabilities().union(.neon)
    #elseif arch(x86_64)
      // CPUID comes first: under an emulator `/proc/cpuinfo` speaks of the machine outside.
      return fromCPUID() ?? fromFlags(ProcessorInformation.flags)
    #else
      return []
    #endif
  }()

  /// What CPUID says, where the C library passes it on.
  static func fromCPUID() -> ProcessorFeatures? {
    guard let cpuid = CPUID() else { return nil }
    return table.reduce(into: []) { features, row in
      if cpuid.active(row.leaf, row.register) & (1 << row.bit) != 0 { features.insert(row.feature) }
    }
  }

  /// What a list of flags in the spelling of `/proc/cpuinfo` says. The kernel omits what it does not support.
  static func fromFlags(_ flags: some Sequence<Substring>) -> ProcessorFeatures {
    let flags = Set(flags)
    let rows = table.map { ($0.feature, $0.name) } + armTable.map { ($0.feature, $0.name) }
    return rows.reduce(into: []) { features, row in
      if flags.contains(row.1[...]) { features.insert(row.0) }
    }
  }

  /// The features' names, the oldest first.
  var names: [String] {
    Self.table.filter { contains($0.feature) }.map(\.name)
      + Self.armTable.filter { contains($0.feature) }.map(\.name)
  }
}

/// CPUID as the GNU C library read it when the process started.
///
/// Swift cannot execute the instruction itself. glibc 2.33 and later (`<sys/platform/x86.h>`) hand out, for each leaf
/// they know, four registers as read and four masked to what is *active*: also enabled by the operating system, which
/// has to save the wider registers. A leaf the library does not know comes back as zeros.
struct CPUID {
  enum Leaf: UInt32 {
    case basic = 0
    case structured = 1
    case extended = 2
    case structuredFurther = 6
  }
  enum Register: Int { case eax, ebx, ecx, edx }

  private typealias Function = @convention(c) (UInt32) -> UnsafePointer<UInt32>?
  private let leaf: Function

  /// Nil with an older or another C library.
  init?() {
    #if canImport(Glibc) && arch(x86_64)
      guard let symbol = dlsym(nil, "__x86_get_cpuid_feature_leaf") else { return nil }
      leaf = unsafeBitCast(symbol, to: Function.self)
      // Every x86-64 processor has SSE2: without it this is not the structure we think it is.
      guard active(.basic, .edx) & (1 << 26) != 0 else { return nil }
    #else
      return nil
    #endif
  }

  func active(_ leaf: Leaf, _ register: Register) -> UInt32 {
    guard let registers = self.leaf(leaf.rawValue) else { return 0 }
    return registers[4 + register.rawValue]
  }
}
