import Synchronization

/// The bytes of tensors that somebody is held to, beside ``Execution/memoryLimit``, which all of a process share.
///
/// A tensor made while an account is current counts in it for as long as its memory lives, wherever it goes.
package final class MemoryAccount: Sendable {
  /// The most bytes that all its tensors together may take.
  package let limit: Int
  /// Relaxed: a count by itself. No memory is read because of what it says.
  private let used = Atomic(0)

  package init(limit: Int) { self.limit = max(0, limit) }

  /// The bytes of its tensors that are alive.
  package var usedByteCount: Int { used.load(ordering: .relaxed) }

  /// - Throws: ``TensorError/growth(bytes:limit:shape:)``.
  func take(_ byteCount: Int) throws {
    let (sum, overflow) = used.load(ordering: .relaxed).addingReportingOverflow(byteCount)
    guard !overflow, sum <= limit else { throw TensorError.growth(bytes: byteCount, limit: limit) }
    // Two threads that ask at the same time may pass the limit together, by one tensor: it is no ration.
    used.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Takes back what ``take(_:)`` gave.
  func give(_ byteCount: Int) { used.wrappingSubtract(byteCount, ordering: .relaxed) }
}
