extension Operators {
  static let identities: [OperatorDefinition] = [
    OperatorDefinition("Identity", .movement(.likeInput, results: .input, layout: .rowMajor), Identity)
  ]

  /// The input, of any kind.
  static func Identity(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in [try arguments.take(0)] }
  }
}
