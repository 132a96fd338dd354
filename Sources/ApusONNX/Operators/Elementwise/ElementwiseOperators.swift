extension Operators {
  /// The families in this folder.
  static let elementwise: [[OperatorDefinition]] = [activations]
}
