import Synchronization

/// Tells work that is under way that nobody wants its results any more: its task was cancelled, or its time is up.
///
/// ``parallel(_:_:)`` looks at the sign of ``Execution/current`` before each piece, and leaves out the rest once it is
/// raised. What an operator gives then is undefined, so whoever puts up a sign looks at it after every operator and
/// throws the result away.
package final class StopSign: Sendable {
  /// On the clock of ``monotonicNanoseconds()``; the greatest number for never.
  private let deadline: UInt64
  /// Relaxed: it tells of nothing but itself, and seen late it costs one more piece. Whoever put up the sign looks at it
  /// when all threads have come back, which orders what they raised before.
  private let isUp = Atomic(false)

  package init(deadline: UInt64 = .max) { self.deadline = deadline }

  /// Whether somebody saw a reason to stop.
  package var isRaised: Bool { isUp.load(ordering: .relaxed) }

  /// Looks for a reason to stop, and raises the sign when there is one. The task's cancellation is seen by the threads
  /// of the task itself.
  package func check() -> Bool {
    if isRaised { return true }
    guard Task.isCancelled || deadline != .max && monotonicNanoseconds() >= deadline else { return false }
    isUp.store(true, ordering: .relaxed)
    return true
  }
}
