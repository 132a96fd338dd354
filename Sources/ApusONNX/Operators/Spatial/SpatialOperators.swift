extension Operators {
  /// The families in this folder.
  static let spatial: [[OperatorDefinition]] = []
}
