import Apus

/// A bound on the time that models may take: reading, preparing and running them.
///
/// ```swift
/// let outputs = try TimeLimit.with(.seconds(5)) {
///   try InferenceSession(ONNXModel(path: path)).run(inputs)
/// }
/// ```
///
/// ``InferenceSession/Limits/time`` bounds each run by itself; where both are given, what ends first holds.
public struct TimeLimit: Sendable {
  @TaskLocal static var current: TimeLimit?

  /// What was granted.
  let duration: Duration
  /// When it is used up, on the clock of `monotonicNanoseconds()`.
  let end: UInt64

  init(_ duration: Duration) {
    self.duration = duration
    let (seconds, attoseconds) = duration.components
    let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let nanoseconds = whole.partialValue.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000))
    let end = monotonicNanoseconds().addingReportingOverflow(nanoseconds.partialValue)
    self.end = whole.overflow || nanoseconds.overflow || end.overflow ? .max : end.partialValue
  }

  /// Runs `body`, in which whatever reads, prepares or runs a model ends with ``GraphError/timeLimit(_:)`` once the time
  /// is up. Limits within limits hold together.
  public static func with<Result>(_ duration: Duration, _ body: () throws -> Result) rethrows -> Result {
    try $current.withValue(earlier(TimeLimit(duration), current), operation: body)
  }

  /// The one of two that ends first.
  static func earlier(_ a: TimeLimit?, _ b: TimeLimit?) -> TimeLimit? {
    guard let a, let b else { return a ?? b }
    return a.end <= b.end ? a : b
  }

  /// - Throws: ``GraphError/timeLimit(_:)`` once the time is up, ``GraphError/cancelled`` in a task that was cancelled.
  package static func check() throws {
    if Task.isCancelled { throw GraphError.cancelled }
    guard let current, current.end <= monotonicNanoseconds() else { return }
    throw GraphError.timeLimit(current.duration)
  }
}
