extension Operators {
  /// The families in this folder.
  static let transformer: [[OperatorDefinition]] = [attentions, recurrentNetworks, rotaryEmbeddings]
}
