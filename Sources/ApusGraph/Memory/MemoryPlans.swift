import Apus

/// The memory plans of a ``Plan``, made once for inputs of the same types.
final class MemoryPlans: Sendable {
  // Most models have one, and to compare its types takes less than to hash them in every run.
  private let plans = Locked<[(types: [GraphValueType?], plan: MemoryPlan)]>([])

  /// Plans kept; a model that is fed ever other shapes does not fill the memory with them.
  private static let limit = 32

  /// - Parameter values: an input each; nil for one that is left out.
  func plan(
    for values: [GraphValue?], make: (_ types: [GraphValueType?]) throws -> MemoryPlan
  ) rethrows -> MemoryPlan {
    let known = plans.withLock { plans in plans.first { zip($0.types, values).allSatisfy(Self.fits) } }
    if let known { return known.plan }
    let types = values.map { $0?.type }
    let plan = try make(types)
    plans.withLock { plans in
      if plans.count >= Self.limit { plans.removeAll() }
      plans.append((types, plan))
    }
    return plan
  }

  private static func fits(_ type: GraphValueType?, _ value: GraphValue?) -> Bool {
    guard let type, let value else { return type == nil && value == nil }
    return type.isType(of: value)
  }
}
