import Apus

/// What is known of a run's values from how they came about.
struct ParityHistory {
  /// What values were rounded to, by their own node or before it: the coarsest type, where that is not DOUBLE.
  private(set) var coarsest: [Graph.ValueID: ElementType] = [:]
  /// The positions of the nodes that jump; see ``Node/jumps(from:to:)``.
  private(set) var jumps: Set<Int> = []
  /// The values that a jump has led to.
  private(set) var jumping: Set<Graph.ValueID> = []
  /// What the cumulative errors of the reference's values go by.
  private(set) var scales: [Graph.ValueID: Double] = [:]

  /// Takes note of what the outputs of a node were rounded to, by itself or before it.
  ///
  /// - Parameters:
  ///   - values: the node's outputs.
  ///   - modelInputs: what the model was given.
  mutating func noteTypes(of node: Node, _ values: ParityLane.Outcome, modelInputs: [Graph.ValueID: GraphValue]) {
    let before = node.reads.reduce(nil as ElementType?) { type, id in
      ElementType.coarser(type, coarsest[id] ?? modelInputs[id]?.elementType)
    }
    for case (let position, let output?) in node.outputs.enumerated() {
      coarsest[output] = ElementType.coarser(before, values.value(position)?.elementType)
    }
  }

  /// Takes note that much is made of how what led to these values was rounded: it may decide what all that follows comes to.
  mutating func noteSensitive(_ ids: [Graph.ValueID]) {
    for id in ids { coarsest[id] = .bfloat16 }
  }

  /// Takes note of which outputs of the node at `index` come of a jump.
  ///
  /// - Parameters:
  ///   - values: the node's outputs.
  ///   - inputs: what it read, without constants, and of what type.
  mutating func noteJumps(
    of node: Node, at index: Int, _ values: ParityLane.Outcome, inputs: [(id: Graph.ValueID, type: ElementType?)]
  ) {
    let isBehind = inputs.contains { jumping.contains($0.id) }
    for case (let position, let output?) in node.outputs.enumerated() {
      let isJump = node.jumps(from: inputs.map(\.type), to: values.value(position)?.elementType)
      if isJump { jumps.insert(index) }
      if isJump || isBehind { jumping.insert(output) }
    }
  }

  /// Takes note of what the cumulative error of an output of the node goes by: at least what that of its inputs does, where
  /// it passes errors on or adds them up.
  ///
  /// - Parameter sum: the largest sum of the magnitudes of its terms, where these are elements of its inputs.
  mutating func noteScale(of id: Graph.ValueID, of node: Node, _ scale: ValueScale, sum: Double?) {
    let sum = sum.map { $0 < scale.limit ? $0 : 0 } ?? 0
    scales[id] = max(scale.largest, sum, leastScale(of: node, below: scale.limit))
  }

  /// - Parameter limit: what is left out of the output's own scale begins here. A mask that is added is no scale either.
  private func leastScale(of node: Node, below limit: Double) -> Double {
    guard let accuracy = node.facts?.accuracy else { return 0 }
    guard accuracy.passesErrorsOn || accuracy.addends == .elements else { return accuracy.leastScale }
    return node.inputs.compactMap { id in id.flatMap { scales[$0] } }.filter { $0 < limit }
      .reduce(accuracy.leastScale, max)
  }
}

extension ElementType {
  /// Of two types the one that rounds more; nil of DOUBLE and of what is no floating-point number.
  static func coarser(_ a: ElementType?, _ b: ElementType?) -> ElementType? {
    [.bfloat16, .float16, .float].first { $0 == a || $0 == b }
  }
}
