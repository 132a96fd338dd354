extension Operators {
  /// The families in this folder.
  static let elementwise: [[OperatorDefinition]] = [
    arithmetic, powers, accumulations, elementMath, activations, comparisons, logic, bits, choices, casts, random,
    experimental,
  ]
}
