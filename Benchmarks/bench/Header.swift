import Apus

/// What the numbers below were measured on.
struct Header: Encodable {
  let processor: String
  let kernels: KernelVariant
  let blas: String?
  let blasCore: String?
  let threads: Int
  let swiftVersion: String
  let precision: String
  let isDebugBuild: Bool
  let peak: MachinePeak

  init(_ execution: Execution, budget: Double) {
    let diagnosis = Diagnosis(of: execution)
    processor = diagnosis.processor.name
    kernels = execution.variant
    blas = diagnosis.blas?.library
    blasCore = diagnosis.blas?.core
    threads = execution.threads
    swiftVersion = compilerVersion
    precision = execution.precision.rawValue
    isDebugBuild = isDebug
    peak = MachinePeak(threads: threads, variant: execution.variant, budget: budget)
  }

  var text: String {
    let library = blas.map { "\($0), kernels for \(blasCore ?? "an unknown processor")" } ?? "none; Swift kernels"
    return """
      processor  \(processor)
      kernels    \(kernels.rawValue)
      BLAS       \(library)
      threads    \(threads)
      precision  \(precision)
      Swift      \(swiftVersion)
      peak       \(peak.gigaflops.text(1)) GFLOP/s, \(peak.gigabytesPerSecond.text(1)) GB/s
      """
  }
}

/// Whether this program was built without optimisation.
#if DEBUG
  let isDebug = true
#else
  let isDebug = false
#endif

/// The language version that the compiler knows at compile time; more is not available.
private var compilerVersion: String {
  #if compiler(>=6.5)
    "6.5 or later"
  #elseif compiler(>=6.4)
    "6.4"
  #elseif compiler(>=6.3.1)
    "6.3.1 or later 6.3"
  #elseif compiler(>=6.3)
    "6.3"
  #else
    "6.2"
  #endif
}
