extension Operators {
  /// The families in this folder.
  static let signal: [[OperatorDefinition]] = [signals, windows]
}
