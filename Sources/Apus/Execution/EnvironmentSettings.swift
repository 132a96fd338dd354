import ApusBase

/// How the environment asks operators to run, made sense of.
struct EnvironmentSettings: Sendable {
  private(set) var variant: KernelVariant
  private(set) var threads: Int
  /// What is asked for and cannot be had here, a sentence each.
  private(set) var warnings: [String] = []
  /// Values that make no sense; threads and variant are then as if they were unset.
  private(set) var errors: [EnvironmentError] = []

  /// - Parameters:
  ///   - environment: the value of a variable, nil when unset.
  ///   - cores: how many processors there are.
  ///   - variants: the kernel variants the processor runs, the widest last.
  init(_ environment: (String) -> String?, cores: Int, variants: [KernelVariant]) {
    variant = variants.last ?? .baseline
    threads = min(cores, ThreadPool.maximumThreads)

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
  }
}
