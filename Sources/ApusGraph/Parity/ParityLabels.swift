import Apus

// Labels: outputs that say which of some scores is the highest. A converter adds one to a classifier that it was not in,
// and where the scores are compared nothing is left that a reference could say of it.

extension ParityCheck {
  private static let choices: Set = ["ArgMax", "TopK"]
  private static let moves: Set = ["Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"]
  private static let lookups: Set = [
    "Cast", "Gather", "GatherElements", "GatherND", "ArrayFeatureExtractor", "LabelEncoder",
  ]

  /// Whether a value is chosen, looked up and moved from values among `compared`, and constants, alone.
  func isLabel(_ name: String, of compared: Set<String>) -> Bool {
    guard let target = graph.value(named: name) else { return false }
    let part = ParityPart(of: target, cutting: unmoved(compared), given: [], in: self)
    let operators = part.steps.filter { !steps[$0].isConstant }.map { steps[$0].node.operatorName.type }
    return part.boundary.allSatisfy { producers[$0] != nil } && !Self.choices.isDisjoint(with: operators)
      && operators.allSatisfy(Self.choices.union(Self.moves).union(Self.lookups).contains)
  }

  /// The values named, and those that nodes merely moved to give them.
  private func unmoved(_ names: Set<String>) -> Set<Graph.ValueID> {
    names.reduce(into: []) { values, name in
      var next = graph.value(named: name)
      while let id = next, values.insert(id).inserted {
        let node = producers[id].map { steps[$0].node }
        next = node.flatMap { Self.moves.contains($0.operatorName.type) ? $0.inputs.first ?? nil : nil }
      }
    }
  }
}
