import Apus

// Control flow: one of two graphs.

extension Operators {
  static let conditionals: [OperatorDefinition] = [
    OperatorDefinition("If", .plain(.unknown("it depends on which branch runs")), If)
  ]

  /// The outputs of `then_branch` where the condition holds, otherwise those of `else_branch`.
  static func If(_ node: NodeDescription) throws -> PreparedOperator {
    let (thenBranch, elseBranch) = try (node.subgraph("then_branch"), node.subgraph("else_branch"))
    for (name, branch) in [("then_branch", thenBranch), ("else_branch", elseBranch)] {
      guard branch.inputCount == 0, branch.outputCount >= node.outputCount else {
        throw OperatorError(
          "\(name) has \(branch.inputCount) inputs and \(branch.outputCount) outputs; 0 and \(node.outputCount) are "
            + "needed")
      }
    }
    return { arguments in
      try arguments.truth(0) ? thenBranch([], arguments) : elseBranch([], arguments)
    }
  }
}

extension Arguments {
  /// Input `index`, a single Boolean.
  func truth(_ index: Int) throws -> Bool {
    try tensor(index, of: Bool.self).scalar
  }
}
