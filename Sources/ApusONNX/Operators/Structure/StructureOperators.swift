extension Operators {
  /// The families in this folder.
  static let structure: [[OperatorDefinition]] = [identities]
}
