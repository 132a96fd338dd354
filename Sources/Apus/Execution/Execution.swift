import ApusBase

/// How operators run: which kernels, how many threads, how exact.
///
/// One value is current at any point of a task, and `with` changes it for a scope:
///
/// ```swift
/// let logits = try Execution.with(threads: 1, precision: .fast) { try model(window) }
/// ```
///
/// The number of threads never changes a result. Kernel variants differ in rounding.
public struct Execution: Sendable {
  /// How far an operator may depart from direct evaluation.
  public enum Precision: String, Sendable, Hashable, CaseIterable {
    /// What unfused, direct evaluation gives, bit for bit.
    case exact
    /// Faster algorithms whose error is stated and tested: unflushed sums, Winograd convolution.
    case fast
  }

  /// The number of threads an operator may use, from 1 to 256; anything else counts as the nearest of these.
  public var threads: Int {
    get { shared.settings.threads }
    set { change { $0.threads = newValue } }
  }

  /// Whether algorithms with other roundings than direct evaluation are allowed; ``Precision/exact`` in ``standard``.
  public var precision: Precision {
    get { shared.settings.precision }
    set { change { $0.precision = newValue } }
  }

  /// Whether matrix products may go to the BLAS library that was found.
  public var usesBLAS: Bool {
    get { shared.settings.usesBLAS }
    set { change { $0.usesBLAS = newValue } }
  }

  /// The kernel variant in use.
  public var variant: KernelVariant { kernels.variant }

  /// The settings that operators of this task run with; change them for a scope with `with(…)`.
  @TaskLocal public static var current = Execution.standard

  private var shared: Shared

  /// Small operators do little but look settings up: a value that is one reference is copied in no time.
  private final class Shared: Sendable {
    let settings: Settings
    init(_ settings: Settings) { self.settings = settings }
  }

  private struct Settings: Sendable {
    var threads: Int {
      didSet { threads = min(max(1, threads), ThreadPool.maximumThreads) }
    }
    var precision = Precision.exact
    var usesBLAS = true
    var kernels: KernelSet
    var stop: StopSign?
  }

  private init(threads: Int, kernels: KernelSet) {
    shared = Shared(Settings(threads: threads, kernels: kernels))
  }

  private mutating func change(_ body: (inout Settings) -> Void) {
    var settings = shared.settings
    body(&settings)
    shared = Shared(settings)
  }
}

extension Execution {
  var kernels: KernelSet { shared.settings.kernels }
  /// What tells ``parallel(_:_:)`` to leave out the rest.
  package var stop: StopSign? { shared.settings.stop }

  /// Whether nobody wants what is left to do of this task: its ``stop`` sign is raised, or has to be by now.
  static var isStopped: Bool { current.stop?.check() ?? false }
}

extension Execution {
  /// Runs `body` with some settings changed.
  ///
  /// - Parameters:
  ///   - threads: from 1 to 256; anything else counts as the nearest of these.
  ///   - variant: a variant this processor has; see ``availableVariants``. Another one is ignored.
  public static func with<Result>(
    threads: Int? = nil, precision: Precision? = nil, variant: KernelVariant? = nil, usesBLAS: Bool? = nil,
    _ body: () throws -> Result
  ) rethrows -> Result {
    try with(body) { settings in
      if let threads { settings.threads = threads }
      if let precision { settings.precision = precision }
      if let variant, availableVariants.contains(variant) { settings.kernels = KernelSet(variant) }
      if let usesBLAS { settings.usesBLAS = usesBLAS }
    }
  }

  /// Runs `body` with pieces of parallel work left out once `stop` is raised.
  package static func with<Result>(
    precision: Precision? = nil, stop: StopSign, _ body: () throws -> Result
  ) rethrows -> Result {
    try with(body) { settings in
      if let precision { settings.precision = precision }
      settings.stop = stop
    }
  }

  /// Runs `body` with no piece of parallel work left out, whatever is raised.
  static func withoutStop<Result>(_ body: () throws -> Result) rethrows -> Result {
    try with(body) { $0.stop = nil }
  }

  private static func with<Result>(
    _ body: () throws -> Result, changing change: (inout Settings) -> Void
  ) rethrows -> Result {
    var execution = current
    execution.change(change)
    return try $current.withValue(execution, operation: body)
  }
}

extension Execution {
  /// What the environment and the processor ask for.
  ///
  /// - `APUS_KERNELS`: `baseline`, `avx2`, `avxvnni`, `avx512`, or `dotprod`, `i8mm` on arm64; the widest variant of the
  ///   processor when unset.
  /// - `APUS_THREADS`: from 1 to 256; the processors this process may use when unset.
  ///
  /// A value that makes no sense counts as unset here; ``checkEnvironment()`` throws it, and ``warnings`` says it.
  public static let standard = Execution(threads: settings.threads, kernels: KernelSet(settings.variant))

  /// What was wrong with the environment, a sentence each; empty as a rule.
  public static var warnings: [String] { environmentErrors.map { "\($0)" } + settings.warnings }

  /// Checks every variable of the environment that Apus reads by itself: `APUS_KERNELS`, `APUS_THREADS`,
  /// `APUS_MEMORY_LIMIT`, and `APUS_BLAS`, whose library is loaded for that where one is named.
  ///
  /// The command does this first of all. A program that does not runs with ``standard``; with a memory limit that makes
  /// no sense it gets no tensor, and ``TensorError/environment(_:)`` where it asks for one.
  ///
  /// - Throws: ``EnvironmentError`` for the first value that makes no sense.
  public static func checkEnvironment() throws(EnvironmentError) {
    if let error = environmentErrors.first { throw error }
    if let error = BLAS.environmentError { throw error }
  }

  /// What is asked for in the environment, and does not exist on this processor: a sentence each.
  package static var shortcomings: [String] { settings.warnings }

  /// The variants this processor can run, the widest last.
  public static let availableVariants = KernelVariant.allCases.filter {
    ProcessorFeatures.current.isSuperset(of: $0.requirements)
  }

  /// The most bytes that all tensors together may take: half of the machine's memory or, where that is less, what the
  /// process may use (control group, `ulimit`); or `APUS_MEMORY_LIMIT` (bytes, or a number with K, M or G). May be changed
  /// at any time; a value below 0 counts as 0, and so does a variable that makes no sense.
  public static var memoryLimit: Int {
    get { MemoryLimit.current }
    set { MemoryLimit.current = newValue }
  }

  static let settings = EnvironmentSettings(
    environment(_:), cores: ProcessorInformation.coreCount, variants: availableVariants)

  private static var environmentErrors: [EnvironmentError] {
    settings.errors + (MemoryLimit.standard.error.map { [$0] } ?? [])
  }
}
