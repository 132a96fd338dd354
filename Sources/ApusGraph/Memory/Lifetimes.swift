import Apus

/// The memory that the steps of a plan take, from what shapes say and what operators do.
///
/// It is a forecast: of layouts, of results that are views of an input, of results written over an input. Where it is
/// wrong memory is used less well, and nothing else happens.
struct Lifetimes {
  private(set) var buffers: [PlannedBuffer] = []
  /// Outputs of nodes whose sizes do not follow from the shapes of the inputs.
  private(set) var unknownCount = 0
  /// The output that takes the most memory by itself.
  private(set) var largest: LargestOutput?

  private let types: [Graph.ValueID: InferredType]
  private let lastReads: [Graph.ValueID: Int]
  /// What lies in ``buffers``; several values may lie in one.
  private var bufferOf: [Graph.ValueID: Int] = [:]
  /// The maps that are kept channel-blocked.
  private var blocked: Set<Graph.ValueID> = []

  /// - Parameters:
  ///   - steps: the nodes of `graph` in the order in which they run.
  ///   - types: what is known of its values.
  init(_ graph: Graph, steps: [PreparedNode], types: [Graph.ValueID: InferredType]) {
    self.types = types
    var lastReads: [Graph.ValueID: Int] = [:]
    for (index, step) in steps.enumerated() {
      for id in step.inputs.compactMap({ $0 }) + step.captures { lastReads[id] = index }
    }
    for id in graph.outputs { lastReads[id] = PlannedBuffer.forever }
    self.lastReads = lastReads
    for (index, step) in steps.enumerated() {
      for case let output? in step.node.outputs { place(output, of: step, index) }
    }
  }

  private mutating func place(_ output: Graph.ValueID, of step: PreparedNode, _ index: Int) {
    guard let type = types[output], let elementType = type.elementType,
      let dataType = elementType.isCoded ? .uint8 : elementType.dataType
    else {
      unknownCount += 1
      return
    }
    let bytes = type.shape.reduce(dataType.byteCount) { $0.multipliedClamped(by: $1) }
    if bytes > largest?.byteCount ?? 0 { largest = LargestOutput(step: index, shape: type.shape, byteCount: bytes) }
    guard let sizes = try? MemoryArena.byteCounts(type.shape, dataType) else {
      unknownCount += 1
      return
    }
    let last = max(index, lastReads[output] ?? index)
    let facts = step.node.facts
    let source = step.inputs.first.flatMap { $0 }
    if isBlocked(type.shape, dataType, step, facts) { blocked.insert(output) }
    if let source, isView(output, of: source, facts) {
      // Of an input or a constant: nothing of ours.
      guard let buffer = bufferOf[source] else { return }
      buffers[buffer].lastStep = max(buffers[buffer].lastStep, last)
      bufferOf[output] = buffer
      return
    }
    if case .overInput? = facts?.results, let buffer = overwritten(by: step, index, sizes) {
      buffers[buffer].lastStep = last
      bufferOf[output] = buffer
      return
    }
    bufferOf[output] = buffers.count
    buffers.append(PlannedBuffer(sizes: sizes, firstStep: index, lastStep: last))
  }

  /// Whether an output is kept channel-blocked: convolutions make maps so, and what follows them keeps them.
  private func isBlocked(
    _ shape: [Int], _ dataType: DataType, _ step: PreparedNode, _ facts: OperatorFacts?
  ) -> Bool {
    guard TensorLayout.canBlock(shape, dataType), let facts else { return false }
    let maps = step.inputs.compactMap { $0 }.filter { types[$0]?.shape.count == shape.count && lastReads[$0] != nil }
    switch facts.layout {
    case .rowMajor: return false
    case .makesBlocked: return true
    case .keepsBlocked: return maps.contains(where: blocked.contains)
    case .joinsBlocked:
      return maps.allSatisfy(blocked.contains)
        && maps.reduce(0) { $0.addingClamped(types[$1]?.shape[1] ?? 0) } == shape[1]
    case .keepsBlockedChannels:
      guard case let source?? = step.inputs.first, let from = types[source]?.shape else { return false }
      return blocked.contains(source) && TensorLayout.keepsBlocks(from, as: shape)
    }
  }

  /// Whether an output is its node's first input again, or a part of it.
  private func isView(_ output: Graph.ValueID, of source: Graph.ValueID, _ facts: OperatorFacts?) -> Bool {
    guard let facts, let from = types[source], let to = types[output] else { return false }
    switch facts.results {
    case .fresh, .overInput: return false
    case .input: return true
    case .inputIfUnchanged: return from == to
    case .reshapedInput: return !blocked.contains(source) || blocked.contains(output)
    case .transposedInput:
      let (extents, moved) = (from.shape.filter { $0 != 1 }, to.shape.filter { $0 != 1 })
      return !blocked.contains(source) && extents == moved && Set(extents).count == extents.count
    // What lies in one piece, or whole blocks of channels of one sample.
    case .partOfInput:
      if from == to { return true }
      let cut = from.shape.indices.first { from.shape[$0] != 1 } ?? 0
      return from.shape.dropFirst(cut + 1) == to.shape.dropFirst(cut + 1)
        || blocked.contains(source) && to.shape[0] == 1 && from.shape.dropFirst(2) == to.shape.dropFirst(2)
    }
  }

  /// The memory of an input that a step writes its result over, as no later step reads it.
  private func overwritten(by step: PreparedNode, _ index: Int, _ sizes: [Int]) -> Int? {
    for case let input? in step.inputs {
      guard let buffer = bufferOf[input], buffers[buffer].lastStep == index, buffers[buffer].sizes == sizes,
        step.inputs.filter({ $0 == input }).count == 1
      else { continue }
      return buffer
    }
    return nil
  }
}

/// The output of a plan that takes the most memory by itself.
struct LargestOutput: Sendable {
  let step: Int
  let shape: [Int]
  /// Row-major; the greatest number where that cannot be said.
  let byteCount: Int
}
