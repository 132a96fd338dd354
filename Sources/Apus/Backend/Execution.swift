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

  /// The number of threads an operator may use, at least one.
  public var threads: Int
  public var precision: Precision
  /// Whether matrix products may go to the BLAS library that was found.
  public var usesBLAS: Bool
  var kernels: KernelSet

  /// The kernel variant in use.
  public var variant: KernelVariant { kernels.variant }

  @TaskLocal public static var current = Execution.standard
}

extension Execution {
  /// Runs `body` with some settings changed.
  ///
  /// - Parameters:
  ///   - threads: at least 1; a smaller value counts as 1.
  ///   - variant: a variant this processor has; see ``availableVariants``. Another one is ignored.
  public static func with<Result>(
    threads: Int? = nil, precision: Precision? = nil, variant: KernelVariant? = nil, usesBLAS: Bool? = nil,
    _ body: () throws -> Result
  ) rethrows -> Result {
    var execution = current
    if let threads { execution.threads = max(1, threads) }
    if let precision { execution.precision = precision }
    if let variant, availableVariants.contains(variant) { execution.kernels = KernelSet(variant) }
    if let usesBLAS { execution.usesBLAS = usesBLAS }
    return try $current.withValue(execution, operation: body)
  }
}

extension Execution {
  /// What the environment and the processor ask for.
  public static let standard = Execution(
    threads: 1, precision: .exact, usesBLAS: true, kernels: KernelSet(availableVariants.last ?? .baseline))

  /// The variants this processor can run, the widest last.
  public static let availableVariants: [KernelVariant] = [.baseline, .avx2, .avx512]

  /// The largest single tensor, in bytes.
  public static let memoryLimit = 16 << 30
}
