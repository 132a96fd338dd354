extension Operators {
  static let identities: [OperatorDefinition] = [
    OperatorDefinition("Identity", Identity)
  ]

  /// The input, of any kind.
  static func Identity(_ node: NodeDescription) throws -> Operation {
    { arguments in [try arguments.take(0)] }
  }
}
