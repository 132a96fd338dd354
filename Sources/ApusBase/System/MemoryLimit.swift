import ApusPlatform
import Synchronization

/// The most bytes that this process may take for what comes from outside: for all tensors together, and for a file that
/// is read into memory.
package struct MemoryLimit: Sendable {
  /// 0 where ``error`` is set, as it is unknown what was to be kept free.
  package let byteCount: Int
  /// What makes no sense in the environment.
  package let error: EnvironmentError?
  /// Whether the environment says anything of it.
  package let isGiven: Bool

  /// - Parameters:
  ///   - environment: the value of a variable, nil when unset.
  ///   - available: bytes, which is the limit where `APUS_MEMORY_LIMIT` is unset.
  package init(_ environment: (String) -> String?, available: Int) {
    let variable = "APUS_MEMORY_LIMIT"
    guard let text = environment(variable) else {
      (byteCount, error, isGiven) = (available, nil, false)
      return
    }
    isGiven = true
    byteCount = Self.byteCount(text) ?? 0
    let expected = "bytes, a number above 0, or one with K, M or G"
    error = byteCount > 0 ? nil : EnvironmentError(variable: variable, value: text, expected: expected)
  }

  /// A positive number of bytes, or of kibibytes, mebibytes or gibibytes with the suffix K, M or G.
  /// - Returns: nil for anything else.
  package static func byteCount(_ text: String) -> Int? {
    let shift: Int
    switch text.last {
    case "K", "k": shift = 10
    case "M", "m": shift = 20
    case "G", "g": shift = 30
    default: shift = 0
    }
    guard let number = Int(shift == 0 ? text[...] : text.dropLast()), number > 0 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
    return overflow ? nil : bytes
  }
}

extension MemoryLimit {
  /// What the environment and the machine say.
  package static let standard = MemoryLimit(environment(_:), available: availableByteCount)

  // Relaxed: a number and a flag, each by itself. Nothing else is read because of what they say.
  private static let state = Atomic(standard.byteCount)

  /// The limit in bytes that holds now: ``standard`` until it is set. A value below 0 counts as 0.
  package static var current: Int {
    get { state.load(ordering: .relaxed) }
    set {
      state.store(max(0, newValue), ordering: .relaxed)
      given.store(true, ordering: .relaxed)
    }
  }

  /// The most bytes of a stream without a known length that are read into memory: `most`, or less where there is little.
  /// What grows by doubling, and is copied in the end, takes four times as much.
  package static func streamLimit(_ most: Int, memory: Int = current) -> Int { min(most, memory / 4) }

  /// Whether the limit was set, in the environment or by ``current``.
  package static var isGiven: Bool { given.load(ordering: .relaxed) }

  private static let given = Atomic(standard.isGiven)

  /// Why there is no memory at all: what the environment says of the limit makes no sense, and nothing else was said.
  package static var currentError: EnvironmentError? {
    current > 0 ? nil : standard.error
  }

  /// The memory that may be taken when nobody says another number, in bytes: half of the machine's, so that what else runs
  /// there goes on, or what the process may use less what it needs besides, where that is less.
  static var availableByteCount: Int {
    let (bytes, overflow) = Int(sysconf(Int32(_SC_PHYS_PAGES)))
      .multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE))))
    return available(
      physical: overflow || bytes <= 0 ? .max : bytes, group: ControlGroup.current.memoryLimit,
      process: processByteCount)
  }

  /// - Parameters:
  ///   - physical: the machine's memory; the greatest number where it does not say.
  ///   - group: the share of the control group, nil when unlimited.
  ///   - process: what the process may take, nil when unlimited.
  static func available(physical: Int, group: Int?, process: Int?) -> Int {
    min(physical == .max ? .max : physical / 2, group.map(shared) ?? .max, process.map(shared) ?? .max)
  }

  /// What is left of a limit on the whole process for what comes from outside. Code, tables and whatever else is no tensor
  /// take an eighth, but 128 MiB at least, and of little memory half: beyond its limit a process is not refused memory but
  /// ended.
  private static func shared(_ limit: Int) -> Int {
    limit - max(limit / 8, min(limit / 2, 128 << 20))
  }

  /// The bytes that the process may map (`ulimit -v`) or write to (`ulimit -d`); nil when unlimited.
  private static var processByteCount: Int? {
    [RLIMIT_AS, RLIMIT_DATA].compactMap { resource -> Int? in
      var limits = rlimit()
      #if canImport(Glibc)
        let kind = __rlimit_resource_t(resource.rawValue)
      #else
        let kind = resource
      #endif
      guard getrlimit(kind, &limits) == 0, limits.rlim_cur < UInt64(Int.max) else { return nil }
      return Int(limits.rlim_cur)
    }.min()
  }
}
