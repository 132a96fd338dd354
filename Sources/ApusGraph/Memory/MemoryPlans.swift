import Apus

/// The memory plans of a ``Plan``, made once for inputs of the same types.
final class MemoryPlans: Sendable {
  private let plans = Locked<[[GraphValueType?]: MemoryPlan]>([:])

  /// Plans kept; a model that is fed ever other shapes does not fill the memory with them.
  private static let limit = 32

  func plan(for types: [GraphValueType?], make: () throws -> MemoryPlan) rethrows -> MemoryPlan {
    if let plan = plans.withLock({ $0[types] }) { return plan }
    let plan = try make()
    plans.withLock { plans in
      if plans.count >= Self.limit { plans.removeAll() }
      plans[types] = plan
    }
    return plan
  }
}
