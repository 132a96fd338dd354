import Apus

/// The memory plans of a ``Plan``, made once for inputs of the same types.
final class MemoryPlans: Sendable {
  // Most models have one, and to compare its types takes less than to hash them in every run.
  private let plans = Locked<[(types: [GraphValueType?], plan: MemoryPlan)]>([])

  /// Plans kept; a model that is fed ever other shapes does not fill the memory with them.
  private static let limit = 32

  func plan(for types: [GraphValueType?], make: () throws -> MemoryPlan) rethrows -> MemoryPlan {
    if let known = plans.withLock({ plans in plans.first { $0.types == types } }) { return known.plan }
    let plan = try make()
    plans.withLock { plans in
      if plans.count >= Self.limit { plans.removeAll() }
      plans.append((types, plan))
    }
    return plan
  }
}
