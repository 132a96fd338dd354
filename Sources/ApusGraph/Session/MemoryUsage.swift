import Apus

extension InferenceSession {
  /// The memory that a model takes, as far as it follows from shapes. What operators use for themselves while they run,
  /// weights that are packed, and the model's outputs come on top.
  public struct MemoryUsage: Sendable, Hashable {
    /// The block that tensors between nodes share, one after the other.
    public let plannedByteCount: Int
    /// The same tensors side by side.
    public let tensorByteCount: Int
    /// The number of tensors between nodes whose sizes are known ahead.
    public let tensorCount: Int
    /// Outputs of nodes whose sizes are known only when the model runs.
    public let unknownCount: Int
    /// The constants of the graph that runs, weights above all. Those of the file are mapped, not copied.
    public let constantByteCount: Int
  }

  /// The memory for activations and constants of a run.
  ///
  /// - Parameter shapes: shapes of inputs by name; needed for those whose extents the model does not declare.
  /// - Throws: ``GraphError/input(name:reason:)`` for a name that no input has, and for a shape that the model contradicts.
  public func memoryUsage(for shapes: [String: [Int]] = [:]) throws -> MemoryUsage {
    try graph.checkShapes(shapes)
    let types = graph.inputs.map { id -> GraphValueType? in
      guard let shape = shapes[graph.values[id].name] else { return graph.values[id].type }
      return .tensor(graph.declaredElementType(of: id), shape.map(GraphDimension.size))
    }
    let lifetimes = try plan.lifetimes(for: types)
    let memory = MemoryPlan(lifetimes.buffers, stepCount: plan.steps.count)
    return MemoryUsage(
      plannedByteCount: memory.byteCount, tensorByteCount: memory.tensorByteCount, tensorCount: memory.tensorCount,
      unknownCount: lifetimes.unknownCount, constantByteCount: graph.constantByteCount)
  }
}
