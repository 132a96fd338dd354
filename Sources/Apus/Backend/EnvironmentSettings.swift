import ApusPlatform

/// The value of an environment variable; nil when it is unset or empty.
func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// What the environment asks for, made sense of.
struct EnvironmentSettings: Sendable {
  private(set) var variant: KernelVariant
  private(set) var threads: Int
  /// Bytes.
  private(set) var memoryLimit: Int
  /// What is asked for and cannot be had here, a sentence each.
  private(set) var warnings: [String] = []
  /// Values that make no sense. Threads and variant are then as if they were unset; of memory there is none, as nobody
  /// knows what was to be kept free.
  private(set) var errors: [EnvironmentError] = []

  /// - Parameters:
  ///   - environment: the value of a variable, nil when unset.
  ///   - cores: how many processors there are.
  ///   - memory: how many bytes of memory there are.
  ///   - variants: the kernel variants the processor runs, the widest last.
  init(_ environment: (String) -> String?, cores: Int, memory: Int, variants: [KernelVariant]) {
    variant = variants.last ?? .baseline
    threads = min(cores, ThreadPool.maximumThreads)
    memoryLimit = memory

    if let text = environment("APUS_KERNELS") {
      if let wanted = KernelVariant(rawValue: text.lowercased()) {
        if variants.contains(wanted) {
          variant = wanted
        } else {
          let names = variants.map(\.rawValue).joined(separator: ", ")
          warnings.append("APUS_KERNELS=\(text): this processor runs \(names) only; using \(variant.rawValue)")
        }
      } else {
        let names = KernelVariant.allCases.map(\.rawValue).joined(separator: ", ")
        errors.append(EnvironmentError(variable: "APUS_KERNELS", value: text, expected: "one of \(names)"))
      }
    }
    if let text = environment("APUS_THREADS") {
      if let wanted = Int(text), 1...ThreadPool.maximumThreads ~= wanted {
        threads = wanted
      } else {
        let expected = "a number from 1 to \(ThreadPool.maximumThreads)"
        errors.append(EnvironmentError(variable: "APUS_THREADS", value: text, expected: expected))
      }
    }
    if let text = environment("APUS_MEMORY_LIMIT") {
      if let wanted = Self.byteCount(text) {
        memoryLimit = wanted
      } else {
        memoryLimit = 0
        let expected = "bytes, a number above 0, or one with K, M or G"
        errors.append(EnvironmentError(variable: "APUS_MEMORY_LIMIT", value: text, expected: expected))
      }
    }
  }

  /// A positive number of bytes, or of kibibytes, mebibytes or gibibytes with the suffix K, M or G.
  static func byteCount(_ text: String) -> Int? {
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
