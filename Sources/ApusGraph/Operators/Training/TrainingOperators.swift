extension Operators {
  /// The families in this folder.
  static let training: [[OperatorDefinition]] = [dropouts, losses, optimizers]
}
