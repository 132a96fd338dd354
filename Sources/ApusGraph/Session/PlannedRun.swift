import Apus

extension Plan {
  /// Runs every step, with memory for what they give planned ahead; results are the same.
  ///
  /// Nothing runs when shapes tell that a result cannot be held.
  func runPlanned(_ inputs: [GraphValue?], context: RunContext) throws -> [GraphValue] {
    let values = zip(graph.inputs, inputs).map { $1 ?? constants[$0] }
    let memory = try memoryPlans.plan(for: values) { try memoryPlan(for: $0) }
    if let largest = memory.largest, largest.byteCount > Execution.memoryLimit {
      throw refusal(largest)
    }
    // Without memory for all at once there may still be enough for one after the other.
    guard memory.byteCount > 0, let arena = try? MemoryArena(byteCount: memory.byteCount, places: memory.places)
    else {
      return try run(inputs, context: context)
    }
    return try TaskMemory.with(arena: arena) {
      try run(inputs, context: context) { arena.offer(memory.places(of: $0)) }
    }
  }

  /// The memory that a run on inputs of these types takes.
  func memoryPlan(for types: [GraphValueType?]) throws -> MemoryPlan {
    let lifetimes = try lifetimes(for: types)
    return MemoryPlan(lifetimes.buffers, stepCount: steps.count, largest: lifetimes.largest)
  }

  private func refusal(_ output: LargestOutput) -> GraphError {
    let error = TensorError.memory(bytes: output.byteCount, limit: Execution.memoryLimit, shape: output.shape)
    return graph.failure(of: steps[output.step].node, "\(error)")
  }

  func lifetimes(for types: [GraphValueType?]) throws -> Lifetimes {
    var shapes: [Graph.ValueID: [Int]] = [:]
    for (id, type) in zip(graph.inputs, types) { shapes[id] = type?.extents }
    return Lifetimes(graph, steps: steps, types: try graph.inference(inputs: shapes).types)
  }
}
