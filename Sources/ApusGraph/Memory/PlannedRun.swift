import Apus

extension Plan {
  /// Runs every step, with memory for what they give planned ahead; results are the same.
  func runPlanned(_ inputs: [GraphValue?], context: RunContext) throws -> [GraphValue] {
    let types = zip(graph.inputs, inputs).map { ($1 ?? constants[$0])?.type }
    let memory = memoryPlans.plan(for: types) { memoryPlan(for: types) }
    // Without memory for all at once there may still be enough for one after the other.
    guard memory.byteCount > 0, let arena = try? MemoryArena(byteCount: memory.byteCount) else {
      return try run(inputs, context: context)
    }
    return try MemoryArena.$current.withValue(arena) {
      try run(inputs, context: context) { arena.offer(memory.places[$0]) }
    }
  }

  /// The memory that a run on inputs of these types takes.
  func memoryPlan(for types: [GraphValueType?]) -> MemoryPlan {
    MemoryPlan(lifetimes(for: types).buffers, stepCount: steps.count)
  }

  func lifetimes(for types: [GraphValueType?]) -> Lifetimes {
    var shapes: [Graph.ValueID: [Int]] = [:]
    for (id, type) in zip(graph.inputs, types) { shapes[id] = type?.extents }
    return Lifetimes(self, types: graph.inferredTypes(inputs: shapes))
  }
}

/// The memory plans of a ``Plan``, made once for inputs of the same types.
final class MemoryPlans: Sendable {
  private let plans = Locked<[[GraphValueType?]: MemoryPlan]>([:])

  /// Plans kept; a model that is fed ever other shapes does not fill the memory with them.
  private static let limit = 32

  func plan(for types: [GraphValueType?], make: () -> MemoryPlan) -> MemoryPlan {
    if let plan = plans.withLock({ $0[types] }) { return plan }
    let plan = make()
    plans.withLock { plans in
      if plans.count >= Self.limit { plans.removeAll() }
      plans[types] = plan
    }
    return plan
  }
}
